"""What charts say: title, axes, and the table of their values."""

from __future__ import annotations

import math
from collections.abc import Callable

from extractors import markdown
from extractors._inflating import Element
from extractors._odf.cells import Placement, rows_of
from extractors._odf.names import CHART, TABLE
from extractors._ooxml.number_format import general

#: Charts drawn from thousands of points say more by their head than by all of them.
_MAX_POINTS = 200
_MAX_SERIES = 50
_MAX_DIGITS = 15


def chart_text(chart: Element, plain: Callable[[Element], str]) -> str:
    """A `chart:chart` as its title and one table: a row per category, a column per series."""
    titles = [_title(chart.find(f"{CHART}{name}"), plain) for name in ("title", "subtitle")]
    axes = [_title(axis.find(f"{CHART}title"), plain) for axis in chart.iter(f"{CHART}axis")]
    head = ": ".join(filter(None, ["Chart", " - ".join(filter(None, titles))]))
    if any(axes):
        head += f" (axes: {', '.join(filter(None, axes))})"
    table = chart.find(f"{TABLE}table")
    return head if table is None else "\n\n".join(filter(None, [head, _values(table, plain)]))


def _title(element: Element | None, plain: Callable[[Element], str]) -> str:
    return " ".join(plain(element).split()) if element is not None else ""


def _shown(text: str) -> str:
    """What a cell says; a number as computers count, such as 4.4000000000000004, as people do."""
    try:
        number = float(text)
    except ValueError:
        return text
    if math.isnan(number):
        return ""  # no value
    return text if len(text) <= _MAX_DIGITS else general(text)


def _values(table: Element, plain: Callable[[Element], str]) -> str:
    placement = Placement()
    rows: list[list[str]] = []
    left_out = 0
    for row in rows_of(table):
        if len(rows) > _MAX_POINTS:  # the head, and the points
            left_out += 1
            continue
        texts: list[str] = []
        for cell in placement.row(row):
            if cell.column <= _MAX_SERIES:
                texts += [""] * (cell.column - 1 - len(texts))
                texts += [_shown(plain(cell.element))] * min(cell.repeated, _MAX_SERIES - len(texts))
        rows.append(texts)
    if not any(map(any, rows)):
        return ""
    return markdown.table(rows) + (f"\n\n({left_out} more points of the chart are left out)" if left_out else "")
