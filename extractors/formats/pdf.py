"""PDF: text by page in reading order, tables, what hangs on the pages, and pictures of those that are not text."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from extractors import markdown
from extractors._both_ends import both_ends
from extractors._pdf.annotations import annotated, squeezed
from extractors._pdf.attachments import attachments, pinned
from extractors._pdf.figures import Figures
from extractors._pdf.forms import xfa_lines
from extractors._pdf.opening import opened_pdf
from extractors._pdf.page import PageText, TextLayer, read_page, render_page
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    LeftOut,
    Member,
    PageCount,
    PageStarted,
    Picture,
    Text,
    Truncated,
    Warned,
)
from extractors.format import Format, Unreadable

if TYPE_CHECKING:
    import pymupdf

#: Looking for tables takes 10 to 150 ms a page; after this long a document's other tables are given as plain lines.
TABLES_WITHIN_S = 4.0
MAX_BOOKMARKS = 100
_FOUND_AGAIN = "its pages were found again, and may be others or in another order"


def extract_pdf(
    job: Job,
    detection: Detection,  # noqa: ARG001 - the protocol of a format
    budget: Budget,
) -> Iterator[Block | Member | LeftOut]:
    """Page by page: a mark, text and tables in reading order, a picture where the text does not say what is shown."""
    max_pages = budget.limits.pdf_extract_max_pages
    with opened_pdf(job.data, job.password, max_pages=max_pages) as opened:
        document, total = opened.document, opened.total_pages
        yield PageCount(total)
        if opened.is_mended:
            yield Warned(ExtractionWarning(problem="the PDF's list of pages is broken", consequence=_FOUND_AGAIN))
        first = (job.progress.next_page - 1) * budget.limits.pdf_max_figures + 1
        figures = Figures(budget=budget, first_number=first)
        reading = _Reading(budget=budget, figures=figures, shown=job.progress.images)
        pages = reading.pages(document, job.progress.next_page, total)
        # A document that is read to its last page keeps its end, where it is too long.
        yield from both_ends(pages, budget) if total <= max_pages else pages
        if total > max_pages:
            yield from reading.bookmarks(document, max_pages)
        yield from reading.ended(document)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What has been spent on one document."""

    budget: Budget
    figures: Figures
    table_seconds: float = 0.0
    shown: int = 0
    unshown: list[int] = field(default_factory=list)
    #: All text so far without its blanks, and the files that hang on the pages.
    squeezed: list[str] = field(default_factory=list)
    pinned: list[Any] = field(default_factory=list)

    def owed(self) -> str:
        """What is to be told as missing once no further page comes; "" for nothing."""
        pages = f"{_pages(self.unshown)} (no usable text layer, and no image left to show them)"
        images = f"{self.figures.left_out} more images"
        return ", ".join(([pages] if self.unshown else []) + ([images] if self.figures.left_out else []))

    def pages(self, document: pymupdf.Document, first: int, total: int) -> Iterator[Block]:
        """The blocks of the pages from `first` on, as far as limits and time allow."""
        number = first - 1
        while number < min(total, self.budget.limits.pdf_extract_max_pages) and not self.budget.is_late:
            number += 1
            yield PageStarted(number, self.owed())
            yield from self.page(document, number)
        yield from self.figures.ended()
        if number < total:
            yield Truncated(f"{_pages(range(number + 1, total + 1))} of {total}")
        if owed := self.owed():
            yield Truncated(owed)

    def page(self, document: pymupdf.Document, number: int) -> Iterator[Block]:
        """The blocks of one page. One that breaks the reader is named, and does not break the others."""
        try:
            yield from self._page(document[number - 1], number)
        except Exception as exc:
            # MuPDF reports every kind of damage as RuntimeError, its Python side as nearly anything.
            problem = f"page {number} could not be read ({type(exc).__name__})"
            yield Warned(ExtractionWarning(problem=problem, consequence="it is left out"), partial=True)

    def _page(self, page: pymupdf.Page, number: int) -> Iterator[Block]:
        yield Text(markdown.page_mark(number))
        started = time.monotonic()
        text = read_page(page, self.budget.limits, self.figures, with_tables=self.table_seconds < TABLES_WITHIN_S)
        self.table_seconds += time.monotonic() - started
        for paragraph in text.paragraphs:
            yield Text(paragraph)
        yield from self.figures.drain()
        self.squeezed.append(squeezed("".join(text.paragraphs)))
        yield from self._annotations(page, text, number)
        if text.layer is not TextLayer.GOOD:
            yield from self._picture(page, text, number)

    def _annotations(self, page: pymupdf.Page, text: PageText, number: int) -> Iterator[Block]:
        try:
            for paragraph in annotated(page, text.paragraphs):
                yield Text(paragraph)
            self.pinned += pinned(page)
        except Exception as exc:
            # As above: one that is broken costs those after it, never the page.
            problem = f"an annotation on page {number} could not be read ({type(exc).__name__})"
            yield Warned(ExtractionWarning(problem=problem, consequence="comments and links there may be missing"))

    def _picture(self, page: pymupdf.Page, text: PageText, number: int) -> Iterator[Block]:
        name = f"page {number}"
        if self.shown >= self.budget.limits.pdf_render_max_pages or self.budget.images_left <= 0:
            self.unshown.append(number)
            return
        problem = f"{name} has {text.layer.value}"
        try:
            image = render_page(page, text.drawn, self.budget.limits, name=name)
        except Unreadable as exc:
            yield Warned(ExtractionWarning(problem=problem, consequence=f"not drawn: {exc.note}"), partial=True)
            return
        self.budget.take_image()
        self.shown += 1
        yield Text(markdown.image_reference(name))
        yield Picture(image)
        yield Warned(ExtractionWarning(problem=problem, consequence="given as an image"))

    def bookmarks(self, document: pymupdf.Document, last_page: int) -> Iterator[Block]:
        """What stands on the pages that are not read, by their bookmarks; those of the others repeat headings."""
        try:
            found = [entry for entry in document.get_toc() if entry[2] > last_page]
        except Exception:
            # As above; and nothing of the pages is lost with it.
            problem = "the bookmarks could not be read"
            yield Warned(ExtractionWarning(problem=problem, consequence="what the other pages are about is not told"))
            return
        if found and not self.budget.is_late:
            lines = [f"{'  ' * (level - 1)}- {' '.join(title.split())} (page {page})" for level, title, page in found]
            more = [f"and {len(lines) - MAX_BOOKMARKS} more"] if len(lines) > MAX_BOOKMARKS else []
            mark = markdown.note("bookmarks of the pages that are left out")
            yield Text("\n".join([mark, *lines[:MAX_BOOKMARKS], *more]))

    def ended(self, document: pymupdf.Document) -> Iterator[Block | Member | LeftOut]:
        """What belongs to no page: a form's own XML, and the files inside."""
        try:
            lines = xfa_lines(document, "".join(self.squeezed))
            if lines:
                yield Text("\n".join([markdown.note("fields of the form"), *lines]))
            yield from attachments(document, self.pinned, self.budget)
        except (RuntimeError, ValueError) as exc:
            problem = f"what hangs on the document could not be read ({type(exc).__name__})"
            yield Warned(ExtractionWarning(problem=problem, consequence="forms and files inside it may be missing"))


