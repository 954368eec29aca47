"""A letter as it travels (RFC 5322, MIME), read with no trust in what it says of itself."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from functools import partial
from urllib.parse import unquote

from extractors._charset import decode, wide_without_mark
from extractors._declared_charset import decoded, named
from extractors._mail.headers import header_text, parameter_text
from extractors._mail.letter import Attachment, Letter, Piece, member_name
from extractors._mail.signed import signed_content
from extractors._mail.tnef import TNEF, read_tnef
from extractors.content import Status
from extractors.format import Unreadable

_FIELDS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_LETTERS = frozenset({"message/rfc822", "message/global"})
_BODY_TYPES = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext"})
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
_SECURED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_PACKED = frozenset({"application/ms-tnef", TNEF})
#: How many bytes the letter has, as Apple Mail writes before it; what it knows of the letter follows.
_COUNTED = re.compile(rb"\s*(\d{1,9})[ \t]*\r?\n")
#: A line that may stand between the parts of a letter that does not say which one it is.
_BOUNDARY = re.compile(rb"^--([^\s-][^\r\n]{0,68}?)[ \t]*\r?$", re.MULTILINE)
_ENRICHED_MARK = re.compile(r"<param>.*?</param>|</?\w[\w-]*>", re.DOTALL | re.IGNORECASE)
#: Each part costs some kilobytes once it is parsed.
MAX_PARTS = 20_000
MAX_DEPTH = 60


class _AsWritten(Compat32):
    """Gives fields as they were written: the library would replace the raw bytes in them."""

    def header_fetch_parse(self, name: str, value: str) -> str:  # noqa: ARG002 - the library's signature
        return value


def read_mime(data: bytes) -> Letter:
    """The letter in these bytes. Raises `Unreadable` where it is built to exhaust its reader."""
    data = _counted(_in_bytes(data))
    if data.count(b"\n--") > MAX_PARTS * 2:
        raise Unreadable(Status.REJECTED, f"the letter has more than {MAX_PARTS:,} parts")
    try:
        message = BytesParser(policy=_AsWritten()).parsebytes(data.lstrip(b"\xef\xbb\xbf\r\n\t "))
    except RecursionError as exc:
        raise Unreadable(Status.REJECTED, "the letter is nested too deeply") from exc
    letter = Letter(fields=[(name, _field(message, name)) for name in _FIELDS])
    _Reading(letter).part(message, letter.pieces, MAX_DEPTH)
    return letter


class _Reading:
    """Walks the parts of a message and sorts them into a letter."""

    def __init__(self, letter: Letter) -> None:
        self._letter = letter

    def part(self, part: Message, pieces: list[Piece], depth: int) -> None:
        """Reads one part; what belongs to the body goes to `pieces`."""
        media_type = part.get_content_type()
        if depth == 0:
            raise Unreadable(Status.REJECTED, "the letter is nested too deeply")
        if media_type == "multipart/encrypted":
            self._letter.cipher = "PGP"
        elif media_type.startswith("message/"):
            self._message(part, media_type)
        elif part.get_content_maintype() == "multipart":
            self._multipart(part, media_type, pieces, depth)
        elif media_type in _SECURED:
            self._secured(part, depth)
        elif media_type in _PACKED or _name(part).lower() == "winmail.dat":
            self._packed(part, media_type)
        elif media_type in _BODY_TYPES and not _is_attached(part):
            pieces.append(_piece(part, media_type))
        elif media_type not in _SIGNATURES:
            self._attach(part, media_type)

    def _multipart(self, part: Message, media_type: str, pieces: list[Piece], depth: int) -> None:
        children = [child for child in _payload(part) if isinstance(child, Message)] or _unbound(part)
        if media_type != "multipart/alternative":
            for child in children:
                self.part(child, pieces, depth - 1)
            return
        forms: list[Piece] = []
        for child in children:
            self.part(child, forms, depth - 1)
        plain = "\n\n".join(form.plain for form in forms if form.plain)
        pieces.append(Piece(plain=plain, html="\n".join(form.html for form in forms if form.html)))

    def _message(self, part: Message, media_type: str) -> None:
        """A letter inside the letter, or a report about one."""
        inner = [child for child in _payload(part) if isinstance(child, Message)]
        if media_type not in _LETTERS:
            name = member_name(f"{media_type.removeprefix('message/')}.txt", "part.txt")
            self._letter.attachments.append(Attachment(name=name, load=partial(_report, inner)))
            return
        for letter in inner:
            name = _name(part) or f"{_field(letter, 'Subject') or 'message'}.eml"
            self._letter.attachments.append(
                Attachment(
                    name=member_name(name, "message.eml"),
                    load=partial(_inner_letter, letter),
                    media_type="message/rfc822",
                )
            )

    def _secured(self, part: Message, depth: int) -> None:
        content = signed_content(_body_bytes(part))
        if content is None:
            self._letter.cipher = "S/MIME"
            return
        inner = BytesParser(policy=_AsWritten()).parsebytes(content)
        self.part(inner, self._letter.pieces, depth - 1)

    def _packed(self, part: Message, media_type: str) -> None:
        """What Exchange packs belongs to this letter: its attachments, and its body where it has no other."""
        try:
            packed = read_tnef(_body_bytes(part))
        except Unreadable:
            self._attach(part, media_type)
            return
        self._letter.attachments += packed.attachments
        self._letter.in_reserve = packed
        self._letter.cipher = self._letter.cipher or packed.cipher
        self._letter.is_cut |= packed.is_cut

    def _attach(self, part: Message, media_type: str) -> None:
        number = len(self._letter.attachments) + 1
        suffix = "ics" if media_type == "text/calendar" else part.get_content_subtype().split("+")[0]
        fallback = member_name(f"attachment {number}.{suffix}", f"attachment {number}")
        self._letter.attachments.append(
            Attachment(
                name=member_name(_name(part) or _name_by_place(part), fallback),
                load=partial(_body_bytes, part),
                media_type=media_type,
                content_id=str(part.get("Content-ID", "")).strip(" <>\r\n\t"),
            )
        )


def _counted(data: bytes) -> bytes:
    """The letter alone, where its size stands before it."""
    size = _COUNTED.match(data)
    return data if size is None else data[size.end() :][: int(size[1])]


def _unbound(part: Message) -> list[Message]:
    """What a letter of parts holds that names no boundary, or another than it uses: its parts, or all as text."""
    body = _body_bytes(part)
    found = _BOUNDARY.search(body)
    parser = BytesParser(policy=_AsWritten())
    if found is None or body.count(b"--" + found[1]) < 2:
        return [parser.parsebytes(b"\n" + body)] if body.strip() else []
    bound = parser.parsebytes(b'Content-Type: multipart/mixed; boundary="' + found[1] + b'"\n\n' + body)
    return [child for child in _payload(bound) if isinstance(child, Message)]


def _in_bytes(data: bytes) -> bytes:
    """A letter saved as UTF-16 by a text editor, as the bytes it was before."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or wide_without_mark(data):
        return decode(data).text.encode("utf-8", "replace")
    return data


