"""Text of every kind: prose, tables with separators, code."""

from __future__ import annotations

import csv
import io
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from extractors import markdown
from extractors._charset import decode
from extractors._media_types import EXTENSION_TYPES, TEXT_TYPES
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Status, Text, Truncated, Warned
from extractors.format import Format, Unreadable

CSV = "text/csv"
TSV = "text/tab-separated-values"
NOTEBOOK = "application/x-ipynb+json"
#: No encoding takes more bytes for a character.
MAX_BYTES_PER_CHAR = 4
#: Enough lines to tell the separator.
SNIFFED_LINES = 20
SEPARATORS = ",;\t|"
#: Of the characters there is room for, this share is kept for the first rows.
_HEAD_SHARE = 0.75
#: What Markdown adds to a row and to a cell, and what the word on rows that are left out takes.
_ROW_CHARS, _CELL_CHARS, _NOTE_CHARS = 2, 3, 300


def extract_text(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:
    """The text as it is; separated values as a table."""
    if detection.method != "text":
        raise Unreadable(Status.REJECTED, f"the file claims to be {detection.media_type}, but is not text")
    # More bytes than these cannot matter: the text they hold is over the limit already.
    head = job.data[: budget.limits.extract_text_max_chars * MAX_BYTES_PER_CHAR]
    decoded = decode(head)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        raise Unreadable(Status.REJECTED, "the file has no text in it")
    if decoded.replaced:
        problem = f"{decoded.replaced} characters fit no text encoding"
        yield Warned(ExtractionWarning(problem=problem, consequence="they are shown as replacement characters"))
    if detection.media_type in {CSV, TSV}:
        separator = "\t" if detection.media_type == TSV else None
        yield from _table(text, separator, budget, is_whole=len(head) == len(job.data))
    else:
        yield Text(text)


def _table(text: str, separator: str | None, budget: Budget, *, is_whole: bool) -> Iterator[Block]:
    """The rows as a Markdown table under their first row; the text as it is where that is no table."""
    limits = budget.limits
    if text.startswith("sep=") and len(text) > 5:  # what Excel writes for itself
        separator, text = text[4], text[5:].lstrip("\n")
    reader = csv.reader(io.StringIO(text), delimiter=separator or _separator(text))
    try:
        rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        rows = []
    # A cell of that length is a quote that never ends, with many rows inside.
    if not rows or max(len(cell) for row in rows for cell in row) > limits.table_cell_max_chars:
        yield Text(text)
        return
    width = max(_used_width(row) for row in rows)
    rows = [row[: min(width, limits.xlsx_max_columns)] for row in rows]
    yield from _fitting(rows, budget.chars_left, is_whole=is_whole)
    if width > limits.xlsx_max_columns:
        yield Truncated(f"columns after the first {limits.xlsx_max_columns}")


def _used_width(row: list[str]) -> int:
    """Up to the last cell with anything in it: spreadsheets write the empty ones behind it too."""
    return next((number for number in range(len(row), 0, -1) if row[number - 1].strip()), 0)


def _fitting(rows: list[list[str]], room_chars: int, *, is_whole: bool) -> Iterator[Block]:
    """The rows, or as many from both ends as there is room for; from the head alone where the end was not read."""
    row_chars = _ROW_CHARS + _CELL_CHARS * max(map(len, rows))
    ends = list(itertools.accumulate(sum(map(len, row)) + row_chars for row in rows))
    if ends[-1] <= room_chars - _NOTE_CHARS and is_whole:
        yield Text(markdown.table(rows))
        return
    room_chars = max(0, room_chars - _NOTE_CHARS - 2 * (ends[0] + row_chars * 2))  # each part has a head of its own
    head = max(1, bisect_right(ends, room_chars * (_HEAD_SHARE if is_whole else 1)))
    yield Text(markdown.table(rows[:head]))
    if not is_whole:
        yield Truncated(f"rows after the first {head:,}")
        return
    first = max(head, bisect_left(ends, ends[-1] - room_chars * (1 - _HEAD_SHARE)) + 1)
    yield Text(f"(rows {head + 1:,} to {first:,} are left out)")
    yield Truncated(f"rows {head + 1:,} to {first:,} of {len(rows):,}")
    if first < len(rows):
        yield Text(markdown.table([rows[0], *rows[first:]]))


def _separator(text: str) -> str:
    """The separator that splits the first lines most evenly; a comma when none does."""
    lines = [line for line in text.split("\n", SNIFFED_LINES)[:SNIFFED_LINES] if line.strip()]

    def evenness(separator: str) -> tuple[int, int]:
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=separator)]
        except csv.Error:  # a field without end
            return 0, 0
        most = max(set(counts), key=counts.count, default=1)
        return (counts.count(most), most) if most > 1 else (0, 0)

    return max(SEPARATORS, key=evenness)


FORMAT = Format(
    name="text",
    kind=Kind.TEXT,
    media_types=TEXT_TYPES - {NOTEBOOK},
    extensions=frozenset(name for name, media_type in EXTENSION_TYPES.items() if media_type in TEXT_TYPES - {NOTEBOOK}),
    extract=extract_text,
    keeps=(
        "text in its right encoding: UTF-8, UTF-16, GB18030, Big5, Shift-JIS, EUC-KR and others",
        "tables with separators as tables",
        "files known by their whole name: Dockerfile, Makefile, Jenkinsfile and alike",
    ),
    libraries=("chardet",),
    limitations=(
        "XML is given as it is written.",
        "Of a table with separators that is too long, the first and the last rows are shown.",
    ),
)
