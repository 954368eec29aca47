"""OpenDocument: texts, spreadsheets, presentations, drawings and formulas, zipped or flat, also as templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from extractors import markdown
from extractors._gallery import Gallery
from extractors._grid import grid_blocks
from extractors._inflating import Element
from extractors._mathml import mathml_latex
from extractors._odf.document import Document
from extractors._odf.line import Item, Piece, texts
from extractors._odf.names import DC, DRAW, MATH, META, OFFICE, PRESENTATION, STYLE, TABLE, author
from extractors._odf.opening import open_source
from extractors._odf.pages import Page
from extractors._odf.sheets import PARENTS, TAGS, Sheet, Workbook
from extractors._odf.story import BLOCKS, Story
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    PageCount,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.format import Format, Unreadable

_ODF = "application/vnd.oasis.opendocument"
_SHEETS, _SLIDES = f"{OFFICE}spreadsheet", f"{OFFICE}presentation"
_PAGED = frozenset({_SLIDES, f"{OFFICE}drawing"})
_PAGE = f"{DRAW}page"
_SIDES = ("", "-left", "-first")
_PROPERTIES = {"Subject": f"{DC}subject", "Description": f"{DC}description", "Keywords": f"{META}keyword"}
#: What is streamed of a body: the tags, and the parents they stand under.
_STREAMS = {
    _SHEETS: (TAGS, PARENTS),
    **{
        body: (frozenset({_PAGE, f"{PRESENTATION}footer-decl", f"{PRESENTATION}header-decl"}), frozenset({body}))
        for body in _PAGED
    },
    **{body: (BLOCKS, frozenset({body})) for body in (f"{OFFICE}{name}" for name in ("text", "chart", "image"))},
}
_TRACKED_CHANGES = ExtractionWarning(
    problem="the file has tracked changes",
    consequence="insertions are read as accepted, and deletions are left out",
)
_NOT_CALCULATED = ExtractionWarning(
    problem="the file has formulas that were never calculated",
    consequence="the formula itself stands in place of the value",
)


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The blocks of a document by what it is about, whatever its name and its type say."""
    source = open_source(job, budget)
    body = source.body()
    if body == f"{MATH}math":
        yield from texts(mathml_latex(source.formula()))
        return
    if body not in _STREAMS:
        raise Unreadable(Status.UNSUPPORTED, "no reader for this kind of OpenDocument file")
    reading = _Reading(document=Document(source=source, gallery=Gallery(source=source)))
    yield from reading.blocks(body)
    for kind in reading.document.notes:
        yield from reading.notes(kind)
    yield from reading.document.gallery.ended()
    yield from source.warnings()
    if reading.document.has_tracked_changes:
        yield Warned(_TRACKED_CHANGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    document: Document

    def blocks(self, body: str) -> Iterator[Block]:
        """What is known of the document, and its content."""
        self.document.open_parts()
        thin = (f"{TABLE}table-row", self.document.budget.limits.docx_max_table_rows + 3)
        content = self.document.content(*_STREAMS[body], thin=None if body == _SHEETS else thin)
        first = next(content, None)  # what stands before it in a flat file is known then
        elements = content if first is None else chain([first], content)
        yield from self._properties()
        if body == _SHEETS:
            yield from self._sheets(elements)
            yield from chain(self._margins("header", is_sheet=True), self._margins("footer", is_sheet=True))
        elif body in _PAGED:
            yield from self._pages(elements, markdown.slide_mark if body == _SLIDES else markdown.page_mark)
        else:
            yield from self._margins("header")
            yield from self._joined(self._text(elements))
            yield from self._margins("footer")

    def _properties(self) -> Iterator[Block]:
        """What the author says about the document."""
        found = self.document.properties
        lines = [
            f"{name}: {words}"
            for name, tag in _PROPERTIES.items()
            if found is not None
            and (words := ", ".join(filter(None, (" ".join((item.text or "").split()) for item in found.iter(tag)))))
        ]
        yield from texts("\n".join(lines))

    # --- texts --------------------------------------------------------------------------------------------------------

    def _text(self, elements: Iterator[Element]) -> Iterator[Piece]:
        """The body, block by block: what breaks half-way leaves what came before."""
        story = Story(document=self.document)
        try:
            for element in elements:
                if self.document.budget.is_late:
                    yield Truncated("the rest of the document, for lack of time")
                    return
                yield from story.block(element)
        except Unreadable as exc:
            yield _rest_is_lost(exc)

    def _margins(self, kind: str, *, is_sheet: bool = False) -> Iterator[Block]:
        """The headers or the footers of all page styles, or of those that sheets are printed on, each text once."""
        masters, styles = self.document.masters, self.document.margin_styles or self.document.styles
        story = Story(document=replace(self.document, styles=styles))
        printed = self.document.styles.sheet_masters if is_sheet else set()
        seen: set[str] = set()
        for margin in masters.iter(*(f"{STYLE}{kind}{side}" for side in _SIDES)) if masters is not None else ():
            master = margin.getparent()
            if printed and master is not None and master.get(f"{STYLE}name") not in printed:
                continue
            if self.document.budget.is_late:
                yield Truncated(f"{kind}s, for lack of time")
                return
            text = story.plain(margin) if margin.get(f"{STYLE}display") != "false" else ""
            # Programs put headers of fields alone, such as the sheet's name, on pages that nobody has set up.
            if text not in seen and any(map(str.isalpha, text)):
                yield Text(f"{kind.capitalize()}: {text}")
                yield from self.document.gallery.drain()
            seen.add(text)

    def notes(self, kind: str) -> Iterator[Block]:
        """The footnotes, the endnotes or the comments, each with the reference that stands in the text."""
        story = Story(document=self.document)
        for note in self.document.notes[kind]:
            if self.document.budget.is_late:
                yield Truncated(f"{kind}s, for lack of time")
                return
            text = story.plain(note.body)
            yield from texts(f"{note.reference}{note.author}: {text}" if text else "")
            yield from self.document.gallery.drain()

    def _joined(self, pieces: Iterator[Piece]) -> Iterator[Block]:
        """Items that follow each other as one text, and each picture after the text it stands in."""
        items: list[str] = []
        for piece in chain(pieces, [None]):
            if isinstance(piece, Item):
                items.append(piece.markdown)
                continue
            yield from texts("\n".join(items))
            items.clear()
            if piece is not None:
                yield piece
            yield from self.document.gallery.drain()

    # --- spreadsheets -------------------------------------------------------------------------------------------------

    def _sheets(self, elements: Iterator[Element]) -> Iterator[Block]:
        limits = self.document.budget.limits
        book = Workbook(story=Story(document=self.document), content=elements, limits=limits)
        is_uncalculated = False
        for sheet in book.sheets():
            yield from grid_blocks(sheet.grid, limits)
            yield from self.document.gallery.drain()
            yield from self._joined(self._over_cells(sheet, book.story))
            is_uncalculated |= sheet.is_uncalculated
        yield PageCount(len(book.names))
        if len(book.names) > limits.xlsx_max_sheets:
            yield Truncated(f"sheets {limits.xlsx_max_sheets + 1} to {len(book.names)} of {len(book.names)}")
        if book.cut:
            yield Truncated(f"sheets after the first {len(book.names)}, if any ({book.cut})")
        if is_uncalculated:
            yield Warned(_NOT_CALCULATED)

    def _over_cells(self, sheet: Sheet, story: Story) -> Iterator[Piece]:
        """What lies over a sheet's cells: pictures, charts, text boxes, comments."""
        for address, element in sheet.drawn:
            if self.document.budget.is_late:
                yield Truncated("charts and pictures, for lack of time")
                return
            is_group = element.tag == f"{TABLE}shapes"
            for piece in story.blocks(element) if is_group else story.shape(element):
                if isinstance(piece, Text | Item) and address:
                    yield Text(f"At {address}: {piece.markdown}")
                else:
                    yield piece
        comments = [
            f"Comment on {address}{author(element)}: {text}"
            for address, element in sheet.comments
            if (text := story.plain(element))
        ]
        yield from texts("\n".join(comments))

    # --- presentations and drawings -----------------------------------------------------------------------------------

    def _pages(self, elements: Iterator[Element], mark: Callable[[int], str]) -> Iterator[Block]:
        limit = self.document.budget.limits.pptx_max_slides
        name = "slides" if mark is markdown.slide_mark else "pages"
        margins: set[str] = set()
        number = 0
        try:
            for element in elements:
                if element.tag != _PAGE:
                    yield from self._declared(element)
                    continue
                number += 1
                if self.document.budget.is_late:
                    yield Truncated(f"{name} after the first {number - 1}, for lack of time")
                    return
                if number <= limit:
                    yield from self._page(
                        Page(root=element, story=Story(document=self.document), margins=margins), mark(number)
                    )
        except Unreadable as exc:
            yield _rest_is_lost(exc)
        yield PageCount(number)
        if number > limit:
            yield Truncated(f"{name} {limit + 1} to {number} of {number}")

    def _page(self, page: Page, mark: str) -> Iterator[Block]:
        yield Text(f"{mark}\n{markdown.hidden('(the whole slide)')}" if page.is_hidden else mark)
        yield from self._joined(page.pieces())
        notes = page.notes()
        yield from texts(f"Notes: {notes}" if notes else "", *page.comments())
        yield from self.document.gallery.drain()

    def _declared(self, element: Element) -> Iterator[Block]:
        """A header or a footer that the slides of a presentation share."""
        kind = "Footer" if element.tag == f"{PRESENTATION}footer-decl" else "Header"
        words = " ".join("".join(str(text) for text in element.itertext()).split())
        yield from texts(f"{kind}: {words}" if words else "")


def _rest_is_lost(exc: Unreadable) -> Warned:
    warning = ExtractionWarning(problem=exc.note, consequence="the rest of the document is left out")
    return Warned(warning, partial=True)


_KEEPS = (
    "headings, lists with their numbers, links with their address, notes and comments",
    "tables with merged cells in place; values of sheets as they are shown",
    "slides in their order with their notes; hidden sheets and slides marked as hidden",
    "text boxes, headers and footers, equations as LaTeX, charts as tables",
    "pictures, with their place in the text",
)
_LIMITATIONS = (
    "Formulas of sheets are not calculated: what the cells show is read, and the formula where nothing is stored.",
    "What only master slides hold, such as logos and backgrounds, is not read.",
    "Embedded files of other programs (OLE objects), audio and video are shown by their picture only.",
    "What is encrypted with OpenPGP is not opened.",
    "Tables of texts after the first 20 (`docx_max_tables`) are written as lines, not as Markdown tables.",
)


def _format(name: str, kind: Kind, types: tuple[str, ...], extensions: tuple[str, ...]) -> Format:
    media_types = {f"{_ODF}.{name}{form}" for name in types for form in ("", "-template", "-flat-xml")}
    return Format(
        name=name,
        kind=kind,
        media_types=frozenset(media_types),
        extensions=frozenset(extensions),
        extract=extract,
        keeps=_KEEPS,
        libraries=("lxml", "pillow"),
        limitations=_LIMITATIONS,
    )


FORMATS = (
    _format("OpenDocument text", Kind.DOCUMENT, ("text", "text-master", "text-web"), ("odt", "ott", "fodt", "odm")),
    _format("OpenDocument spreadsheet", Kind.SPREADSHEET, ("spreadsheet",), ("ods", "ots", "fods")),
    _format("OpenDocument presentation", Kind.PRESENTATION, ("presentation",), ("odp", "otp", "fodp")),
    _format("OpenDocument drawing", Kind.DOCUMENT, ("graphics", "chart", "image"), ("odg", "otg", "fodg", "odc")),
    _format("OpenDocument formula", Kind.DOCUMENT, ("formula",), ("odf", "otf")),
)
