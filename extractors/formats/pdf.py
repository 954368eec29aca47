"""PDF: text by page in reading order, ruled tables, and pictures of the pages that cannot be read as text."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from extractors import markdown
from extractors._pdf_page import PageText, TextLayer, read_page, render_page
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    PageCount,
    PageStarted,
    Picture,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.format import Format, Unreadable

if TYPE_CHECKING:
    import pymupdf

#: Looking for tables takes 10 to 150 ms a page; after this long a document's other tables are given as plain lines.
TABLES_WITHIN_S = 4.0


def extract_pdf(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:  # noqa: ARG001 - the protocol of a format
    """Page by page: a mark, text and tables in reading order, a picture where the text does not say what is shown."""
    with _opened(job.data) as document:
        total = _page_count(document)
        yield PageCount(total)
        reading = _Reading(budget=budget, shown=job.progress.images)
        number = job.progress.next_page - 1
        while number < min(total, budget.limits.pdf_extract_max_pages) and not budget.is_late:
            number += 1
            yield PageStarted(number, reading.owed())
            yield from reading.page(document, number)
        if number < total:
            yield Truncated(f"{_pages(range(number + 1, total + 1))} of {total}")
        if owed := reading.owed():
            yield Truncated(owed)


@contextmanager
def _opened(data: bytes) -> Iterator[pymupdf.Document]:
    import pymupdf  # noqa: PLC0415 - a parser loads with the first file that needs it

    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - the library's own signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003 - the library's own signature
    pymupdf.no_recommend_layout()  # it would print to stdout
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except (RuntimeError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the PDF is broken") from exc
    with document:
        if document.needs_pass:
            raise Unreadable(Status.ENCRYPTED, "a password is needed to open this PDF")
        yield document


def _page_count(document: pymupdf.Document) -> int:
    try:
        total = len(document)
    except RuntimeError as exc:
        raise Unreadable(Status.REJECTED, "the PDF's list of pages is broken, or made to break readers") from exc
    if total == 0:
        raise Unreadable(Status.REJECTED, "the PDF is broken: none of its pages could be found")
    return total


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What has been spent on one document."""

    budget: Budget
    table_seconds: float = 0.0
    shown: int = 0
    unshown: list[int] = field(default_factory=list)

    def owed(self) -> str:
        """What is to be told as missing once no further page comes; "" for nothing."""
        return f"{_pages(self.unshown)} (no usable text layer, and no image left to show them)" if self.unshown else ""

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
        text = read_page(page, self.budget.limits, with_tables=self.table_seconds < TABLES_WITHIN_S)
        self.table_seconds += time.monotonic() - started
        for paragraph in text.paragraphs:
            yield Text(paragraph)
        if text.layer is not TextLayer.GOOD:
            yield from self._picture(page, text, number)

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
        "ruled tables, form fields",
        "pages without a usable text layer, as pictures",
    ),
    libraries=("pymupdf", "pillow"),
    limitations=(
        "Pages without a usable text layer are given as images, the first few of them; OCR is optional (duwen[ocr]).",
        "Only ruled tables become tables; others keep their columns as wide spaces.",
        "Pictures on pages that have text are not given.",
        "Password-protected files are named, not opened.",
    ),
)
