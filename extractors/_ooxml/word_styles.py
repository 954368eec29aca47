"""What a Word style says about the text: heading level, list, hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractors._ooxml.names import Element, W
from extractors._ooxml.numbering import int_or

_HEADING = re.compile(r"heading ([1-9])")
_OFF = frozenset({"0", "false", "off"})
_BODY_TEXT_LEVEL = 9
_MAX_ANCESTORS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One style; None where it says nothing."""

    heading: int | None = None  # 1 is the highest; 0 says: not a heading
    list_id: str | None = None
    list_level: int | None = None
    is_hidden: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """The styles of a document by id, each with what it inherits."""

    by_id: dict[str, Style] = field(default_factory=dict)

    def get(self, style_id: str | None) -> Style:
        """The style of that id; one that says nothing where there is none."""
        return self.by_id.get(style_id or "", _PLAIN)


_PLAIN = Style()


def read_styles(root: Element | None) -> Styles:
    """The styles of styles.xml; none where the document has no such part."""
    if root is None:
        return Styles()
    items = {item.get(f"{W}styleId", ""): item for item in root.iterchildren(f"{W}style")}
    own = {style_id: _own(item) for style_id, item in items.items()}
    parents = {style_id: _value(item, "basedOn") for style_id, item in items.items()}
    return Styles(by_id={style_id: _inherited(style_id, own, parents) for style_id in items})


def is_on(properties: Element | None, name: str) -> bool | None:
    """Whether a switch such as `w:vanish` is on in a property list; None where it is not there."""
    found = properties.find(f"{W}{name}") if properties is not None else None
    return None if found is None else found.get(f"{W}val", "1") not in _OFF


def outline_level(properties: Element | None) -> int | None:
    """The heading level of a paragraph's properties: 1 to 9, 0 for body text, None where they say nothing."""
    found = properties.find(f"{W}outlineLvl") if properties is not None else None
    if found is None:
        return None
    level = int_or(found.get(f"{W}val"), _BODY_TEXT_LEVEL)
    return level + 1 if 0 <= level < _BODY_TEXT_LEVEL else 0


def list_place(properties: Element | None) -> tuple[str | None, int | None]:
    """The list id and the level of a paragraph's properties; None where they say nothing."""
    found = properties.find(f"{W}numPr") if properties is not None else None
    if found is None:
        return None, None
    level = _value(found, "ilvl")
    return _value(found, "numId"), int_or(level, 0) if level is not None else None


def _own(item: Element) -> Style:
    paragraph = item.find(f"{W}pPr")
    list_id, list_level = list_place(paragraph)
    name = (_value(item, "name") or "").lower()
    match = _HEADING.match(name)
    heading = int(match[1]) if match else 1 if name == "title" else outline_level(paragraph)
    return Style(
        heading=heading, list_id=list_id, list_level=list_level, is_hidden=is_on(item.find(f"{W}rPr"), "vanish")
    )


def _inherited(style_id: str, own: dict[str, Style], parents: dict[str, str | None]) -> Style:
    chain: list[Style] = []
    seen: set[str] = set()
    current: str | None = style_id
    while current and current in own and current not in seen and len(chain) < _MAX_ANCESTORS:
        seen.add(current)
        chain.append(own[current])
        current = parents[current]
    return Style(
        heading=next((style.heading for style in chain if style.heading is not None), None),
        list_id=next((style.list_id for style in chain if style.list_id is not None), None),
        list_level=next((style.list_level for style in chain if style.list_level is not None), None),
        is_hidden=next((style.is_hidden for style in chain if style.is_hidden is not None), None),
    )


def _value(element: Element, name: str) -> str | None:
    found = element.find(f"{W}{name}")
    return None if found is None else found.get(f"{W}val")
