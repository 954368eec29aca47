"""Word: docx, docm, dotx, dotm, also in the ISO strict form or as one XML file. Read in document order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from extractors import markdown
from extractors._charset import decode
from extractors._gallery import Gallery
from extractors._html import html_markdown
from extractors._legacy.embedded import embedded_file, members
from extractors._numerals import is_page_number
from extractors._ooxml.document import NOTE_KINDS, Document
from extractors._ooxml.flat import packed
from extractors._ooxml.line import Foreign, Item, Piece, texts
from extractors._ooxml.names import MC, M, W
from extractors._ooxml.numbering import read_numbering
from extractors._ooxml.package import Package, open_package
from extractors._ooxml.story import Story
from extractors._ooxml.word_styles import read_styles
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Member, Text, Truncated, Warned
from extractors.format import Format, Unreadable

_BODY = frozenset({f"{W}body"})
_BLOCKS = frozenset(
    f"{W}{name}"
    for name in ("p", "tbl", "sdt", "altChunk", "customXml", "smartTag", "ins", "moveTo", "del", "moveFrom")
) | {f"{MC}AlternateContent", f"{M}oMath", f"{M}oMathPara"}
#: What a comment may be made of, properties left aside.
_TELLING = (*(f"{W}{name}" for name in ("t", "sym", "drawing", "pict", "object", "ptab")), f"{M}oMath")
_PAGES = frozenset({"html", "htm", "xhtml"})
_TRACKED_CHANGES = ExtractionWarning(
    problem="the file has tracked changes",
    consequence="insertions are read as accepted, and deletions are left out",
)


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a Word document: headers, body, footers, notes, comments, and the files in it."""
    package = open_package(job.data if job.data.startswith(b"PK") else packed(job.data), budget)
    reading = _open(package)
    yield from reading.margins("header")
    yield from reading.body()
    yield from reading.margins("footer")
    for kind in NOTE_KINDS:
        yield from reading.notes(kind)
    yield from reading.gallery.ended()
    yield from reading.embedded()
    yield from package.warnings()
    if reading.document.has_tracked_changes:
        yield Warned(_TRACKED_CHANGES)


def _open(package: Package) -> _Reading:
    main = package.main_part("word/document.xml")
    styles, numbering = (next(iter(package.related(main, kind)), None) for kind in ("styles", "numbering"))
    gallery = Gallery(source=package)
    document = Document(
        package=package,
        styles=read_styles(package.optional(styles)),
        numbering=read_numbering(package.optional(numbering)),
        gallery=gallery,
        comments=set(_comments(package, main)),
    )
    return _Reading(package=package, main=main, document=document, gallery=gallery)


