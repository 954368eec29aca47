"""The device that a metafile's records speak to: its coordinates, its tools, and what it has drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from extractors._metafile.bitmap import mixing_of
from extractors._metafile.fonts import Font, reach, readable
from extractors._metafile.scene import (
    BLACK,
    WHITE,
    Bitmap,
    Box,
    Colour,
    Pen,
    Point,
    Scene,
    Shape,
    Words,
    around,
    overlap,
)

if TYPE_CHECKING:
    from PIL import Image

#: a, b, c, d, e, f: x' = ax + cy + e, y' = bx + dy + f.
Matrix = tuple[float, float, float, float, float, float]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_THIN, _PLAIN = Pen(), Font()
_MAX_SAVED = 200
_RIGHT, _CENTRE, _BOTTOM, _BASELINE, _AT_POSITION = 0x2, 0x6, 0x8, 0x18, 0x1


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What saving keeps and restoring brings back."""

    #: From the coordinates of records to those of the page, and from there to the plane.
    world: Matrix = IDENTITY
    page: Matrix = IDENTITY
    window: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    viewport: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    pen: Pen | None = _THIN
    fill: Colour | None = WHITE
    font: Font = _PLAIN
    text_colour: Colour = BLACK
    back_colour: Colour = WHITE
    is_opaque: bool = True
    align: int = 0
    clip: Box | None = None
    position: Point = (0.0, 0.0)