def _pages(numbers: Iterable[int]) -> str:
    """Page numbers as a person writes them: "page 3", "pages 1 to 4, 7"."""
    found = list(numbers)
    runs = [
        [number for _, number in group]
        for _, group in itertools.groupby(enumerate(found), key=lambda pair: pair[1] - pair[0])
    ]
    written = ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"pages {written}" if len(found) > 1 else f"page {written}"


FORMAT = Format(
    name="pdf",
    kind=Kind.PDF,
    media_types=frozenset({"application/pdf"}),
    extensions=frozenset({"pdf"}),
    extract=extract_pdf,
    keeps=(
        "text in reading order, page by page under its mark",
        "columns, rotated and vertical text",
        "tables with rules and without, form fields, XFA forms",
        "comments, addresses of links",
        "files inside as members",
        "pictures, charts and drawings in their place; pages without a usable text layer, as pictures",
        "text that nobody sees on the page, marked as hidden",
    ),
    libraries=("pymupdf", "pillow", "lxml"),
    limitations=(
        "Pages without a usable text layer are given as images, the first few of them; OCR is optional (duwen[ocr]).",
        "Of pictures and drawings on pages with text the ten largest are given.",
        "Small pictures, grounds under text, and logos that come on most pages are not given.",
        "A scan with recognised text is shown where those leave room, for its text is given.",
        "Of hidden text the first 1,000 characters of a page are given.",
        "Without rules only three columns and more become a table; two keep their places by wide spaces.",
        "The title and the author are not given: mostly they name a program or a file.",
        "Bookmarks are given only for pages that are not read, for elsewhere they repeat the headings.",
    ),
)
