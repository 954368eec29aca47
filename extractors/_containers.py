"""What a ZIP or OLE file is, by the names inside it. Reads directories, never members, within caps. Stdlib only."""

from __future__ import annotations

import itertools
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from extractors._magic import OLE, ZIP
from extractors._media_types import DOCX, OFFICE_TYPES, PPTX, XLSX

ENCRYPTED_OFFICE = "application/x-encrypted-office"
#: Pages, Numbers or Keynote.
IWORK = "application/x-iwork"
#: An OLE file whose directory is damaged or cut off.
DAMAGED_OLE = "application/x-ole-damaged"
EPUB, _IBOOKS = "application/epub+zip", "application/x-ibooks+zip"
MAX_ZIP_ENTRIES = 10_000
MAX_MEMBER_BYTES = 256 * 1024
MAX_OLE_SECTORS = 10_000

# --- ZIP --------------------------------------------------------------------------------------------------------------

_END_RECORD = struct.Struct("<4s4H2LH")
_DIRECTORY_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL_MARK = b"PK\3\4"
#: The header of a member that is stored or deflated.
BEGINS_WITH_MEMBER = re.compile(rb"PK\x03\x04.{4}[\x00\x08]\x00", re.DOTALL)
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
#: The end record is 22 bytes and a comment of up to 65,535.
_END_WITHIN_BYTES = 22 + 65_535

#: Content types of main parts, without their ".main+xml".
_OOXML_MAIN_TYPES = {media_type.removesuffix(".12"): media_type for media_type in OFFICE_TYPES.values()} | {
    "application/vnd.ms-word.template.macroenabledtemplate": OFFICE_TYPES["dotm"],
}
_MAIN_PART = re.compile(rb"""ContentType\s*=\s*["']([^"']{1,200}?)\.main(?:\+xml)?["']""")
#: What the member `mimetype` may say. Any other type would send a ZIP to a reader of something else.
_DECLARED_TYPE = re.compile(
    r"application/(?:epub\+zip|x-ibooks\+zip|vnd\.(?:oasis\.opendocument|sun\.xml)\.[\w.+-]{1,80})"
)
#: What an OpenDocument file says of itself once more, where the member `mimetype` is missing or wrong.
_WHOLE_PACKAGE = re.compile(rb"""<(?:\w+:)?file-entry\b[^>]{0,500}\bfull-path\s*=\s*["']/["'][^>]{0,500}>""")
_NAMED_TYPE = re.compile(rb"""\bmedia-type\s*=\s*["']([^"']{1,200})["']""")
#: A document may be packed as the folder that it is on a Mac.
_IWORK_PACKAGE = r"(?:[^/]+\.(?:pages|numbers|key)/)?"
#: Ordinary archives have such members too, so that one of iWork's own must stand beside it.
_IWORK_INDEX = re.compile(_IWORK_PACKAGE + r"index\.(?:zip|xml|xml\.gz|apxl\.gz)")
_IWORK_COMPANION = re.compile(
    _IWORK_PACKAGE + r"(?:buildversionhistory\.plist|metadata/(?:documentidentifier|.*\.plist))"
)
#: Members that give a file away, asked in this order where its content types do not say it.
_TELLING_MEMBERS = (
    (re.compile(r"word/document.*\.xml"), DOCX),
    (re.compile(r"xl/workbook\.xml"), XLSX),
    (re.compile(r"xl/workbook\.bin"), OFFICE_TYPES["xlsb"]),
    (re.compile(r"ppt/presentation\.xml"), PPTX),
    (re.compile(_IWORK_PACKAGE + r"(?:index/.*\.iwa|index\.apxl)"), IWORK),
    (re.compile(r"visio/document\.xml"), "application/vnd.ms-visio.drawing"),
    (re.compile(r"fixeddocseq\.fdseq|fixeddocumentsequence\.fdseq"), "application/vnd.ms-xpsdocument"),
    (re.compile(r"androidmanifest\.xml"), "application/vnd.android.package-archive"),
    (re.compile(r"meta-inf/manifest\.mf"), "application/java-archive"),
)