@dataclass(slots=True, kw_only=True)
class Device:
    """Takes drawing commands in the coordinates of records, and adds to the scene."""

    scene: Scene
    state: State = State()
    _saved: list[State] = field(default_factory=list)
    #: The path that is being made between its begin and its stroke or fill; None outside.
    path: list[list[Point]] | None = None

    # --- state --------------------------------------------------------------------------------------------------------

    def set(self, **changes: object) -> None:
        """Changes the state."""
        self.state = replace(self.state, **changes)  # type: ignore[arg-type] # the fields are named where it is called

    def save(self) -> None:
        """Keeps the state."""
        if len(self._saved) < _MAX_SAVED:
            self._saved.append(self.state)

    def restore(self, which: int) -> None:
        """Brings back a kept state: -1 is the last one, 1 the first."""
        at = which - 1 if which > 0 else len(self._saved) + which
        if 0 <= at < len(self._saved):
            self.state = self._saved[at]
            del self._saved[at:]

    def map_window(self) -> None:
        """Makes the page's coordinates of window and viewport."""
        (wx, wy, ww, wh), (vx, vy, vw, vh) = self.state.window, self.state.viewport
        across, along = (vw / ww if ww else 1.0), (vh / wh if wh else 1.0)
        self.set(page=(across, 0.0, 0.0, along, vx - wx * across, vy - wy * along))

    def place(self, point: Point) -> Point:
        """A point of a record in the plane."""
        return applied(self.state.page, applied(self.state.world, point))

    @property
    def scale(self) -> float:
        """How many units of the plane one unit of a record is, on the whole."""
        matrix = self._matrix
        area = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])
        return math.sqrt(area) if 0 < area < math.inf else 1.0

    @property
    def _matrix(self) -> Matrix:
        return chained(self.state.world, self.state.page)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def line(self, points: Sequence[Point]) -> None:
        """An open line."""
        self._outline([points], fill=None)

    def area(self, outlines: Sequence[Sequence[Point]]) -> None:
        """Closed outlines, filled together."""
        self._outline([[*outline, outline[0]] for outline in outlines if outline], fill=self.state.fill)

    def _outline(self, outlines: Sequence[Sequence[Point]], *, fill: Colour | None) -> None:
        placed = [[self.place(point) for point in outline] for outline in outlines]
        if self.path is not None:
            self.path += placed
        else:
            self.add_shape(placed, pen=self.pen(), fill=fill)

    def add_shape(self, placed: Sequence[Sequence[Point]], *, pen: Pen | None, fill: Colour | None) -> None:
        """Outlines that are in the plane already."""
        if any(placed) and (pen is not None or fill is not None):
            self.scene.add(Shape(outlines=placed, pen=pen, fill=fill, clip=self.state.clip))

    def pen(self) -> Pen | None:
        """The pen as wide as it is in the plane."""
        pen = self.state.pen
        return None if pen is None else Pen(pen.colour, pen.width * self.scale)

    def line_to(self, points: Sequence[Point]) -> None:
        """A line that goes on from the position; in a path, the outline goes on."""
        if self.path:
            self.path[-1] += [self.place(point) for point in points]
        else:
            self.line([self.state.position, *points])
        self.set(position=points[-1])

    def move_to(self, point: Point) -> None:
        """Where the next line begins."""
        self.set(position=point)
        if self.path is not None:
            self.path.append([self.place(point)])

    def end_path(self, *, is_stroked: bool, is_filled: bool) -> None:
        """Draws the path and forgets it."""
        outlines = [outline for outline in self.path or () if len(outline) > 1]
        self.path = None
        self.add_shape(outlines, pen=self.pen() if is_stroked else None, fill=self.state.fill if is_filled else None)

    def clip_to(self, points: Sequence[Point], *, is_new: bool = False) -> None:
        """Shows from now on only what lies in the box around these points."""
        box = around([self.place(point) for point in points])
        shared = overlap(box, None if is_new else self.state.clip)
        self.set(clip=shared or (box[0], box[1], box[0], box[1]))

    def bitmap(self, image: Image.Image | None, corner: Point, size: Point, operation: int) -> None:
        """A picture stretched over a box."""
        if image is None:
            return
        (left, top), (right, bottom) = self.place(corner), self.place((corner[0] + size[0], corner[1] + size[1]))
        box = (left, top, right, bottom)
        self.scene.add(Bitmap(image=image, box=box, mixing=mixing_of(operation), clip=self.state.clip))

    def text(self, text: str, at: Point, *, advance: float = 0.0, box: Sequence[Point] = ()) -> None:
        """A run of text; `advance` is how far it reaches in the record's units, where it says so."""
        state = self.state
        if box:
            self.add_shape([[self.place(point) for point in box]], pen=None, fill=state.back_colour)
        if state.align & _AT_POSITION:
            at = state.position
        words = readable(text, state.font)
        size, scale = state.font.em * self.scale, self._across()
        width = advance * scale if advance > 0 else reach(words, size)
        angle, (x, y) = self._angle(), self.place(at)
        turn = math.radians(angle)
        if state.align & _AT_POSITION:
            step = advance or width / scale
            own = math.radians(state.font.angle)
            self.set(position=(at[0] + step * math.cos(own), at[1] - step * math.sin(own)))
        back = width * (0.5 if state.align & _CENTRE == _CENTRE else 1.0 if state.align & _RIGHT else 0.0)
        down = 0.0 if state.align & _BASELINE == _BASELINE else -0.22 if state.align & _BOTTOM else 0.9
        x += -back * math.cos(turn) + down * size * math.sin(turn)
        y += back * math.sin(turn) + down * size * math.cos(turn)
        run = Words(
            text=words, at=(x, y), size=size, width=width, angle=angle,
            colour=state.text_colour, is_bold=state.font.is_bold, clip=state.clip,
        )  # fmt: skip
        if words.strip():
            self.scene.add(run)

    def _across(self) -> float:
        matrix = self._matrix
        return math.hypot(matrix[0], matrix[1]) or 1.0

    def _angle(self) -> float:
        """The angle of text in the plane: of its font, turned as the coordinates are, but never mirrored."""
        matrix = self._matrix
        turned = math.degrees(math.atan2(-matrix[1], matrix[0]))
        is_mirrored = matrix[0] < 0 and abs(matrix[1]) < abs(matrix[0])
        return self.state.font.angle + (0.0 if is_mirrored else turned)


def applied(matrix: Matrix, point: Point) -> Point:
    """The point moved by a matrix."""
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def chained(first: Matrix, second: Matrix) -> Matrix:
    """One matrix for two, the first of which is applied first."""
    a, b, c, d, e, f = first
    corner = applied(second, (e, f))
    g, h, i, j, *_ = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, *corner
