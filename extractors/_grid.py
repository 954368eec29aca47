"""The rows of a sheet as tables: what stands together makes one, what is hidden is marked, what is cut is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extractors import markdown
from extractors.content import Block, Text, Truncated
from extractors.limits import ExtractLimits

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384
#: Of the rows that may be shown, this share is taken from the head of the sheet, the rest from its tail.
_HEAD_SHARE = 0.75
#: A blank row inside a table stays in it; two of them begin a new table.
_MAX_GAP_ROWS = 2


@dataclass(frozen=True, slots=True)
class GridRow:
    """One row that holds something: the texts of its cells by column (1 is A)."""

    number: int
    texts: Mapping[int, str]
    is_hidden: bool = False


@dataclass(slots=True, kw_only=True)
class Grid:
    """The head and the tail of one sheet, and what is known of the rest."""

    name: str
    is_hidden: bool = False
    head: list[GridRow] = field(default_factory=list)
    tail: list[GridRow] = field(default_factory=list)
    rows_total: int = 0
    hidden_columns: Sequence[range] = ()
    is_cut_in_columns: bool = False
    last_row: int = 0
    #: Why the rows after the last were not read; "" where there are none.
    cut: str = ""


def head_and_tail(limits: ExtractLimits) -> tuple[int, int]:
    """How many rows of a sheet are shown from its head, and how many from its tail."""
    head = max(1, round(limits.xlsx_max_rows_per_sheet * _HEAD_SHARE))
    return head, max(0, limits.xlsx_max_rows_per_sheet - head)


def grid_blocks(grid: Grid, limits: ExtractLimits) -> Iterator[Block]:
    """The heading and the tables of a sheet, and what is left out of it."""
    heading = markdown.sheet_heading(grid.name)
    mark = f"\n{markdown.hidden('(the whole sheet)')}" if grid.is_hidden else ""
    yield Text(f"{heading}{mark}" if grid.rows_total or grid.cut else f"{heading}{mark}\n(no cells)")
    head, tail = list(_runs(grid.head)), list(_runs(grid.tail))
    is_whole = len(head) + len(tail) == 1
    for run in head:
        yield from _table(grid, run, limits, is_whole=is_whole)
    if grid.rows_total > len(grid.head) + len(grid.tail) and grid.tail:
        first, last = grid.head[-1].number + 1, grid.tail[0].number - 1
        yield Text(f"(rows {first} to {last} are left out)")
        yield Truncated(f'rows {first} to {last} of sheet "{grid.name}"')
    for run in tail:
        yield from _table(grid, run, limits, is_whole=is_whole)
    if grid.is_cut_in_columns:
        yield Truncated(f'columns of sheet "{grid.name}" after the first {limits.xlsx_max_columns}')
    if grid.cut:
        yield Truncated(f'rows after {grid.last_row} of sheet "{grid.name}" ({grid.cut})')


def sheets_left_out(names: Sequence[str], limit: int) -> Iterator[Block]:
    """Names the sheets after the first `limit`."""
    if len(names) > limit:
        yield Text(f"(sheets that are left out: {', '.join(names[limit:])})")
        yield Truncated(f"sheets {limit + 1} to {len(names)} of {len(names)}")


def _runs(rows: list[GridRow]) -> Iterator[list[GridRow]]:
    """The rows in groups that stand together; a wider gap of blank rows begins a new group."""
    run: list[GridRow] = []
    for row in rows:
        if run and row.number - run[-1].number > _MAX_GAP_ROWS:
            yield run
            run = []
        if row.texts:
            run.append(row)
    if run:
        yield run


def _table(grid: Grid, run: list[GridRow], limits: ExtractLimits, *, is_whole: bool) -> Iterator[Block]:
    used = sorted({column for row in run for column in row.texts})
    grid.is_cut_in_columns |= len(used) > limits.xlsx_max_columns
    columns = used[: limits.xlsx_max_columns]
    rows: list[list[str]] = []
    is_cut_in_cells = False
    next_number = run[0].number
    for row in run:
        if row.number > next_number:
            rows.append([""] * len(columns))
        next_number = row.number + 1
        texts = [row.texts.get(column, "") for column in columns]
        is_cut_in_cells |= any(len(text) > limits.table_cell_max_chars for text in texts)
        rows.append(_marked(grid, row, [_clipped(text, limits) for text in texts], columns, len(rows)))
    first, last = f"{column_letters(columns[0])}{run[0].number}", f"{column_letters(columns[-1])}{run[-1].number}"
    is_plain = is_whole and first == "A1" and columns == list(range(1, len(columns) + 1))
    label = "" if is_plain else f"Cell {first}\n\n" if first == last else f"Cells {first} to {last}\n\n"
    yield Text(label + markdown.table(rows))
    if is_cut_in_cells:
        yield Truncated(f"text of cells after {limits.table_cell_max_chars:,} characters")


def _marked(grid: Grid, row: GridRow, texts: list[str], columns: list[int], index: int) -> list[str]:
    """The row with its hidden parts marked: a hidden row in its first cell, a hidden column in the table's head."""
    return [
        markdown.hidden(text).strip()
        if (row.is_hidden and place == 0) or (index == 0 and _is_column_hidden(grid, column))
        else text
        for place, (text, column) in enumerate(zip(texts, columns, strict=True))
    ]


def _is_column_hidden(grid: Grid, column: int) -> bool:
    return any(column in columns for columns in grid.hidden_columns)


def _clipped(text: str, limits: ExtractLimits) -> str:
    limit = limits.table_cell_max_chars
    return text if len(text) <= limit else f"{text[:limit]}…"


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """A for 1, AA for 27."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
