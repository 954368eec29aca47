"""What the styles of a document say: what is hidden, which list a paragraph is in, how lists are numbered."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractors._inflating import Element
from extractors._odf.names import PRESENTATION, STYLE, TABLE, TEXT, whole

MAX_LEVEL = 10
_MAX_ANCESTORS = 20
#: Programs that bring a document in from Word leave its headings as paragraphs of these styles.
_HEADING = re.compile(r"[Hh]eading(?:_20_| )([1-9])")
_NUMERALS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
             "一": "chineseCounting", "壹": "chineseLegalSimplified", "甲": "ideographTraditional",
             "子": "ideographZodiac", "①": "decimalEnclosedCircle", "01": "decimalZero", "1st": "ordinal"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One style; None where it says nothing."""

    is_hidden: bool | None = None
    list_style: str | None = None
    heading: int | None = None  # 1 is the highest; 0 says: not a heading
    is_numbered: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLevel:
    """One level of a list: where it starts, how a number looks, how many levels it shows, the text around it."""

    is_bullet: bool = False
    numeral: str = ""  # "" shows no number
    start: int = 1
    levels_shown: int = 1
    prefix: str = ""
    suffix: str = ""


BULLET = ListLevel(is_bullet=True)
_PLAIN = Style()


@dataclass(slots=True, kw_only=True)
class Styles:
    """The styles of a document by family and name, and its list styles by name and level (1 is the outermost)."""

    list_styles: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    outline: dict[int, ListLevel] = field(default_factory=dict)
    #: The page styles that sheets are printed on.
    sheet_masters: set[str] = field(default_factory=set)
    _own: dict[tuple[str, str], tuple[Style, str]] = field(default_factory=dict)  # with the parent's name

    def copy(self) -> Styles:
        """The same styles, to be added to: the automatic styles of a part are its own."""
        return Styles(list_styles=dict(self.list_styles), outline=self.outline, _own=dict(self._own))

    def add(self, container: Element) -> None:
        """Takes the styles of an `office:styles` or an `office:automatic-styles`."""
        for item in container:
            if item.tag == f"{STYLE}style":
                key = (item.get(f"{STYLE}family", ""), item.get(f"{STYLE}name", ""))
                if key[0] == "table":
                    self.sheet_masters.add(item.get(f"{STYLE}master-page-name", ""))
                self._own[key] = (_own(item), item.get(f"{STYLE}parent-style-name", ""))
            elif item.tag == f"{TEXT}list-style":
                self.list_styles[item.get(f"{STYLE}name", "")] = _levels(item)
            elif item.tag == f"{TEXT}outline-style":
                self.outline = _levels(item)

    def get(self, family: str, name: str | None) -> Style:
        """The style of that name with what it inherits; one that says nothing where there is none."""
        found: list[Style] = []
        while name and (family, name) in self._own and len(found) < _MAX_ANCESTORS:
            own, name = self._own[family, name]
            found.append(own)
        if not found:
            return _PLAIN
        return Style(
            is_hidden=next((style.is_hidden for style in found if style.is_hidden is not None), None),
            list_style=next((style.list_style for style in found if style.list_style is not None), None),
            is_numbered=next((style.is_numbered for style in found if style.is_numbered is not None), None),
            heading=next((style.heading for style in found if style.heading is not None), None),
        )


def _own(item: Element) -> Style:
    paragraph = item.find(f"{STYLE}paragraph-properties")
    numbered = paragraph.get(f"{TEXT}enable-numbering") if paragraph is not None else None
    return Style(
        is_numbered=None if numbered is None else numbered == "true",
        is_hidden=_is_hidden(item),
        list_style=item.get(f"{STYLE}list-style-name"),
        heading=_heading(item) if item.get(f"{STYLE}family") == "paragraph" else None,
    )


def _heading(item: Element) -> int | None:
    level = item.get(f"{STYLE}default-outline-level")
    if level is not None:
        return whole(level, 0, most=MAX_LEVEL)
    name = item.get(f"{STYLE}name", "")
    match = _HEADING.fullmatch(name)
    return int(match[1]) if match else 1 if name == "Title" else None


def _is_hidden(item: Element) -> bool | None:
    """Text that is not displayed, a sheet or a slide that is not shown."""
    for properties, name, hiding in (
        ("text-properties", f"{TEXT}display", "none"),
        ("table-properties", f"{TABLE}display", "false"),
        ("drawing-page-properties", f"{PRESENTATION}visibility", "hidden"),
    ):
        found = item.find(f"{STYLE}{properties}")
        if found is not None and (said := found.get(name)) is not None:
            return said == hiding
    return None


def _levels(definition: Element) -> dict[int, ListLevel]:
    return {
        whole(item.get(f"{TEXT}level"), 1, most=MAX_LEVEL, least=1): _level(item)
        for item in definition
        if isinstance(item.tag, str) and "-level-style" in item.tag
    }


def _level(item: Element) -> ListLevel:
    if item.tag == f"{TEXT}list-level-style-image":
        return BULLET
    if item.tag == f"{TEXT}list-level-style-bullet":
        return BULLET if item.get(f"{TEXT}bullet-char", "").strip() else ListLevel()
    name = item.get(f"{STYLE}num-format", "")
    return ListLevel(
        numeral=_NUMERALS.get(name) or _NUMERALS.get(name.partition(",")[0].strip(), "decimal") if name else "",
        start=whole(item.get(f"{TEXT}start-value"), 1, most=1_000_000_000),
        levels_shown=whole(item.get(f"{TEXT}display-levels"), 1, most=MAX_LEVEL, least=1),
        prefix=item.get(f"{STYLE}num-prefix", ""),
        suffix=item.get(f"{STYLE}num-suffix", ""),
    )