class _Member(NamedTuple):
    name: str
    header_at: int
    packed_bytes: int
    method: int


def type_inside_zip(data: bytes) -> str:
    """The media type of an OOXML, OpenDocument, EPUB or iWork file; `application/zip` for any other ZIP."""
    members = list(itertools.islice(_directory(data), MAX_ZIP_ENTRIES))
    # A file that is cut off may end with the directory of another one inside it, which leaves out what stands first.
    if not members or (BEGINS_WITH_MEMBER.match(data) and min(member.header_at for member in members) > 0):
        members = list(itertools.islice(_local_headers(data), MAX_ZIP_ENTRIES))
    by_name = {member.name.lower().replace("\\", "/"): member for member in members}
    if (told := next(_told(data, by_name), None)) is not None:
        return told
    if (types := by_name.get("[content_types].xml")) is not None:
        for main_type in _MAIN_PART.findall(_head_of_member(data, types)):
            if media_type := _OOXML_MAIN_TYPES.get(main_type.decode("ascii", "replace").lower(), ""):
                return media_type
    for pattern, media_type in _TELLING_MEMBERS:
        if any(pattern.fullmatch(name) for name in by_name):
            return media_type
    if any(map(_IWORK_INDEX.fullmatch, by_name)) and any(map(_IWORK_COMPANION.fullmatch, by_name)):
        return IWORK
    return ZIP


def _told(data: bytes, by_name: Mapping[str, _Member]) -> Iterator[str]:
    """What an OpenDocument file or a book says of itself: in a member for that alone, or in its list of members."""
    if (declared := by_name.get("mimetype")) is not None:
        media_type = _head_of_member(data, declared).strip().decode("ascii", "replace")
        if _DECLARED_TYPE.fullmatch(media_type):
            yield EPUB if media_type == _IBOOKS else media_type
    if (manifest := by_name.get("meta-inf/manifest.xml")) is not None:
        whole = _WHOLE_PACKAGE.search(_head_of_member(data, manifest))
        named = _NAMED_TYPE.search(whole[0]) if whole is not None else None
        if named is not None and _DECLARED_TYPE.fullmatch(named[1].decode("ascii", "replace")):
            yield named[1].decode()
    if "meta-inf/container.xml" in by_name and any(name.endswith(".opf") for name in by_name):
        yield EPUB


def _directory(data: bytes) -> Iterator[_Member]:
    """Members by the central directory, found from where it ends so that bytes put before the ZIP do no harm."""
    end_at = data.rfind(b"PK\5\6", max(0, len(data) - _END_WITHIN_BYTES))
    if end_at < 0 or end_at + _END_RECORD.size > len(data):
        return
    _, _, _, _, _, directory_bytes, offset, _ = _END_RECORD.unpack_from(data, end_at)
    at = end_at - directory_bytes
    shift = at - offset
    while at >= 0 and at + _DIRECTORY_ENTRY.size <= end_at and data.startswith(b"PK\1\2", at):
        entry = _DIRECTORY_ENTRY.unpack_from(data, at)
        method, packed, name_len, extra_len, comment_len, header_at = (entry[i] for i in (4, 8, 10, 11, 12, 16))
        name_at = at + _DIRECTORY_ENTRY.size
        yield _Member(_text(data[name_at : name_at + name_len]), header_at + shift, packed, method)
        at = name_at + name_len + extra_len + comment_len


