"""Where the shapes of a slide stand, what they hold the place of, and the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._ooxml.names import MC, A, Element, P, chosen_branch
from extractors._ooxml.numbering import int_or
from extractors._shape_order import in_lines

#: Top and left edge in EMU (360,000 to the centimetre).
Place = tuple[int, int]

TITLES = frozenset({"title", "ctrTitle"})
_SHAPES = frozenset(f"{P}{name}" for name in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"))
#: Shapes whose tops differ by less than half a centimetre stand on one line.
_SAME_LINE = 180_000


def shapes_of(parent: Element) -> Iterator[Element]:
    """The shapes directly in a slide or a group, of alternatives the one that is drawn."""
    for child in parent:
        if child.tag in _SHAPES:
            yield child
        elif child.tag == f"{MC}AlternateContent":
            branch = chosen_branch(child)
            if branch is not None:
                yield from shapes_of(branch)


def in_reading_order(shapes: list[Element], inherited: dict[str, Place]) -> Iterator[Element]:
    """Line by line; `inherited` are the places that the layout gives."""
    return in_lines(shapes, lambda shape: _place(shape, inherited), same_line=_SAME_LINE)


def _place(shape: Element, inherited: dict[str, Place]) -> Place | None:
    place = own_place(shape)
    holder = placeholder(shape)
    if place is not None or holder is None:
        return place
    return next((inherited[key] for key in place_keys(holder) if key in inherited), None)


def own_place(shape: Element) -> Place | None:
    """Where a shape says that it stands; None where it leaves that to the layout."""
    offset = shape.find(f"{P}xfrm/{A}off")
    if offset is None:
        offset = shape.find(f"./*/{A}xfrm/{A}off")
    return None if offset is None else (int_or(offset.get("y"), 0), int_or(offset.get("x"), 0))


def is_outside(shape: Element, size: Place) -> bool:
    """True for what lies beside the slide, such as an author's palette."""
    place, extent = own_place(shape), shape.find(f"./*/{A}xfrm/{A}ext")
    if place is None or extent is None or not all(size):
        return False
    bottom, right = place[0] + int_or(extent.get("cy"), 0), place[1] + int_or(extent.get("cx"), 0)
    return place[0] >= size[0] or place[1] >= size[1] or bottom <= 0 or right <= 0


def placeholder(shape: Element) -> Element | None:
    """What makes a shape hold the place of something; None for a shape of its own."""
    return shape.find(f"./*/{P}nvPr/{P}ph")


def place_keys(holder: Element) -> list[str]:
    """What a placeholder is found by in a layout: its number, then its kind."""
    return [f"#{holder.get('idx', '')}", "title" if holder.get("type") in TITLES else holder.get("type", "body")]


def kind_of(shape: Element) -> str | None:
    """The type of a placeholder, "" where it has none; None for what is no placeholder."""
    holder = placeholder(shape)
    return None if holder is None else holder.get("type", "")
