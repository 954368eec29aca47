"""The file that somebody has put into an office document, out of the object that programs wrap around it (OLE)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from extractors._charset import decode
from extractors._legacy.compound import Compound, open_compound
from extractors._legacy.numbers import u16, u32
from extractors.content import Member
from extractors.format import Unreadable

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NATIVE = "\x01Ole10Native"
#: Streams that hold a whole file: of Office, of Acrobat, of LibreOffice.
_WHOLE_FILES = ("Package", "CONTENTS", "EmbeddedOdf")
#: What such files begin with; programs keep other things under these names too.
_BEGINNINGS = (b"PK\x03\x04", b"%PDF", _OLE, b"{\\rt", b"<?xm")
#: What tells a file of an Office program in a storage of its own, and how such a file is called.
OFFICE_STREAMS = {"WordDocument": "doc", "Workbook": "xls", "Book": "xls", "PowerPoint Document": "ppt"}
#: Of a wrapped file: an icon for it, what follows is linked or embedded.
_WRAPPED, _EMBEDDED, _OBJECT_EMBEDDED = 2, 3, 2


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file by the name that people know it by."""

    name: str
    data: bytes


def members(files: Iterable[EmbeddedFile | None]) -> Iterator[Member]:
    """The files to be read in turn, each once."""
    seen: set[bytes] = set()
    for file in files:
        if file is not None and (digest := sha256(file.data).digest()) not in seen:
            seen.add(digest)
            yield Member(file.name, file.data, is_shown=True)


def embedded_file(data: bytes, name: str) -> EmbeddedFile | None:
    """The file in the bytes of an object; `name` is what it is called where it has no name of its own."""
    if not data.startswith(_OLE):
        return EmbeddedFile(name, data) if data.startswith(_BEGINNINGS) else None
    try:
        compound = open_compound(data)
    except Unreadable:
        return None
    stem = name.rpartition(".")[0] or name
    suffix = next((suffix for stream, suffix in OFFICE_STREAMS.items() if compound.read(stream)), None)
    return EmbeddedFile(f"{stem}.{suffix}", data) if suffix else wrapped_file(compound, stem)


def linked_or_embedded(data: bytes, name: str) -> EmbeddedFile | None:
    """The file in an object of the first kind (OLE 1), which RTF keeps; None for a link to a file."""
    if u32(data, 4) != _OBJECT_EMBEDDED:
        return None
    at = 8
    words = []
    for _ in range(3):  # its class, its topic, its item
        size = u32(data, at)
        words.append(data[at + 4 : at + 4 + size].rstrip(b"\0"))
        at += 4 + size
    native = data[at + 4 : at + 4 + u32(data, at)]
    return packaged_file(native, name) if words[0] == b"Package" else embedded_file(native, name)


def wrapped_file(compound: Compound, name: str) -> EmbeddedFile | None:
    """The file in a folder that holds one whole, perhaps with its name; None where there is none."""
    if native := compound.read(_NATIVE):
        return packaged_file(native[4:], name)
    for stream in _WHOLE_FILES:
        content = compound.read(stream) or b""
        if content.startswith(_BEGINNINGS):
            return EmbeddedFile(name, content)
    return None


def packaged_file(native: bytes, name: str) -> EmbeddedFile | None:
    """The file that Windows' packager has wrapped: its label, where it came from, and its bytes."""
    if u16(native, 0) != _WRAPPED:
        return EmbeddedFile(name, native) if native.startswith(_BEGINNINGS) else None
    label, _, rest = native[2:].partition(b"\0")
    _path, _, rest = rest.partition(b"\0")
    if u16(rest, 2) != _EMBEDDED:
        return None
    size_at = 8 + u32(rest, 4)
    start = size_at + 4
    end = start + u32(rest, size_at)
    data = rest[start:end]
    wide = _wide_label(rest, end) or decode(label).text
    return EmbeddedFile(wide.strip() or name, data) if data else None


def _wide_label(rest: bytes, at: int) -> str:
    """The label once more in Unicode, which stands behind the file and a path."""
    at += 4 + 2 * u32(rest, at)
    return rest[at + 4 : at + 4 + 2 * u32(rest, at)].decode("utf-16-le", "replace")
