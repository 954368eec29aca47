"""Opens a document from hostile bytes: zipped or flat, with its password where it has one."""

from __future__ import annotations

from extractors._odf.encryption import is_encrypted, unlocked
from extractors._odf.source import FlatSource, Source, ZippedSource
from extractors._parts import open_archive
from extractors.budget import Budget
from extractors.content import Job

_MANIFEST = "META-INF/manifest.xml"


def open_source(job: Job, budget: Budget) -> Source:
    """The document in the job's bytes. Raises `Unreadable` where it is broken, hostile or needs a password."""
    if not job.data.startswith(b"PK"):
        return FlatSource(budget=budget, data=job.data)
    archive, entries = open_archive(job.data, budget)
    source = ZippedSource(archive=archive, budget=budget, entries=entries)
    manifest = source.optional(_MANIFEST)
    if manifest is None or not is_encrypted(manifest):
        return source
    return unlocked(source, manifest, job.password)