def _piece(part: Message, media_type: str) -> Piece:
    charset = part.get_param("charset")
    text = decoded(_body_bytes(part), named(parameter_text(charset)))
    if media_type == "text/html":
        return Piece(html=text)
    return Piece(plain=text if media_type == "text/plain" else _ENRICHED_MARK.sub("", text))


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_name(part))


def _name(part: Message) -> str:
    named_there = part.get_param("filename", header="content-disposition")
    return parameter_text(named_there if named_there is not None else part.get_param("name"))


def _name_by_place(part: Message) -> str:
    """The last piece of the address that a part has, for one that has no name."""
    return unquote(_field(part, "Content-Location").rstrip("/").rpartition("/")[2])


def _field(message: Message, name: str) -> str:
    return ", ".join(filter(None, (header_text(str(value)) for value in message.get_all(name, []))))


def _payload(part: Message) -> list[object]:
    payload = part.get_payload()
    return list(payload) if isinstance(payload, list) else []


def _body_bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _bytes_of(message: Message) -> bytes:
    try:
        return message.as_bytes()
    except (MessageError, UnicodeError, LookupError, TypeError, ValueError, RecursionError):
        # The library could not write what it has read: the body at least.
        return _body_bytes(message)


def _report(parts: list[Message]) -> bytes:
    return b"\n".join(map(_bytes_of, parts))


def _inner_letter(letter: Message) -> bytes:
    """The letter again as it travels; against the standard, Exchange encodes inner letters."""
    unpacked = _from_base64(letter.get_payload()) if not letter.keys() else b""
    return unpacked or _bytes_of(letter)


def _from_base64(payload: object) -> bytes:
    try:
        return base64.b64decode("".join(payload.split()), validate=True) if isinstance(payload, str) else b""
    except (binascii.Error, ValueError):
        return b""
