"""Encrypted Office files, opened in memory with the password that came with them."""

from __future__ import annotations

import dataclasses
import io
from functools import cache
from typing import Any

from extractors._containers import type_inside_ole
from extractors.content import Job, Status
from extractors.format import Unreadable

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Outlook's letters are never encrypted as a file, and may have thousands of streams to look through.
_LETTER = "application/vnd.ms-outlook"
#: Excel encrypts workbooks that are only protected against changes with this one, and opens them without asking.
_EXCELS_OWN = "VelvetSweatshop"
#: Office hashes a key 100,000 times. A file that asks for many more only wants our time.
_MAX_ROUNDS = 2_000_000


def opened(job: Job) -> Job:
    """The job with its document decrypted; the job as it is where nothing is encrypted or the password does not fit."""
    if not job.data.startswith(_OLE) or type_inside_ole(job.data) == _LETTER:
        return job
    for password in filter(None, (job.password, _EXCELS_OWN)):
        data = decrypted(job.data, password)
        if data is not None:
            return dataclasses.replace(job, data=data)
    return job


def decrypted(data: bytes, password: str) -> bytes | None:
    """The document in an encrypted Office file; None where nothing is encrypted or the password does not fit."""
    office_file = _office_file()
    document = io.BytesIO()
    try:
        file = office_file(io.BytesIO(data))
        if not file.is_encrypted() or _rounds(file) > _MAX_ROUNDS:
            return None
        file.load_key(password=password)
        file.decrypt(document)
    except MemoryError:
        raise
    except Exception:
        # It raises nearly anything on damaged headers, and for a wrong password one error per cipher.
        return None
    return document.getvalue() or None


class _InMemory:
    """In place of `tempfile`: what is decrypted stays off the disk, where a sandbox could not write it anyway."""

    TemporaryFile = io.BytesIO


@cache
def _office_file() -> Any:
    """msoffcrypto's opener, with all that it would else import while it reads."""
    # All untyped, and loaded with the first file that needs them.
    import xml.dom.expatbuilder  # noqa: F401, PLC0415 # see above

    import msoffcrypto  # type: ignore[import-untyped] # noqa: PLC0415 # see above
    from cryptography.hazmat.backends import openssl  # noqa: F401, PLC0415 # see above
    from msoffcrypto.format import doc97, ooxml, ppt97, xls97  # type: ignore[import-untyped] # noqa: F401, PLC0415 # see above

    for module in (doc97, ppt97, xls97):
        module.tempfile = _InMemory
    directory = ppt97.construct_persistobjectdirectory
    # It takes the next object listed for the next in the file, and so decrypts too much of a presentation.
    ppt97.construct_persistobjectdirectory = lambda data: dict(
        sorted(directory(data).items(), key=lambda item: item[1])
    )
    return msoffcrypto.OfficeFile


def _rounds(file: Any) -> int:
    """How often the key is hashed, where the file says so."""
    info = getattr(file, "info", None)
    return int(info.get("spinValue", 0)) if isinstance(info, dict) else 0


def locked(job: Job) -> Unreadable:
    """What to raise for a file that its password, or the lack of one, does not open."""
    note = "the password does not open this file" if job.password else "a password is needed to open this file"
    return Unreadable(Status.ENCRYPTED, note)
