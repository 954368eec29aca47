"""RAR of every generation, by the package `rars`; without it, a RAR is named and not read."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from extractors._archives.gate import DAMAGED, LINK, LOCKED, WRONG_PASSWORD, Gate
from extractors._archives.names import decoded_names
from extractors.content import Job, LeftOut, Member, Status
from extractors.format import Unreadable
from extractors.limits import MIB

try:
    # Not a plain import: it has no type information. At once: a confined child cannot load it any more.
    rars: Any = importlib.import_module("rars")
except ImportError:
    rars = None

_MAX_DICTIONARY_BYTES = 128 * MIB
_MAX_HEADERS = 100_000


def rar_members(job: Job, gate: Gate) -> Iterator[Member | LeftOut]:
    """The files of a RAR in their order."""
    if rars is None:
        raise Unreadable(Status.UNSUPPORTED, "no reader for RAR here: the package rars is missing")
    archive = _opened(job)
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    names = decoded_names([entry.orig_filename_bytes for entry in entries])
    for entry, name in zip(entries, names, strict=True):
        left = gate.refused(name, entry.file_size)
        if left is None and (entry.is_split_before or entry.is_split_after):
            left = LeftOut(name, "it goes on in another volume")
        if left is not None:
            yield left
            continue
        try:
            options = _options(max_member_output_bytes=gate.max_bytes(len(job.data)))
            yield gate.member(name, archive.read(entry, options=options))
        except KeyError:
            yield LeftOut(name, LINK, is_loss=False)  # an entry without bytes of its own
        except (rars.Error, ValueError, OSError) as exc:
            yield _failed(exc, name, gate, may_be_locked=entry.is_encrypted)


def _opened(job: Job) -> Any:
    try:
        return rars.RarFile.from_bytes(job.data, job.password, options=_options())
    except rars.PasswordRequired as exc:
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file") from exc
    except rars.BadPassword as exc:
        raise Unreadable(Status.ENCRYPTED, "the password does not open this file") from exc
    except rars.UnsupportedRarFeature as exc:
        raise Unreadable(Status.UNSUPPORTED, "no reader for this kind of RAR") from exc
    except (rars.Error, ValueError, OSError) as exc:
        raise Unreadable(Status.REJECTED, "the archive is damaged: its directory cannot be read") from exc


def _options(**limits: int) -> Any:
    return rars.ReadOptions(max_header_count=_MAX_HEADERS, rar50_dictionary_size_limit=_MAX_DICTIONARY_BYTES, **limits)


def _failed(exc: Exception, name: str, gate: Gate, *, may_be_locked: bool) -> LeftOut:
    if isinstance(exc, rars.PasswordRequired):
        return gate.left_locked(name, LOCKED)
    if may_be_locked or isinstance(exc, rars.BadPassword):
        return gate.left_locked(name, WRONG_PASSWORD)
    return LeftOut(name, DAMAGED)
