"""Opening a ZIP of parts: what its directory says is checked before anything is inflated."""

from __future__ import annotations

import io
import struct
import zipfile

from extractors._containers import BEGINS_WITH_MEMBER
from extractors._parts.salvage import salvage
from extractors.budget import Budget
from extractors.content import Status
from extractors.format import Unreadable

_ENTRY_SIGNATURE = b"PK\x01\x02"
_ENTRY_HEADER_BYTES = 30


def open_archive(data: bytes, budget: Budget) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    """The ZIP in these bytes, and its entries. Raises `Unreadable` where it is broken, hostile or encrypted."""
    max_entries = budget.limits.office_zip_max_entries
    if data.count(_ENTRY_SIGNATURE) > max_entries:
        raise Unreadable(Status.REJECTED, f"the file has more than {max_entries:,} parts")
    try:
        archive = _opened(data, max_entries)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as exc:
        raise Unreadable(Status.REJECTED, "the file is damaged: its directory cannot be read") from exc
    infos = archive.infolist()
    _check_directory(infos)
    return archive, {info.filename.replace("\\", "/").lstrip("/").lower(): info for info in infos}


def _opened(data: bytes, max_entries: int) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        # A file that is cut off may end with the directory of another one inside it.
        if not BEGINS_WITH_MEMBER.match(data) or min(info.header_offset for info in archive.infolist()) == 0:
            return archive
    except (zipfile.BadZipFile, ValueError):
        archive = None
    salvaged = salvage(data, max_entries=max_entries) or archive
    if salvaged is None:
        raise zipfile.BadZipFile
    return salvaged


def _check_directory(infos: list[zipfile.ZipInfo]) -> None:
    if any(info.flag_bits & 0x1 for info in infos):
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
    # bzip2 and lzma members inflate without a bound per read, and no office program writes them.
    if any(info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for info in infos):
        raise Unreadable(Status.REJECTED, "the file is damaged: it is packed in a way no office program uses")
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise Unreadable(Status.REJECTED, "the file is damaged: its parts overlap")
        end = info.header_offset + _ENTRY_HEADER_BYTES + info.compress_size
