"""The three kinds of documents since 2013: pages with a body, sheets with tables, slides with notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._iwork.drawings import Drawings
from extractors._iwork.protobuf import Message
from extractors._iwork.story import STORAGES
from extractors.content import Block, ExtractionWarning, PageCount, Text, Truncated, Warned

_ROOT, _SHEET, _SHEET_WITH_FORM, _SHOW, _NODE, _SLIDE, _NOTE = 1, 2, 3, 2, 4, 5, 15
_PAGES_ROOT, _HEADERS_AND_FOOTERS = 10_000, 10_143
_COMMENT, _TABLE_MODEL = 3056, 6001
_IN_CELL, _IN_HEADER = 5, 1
_MAX_DEPTH = 50


@dataclass(slots=True, kw_only=True)
class Document:
    """Reads a whole document from its root."""

    drawings: Drawings
    _noted: int = field(default=0)

    def blocks(self) -> Iterator[Block]:
        """Everything in the document, in reading order."""
        archive = self.drawings.archive
        if any(archive.of_kinds(_PAGES_ROOT)):
            yield from self._pages(archive.message(next(archive.of_kinds(_PAGES_ROOT))))
        elif any(archive.of_kinds(_SLIDE)):
            yield from self._slides()
        else:
            yield from self._sheets()
        yield from self._footnotes()
        yield from self._comments()
        yield from self.drawings.album.ended()
        if self.drawings.notes.has_deletions:
            yield Warned(
                ExtractionWarning(
                    problem="the document has tracked changes", consequence="deleted text is left out, new text is in"
                )
            )

    # --- Pages --------------------------------------------------------------------------------------------------------

    def _pages(self, root: Message) -> Iterator[Block]:
        archive, drawings = self.drawings.archive, self.drawings
        margins = [archive.message(reference) for reference in archive.of_kinds(_HEADERS_AND_FOOTERS)]
        yield from self._margins("Header", [reference for margin in margins for reference in margin.references(1)])
        yield from drawings.storage(root.reference(4))
        for page in archive.message(root.reference(3)).messages(1):
            floating = [place.reference(1) for name in (2, 3, 4) for place in page.messages(name)]
            for drawing in drawings.sorted_by_place(floating):
                yield from drawings.drawing(drawing)
        yield from self._margins("Footer", [reference for margin in margins for reference in margin.references(2)])
        yield from self._left_over()

    def _margins(self, label: str, storages: list[int]) -> Iterator[Block]:
        """The headers or the footers, each text once."""
        texts = dict.fromkeys(text for storage in storages if (text := self.drawings.plain(storage)))
        for text in texts:
            yield Text(f"{label}: {text}")

    def _left_over(self) -> Iterator[Block]:
        """Tables and texts of the document that no page named: of page layouts, and of forms newer than this reader."""
        archive = self.drawings.archive
        for reference in list(archive.of_kinds(_TABLE_MODEL)):
            yield from self.drawings.table(reference)
        for reference in list(archive.of_kinds(*STORAGES)):
            storage = archive.message(reference)
            if storage.number(10) and storage.number(1, 3) not in {_IN_CELL, _IN_HEADER}:
                yield from self.drawings.storage(reference)

    # --- Numbers ------------------------------------------------------------------------------------------------------

    def _sheets(self) -> Iterator[Block]:
        archive, drawings = self.drawings.archive, self.drawings
        roots = [archive.message(reference) for reference in archive.of_kinds(_ROOT)]
        sheets = [reference for root in roots for reference in root.references(1)] or list(archive.of_kinds(_SHEET))
        yield PageCount(len(sheets))
        limit = drawings.budget.limits.xlsx_max_sheets
        for reference in sheets[:limit]:
            record = archive.get(reference)
            sheet = record.message if record is not None else Message(b"")
            if record is not None and record.kind == _SHEET_WITH_FORM:
                sheet = sheet.message(1)
            heading = markdown.sheet_heading(sheet.text(1))
            yield Text(f"{heading}\n{markdown.hidden('(the whole sheet)')}" if sheet.number(25) else heading)
            for drawing in drawings.sorted_by_place(sheet.references(2)):
                yield from drawings.drawing(drawing)
            margins = [*sheet.references(18), *sheet.references(19), sheet.reference(15), sheet.reference(16)]
            yield from self._margins("Header or footer", margins)
        if len(sheets) > limit:
            names = ", ".join(archive.message(reference).text(1) for reference in sheets[limit : limit + 20])
            yield Truncated(f"sheets {limit + 1} to {len(sheets)} of {len(sheets)} ({names})")

    # --- Keynote ------------------------------------------------------------------------------------------------------

    def _slides(self) -> Iterator[Block]:
        nodes = self._nodes()
        yield PageCount(len(nodes))
        limit = self.drawings.budget.limits.pptx_max_slides
        for number, node in enumerate(nodes[:limit], start=1):
            if self.drawings.budget.is_late:
                yield Truncated(f"slides {number} to {len(nodes)} of {len(nodes)}, for lack of time")
                return
            mark = markdown.slide_mark(number)
            yield Text(f"{mark}\n{markdown.hidden('(the whole slide)')}" if node.number(4) else mark)
            yield from self._slide(self.drawings.archive.message(node.reference(2)))
            yield from self._footnotes()
        if len(nodes) > limit:
            yield Truncated(f"slides {limit + 1} to {len(nodes)} of {len(nodes)}")

    def _nodes(self) -> list[Message]:
        """The nodes of the slides in the order of the show, with those under each of them."""
        archive = self.drawings.archive
        shows = [archive.message(archive.message(root).reference(2)) for root in archive.of_kinds(_ROOT)]
        pending = [reference for show in shows for reference in show.message(3).references(2)]
        pending = pending or [show.message(3).reference(1) for show in shows]
        pending.reverse()
        nodes: dict[int, Message] = {}
        while pending:
            reference = pending.pop()
            record = archive.get(reference)
            if record is None or record.kind != _NODE or reference in nodes:
                continue
            nodes[reference] = record.message
            pending += reversed(record.message.references(1))
        return [node for node in nodes.values() if node.reference(2)]

    def _slide(self, slide: Message) -> Iterator[Block]:
        drawings = self.drawings
        drawings.seen.update(filter(None, (slide.reference(20),)))  # the number of the slide
        title = [block.markdown for block in drawings.drawing(slide.reference(5)) if isinstance(block, Text)]
        if title:
            yield Text(f"## {' '.join(' '.join(title).split()).lstrip('# ')}")
        yield from drawings.drawing(slide.reference(6))
        for drawing in drawings.sorted_by_place([*slide.references(42), *slide.references(7)]):
            yield from drawings.drawing(drawing)
        note = drawings.archive.get(slide.reference(27))
        if note is not None and note.kind == _NOTE and (text := drawings.plain(note.message.reference(1))):
            yield Text(f"Notes: {text}")

    # --- all of them --------------------------------------------------------------------------------------------------

    def _footnotes(self) -> Iterator[Block]:
        """The notes that were met since the last call."""
        storages = self.drawings.notes.storages
        while self._noted < len(storages):
            self._noted += 1
            text = self.drawings.plain(storages[self._noted - 1])
            if text:
                yield Text(f"[^{self._noted}]: {text}")

    def _comments(self) -> Iterator[Block]:
        archive = self.drawings.archive
        for reference in archive.of_kinds(_COMMENT):
            comment = archive.message(reference)
            author = archive.message(comment.reference(3)).text(1)
            if text := comment.text(1).strip():
                yield Text(f"Comment{f' ({author})' if author else ''}: {text}")
