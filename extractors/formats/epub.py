"""EPUB: the chapters of a book in reading order, with its pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from extractors._album import Album
from extractors._charset import decode
from extractors._gallery import MAX_PICTURE_BYTES
from extractors._html import TITLE_MARK, page_blocks
from extractors._inflating import Element
from extractors._parts import Parts, open_archive
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Picture, Status, Text, Truncated, Warned
from extractors.format import Format, Unreadable

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
#: Fonts are scrambled against copying; whoever reads only text does not miss them.
_FONT_SCRAMBLING = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_PAGE_TYPES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"})
_DRAWING = "image/svg+xml"
_PAGE_NAMES = (".xhtml", ".html", ".htm")
#: Label and name of what is told of a book before its text.
_FACTS = (
    ("Title", "title"),
    ("Author", "creator"),
    ("Publisher", "publisher"),
    ("Date", "date"),
    ("Language", "language"),
    ("Description", "description"),
)
_MAX_FACT_CHARS = 1_000
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class _Item:
    """An entry of the manifest."""

    part: str
    media_type: str
    is_contents: bool

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book:
    title: str
    facts: str
    chapters: list[_Item]
    #: The chapters' titles by part, as the book's own table of contents gives them.
    titles: dict[str, str]


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """What the book says of itself, then its chapters."""
    archive, entries = open_archive(job.data, budget)
    parts = Parts(archive=archive, budget=budget, entries=entries)
    book = _book(parts)
    locked = _locked(parts)
    chapters = [item for item in book.chapters if parts.has(item.part)]
    if chapters and all(item.part in locked for item in chapters):
        raise Unreadable(Status.ENCRYPTED, "the book is protected (DRM): a password is needed to open it")
    if book.facts:
        yield Text(book.facts)
    album = Album(budget=budget)
    is_empty = True
    said = {_folded(book.title)}
    for number, item in enumerate(chapters, start=1):
        if budget.is_late or budget.text_is_spent:
            yield Truncated(f"sections {number} to {len(chapters)} of {len(chapters)}")
            break
        if item.part in locked:
            warning = ExtractionWarning(problem=f"{item.part} is protected", consequence="it is left out")
            yield Warned(warning, partial=True)
            continue
        for block in _titled(book.titles.get(item.part, ""), item.part, _chapter(parts, item, album), said):
            is_empty &= not isinstance(block, Text | Picture)
            yield block
    yield from album.ended()
    yield from parts.warnings()
    if is_empty:
        raise Unreadable(Status.REJECTED, "the book has no text in it")


def _titled(title: str, part: str, blocks: Iterator[Block], said: set[str]) -> Iterator[Block]:
    """A chapter under its titles, by the table of contents and by its page, where it does not say them itself."""
    titles = [title] if title else []
    file_name = posixpath.basename(part)
    names = {file_name, posixpath.splitext(file_name)[0]}
    for block in blocks:
        if isinstance(block, Text) and block.markdown.startswith(TITLE_MARK):
            page_title = block.markdown.removeprefix(TITLE_MARK)
            # Programs that know no title write the name of the file.
            titles += [] if page_title in names else [page_title]
            continue
        if titles and isinstance(block, Text):
            yield from _unsaid(titles, block.markdown, said)
            titles = []
        yield block


def _unsaid(titles: list[str], first_text: str, said: set[str]) -> Iterator[Text]:
    text = _squeezed(first_text)
    for title in titles:
        if _folded(title) not in said and _squeezed(title) not in text:
            yield Text(f"# {title}")
        said.add(_folded(title))


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _folded(title: str) -> str:
    """What two ways of writing one title have in common."""
    return _squeezed(title.replace("_", "").casefold())


def _chapter(parts: Parts, item: _Item, album: Album) -> Iterator[Block]:
    folder = posixpath.dirname(item.part)

    def picture(address: str) -> bytes | None:
        part = _resolved(folder, address)
        if not parts.has(part):
            return None
        try:
            return parts.read(part, max_bytes=MAX_PICTURE_BYTES)
        except Unreadable:
            parts.lost.append(part)
            return None

    try:
        text = decode(parts.read(item.part)).text if item.media_type == _DRAWING or not item.is_image else ""
    except Unreadable:
        parts.lost.append(item.part)
        return
    if item.is_image:  # a page of a picture book: the words in it, and how it looks
        text += f'<p><img src="{quote(posixpath.basename(item.part))}" alt=""></p>'
    yield from page_blocks(text, budget=album.budget, album=album, picture=picture)


def _book(parts: Parts) -> _Book:
    """The book by its package file; by its file names where that is missing or broken."""
    container = parts.optional(_CONTAINER)
    roots = container.iter("{*}rootfile") if container is not None else ()
    package = next((root.get("full-path", "") for root in roots), "")
    package = package or next((name for name in parts.entries if name.endswith(".opf")), "")
    root = parts.optional(package)
    if root is None:
        names = sorted(name for name in parts.entries if name.endswith(_PAGE_NAMES))
        return _Book(title="", facts="", titles={}, chapters=[_Item(name, "", is_contents=False) for name in names])
    items = _manifest(root, posixpath.dirname(package))
    references = (items.get(reference.get("idref", "")) for reference in root.iter("{*}itemref"))
    spine = [item for item in references if item is not None]
    chapters = [item for item in spine or items.values() if _is_page(item) or (spine and item.is_image)]
    return _Book(
        title=_values(root, "title"),
        facts=_facts(root),
        titles=_titles(parts, [item.part for item in items.values() if item.is_contents or _is_ncx(item)]),
        chapters=[item for item in dict.fromkeys(chapters) if not item.is_contents],
    )


def _manifest(root: Element, folder: str) -> dict[str, _Item]:
    return {
        item.get("id", ""): _Item(
            _resolved(folder, item.get("href", "")),
            item.get("media-type", ""),
            is_contents="nav" in item.get("properties", "").split(),
        )
        for item in root.iterfind("{*}manifest/{*}item")
    }


def _titles(parts: Parts, contents: list[str]) -> dict[str, str]:
    """The first title that a table of contents gives each part; the older form is `navPoint`, the newer a list."""
    titles: dict[str, str] = {}
    for part in contents:
        root = parts.optional(part)
        for entry in root.iter("{*}navPoint", "{*}a") if root is not None else ():
            source = entry.find("{*}content")
            address = entry.get("href", "") if source is None else source.get("src", "")
            label = entry if source is None else entry.find("{*}navLabel")
            words = " ".join("".join(map(str, label.itertext())).split()) if label is not None else ""
            if words:
                titles.setdefault(_resolved(posixpath.dirname(part), address), words)
    return titles


def _is_ncx(item: _Item) -> bool:
    return item.media_type == "application/x-dtbncx+xml"


def _is_page(item: _Item) -> bool:
    return item.media_type in _PAGE_TYPES or item.part.lower().endswith(_PAGE_NAMES)


def _facts(root: Element) -> str:
    facts = [(label, _values(root, name)) for label, name in _FACTS]
    return "\n".join(f"{label}: {said}" for label, said in facts if said)


def _values(root: Element, name: str) -> str:
    texts = (_TAG.sub(" ", element.text or "") for element in root.iterfind(f"{{*}}metadata//{{*}}{name}"))
    return ", ".join(dict.fromkeys(filter(None, (" ".join(text.split())[:_MAX_FACT_CHARS] for text in texts))))


def _locked(parts: Parts) -> frozenset[str]:
    """The parts that are encrypted, but for fonts."""
    root = parts.optional(_ENCRYPTION)
    locked = set()
    for entry in root.iter("{*}EncryptedData") if root is not None else ():
        methods = {method.get("Algorithm", "") for method in entry.iterfind("{*}EncryptionMethod")}
        if not methods <= _FONT_SCRAMBLING:
            locked |= {_resolved("", reference.get("URI", "")) for reference in entry.iter("{*}CipherReference")}
    return frozenset(locked)


def _resolved(folder: str, address: str) -> str:
    """The part that an address inside the book leads to; "" for anything outside."""
    try:
        split = urlsplit(address)
    except ValueError:
        return ""
    if split.scheme or split.netloc or not split.path:
        return ""
    return posixpath.normpath(posixpath.join("/", folder, unquote(split.path))).lstrip("/")


FORMAT = Format(
    name="EPUB",
    kind=Kind.DOCUMENT,
    media_types=frozenset({"application/epub+zip"}),
    extensions=frozenset({"epub"}),
    extract=extract,
    keeps=(
        "title, authors, description, and chapters in their order, also those that are a drawing or a picture",
        "what is kept of HTML",
    ),
    libraries=("lxml", "pillow"),
    limitations=(
        "The table of contents is left out: its entries stand again over the chapters.",
        "Sound, films and programs in a book are not read.",
    ),
)
