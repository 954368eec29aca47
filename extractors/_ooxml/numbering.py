"""List numbers as Word shows them: numbering.xml and its counters."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace

from extractors._numerals import numeral
from extractors._ooxml.names import Element, W
from extractors._symbol_fonts import readable

BULLET = "-"
#: Bullets that say something: what is to be done, and what is done.
_BOXES = frozenset("☐☑☒")
_LEVELS = range(9)
_PLACE = re.compile(r"%([1-9])")
_MAX_INT_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a list: where it starts, how a number looks, and the text around it (`%1.%2`)."""

    start: int = 1
    numeral: str = "decimal"
    text: str = "%1."
    style: str | None = None
    is_legal: bool = False
    restarts: bool = False  # an override starts it anew for its own list
    #: It starts anew after an item of a level before this one; None for any level above it.
    restarts_after: int | None = None


@dataclass(slots=True, kw_only=True)
class Numbering:
    """The lists of a document with their running counters. Paragraphs must be asked for in document order."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)  # by list id
    abstract: dict[str, str] = field(default_factory=dict)  # list id to the definition whose counters it shares
    _counters: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    _begun: set[tuple[str, int]] = field(default_factory=set)

    def label(self, list_id: str, level: int) -> str:
        """The next label of that list on that level, `BULLET` for bullets, "" for what is no list."""
        levels = self.levels.get(list_id, {})
        this = levels.get(level)
        if this is None:
            return ""
        counters = self._counters[self.abstract[list_id]]
        anew = this.restarts and (list_id, level) not in self._begun
        self._begun.add((list_id, level))
        for above in range(level):  # a level that is passed over counts as begun
            counters.setdefault(above, levels.get(above, Level()).start)
        counters[level] = this.start if anew or level not in counters else counters[level] + 1
        for deeper in [deeper for deeper in counters if deeper > level]:
            limit = levels[deeper].restarts_after if deeper in levels else None
            if limit is None or level < limit:
                del counters[deeper]
        if this.numeral == "bullet":
            return f"{BULLET} {this.text}" if this.text in _BOXES else BULLET
        return _PLACE.sub(lambda match: self._number(levels, counters, int(match[1]) - 1, this), this.text).strip()

    def level_of_style(self, list_id: str, style: str) -> int:
        """The level that a paragraph style is tied to."""
        return next((n for n, level in self.levels.get(list_id, {}).items() if level.style == style), 0)

    @staticmethod
    def _number(levels: dict[int, Level], counters: dict[int, int], place: int, this: Level) -> str:
        level = levels.get(place, Level())
        if level.numeral == "bullet":
            return ""
        return numeral(counters.get(place, level.start), "decimal" if this.is_legal else level.numeral)


def read_numbering(root: Element | None) -> Numbering:
    """The lists of numbering.xml; none where the document has no such part."""
    numbering = Numbering()
    if root is None:
        return numbering
    definitions = {item.get(f"{W}abstractNumId", ""): _levels(item) for item in root.iterchildren(f"{W}abstractNum")}
    by_style = {
        link.get(f"{W}val", ""): item.get(f"{W}abstractNumId", "")
        for item in root.iterchildren(f"{W}abstractNum")
        if (link := item.find(f"{W}styleLink")) is not None
    }
    borrowed = {
        item.get(f"{W}abstractNumId", ""): by_style.get(link.get(f"{W}val", ""), "")
        for item in root.iterchildren(f"{W}abstractNum")
        if (link := item.find(f"{W}numStyleLink")) is not None
    }
    for item in root.iterchildren(f"{W}num"):
        list_id, abstract_id = item.get(f"{W}numId", ""), _value(item, "abstractNumId")
        abstract_id = borrowed.get(abstract_id, abstract_id)
        numbering.abstract[list_id] = abstract_id
        numbering.levels[list_id] = _overridden(definitions.get(abstract_id, {}), item)
    return numbering


def _levels(definition: Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for item in definition.iterchildren(f"{W}lvl"):
        place = int_or(item.get(f"{W}ilvl"), 0)
        levels[place] = Level(
            start=int_or(_value(item, "start"), 0),
            numeral=_value(item, "numFmt") or "decimal",
            text=readable(_value(item, "lvlText"), _font(item)),
            style=_value(item, "pStyle") or None,
            is_legal=item.find(f"{W}isLgl") is not None,
            restarts_after=_number(item, "lvlRestart"),
        )
    return levels


def _overridden(levels: dict[int, Level], item: Element) -> dict[int, Level]:
    levels = dict(levels)
    for override in item.iterchildren(f"{W}lvlOverride"):
        place = int_or(override.get(f"{W}ilvl"), 0)
        levels |= _levels(override)
        start = _value(override, "startOverride")
        if start and place in levels:
            levels[place] = replace(levels[place], start=int_or(start, 1), restarts=True)
    return levels


def _number(element: Element, name: str) -> int | None:
    text = _value(element, name)
    return int_or(text, 0) if text else None


def _font(level: Element) -> str | None:
    fonts = level.find(f"{W}rPr/{W}rFonts")
    return None if fonts is None else fonts.get(f"{W}ascii")


def _value(element: Element, name: str) -> str:
    found = element.find(f"{W}{name}")
    return "" if found is None else found.get(f"{W}val", "")


def int_or(text: str | None, default: int) -> int:
    """`text` as a whole number of ordinary size, else `default`."""
    if text is None or len(text) > _MAX_INT_CHARS:
        return default
    try:
        return int(text)
    except ValueError:
        return default
