"""One letter, wherever it was stored: how its fields, its body, its pictures and its attachments become blocks."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from extractors._album import Album
from extractors._html.page import Page, parse_page
from extractors._html.reading import page_blocks
from extractors._images import image_dimensions
from extractors._rtf import rtf_blocks
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Member, Status, Text, Warned
from extractors.format import Unreadable

#: Circular letters name thousands of people.
MAX_FIELD_CHARS = 2_000
#: The text beside an HTML body is a stub ("please use a modern program") where the HTML says so much more.
STUB_FACTOR = 3
STUB_SPARE_CHARS = 100

_CONTENT_ID = re.compile(r"cid:([^\s\"'<>)\]]{1,500})", re.IGNORECASE)
#: Outlook writes the content id where a picture stood, Gmail the name.
_PICTURE_IN_PLAIN = re.compile(r"\[(?:cid:([^\]\s]{1,500})|image: ([^\]\n]{1,500}))\]", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")
_NOT_IN_NAME = re.compile(r"[\x00-\x1f/\\]+")
_CUT = ExtractionWarning(problem="the letter is cut off or damaged", consequence="what stood behind is missing")
_UNSEEN = frozenset({"style", "script", "head", "title"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a letter; `content_id` is how the body refers to it. It is unpacked when it is needed."""

    name: str
    load: Callable[[], bytes]
    media_type: str | None = None
    content_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of the body, in one form or in both."""

    plain: str = ""
    html: str = ""


_NOTHING = Piece()


@dataclass(slots=True, kw_only=True)
class Letter:
    """What a letter says. `rtf` is its body where it has no other, `cipher` what encrypts it.

    `in_reserve` is the same letter in another form, whose body is read where this one has none.
    """

    fields: list[tuple[str, str]] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    in_reserve: Letter | None = None
    rtf: bytes = b""
    cipher: str | None = None
    is_cut: bool = False

    def blocks(self, budget: Budget) -> Iterator[Block | Member]:
        """Fields, body with its pictures, and each attachment as a member. Raises `Unreadable` for a cipher."""
        bodies = [body for piece in self.pieces if (body := _chosen(piece)) != _NOTHING]
        if self.in_reserve is not None and not bodies:
            self.pieces, self.rtf, self.in_reserve = self.in_reserve.pieces, self.in_reserve.rtf, None
            yield from self.blocks(budget)
            return
        pictures = self._pictures(bodies)
        rest = _distinct([attachment for attachment in self.attachments if attachment.content_id not in pictures])
        yield from self._head(rest, has_body=bool(bodies or self.rtf))
        album = Album(budget=budget)
        for body in bodies:
            yield from (_plain_blocks if body.plain else _html_blocks)(body, pictures, album)
        if self.rtf and not bodies:
            yield from rtf_blocks(self.rtf, budget=budget, album=album)
        yield from album.ended()
        for attachment in rest:
            yield Member(attachment.name, attachment.load(), attachment.media_type)
        if self.is_cut:
            yield Warned(_CUT, partial=True)
        if self.cipher:
            raise Unreadable(
                Status.ENCRYPTED, f"the letter is encrypted ({self.cipher}): a key or a password is needed"
            )

    def _pictures(self, bodies: list[Piece]) -> dict[str, bytes]:
        """The pictures that the body shows, by content id and by name."""
        named = {name for body in bodies for _, name in _PICTURE_IN_PLAIN.findall(body.plain) if name}
        mentioned = {unquote(match) for body in bodies for match in _CONTENT_ID.findall(body.plain or body.html)}
        pictures: dict[str, bytes] = {}
        for attachment in self.attachments:
            content_id, name = attachment.content_id, attachment.name
            if content_id and (content_id in mentioned or name in named):
                data = attachment.load()
                if image_dimensions(data) is not None:
                    pictures |= {content_id: data, name: data}
        return pictures

    def _head(self, attachments: list[Attachment], *, has_body: bool) -> Iterator[Block]:
        lines = [f"{label}: {_shortened(value)}" for label, value in self.fields if value]
        if attachments:
            lines.append(f"Attachments: {_shortened(', '.join(attachment.name for attachment in attachments))}")
        if lines and has_body:
            lines.append("Content:")  # a body may begin like another set of fields
        if lines:
            yield Text("\n".join(lines))


def member_name(raw: str, fallback: str) -> str:
    """The name of one file: whatever looks like a folder in it belongs to the name."""
    name = _NOT_IN_NAME.sub("_", raw).strip(" ._")
    return _NOT_IN_NAME.sub("_", raw).strip() if name else fallback


def _chosen(piece: Piece) -> Piece:
    """The form of a piece that is read: the plain one, unless it is empty or a stub of the other."""
    plain = _tidied(piece.plain)
    if not piece.html or not plain:
        return Piece(plain=plain, html=piece.html)
    page = parse_page(piece.html)
    is_stub = page is not None and _visible_chars(page) > len(plain) * STUB_FACTOR + STUB_SPARE_CHARS
    return Piece(html=piece.html) if is_stub else Piece(plain=plain)


def _visible_chars(page: Page) -> int:
    return sum(
        len(text.strip())
        for element in page.root.iter()
        for text in (element.text if element.tag not in _UNSEEN else "", element.tail)
        if text
    )


def _plain_blocks(body: Piece, pictures: dict[str, bytes], album: Album) -> Iterator[Block]:
    """The text with a reference to each picture where Outlook says that it stood."""

    def reference(match: re.Match[str]) -> str:
        data = pictures.get(unquote(match[1]) if match[1] else match[2])
        return album.reference(data) if data is not None else match[0]

    text = _PICTURE_IN_PLAIN.sub(reference, body.plain)
    if text.strip():
        yield Text(text)
    yield from album.drain()


def _html_blocks(body: Piece, pictures: dict[str, bytes], album: Album) -> Iterator[Block]:
    def picture(address: str) -> bytes | None:
        scheme, _, content_id = address.partition(":")
        return pictures.get(unquote(content_id)) if scheme.strip().lower() == "cid" else None

    yield from page_blocks(body.html, budget=album.budget, album=album, picture=picture, with_title=False)


def _distinct(attachments: list[Attachment]) -> list[Attachment]:
    """The attachments, with a number where two have one name."""
    taken: set[str] = set()
    distinct = []
    for attachment in attachments:
        name, number = attachment.name, 1
        while name.lower() in taken:
            number += 1
            stem, dot, suffix = attachment.name.rpartition(".")
            name = f"{stem} ({number}){dot}{suffix}" if dot else f"{attachment.name} ({number})"
        taken.add(name.lower())
        distinct.append(dataclasses.replace(attachment, name=name))
    return distinct


def _shortened(value: str) -> str:
    return value if len(value) <= MAX_FIELD_CHARS else f"{value[:MAX_FIELD_CHARS]}…"


def _tidied(text: str) -> str:
    """Unix line ends, no blanks at the ends of lines, at most one blank line in a row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").split("\n")
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")
