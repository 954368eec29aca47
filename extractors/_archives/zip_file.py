"""ZIP: names in the encoding they were packed in, ZipCrypto and AES with a password, overlapping entries refused."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO

from extractors._archives.gate import DAMAGED, LINK, LOCKED, WRONG_PASSWORD, Gate
from extractors._archives.names import decoded_names
from extractors._archives.zip_aes import AES_FIELD, AES_METHOD, Decrypted, decrypted
from extractors.content import Job, LeftOut, Member, Status
from extractors.format import Unreadable

_IS_ENCRYPTED = 0x1
_IS_UTF8 = 0x800
_UNIX = 3
_LOCAL_HEADER_BYTES = 30
_ENTRY_MARK, _ENTRY_BYTES = b"PK\1\2", 46
_END_MARK, _DIRECTORY_SIZE_AT = b"PK\5\6", 12
#: What Info-ZIP, WinRAR and Bandizip write beside a name in the system's own encoding.
_UNICODE_PATH = 0x7075
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, LookupError, struct.error)


def zip_members(job: Job, gate: Gate) -> Iterator[Member | LeftOut]:
    """The files of a ZIP in the order of its directory."""
    try:
        archive = _archive(job.data)
    except (*_DAMAGE, NotImplementedError) as exc:
        raise Unreadable(Status.REJECTED, "the archive is damaged: its directory cannot be read") from exc
    infos = archive.infolist()
    overlapping = set(_overlapping(infos))
    for info, name in zip(infos, _names(infos), strict=True):
        if name.endswith(("/", "\\")):
            continue
        if info.header_offset in overlapping:
            yield LeftOut(name, "its data overlap another file's")
        elif _is_special(info):
            yield LeftOut(name, LINK, is_loss=False)
        else:
            yield gate.refused(name, info.file_size) or _unpacked(archive, info, name, job, gate)


def _archive(data: bytes) -> zipfile.ZipFile:
    """The archive; where names are marked as UTF-8 and are not, without those marks."""
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except UnicodeDecodeError:
        return zipfile.ZipFile(io.BytesIO(_unmarked(data)))


def _unmarked(data: bytes) -> bytes:
    """The archive without the mark of UTF-8 on any of its names, in the directory and before the files."""
    changed = bytearray(data)
    end_at = data.rfind(_END_MARK)
    directory_bytes, directory_at = struct.unpack_from("<2L", data, end_at + _DIRECTORY_SIZE_AT)
    at = end_at - directory_bytes
    shift = at - directory_at
    while data.startswith(_ENTRY_MARK, at):
        lengths, (header_at,) = struct.unpack_from("<3H", data, at + 28), struct.unpack_from("<L", data, at + 42)
        for flags_at in (at + 8, header_at + shift + 6):
            flags = int.from_bytes(data[flags_at : flags_at + 2], "little") & ~_IS_UTF8
            changed[flags_at : flags_at + 2] = flags.to_bytes(2, "little")
        at += _ENTRY_BYTES + sum(lengths)
    return bytes(changed)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, job: Job, gate: Gate) -> Member | LeftOut:
    is_encrypted = bool(info.flag_bits & _IS_ENCRYPTED)
    if is_encrypted and job.password is None:
        return gate.left_locked(name, LOCKED)
    for password in _spellings(job.password if is_encrypted else None):
        try:
            with _opened(archive, info, job, password) as part:
                return gate.unpacked(name, part, info.compress_size)
        except NotImplementedError:
            return LeftOut(name, "packed in a way that is not read")
        except (RuntimeError, *_DAMAGE):
            continue  # RuntimeError is zipfile's word for a wrong password, which may also show as damage
    return gate.left_locked(name, WRONG_PASSWORD) if is_encrypted else LeftOut(name, DAMAGED)


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo, job: Job, password: bytes | None) -> IO[bytes] | Decrypted:
    if password is None or info.compress_type != AES_METHOD:
        return archive.open(info, pwd=password)
    return decrypted(job.data, info, _extra_field(info, AES_FIELD) or b"", password)


def _spellings(password: str | None) -> Iterable[bytes | None]:
    """A password as the packing system may have encoded it."""
    return [None] if password is None else dict.fromkeys((password.encode(), password.encode("gb18030")))


def _is_special(info: zipfile.ZipInfo) -> bool:
    mode = stat.S_IFMT(info.external_attr >> 16) if info.create_system == _UNIX else 0
    return mode not in {0, stat.S_IFREG}


def _overlapping(infos: list[zipfile.ZipInfo]) -> Iterator[int]:
    """Where the entries begin that lie within an earlier one: bombs share their data."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            yield info.header_offset
        end = max(end, info.header_offset + _LOCAL_HEADER_BYTES + info.compress_size)


def _names(infos: list[zipfile.ZipInfo]) -> list[str]:
    # zipfile has read every name without the mark of UTF-8 as cp437, which loses nothing.
    raw = [b"" if info.flag_bits & _IS_UTF8 else info.orig_filename.encode("cp437") for info in infos]
    names = decoded_names(raw)
    return [
        info.filename if info.flag_bits & _IS_UTF8 else _unicode_path(info, raw_name) or name
        for info, raw_name, name in zip(infos, raw, names, strict=True)
    ]


def _unicode_path(info: zipfile.ZipInfo, raw_name: bytes) -> str | None:
    """The name from its extra field, if that was written for this name."""
    field = _extra_field(info, _UNICODE_PATH)
    if field is None or len(field) <= 5 or int.from_bytes(field[1:5], "little") != zlib.crc32(raw_name):
        return None
    return field[5:].decode("utf-8", "replace")


def _extra_field(info: zipfile.ZipInfo, wanted: int) -> bytes | None:
    """One of the entry's extra fields; None where it has none of that kind."""
    at = 0
    while at + 4 <= len(info.extra):
        kind, size_bytes = struct.unpack_from("<HH", info.extra, at)
        if kind == wanted:
            return info.extra[at + 4 : at + 4 + size_bytes]
        at += 4 + size_bytes
    return None
