"""A letter as Outlook saves it: MAPI properties in the streams of an OLE file (MS-OXMSG)."""

from __future__ import annotations

import datetime
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from extractors._declared_charset import code_page, decoded
from extractors._legacy.compound import Compound, open_compound
from extractors._mail.letter import Attachment, Letter, Piece, member_name
from extractors._mail.lzfu import decompress
from extractors._mail.signed import signed_content

_PROPERTIES = "__properties_version1.0"
_ENTRY = struct.Struct("<HHI8s")
_ROOT_HEADER_BYTES, _MESSAGE_HEADER_BYTES, _CHILD_HEADER_BYTES = 32, 24, 8
_STRING8, _UNICODE, _BINARY = "001E", "001F", "0102"
#: Numbers, truth values and times.
_FIXED_KINDS = frozenset({0x0003, 0x000B, 0x0040})
_OBJECT = "__substg1.0_3701000D"
_EMBEDDED_LETTER, _BY_LINK = 5, 7
#: Days between 1601 and 1970, in the 100 ns of a FILETIME.
_FILETIME_ORIGIN = datetime.datetime(1601, 1, 1, tzinfo=datetime.UTC)
_MAX_FILETIME = 2_650_467_744_000_000_000
_SUBJECT, _BODY, _HTML, _RTF, _CLASS = 0x0037, 0x1000, 0x1013, 0x1009, 0x001A
_NAME, _ADDRESS, _SMTP, _ROLE = 0x3001, 0x3003, 0x39FE, 0x0C15
_ROLES = {1: "To", 2: "Cc", 3: "Bcc"}
_DISPLAYED = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
#: Name, SMTP address and address of whom the letter is from: for whom it was sent, then who sent it.
_SENDERS = ((0x0042, 0x5D02, 0x0065), (0x0C1A, 0x5D01, 0x0C1F))
_SENT_AT, _DELIVERED_AT, _CREATED_AT = 0x0039, 0x0E06, 0x3007
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
    _fixed: dict[int, bytes] = field(default_factory=dict)

    def load(self) -> None:
        """Reads the properties of fixed size, and with them the code pages of the strings."""
        entries = self.stream(_PROPERTIES)[self.header_bytes :]
        for kind, name, _, value in _ENTRY.iter_unpack(entries[: len(entries) - len(entries) % _ENTRY.size]):
            if kind in _FIXED_KINDS:
                self._fixed[name] = value
        self.codec = code_page(self.number(0x3FFD)) or code_page(self.number(0x3FDE)) or self.codec
        self.html_codec = code_page(self.number(0x3FDE)) or self.html_codec

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
        """A property of a number; None where there is none."""
        value = self._fixed.get(name)
        return None if value is None else int.from_bytes(value[:4], "little")

    def moment(self, *names: int) -> str:
        """The first of these properties that holds a time."""
        for name in names:
            filetime = int.from_bytes(self._fixed.get(name, b""), "little")
            if 0 < filetime < _MAX_FILETIME:
                moment = _FILETIME_ORIGIN + datetime.timedelta(microseconds=filetime // 10)
                return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
        return ""


def read_outlook(data: bytes) -> Letter:
    """The letter in an OLE file. Raises `Unreadable` where the file is broken."""
    root = _Storage(compound=open_compound(data), size_bytes=len(data))
    # Inside another letter the header is shorter, and the entries behind it have a fixed size.
    if len(root.stream(_PROPERTIES)) % _ENTRY.size == _MESSAGE_HEADER_BYTES % _ENTRY.size:
        root.header_bytes = _MESSAGE_HEADER_BYTES
    root.load()
    letter = Letter(fields=_fields(root), pieces=[_piece(root)], rtf=decompress(root.binary(_RTF)))
    for number, storage in enumerate(root.children("__attach"), start=1):
        _attach(letter, storage, number, data)
    if root.text(_CLASS).lower().startswith("ipm.note.smime"):
        _unwrap(letter)
    if any(attachment.media_type == "application/pgp-encrypted" for attachment in letter.attachments):
        letter.cipher, letter.attachments = "PGP", []
    return letter


def _fields(root: _Storage) -> list[tuple[str, str]]:
    people: dict[str, list[str]] = {"To": [], "Cc": [], "Bcc": []}
    count = 0
    for recipient in root.children("__recip"):
        count += 1
        role = _ROLES.get((recipient.number(_ROLE) or 1) & 0xF, "To")
        person = _person(recipient.text(_NAME), recipient.text(_SMTP) or recipient.text(_ADDRESS))
        people[role].append(person)
    for role, property_id in _DISPLAYED.items():
        people[role] = [name for name in people[role] if name] or [root.text(property_id)]
    senders = (_person(root.text(name), root.text(smtp) or root.text(address)) for name, smtp, address in _SENDERS)
    return [
        ("From", next(filter(None, senders), "")),
        *((role, ", ".join(names)) for role, names in people.items()),
        ("Recipients", str(count) if count else ""),
        ("Date", root.moment(_SENT_AT, _DELIVERED_AT, _CREATED_AT)),
        ("Subject", " ".join(root.text(_SUBJECT).split())),
    ]


def _person(name: str, address: str) -> str:
    """A name with its address; of an Exchange path only the mailbox at its end."""
    name = " ".join(name.split()).strip("'")
    if address.lower().startswith("/o="):
        address = re.split(r"/cn=", address, flags=re.IGNORECASE)[-1]
    address = " ".join(address.split())
    if not address or address in name:
        return name
    return f"{name} <{address}>" if name else address


def _piece(root: _Storage) -> Piece:
    return Piece(plain=root.text(_BODY), html=decoded(root.binary(_HTML), root.html_codec) or root.text(_HTML))


def _attach(letter: Letter, storage: _Storage, number: int, data: bytes) -> None:
    method = storage.number(0x3705)
    name = storage.text(0x3707) or storage.text(0x3704) or storage.text(_NAME)
    if method == _BY_LINK:
        letter.fields.append(("Linked file", f"{name} {storage.text(0x370D) or storage.text(0x3708)}".strip()))
        return
    media_type = storage.text(0x370E) or None
    load: Callable[[], bytes] = partial(storage.binary, 0x3701)
    if (place := _embedded(storage)) is not None:
        load = partial(_as_file, data, *place)
        if method == _EMBEDDED_LETTER:
            name = name if name.lower().endswith(".msg") else f"{name or 'message'}.msg"
            media_type = "application/vnd.ms-outlook"
    letter.attachments.append(
        Attachment(
            name=member_name(name, f"attachment {number}"),
            load=load,
            media_type=media_type,
            content_id=storage.text(0x3712).strip("<> "),
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


def _unwrap(letter: Letter) -> None:
    """Takes the letter out of its S/MIME envelope, where it is only signed."""
    for place, attachment in enumerate(letter.attachments):
        if not attachment.name.lower().endswith(".p7m"):
            continue
        sealed = attachment.load()
        is_clear = sealed.lstrip()[:13].lower() == b"content-type:"
        content = sealed if is_clear else signed_content(sealed)
        if content is None:
            del letter.attachments[place]
            letter.cipher = "S/MIME"
        else:
            letter.attachments[place] = Attachment(
                name="signed message.eml", load=partial(bytes, content), media_type="message/rfc822"
            )
        return
