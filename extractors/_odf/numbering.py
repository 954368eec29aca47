"""The running numbers of lists and headings. Items must be asked for in document order."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors._inflating import Element
from extractors._numerals import numeral
from extractors._odf.names import TEXT, XML_ID, whole
from extractors._odf.styles import BULLET, MAX_LEVEL, ListLevel, Styles

_MAX_START = 1_000_000_000


@dataclass(slots=True, kw_only=True)
class Run:
    """One list as it is numbered: the last number on each level."""

    style: str = ""
    numbers: dict[int, int] = field(default_factory=dict)

    def restart(self, level: int) -> None:
        """Begins that level and all below it anew."""
        for deeper in [deeper for deeper in self.numbers if deeper >= level]:
            del self.numbers[deeper]

    def label(self, levels: dict[int, ListLevel], level: int, start: int | None) -> str:
        """The next label on that level: "-" for a bullet, "" for none."""
        this = levels.get(level, BULLET)
        last = self.numbers.get(level)
        self.restart(level + 1)
        self.numbers[level] = start if start is not None else this.start if last is None else last + 1
        if this.is_bullet:
            return "-"
        shown = range(max(1, level - this.levels_shown + 1), level + 1) if this.numeral else ()
        return f"{this.prefix}{'.'.join(filter(None, (self._number(levels, n) for n in shown)))}{this.suffix}".strip()

    def _number(self, levels: dict[int, ListLevel], level: int) -> str:
        this = levels.get(level, BULLET)
        return numeral(self.numbers.get(level, this.start), this.numeral) if this.numeral else ""


@dataclass(slots=True, kw_only=True)
class Numbering:
    """The lists of a document that can still be continued."""

    outline: Run = field(default_factory=Run)
    _by_id: dict[str, Run] = field(default_factory=dict)
    _by_style: dict[str, Run] = field(default_factory=dict)

    def begun(self, item: Element, style: str) -> Run:
        """The run of an outermost `text:list`: a new one, or one that it continues."""
        run = self._by_id.get(item.get(f"{TEXT}continue-list", ""))
        if run is None and item.get(f"{TEXT}continue-numbering") == "true":
            run = self._by_style.get(style)
        if run is None:
            run = Run(style=style)
        self._by_style[style] = run
        if (list_id := item.get(XML_ID)) is not None:
            self._by_id[list_id] = run
        return run

    def heading_label(self, heading: Element, styles: Styles) -> str:
        """The chapter number of a heading that stands in no list."""
        level = whole(heading.get(f"{TEXT}outline-level"), 1, most=MAX_LEVEL, least=1)
        if level not in styles.outline or heading.get(f"{TEXT}is-list-header") == "true":
            return ""
        if heading.get(f"{TEXT}restart-numbering") == "true":
            self.outline.restart(level)
        label = self.outline.label(styles.outline, level, start_value(heading))
        return "" if label == "-" else label


def start_value(item: Element) -> int | None:
    """The number that an item or a heading says it begins with."""
    value = item.get(f"{TEXT}start-value")
    return None if value is None else whole(value, 1, most=_MAX_START)
