"""A table of a text or a slide as rows of texts: a merged value stands in its first cell, the others are empty."""

from __future__ import annotations

from collections.abc import Callable

from extractors import markdown
from extractors._inflating import Element
from extractors._odf.cells import Placement, holds_something, is_hidden, rows_of, rows_repeated, span
from extractors.limits import ExtractLimits


def table_rows(table: Element, plain: Callable[[Element], str], limits: ExtractLimits) -> tuple[list[list[str]], bool]:
    """The rows of a table by `plain`, the text of one cell, and whether there are more than the limits allow."""
    placement = Placement()
    rows: list[list[str]] = []
    for row in rows_of(table):
        if len(rows) == limits.docx_max_table_rows:
            return rows, True
        texts = _texts(row, placement, plain, limits.xlsx_max_columns)
        if is_hidden(row) and texts:
            texts[0] = markdown.hidden(texts[0]).strip()
        repeated = rows_repeated(row)
        if repeated > 1 and not any(texts):
            repeated = 1  # empty rows up to the end of a sheet
        room = limits.docx_max_table_rows - len(rows)
        rows += [list(texts) for _ in range(min(repeated, room))]
        if repeated > room:
            return rows, True
    while rows and not any(rows[-1]) and len(rows) > 1:
        rows.pop()
    return rows, False


def _texts(row: Element, placement: Placement, plain: Callable[[Element], str], max_columns: int) -> list[str]:
    texts: dict[int, str] = {}
    width = 0
    for cell in placement.row(row):
        text = "" if cell.is_covered or not holds_something(cell.element) else plain(cell.element)
        if cell.repeated > 1 and not text and not cell.is_covered:
            continue  # empty cells up to the end of a sheet, or a gap that the next cell shows
        end = min(cell.column - 1 + max(cell.repeated, span(cell.element, "columns")), max_columns)
        width = max(width, end)
        if text:
            texts |= dict.fromkeys(range(cell.column, min(cell.column + cell.repeated, end + 1)), text)
    return [texts.get(column, "") for column in range(1, width + 1)]