def _comments(package: Package, main: str) -> Iterator[str]:
    """The ids of the comments that say or show something."""
    for part in package.related(main, "comments"):
        root = package.optional(part)
        for comment in root.iterchildren(f"{W}comment") if root is not None else ():
            if any(item.tag != f"{W}t" or (item.text or "").strip() for item in comment.iter(*_TELLING)):
                yield comment.get(f"{W}id", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    package: Package
    main: str
    document: Document
    gallery: Gallery

    def body(self) -> Iterator[Block | Member]:
        """The body, block by block: what breaks half-way leaves what came before."""
        return self._joined(self._body_pieces())

    def _body_pieces(self) -> Iterator[Piece]:
        story = self._story(self.main)
        has_begun = False
        try:
            thin = (f"{W}tr", self.package.budget.limits.docx_max_table_rows + 3)  # and the table's properties
            for element in self.package.stream(self.main, _BLOCKS, _BODY, thin=thin):
                has_begun = True
                if self.package.budget.is_late:
                    yield Truncated("the rest of the document, for lack of time")
                    return
                yield from story.block(element)
        except Unreadable as exc:
            if not has_begun:
                raise
            yield Warned(
                ExtractionWarning(problem=exc.note, consequence="the rest of the document is left out"), partial=True
            )

    def margins(self, kind: str) -> Iterator[Block]:
        """The headers or the footers, each text once."""
        seen: set[str] = set()
        for part in self.package.related(self.main, kind):
            if self.package.budget.is_late:
                yield Truncated(f"{kind}s, for lack of time")
                return
            root = self.package.optional(part)
            text = self._story(part).plain(root) if root is not None else ""
            if text and text not in seen and not is_page_number(text):
                yield Text(f"{kind.capitalize()}: {text}")
                yield from self.gallery.drain()
            seen.add(text)

    def notes(self, kind: str) -> Iterator[Block]:
        """The footnotes, the endnotes or the comments, each with the reference that stands in the text."""
        for part in self.package.related(self.main, f"{kind}s"):
            root = self.package.optional(part)
            for note in root.iterchildren(f"{W}{kind}") if root is not None else ():
                if self.package.budget.is_late:
                    yield Truncated(f"{kind}s, for lack of time")
                    return
                if note.get(f"{W}type", "normal") != "normal":
                    continue  # the line between text and notes
                text = self._story(part).plain(note)
                reference = self.document.note_reference(kind, note.get(f"{W}id", ""))
                author = f" {note.get(f'{W}author')}" if note.get(f"{W}author") else ""
                yield from texts(f"{reference}{author}: {text}" if text else "")
                yield from self.gallery.drain()

    def _story(self, part: str) -> Story:
        return Story(part=part, document=self.document)

    def _joined(self, pieces: Iterator[Piece]) -> Iterator[Block | Member]:
        """Items that follow each other as one text, and each picture after the text it stands in."""
        items: list[str] = []
        for piece in chain(pieces, [None]):
            if isinstance(piece, Item):
                items.append(piece.markdown)
                continue
            yield from texts("\n".join(items))
            items.clear()
            if isinstance(piece, Foreign):
                yield from self._foreign(piece.part)
            elif piece is not None:
                yield piece
            yield from self.gallery.drain()

    def _foreign(self, part: str) -> Iterator[Block | Member]:
        name = posixpath.basename(part)
        extension = name.rpartition(".")[2].lower()
        data = self._bytes(part)
        if not data:
            return
        if extension == "txt":
            yield from texts(decode(data).text)
        elif extension in _PAGES:
            yield from texts(html_markdown(decode(data).text, self.package.budget.limits))
        else:
            yield Member(name, data)
            yield Text(markdown.note(f"the end of {name}"))

    def embedded(self) -> Iterator[Member]:
        """The files that somebody has put into the document."""
        parts = ((posixpath.basename(part), self._bytes(part)) for part in self.document.objects)
        yield from members(embedded_file(data, name) for name, data in parts)

    def _bytes(self, part: str) -> bytes:
        try:
            return self.package.read(part)
        except Unreadable:
            self.package.lost.append(part)
            return b""


FORMAT = Format(
    name="Word",
    kind=Kind.DOCUMENT,
    media_types=frozenset(
        {
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
            "application/vnd.ms-word.document.macroenabled.12",
            "application/vnd.ms-word.template.macroenabled.12",
            "application/vnd.ms-wordml",
        }
    ),
    extensions=frozenset({"docx", "docm", "dotx", "dotm"}),
    extract=extract,
    keeps=(
        "headings, and lists with their numbers",
        "tables with merged cells in place, and tables inside tables",
        "links with their address, footnotes, endnotes and comments",
        "text boxes, content controls, headers and footers, each once",
        "insertions as accepted; deletions left out",
        "equations as LaTeX, charts as tables, the text of diagrams",
        "pictures, with their place in the text",
        "embedded files, each read as what it is, after the document",
    ),
    libraries=("lxml", "olefile", "pillow"),
    limitations=(
        "Pages are not marked: a Word file does not say where they end.",
        "Embedded objects of programs that are not Office's (OLE) are shown by their picture only.",
        "Drawings made of lines and shapes are read for their text, not shown.",
        "Tables after the first 20 (`docx_max_tables`) are written as lines, not as Markdown tables.",
    ),
)
