"""What a metafile draws: strokes, areas, words and bitmaps in one plane, y downwards, in the order they are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

Point = tuple[float, float]
Colour = tuple[int, int, int]
#: Left, top, right, bottom.
Box = tuple[float, float, float, float]

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
MAX_ITEMS = 40_000
MAX_POINTS = 400_000
MAX_BITMAP_PIXELS = 60_000_000
#: Beyond this a coordinate is nonsense, and costs time to draw.
MAX_COORDINATE = 1e7


@dataclass(frozen=True, slots=True)
class Pen:
    """How a line is drawn; a width of 0 is the thinnest that shows."""

    colour: Colour = BLACK
    width: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Outlines that are stroked, filled (by the even-odd rule), or both."""

    outlines: Sequence[Sequence[Point]]
    pen: Pen | None
    fill: Colour | None
    clip: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A run of text: where its baseline begins, its em in the plane's units, and how far it reaches."""

    text: str
    at: Point
    size: float
    width: float
    #: Degrees against the clock.
    angle: float = 0.0
    colour: Colour = BLACK
    is_bold: bool = False
    clip: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bitmap:
    """A picture stretched over a box; `mixing` says how it meets what is below: copy, and, or, xor."""

    image: Image.Image
    box: Box
    mixing: str = "copy"
    clip: Box | None = None


Item = Shape | Words | Bitmap


@dataclass(slots=True, kw_only=True)
class Scene:
    """The items of one drawing, within bounds on their number; what exceeds them is left out."""

    items: list[Item] = field(default_factory=list)
    #: The part of the plane that is shown, where the file says so.
    frame: Box | None = None
    #: The size in inches at which it is meant to be seen, where the file says so.
    inches: Point | None = None
    #: True once the file was read to its end and holds no commands in another language (EMF+ alone).
    is_whole: bool = False
    points_left: int = MAX_POINTS
    pixels_left: int = MAX_BITMAP_PIXELS

    def add(self, item: Item) -> None:
        """Takes the next item, unless it is nonsense or one too many."""
        if len(self.items) >= MAX_ITEMS:
            return
        if isinstance(item, Shape):
            self.points_left -= sum(map(len, item.outlines))
            if self.points_left < 0:
                return
        corners = box_of(item)
        if all(map(math.isfinite, corners)) and max(map(abs, corners)) < MAX_COORDINATE:
            self.items.append(item)

    def extent(self) -> Box:
        """The smallest box around all items."""
        return joined([box_of(item) for item in self.items])


def box_of(item: Item) -> Box:
    """The box around one item."""
    if isinstance(item, Bitmap):
        left, top, right, bottom = item.box
        return min(left, right), min(top, bottom), max(left, right), max(top, bottom)
    if isinstance(item, Words):
        turn = math.radians(item.angle)
        end = (item.at[0] + item.width * math.cos(turn), item.at[1] - item.width * math.sin(turn))
        rise = (item.at[0] - item.size * math.sin(turn), item.at[1] - item.size * math.cos(turn))
        return around([item.at, end, rise])
    return around([point for outline in item.outlines for point in outline])


def around(points: Sequence[Point]) -> Box:
    """The box around points; one that holds nothing where there are none."""
    if not points:
        return 0.0, 0.0, 0.0, 0.0
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def joined(boxes: Sequence[Box]) -> Box:
    """The box around boxes; one that holds nothing where there are none."""
    return around([corner for box in boxes for corner in (box[:2], box[2:])])


def overlap(first: Box, second: Box | None) -> Box | None:
    """What two boxes share, None for nothing; all of the first where there is no second."""
    if second is None:
        return first
    left, top = max(first[0], second[0]), max(first[1], second[1])
    right, bottom = min(first[2], second[2]), min(first[3], second[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
