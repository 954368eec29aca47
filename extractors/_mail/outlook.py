"""A letter as Outlook saves it: MAPI properties in the streams of an OLE file (MS-OXMSG)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from extractors._declared_charset import code_page, decoded
from extractors._legacy.compound import Compound, open_compound
from extractors._mail.language import page_of_language
from extractors._mail.letter import Attachment, Letter, member_name
from extractors._mail.lzfu import decompress
from extractors._mail.mapi import (
    CLASS,
    CONTENT_ID,
    DATA,
    INTERNET_PAGE,
    LANGUAGE,
    MEDIA_TYPE,
    NAMES,
    OUTLOOK,
    RTF,
    STRING_PAGE,
    letter_fields,
    letter_piece,
    unwrap,
)

_PROPERTIES = "__properties_version1.0"
_ENTRY = struct.Struct("<HHI8s")
_ROOT_HEADER_BYTES, _MESSAGE_HEADER_BYTES, _CHILD_HEADER_BYTES = 32, 24, 8
_STRING8, _UNICODE, _BINARY = "001E", "001F", "0102"
#: How many bytes a number, a truth value and a time have.
_FIXED_BYTES = {0x0003: 4, 0x000B: 4, 0x0040: 8}
_OBJECT = "__substg1.0_3701000D"
_EMBEDDED_LETTER, _BY_LINK = 5, 7
#: The start of the root's first child in its entry of the directory.
_CHILD_AT = 76


@dataclass(slots=True, kw_only=True)
class _Storage:
    """One storage of the file and what MAPI keeps in it."""

    compound: Compound
    size_bytes: int
    path: tuple[str, ...] = ()
    header_bytes: int = _ROOT_HEADER_BYTES
    codec: str | None = None
    html_codec: str | None = None
    _fixed: dict[int, int] = field(default_factory=dict)

    def load(self) -> None:
        """Reads the properties of fixed size, and with them the code pages of the strings."""
        entries = self.stream(_PROPERTIES)[self.header_bytes :]
        for kind, name, _, value in _ENTRY.iter_unpack(entries[: len(entries) - len(entries) % _ENTRY.size]):
            if kind in _FIXED_BYTES:
                self._fixed[name] = int.from_bytes(value[: _FIXED_BYTES[kind]], "little")
        pages = (self.number(STRING_PAGE), page_of_language(self.number(LANGUAGE)), self.number(INTERNET_PAGE))
        self.codec = next(filter(None, map(code_page, pages)), self.codec)
        self.html_codec = code_page(self.number(INTERNET_PAGE)) or self.html_codec

    def children(self, prefix: str) -> Iterator[_Storage]:
        """The storages inside whose names begin so."""
        for name in self.compound.names(*self.path):
            if name.lower().startswith(prefix):
                child = _Storage(
                    compound=self.compound,
                    size_bytes=self.size_bytes,
                    path=(*self.path, name),
                    header_bytes=_CHILD_HEADER_BYTES,
                    codec=self.codec,
                    html_codec=self.html_codec,
                )
                child.load()
                yield child

    def stream(self, name: str) -> bytes:
        """The bytes of a stream; empty where there is none or it cannot be read."""
        file, path = self.compound.file, [*self.path, name]
        try:
            # A looped chain of sectors fills whatever length the directory claims.
            if file.get_size(path) > self.size_bytes:
                return b""
            with file.openstream(path) as stream:
                return bytes(stream.read())
        except (OSError, ValueError, IndexError, TypeError, OverflowError):
            return b""  # missing, a storage, or broken: olefile tells them apart by many errors

    def binary(self, name: int) -> bytes:
        """A property of bytes."""
        return self.stream(f"__substg1.0_{name:04X}{_BINARY}")

    def text(self, name: int) -> str:
        """A property of text."""
        data = self.stream(f"__substg1.0_{name:04X}{_UNICODE}")
        if data:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        return decoded(self.stream(f"__substg1.0_{name:04X}{_STRING8}"), self.codec).rstrip("\0")

    def number(self, name: int) -> int | None:
        """A property of a number or of a time; None where there is none."""
        return self._fixed.get(name)


def read_outlook(data: bytes) -> Letter:
    """The letter in an OLE file. Raises `Unreadable` where the file is broken."""
    root = _Storage(compound=open_compound(data), size_bytes=len(data))
    # Inside another letter the header is shorter, and the entries behind it have a fixed size.
    if len(root.stream(_PROPERTIES)) % _ENTRY.size == _MESSAGE_HEADER_BYTES % _ENTRY.size:
        root.header_bytes = _MESSAGE_HEADER_BYTES
    root.load()
    letter = Letter(
        fields=letter_fields(root, root.children("__recip")),
        pieces=[letter_piece(root)],
        rtf=decompress(root.binary(RTF)),
    )
    for number, storage in enumerate(root.children("__attach"), start=1):
        _attach(letter, storage, number, data)
    if root.text(CLASS).lower().startswith("ipm.note.smime"):
        unwrap(letter)
    if any(attachment.media_type == "application/pgp-encrypted" for attachment in letter.attachments):
        letter.cipher, letter.attachments = "PGP", []
    return letter


def _attach(letter: Letter, storage: _Storage, number: int, data: bytes) -> None:
    method = storage.number(0x3705)
    name = next(filter(None, map(storage.text, NAMES)), "")
    if method == _BY_LINK:
        letter.fields.append(("Linked file", f"{name} {storage.text(0x370D) or storage.text(0x3708)}".strip()))
        return
    media_type = storage.text(MEDIA_TYPE) or None
    load: Callable[[], bytes] = partial(storage.binary, DATA)
    if (place := _embedded(storage)) is not None:
        load = partial(_as_file, data, *place)
        if method == _EMBEDDED_LETTER:
            name = name if name.lower().endswith(".msg") else f"{name or 'message'}.msg"
            media_type = OUTLOOK
    letter.attachments.append(
        Attachment(
            name=member_name(name, f"attachment {number}"),
            load=load,
            media_type=media_type,
            content_id=storage.text(CONTENT_ID).strip("<> "),
        )
    )


def _embedded(storage: _Storage) -> tuple[int, int] | None:
    """Where the root says what its first child is, and what it is for the file that is kept as a storage in here."""
    file = storage.compound.file
    entry = file.root
    for name in (*storage.path, _OBJECT):
        entry = next((kid for kid in entry.kids if kid.name.upper() == name.upper()), None)
        if entry is None:
            return None
    return (file.first_dir_sector + 1) * file.sectorsize + _CHILD_AT, entry.sid_child


def _as_file(data: bytes, at: int, first_child: int) -> bytes:
    """A file that was kept as a storage, as a file of its own: the same bytes, but the root leads to that storage."""
    return b"".join((data[:at], first_child.to_bytes(4, "little"), data[at + 4 :]))
