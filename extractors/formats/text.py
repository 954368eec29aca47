"""Text of every kind: prose, tables with separators, notebooks, code."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterator

from extractors import markdown
from extractors._charset import decode
from extractors._media_types import EXTENSION_TYPES, TEXT_TYPES
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Status, Text, Truncated, Warned
from extractors.format import Format, Unreadable
from extractors.limits import ExtractLimits

CSV = "text/csv"
TSV = "text/tab-separated-values"
NOTEBOOK = "application/x-ipynb+json"
#: No encoding takes more bytes for a character.
MAX_BYTES_PER_CHAR = 4
#: Enough lines to tell the separator.
SNIFFED_LINES = 20
SEPARATORS = ",;\t|"
CODE_FENCE = "```"


def extract_text(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:
    """The text as it is; separated values as a table, notebooks as their cells."""
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
        yield from _table(text, separator, budget.limits, is_whole=len(head) == len(job.data))
    elif detection.media_type == NOTEBOOK:
        yield from _notebook(job.data, text)
    else:
        yield Text(text)


def _table(text: str, separator: str | None, limits: ExtractLimits, *, is_whole: bool) -> Iterator[Block]:
    """The rows as one Markdown table under their first row; the text as it is where that is no table."""
    if text.startswith("sep=") and len(text) > 5:  # what Excel writes for itself
        separator, text = text[4], text[5:].lstrip("\n")
    reader = csv.reader(io.StringIO(text), delimiter=separator or _separator(text))
    max_rows = limits.xlsx_max_rows_per_sheet + 1
    try:
        rows = [row for row in itertools.islice(reader, max_rows) if any(cell.strip() for cell in row)]
        rows_left = sum(1 for _ in reader)
    except csv.Error:
        rows, rows_left = [], 0
    # A cell of that length is a quote that never ends, with many rows inside.
    if not rows or max(len(cell) for row in rows for cell in row) > limits.table_cell_max_chars:
        yield Text(text)
        return
    yield Text(markdown.table([row[: limits.xlsx_max_columns] for row in rows]))
    if rows_left or not is_whole:
        total = f" of {max_rows + rows_left:,}" if is_whole else ""
        yield Truncated(f"rows after the first {max_rows:,}{total}")
    if max(map(len, rows)) > limits.xlsx_max_columns:
        yield Truncated(f"columns after the first {limits.xlsx_max_columns}")


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


def _notebook(data: bytes, text: str) -> Iterator[Block]:
    """The cells of a Jupyter notebook: prose as it is, code in fences, text output under it."""
    try:
        notebook = json.loads(data)
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        yield Text(text)
        return
    for cell in cells:
        source = _joined(cell.get("source"))
        if not source:
            continue
        if cell.get("cell_type") != "code":
            yield Text(source)
            continue
        yield Text(f"{CODE_FENCE}\n{source}\n{CODE_FENCE}")
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            if shown := _output_text(output):
                yield Text(f"Output:\n\n{CODE_FENCE}\n{shown}\n{CODE_FENCE}")


def _output_text(output: object) -> str:
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    return _joined(output.get("text")) or _joined(data.get("text/plain") if isinstance(data, dict) else None)


def _joined(lines: object) -> str:
    """A notebook's text: one string or a list of lines."""
    if isinstance(lines, list):
        lines = "".join(line for line in lines if isinstance(line, str))
    return lines.strip() if isinstance(lines, str) else ""


FORMAT = Format(
    name="text",
    kind=Kind.TEXT,
    media_types=TEXT_TYPES,
    extensions=frozenset(suffix for suffix, media_type in EXTENSION_TYPES.items() if media_type in TEXT_TYPES),
    extract=extract_text,
    keeps=(
        "text in its right encoding: UTF-8, UTF-16, GB18030, Big5, Shift-JIS, EUC-KR and others",
        "tables with separators as tables",
        "notebooks cell by cell, with what was printed",
        "files known by their whole name: Dockerfile, Makefile, Jenkinsfile and alike",
    ),
    libraries=("chardet",),
    limitations=(
        "XML is given as it is written.",
        "Tables with separators are cut after as many rows as a sheet.",
    ),
)