def _local_headers(data: bytes) -> Iterator[_Member]:
    """Members of a ZIP that lost its directory, by the headers before them."""
    at = data.find(_LOCAL_MARK)
    while at >= 0 and at + _LOCAL_HEADER.size <= len(data):
        header = _LOCAL_HEADER.unpack_from(data, at)
        method, packed, name_len, extra_len = header[3], header[7], header[9], header[10]
        name_at = at + _LOCAL_HEADER.size
        yield _Member(_text(data[name_at : name_at + name_len]), at, packed or MAX_MEMBER_BYTES, method)
        at = data.find(_LOCAL_MARK, name_at + name_len + extra_len + packed)


def _head_of_member(data: bytes, member: _Member) -> bytes:
    """The first bytes of a member, inflated within the cap; empty where they cannot be read."""
    if not 0 <= member.header_at <= len(data) - _LOCAL_HEADER.size:
        return b""
    header = _LOCAL_HEADER.unpack_from(data, member.header_at)
    start = member.header_at + _LOCAL_HEADER.size + header[9] + header[10]
    packed = data[start : start + min(member.packed_bytes, MAX_MEMBER_BYTES)]
    if member.method == 0:
        return packed
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MAX_MEMBER_BYTES)
    except zlib.error:
        return b""


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


# --- OLE --------------------------------------------------------------------------------------------------------------

#: Entries in the root that give a file away. Inside storages the same names belong to embedded objects.
_OLE_ENTRIES = (
    ("EncryptedPackage", ENCRYPTED_OFFICE),
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("VisioDocument", "application/vnd.visio"),
    ("\x05HwpSummaryInformation", "application/x-hwp"),
)
_NO_ENTRY = 0xFFFFFFFF
_MAX_REGULAR_SECTOR = 0xFFFFFFFA


def type_inside_ole(data: bytes) -> str:
    """The media type of an old Office file or an encrypted new one; `application/x-ole-storage` for any other."""
    names = {name.casefold() for name in _root_names(data)}  # some programs write them in capitals
    if not names:
        return DAMAGED_OLE
    return next((media_type for name, media_type in _OLE_ENTRIES if name.casefold() in names), OLE)


def _root_names(data: bytes) -> set[str]:
    """Names of the entries in the root storage: a tree of siblings hanging on the root's child."""
    entries = _ole_directory(data)
    names: set[str] = set()
    seen = {_NO_ENTRY}
    pending = [int.from_bytes(entries[0][76:80], "little")] if entries else []
    while pending:
        index = pending.pop()
        if index in seen or index >= len(entries):
            continue
        seen.add(index)
        entry = entries[index]
        name_bytes = int.from_bytes(entry[64:66], "little")
        names.add(entry[: max(0, min(name_bytes, 64) - 2)].decode("utf-16-le", "replace"))
        pending += [int.from_bytes(entry[68:72], "little"), int.from_bytes(entry[72:76], "little")]
    return names


def _ole_directory(data: bytes) -> list[bytes]:
    """The 128-byte directory entries, along the chain of sectors they fill."""
    sector_bytes = 1 << min(int.from_bytes(data[30:32], "little"), 12)
    sector = int.from_bytes(data[48:52], "little")
    entries: list[bytes] = []
    for _ in range(MAX_OLE_SECTORS):
        if sector >= _MAX_REGULAR_SECTOR or sector_bytes < 128:
            break
        start = (sector + 1) * sector_bytes
        block = data[start : start + sector_bytes]
        entries += [block[i : i + 128] for i in range(0, len(block) - 127, 128)]
        sector = _next_sector(data, sector, sector_bytes)
    return entries


def _next_sector(data: bytes, sector: int, sector_bytes: int) -> int:
    """The sector after this one, by the allocation table; only the 109 table sectors that the header names."""
    per_table = sector_bytes // 4
    slot = 76 + 4 * (sector // per_table)
    if slot >= 512:
        return _NO_ENTRY
    table = int.from_bytes(data[slot : slot + 4], "little")
    at = (table + 1) * sector_bytes + 4 * (sector % per_table)
    found = data[at : at + 4]
    return int.from_bytes(found, "little") if len(found) == 4 else _NO_ENTRY
