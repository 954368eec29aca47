"""A table in the XML of 2009: a list of cells, each so many places after the one before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from extractors import markdown
from extractors._inflating import Element
from extractors._iwork.cells import Cell
from extractors._iwork.protobuf import Message
from extractors._iwork.values import SYMBOLS, plain, shown, shown_date
from extractors._ooxml.number_format import displayed
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated

SF = "{http://developer.apple.com/namespaces/sf}"
SFA = "{http://developer.apple.com/namespaces/sfa}"
#: Places are counted as if every row had so many columns.
_COLUMNS = 256
_NO_FORMAT = Message(b"")
_WORDS = frozenset({"t", "rt", "ct"})
_SIMPLE = frozenset({"n", "rn", "d", "rd", "du", "rdu", "cb", "rb", "re"})
_STORAGE = f"{SF}text-storage"
_MAX_DEPTH = 4


@dataclass(slots=True, kw_only=True)
class ClassicTables:
    """Reads the tables of one document. `text_of` gives the text of a cell with styled text."""

    root: Element
    text_of: Callable[[Element], str]
    _formats: dict[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    _by_id: dict[str, Element] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for style in self.root.iter(f"{SF}cell-style"):
            for name in ("number-format", "date-format"):
                found = style.find(f"{SF}property-map/*/{SF}{name}")
                if found is not None:
                    self._formats[style.get(f"{SFA}ID", ""), name] = {
                        str(key): str(value) for key, value in found.attrib.items()
                    }
        for tag in ("ct", "t", "n", "d", "cf", "cb"):
            self._by_id |= {identity: e for e in self.root.iter(f"{SF}{tag}") if (identity := e.get(f"{SFA}ID"))}

    def blocks(self, model: Element, budget: Budget) -> Iterator[Block]:
        """One table, with its name where the document shows it."""
        limits = budget.limits
        texts: dict[tuple[int, int], str] = {}
        is_cut = False
        place = 0
        for cell in model.iterfind(f"{SF}grid/{SF}datasource/*"):
            place += _int(cell.get(f"{SF}ct"), 1)
            row, column = divmod(place, _COLUMNS)
            if row >= limits.xlsx_max_rows_per_sheet or column >= limits.xlsx_max_columns or budget.is_late:
                is_cut = True
            elif text := self._text(cell):
                texts[row, column] = text
        name = model.get(f"{SF}name", "").strip()
        if name and (model.get(f"{SF}name-is-visible") == "true" or not texts):
            yield Text(f"#### {' '.join(name.split())}" + ("" if texts else "\n(no cells)"))
        if texts:
            height, width = max(row for row, _ in texts) + 1, max(column for _, column in texts) + 1
            yield Text(
                markdown.table([[texts.get((row, column), "") for column in range(width)] for row in range(height)])
            )
        if is_cut:
            yield Truncated(f'cells of table "{name}" after the first {limits.xlsx_max_rows_per_sheet} rows')

    def _text(self, cell: Element, style: str = "", depth: int = _MAX_DEPTH) -> str:
        """What a cell shows; `style` is that of the cell which this one is the result or the choice of."""
        kind = etree.QName(cell).localname
        style = cell.get(f"{SF}s") or style
        styled = next(cell.iter(_STORAGE), None) if kind in _WORDS else None
        if styled is not None:
            return self.text_of(styled)
        if kind in _WORDS:
            words = cell if kind == "ct" else cell.find(f"{SF}ct")
            return words.get(f"{SFA}s", "") if words is not None else ""
        if kind in _SIMPLE:
            return self._simple(cell, kind, style)
        target = self._behind(cell) if depth else None
        if target is None:
            return "#ERROR!" if kind == "f" else ""
        return self._text(target, style, depth - 1)

    def _simple(self, cell: Element, kind: str, style: str) -> str:
        if kind in {"n", "rn"}:
            return self._number(cell, style)
        if kind in {"d", "rd"}:
            return shown_date(
                _float(cell.get(f"{SF}cell-date")), self._format(style, "date-format").get(f"{SF}fmt", "")
            )
        if kind in {"du", "rdu"}:
            return shown(Cell(0, "duration", _float(cell.get(f"{SF}du"))), _NO_FORMAT)
        if kind == "re":
            return "#ERROR!"
        return "TRUE" if cell.get(f"{SF}v") in {"1", "true"} else "FALSE"

    def _behind(self, cell: Element) -> Element | None:
        """The result of a formula; the choice of a menu, a slider, a rating."""
        chosen = cell.find(f"{SF}proxied-cell-ref")
        if chosen is not None:
            return self._by_id.get(chosen.get(f"{SFA}IDREF", ""))
        inside = cell.find(f"{SF}proxied-cell/*")
        return inside if inside is not None else cell.find(f"{SF}r/*")

    def _number(self, cell: Element, style: str) -> str:
        spec = cell.find(f"{SF}cf")
        if spec is None and (reference := cell.find(f"{SF}cf-ref")) is not None:
            spec = self._by_id.get(reference.get(f"{SFA}IDREF", ""))
        found = spec.find(f"{SF}number-format") if spec is not None else None
        described = found.attrib if found is not None else self._format(style, "number-format")
        code = described.get(f"{SF}format-string", "")
        if "¤" in code:
            currency = re.sub(r"[^A-Za-z]", "", described.get(f"{SF}format-currency-code", ""))[:3]
            code = code.replace("¤", f'"{SYMBOLS.get(currency, f"{currency} ")}"')
        raw = cell.get(f"{SF}v", "")
        if not raw or not code:
            return plain(_float(raw)) if raw else ""
        return displayed(repr(_float(raw)).removesuffix(".0"), code)

    def _format(self, style: str, kind: str) -> Mapping[str, str]:
        return self._formats.get((style, kind), {})


def _int(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else default


def _float(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return 0.0
