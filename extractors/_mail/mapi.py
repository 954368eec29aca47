"""What MAPI says of a letter, in whatever file Outlook keeps its properties: its fields, its body, its envelope."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from functools import partial
from typing import Protocol

from extractors._declared_charset import decoded
from extractors._mail.letter import Attachment, Letter, Piece
from extractors._mail.signed import signed_content

OUTLOOK = "application/vnd.ms-outlook"
RTF, CLASS, DATA = 0x1009, 0x001A, 0x3701
CONTENT_ID, MEDIA_TYPE = 0x3712, 0x370E
#: Names of an attachment: the long one first.
NAMES = (0x3707, 0x3704, 0x3001)
#: Where code pages are named: of narrow strings, by the language, of what came from the internet.
STRING_PAGE, LANGUAGE, INTERNET_PAGE = 0x3FFD, 0x3FF1, 0x3FDE
_SUBJECT, _TOPIC, _BODY, _HTML = 0x0037, 0x0070, 0x1000, 0x1013
_NAME, _ADDRESS, _SMTP, _ROLE = 0x3001, 0x3003, 0x39FE, 0x0C15
_ROLES = {1: "To", 2: "Cc", 3: "Bcc"}
_DISPLAYED = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
#: Name, SMTP address and address of whom the letter is from: for whom it was sent, then who sent it.
_SENDERS = ((0x0042, 0x5D02, 0x0065), (0x0C1A, 0x5D01, 0x0C1F))
_MOMENTS = (0x0039, 0x0E06, 0x3007)  # sent, delivered, created
#: Times are counted from here in units of 100 ns.
_FILETIME_ORIGIN = datetime.datetime(1601, 1, 1, tzinfo=datetime.UTC)
#: How a letter begins that is signed in the open.
_MIME_HEAD = re.compile(rb"\s*(?:content-type|mime-version):", re.IGNORECASE)
_MAX_FILETIME = 2_650_467_744_000_000_000


class Properties(Protocol):
    """What MAPI keeps of one thing: a letter, a person, an attachment. Nothing is empty, or None for a number."""

    html_codec: str | None

    def text(self, name: int) -> str:
        """A property of text."""
        ...

    def binary(self, name: int) -> bytes:
        """A property of bytes."""
        ...

    def number(self, name: int) -> int | None:
        """A property of a number or of a time."""
        ...


def letter_fields(root: Properties, recipients: Iterable[Properties]) -> list[tuple[str, str]]:
    """The fields of a letter as they are told."""
    people: dict[str, list[str]] = {"To": [], "Cc": [], "Bcc": []}
    count = 0
    for recipient in recipients:
        count += 1
        role = _ROLES.get((recipient.number(_ROLE) or 1) & 0xF, "To")
        person = _person(recipient.text(_NAME), recipient.text(_SMTP) or recipient.text(_ADDRESS))
        people[role].append(person)
    for role, property_id in _DISPLAYED.items():
        people[role] = [name for name in people[role] if name] or [root.text(property_id)]
    addresses = [root.text(smtp) or root.text(address) for _, smtp, address in _SENDERS]
    author, sender = (_person(root.text(ids[0]), address) for ids, address in zip(_SENDERS, addresses, strict=True))
    is_for_another = bool(author) and "@" in addresses[1] and addresses[1].lower() not in addresses[0].lower()
    return [
        ("From", author or sender),
        ("Sent by", sender if is_for_another else ""),
        *((role, ", ".join(names)) for role, names in people.items()),
        ("Recipients", str(count) if count else ""),
        ("Date", _moment(root)),
        ("Subject", " ".join((root.text(_SUBJECT) or root.text(_TOPIC)).split())),
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


def _moment(root: Properties) -> str:
    """The first of the times of a letter that it has."""
    for name in _MOMENTS:
        filetime = root.number(name) or 0
        if 0 < filetime < _MAX_FILETIME:
            moment = _FILETIME_ORIGIN + datetime.timedelta(microseconds=filetime // 10)
            return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
    return ""


def letter_piece(root: Properties) -> Piece:
    """The body of a letter, but for RTF."""
    html = decoded(root.binary(_HTML), root.html_codec) or root.text(_HTML)
    return Piece(plain=root.text(_BODY), html=html)


def unwrap(letter: Letter) -> None:
    """Takes the letter out of its S/MIME envelope, where it is only signed."""
    for place, attachment in enumerate(letter.attachments):
        if not attachment.name.lower().endswith(".p7m") and attachment.media_type != "multipart/signed":
            continue
        sealed = attachment.load()
        is_clear = _MIME_HEAD.match(sealed) is not None
        content = sealed if is_clear else signed_content(sealed)
        if content is None:
            del letter.attachments[place]
            letter.cipher = "S/MIME"
        else:
            letter.attachments[place] = Attachment(
                name="signed message.eml", load=partial(bytes, content), media_type="message/rfc822"
            )
        return
