"""What is drawn on a page besides its text: counted, and its pictures found, without decoding or drawing anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extractors._pdf.turned import Rect, Turn

if TYPE_CHECKING:
    import pymupdf

#: Rules shorter than this, in points, make no table; boxes thinner than this are rules.
MIN_RULE_LENGTH = 12
RULE_WIDTH = 3.0
#: A stroke that reaches so far both ways may be a drawing by itself.
LARGE_SIDE = 40
#: What covers so much of a page is its ground, where text stands on it.
GROUND_SHARE = 0.5
#: What reaches over so much of it would swallow the pictures that stand on it.
WHOLE_SHARE = 0.8
#: In points: programs cut one picture into bands and tiles that lie so near to each other.
TILE_GAP = 1.5
#: A page of more pictures than these, which do not join, is a sheet of icons.
MAX_PICTURES = 60
#: Smaller ones are bullets, rules and icons: points, and a share of the page.
MIN_PICTURE_SIDE = 24
MIN_PICTURE_SHARE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture on a page as it is seen. One of the whole page under recognised text says little more than that."""

    box: Rect
    is_scan: bool = False

    @property
    def weight(self) -> float:
        """Which of two is worth more to see."""
        return area(self.box) * (0.001 if self.is_scan else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Strokes: all, those that may rule a table, those that may be of a drawing. Images, what they make, and texts."""

    strokes: int
    rules: int
    shapes: int
    picture_share: float
    images: Sequence[Rect]
    pictures: Sequence[Figure]
    texts: Sequence[Rect]
    #: Text is written where nobody sees it, beyond the sides of the page.
    has_text_outside: bool


def drawn_on(page: pymupdf.Page) -> Drawn:
    """What is drawn on this page."""
    turn, bounds = Turn.of(page), tuple(page.rect)
    as_written = tuple(page.rect * page.derotation_matrix)
    strokes = rules = shapes = seen_texts = 0
    covered = 0.0
    has_text_outside = False
    images: list[Rect] = []
    texts: list[Rect] = []
    for kind, written in page.get_bboxlog():
        if kind.endswith("path"):
            width, height = written[2] - written[0], written[3] - written[1]
            strokes += 1
            rules += max(width, height) >= MIN_RULE_LENGTH
            shapes += (min(width, height) > RULE_WIDTH) + (min(width, height) > LARGE_SIDE)
            continue
        if kind.endswith("text"):
            texts.append(written)
            seen_texts += kind != "ignore-text"
            has_text_outside |= is_outside(written, as_written) and area(written) > 0
        elif kind.endswith(("image", "imgmask", "shade")):
            box = turn.box(written)
            covered += area(common(box, bounds))
            if not kind.endswith("shade"):
                images.append(common(box, bounds))
    size = max(area(bounds), 1.0)
    is_recognised = seen_texts < len(texts) / 2
    texts = [turn.box(written) for written in texts] if images or shapes else []
    return Drawn(
        strokes=strokes,
        rules=rules,
        shapes=shapes,
        picture_share=covered / size,
        images=images,
        pictures=_pictures(images, texts, size, is_recognised=is_recognised) if images else (),
        texts=texts,
        has_text_outside=has_text_outside,
    )


def _pictures(
    images: Sequence[Rect], texts: Sequence[Rect], page_area: float, *, is_recognised: bool
) -> Sequence[Figure]:
    """Pictures in one piece each. What most of the text stands on is a ground, or what it was recognised from."""
    whole = [box for box in images if area(box) >= WHOLE_SHARE * page_area]
    found = joined([box for box in images if area(box) < WHOLE_SHARE * page_area], TILE_GAP) + whole[:1]
    figures: list[Figure] = []
    for box in found:
        is_small = min(width(box), height(box)) < MIN_PICTURE_SIDE or area(box) < MIN_PICTURE_SHARE * page_area
        if is_small:
            continue
        is_ground = area(box) >= GROUND_SHARE * page_area and 2 * sum(is_inside(text, box) for text in texts) > len(
            texts
        )
        if is_ground and not is_recognised:
            continue
        figures.append(Figure(box=box, is_scan=is_ground))
    return figures


def joined(boxes: Iterable[Rect], gap: float) -> list[Rect]:
    """The boxes that touch each other, or nearly, as one; none where they stay too many."""
    found: list[Rect] = []
    for box in sorted(boxes, key=lambda box: (box[1], box[0])):
        grown = box
        while near := [other for other in found if is_near(grown, other, gap)]:
            found = [other for other in found if other not in near]
            grown = around([grown, *near])
        found.append(grown)
        if len(found) > MAX_PICTURES:
            return []
    return found


def around(boxes: Sequence[Rect]) -> Rect:
    """The least box that holds these."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def common(one: Rect, other: Rect) -> Rect:
    """What two boxes share; without an area where they share nothing."""
    x0, y0 = max(one[0], other[0]), max(one[1], other[1])
    return x0, y0, max(min(one[2], other[2]), x0), max(min(one[3], other[3]), y0)


def area(box: Rect) -> float:
    """In square points."""
    return width(box) * height(box)


def width(box: Rect) -> float:
    """From side to side."""
    return box[2] - box[0]


def height(box: Rect) -> float:
    """From top to bottom."""
    return box[3] - box[1]


def is_near(one: Rect, other: Rect, gap: float) -> bool:
    """True where no more than the gap lies between two boxes."""
    return (
        one[0] <= other[2] + gap and other[0] <= one[2] + gap and one[1] <= other[3] + gap and other[1] <= one[3] + gap
    )


def is_inside(box: Rect, outer: Rect) -> bool:
    """True where the middle of the box lies in the outer one."""
    return outer[0] <= (box[0] + box[2]) / 2 <= outer[2] and outer[1] <= (box[1] + box[3]) / 2 <= outer[3]


def is_outside(box: Rect, bounds: Rect) -> bool:
    """True where nothing of the box lies in the bounds."""
    return box[2] <= bounds[0] or box[0] >= bounds[2] or box[3] <= bounds[1] or box[1] >= bounds[3]
