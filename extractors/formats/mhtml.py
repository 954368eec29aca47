"""MHTML: a page saved with its pictures and frames in one file, as browsers, Word and Confluence write it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from urllib.parse import unquote, urljoin

from extractors._album import Album
from extractors._both_ends import both_ends
from extractors._declared_charset import decoded, named
from extractors._html import page_blocks
from extractors._mail.headers import header_text
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Picture, Status, Text, Truncated
from extractors.format import Format, Unreadable

#: Each part costs some kilobytes once it is parsed.
MAX_PARTS = 10_000
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class _Part:
    message: Message
    location: str  # absolute where it can be

    @property
    def is_page(self) -> bool:
        return self.message.get_content_type() in _PAGE_TYPES

    def data(self) -> bytes:
        payload = self.message.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""

    def text(self) -> str:
        charset = self.message.get_param("charset")
        return decoded(self.data(), named(charset if isinstance(charset, str) else None))


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The page that was saved, then the pages in its frames; a workbook saved this way has its sheets there."""
    message = _message(job.data)
    parts = _parts(message)
    album = Album(budget=budget)
    is_empty = True
    for block in both_ends(_pages(parts, album), budget):
        if is_empty and isinstance(block, Text):
            yield from _subject(message, block.markdown)
        is_empty &= not isinstance(block, Text | Picture)
        yield block
    yield from album.ended()
    if is_empty:
        raise Unreadable(Status.REJECTED, "the archive has no page with text in it")


def _subject(message: Message, first_text: str) -> Iterator[Text]:
    """What the archive is called, where the page does not say it itself."""
    subject = header_text(str(message.get("Subject", "")))
    if subject and subject not in first_text:
        yield Text(f"Subject: {subject}")


def _pages(parts: list[_Part], album: Album) -> Iterator[Block]:
    pages = [part for part in parts if part.is_page and "attachment" not in str(part.message["Content-Disposition"])]
    by_address = _by_address(parts)
    for number, page in enumerate(pages):
        if number and (album.budget.is_late or album.budget.text_is_spent):
            yield Truncated(f"pages {number + 1} to {len(pages)} of {len(pages)} in the archive")
            return
        yield from _page(page, by_address, album, heading=_name(page) if number else "")


def _page(page: _Part, by_address: dict[str, _Part], album: Album, *, heading: str) -> Iterator[Block]:
    def picture(address: str) -> bytes | None:
        found = by_address.get(_key(address, page.location))
        return found.data() if found is not None and found.message.get_content_maintype() == "image" else None

    blocks = page_blocks(page.text(), budget=album.budget, album=album, picture=picture, base=page.location)
    for block in blocks:
        if heading and isinstance(block, Text):
            yield Text(f"--- {heading} ---")
            heading = ""
        yield block


def _message(data: bytes) -> Message:
    if data.count(b"\n--") > MAX_PARTS * 2:
        raise Unreadable(Status.REJECTED, f"the archive has more than {MAX_PARTS:,} parts")
    try:
        return BytesParser(policy=compat32).parsebytes(data.lstrip(b"\xef\xbb\xbf\r\n\t "))
    except RecursionError as exc:
        raise Unreadable(Status.REJECTED, "the archive is nested too deeply") from exc


def _parts(message: Message) -> list[_Part]:
    try:
        leaves = [part for part in message.walk() if not part.is_multipart()]
    except RecursionError as exc:
        raise Unreadable(Status.REJECTED, "the archive is nested too deeply") from exc
    base = str(message.get("Content-Location") or message.get("Snapshot-Content-Location") or "").strip()
    parts = [_Part(part, _joined(base, str(part.get("Content-Location", "")))) for part in leaves]
    start = str(message.get_param("start") or "")
    # The part that the archive names as its beginning comes first, wherever it stands.
    return sorted(parts, key=lambda part: not start or str(part.message.get("Content-ID", "")).strip() != start)


def _by_address(parts: list[_Part]) -> dict[str, _Part]:
    found: dict[str, _Part] = {}
    for part in parts:
        content_id = str(part.message.get("Content-ID", "")).strip(" <>\r\n\t")
        for address in (part.location, f"cid:{content_id}" if content_id else ""):
            if address:
                found.setdefault(_key(address, ""), part)
    return found


def _key(address: str, base: str) -> str:
    return unquote(_joined(base, address))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, "".join(address.split()))
    except ValueError:
        return address


def _name(page: _Part) -> str:
    return unquote(page.location.rstrip("/").rpartition("/")[2])[:200] or "Page"


FORMAT = Format(
    name="MHTML",
    kind=Kind.DOCUMENT,
    media_types=frozenset({"multipart/related"}),
    extensions=frozenset({"mht", "mhtml"}),
    extract=extract,
    keeps=(
        "what is kept of HTML",
        "pictures of the archive, with their place in the text",
    ),
    libraries=("lxml", "chardet", "pillow"),
    limitations=("Programs are not run, and nothing outside the archive is fetched.",),
)
