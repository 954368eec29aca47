"""A page as it is seen: what is turned by its /Rotate, and lines that do not run to the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pymupdf

Rect = tuple[float, float, float, float]
#: The direction of lines that run to the right.
LEVEL = "right"
_WAYS = {"left": (-1.0, 0.0), "down": (0.0, 1.0), "up": (0.0, -1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """From the coordinates in which a page is written to those in which it is seen, as if text ran to the right."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    #: The direction in which the text in question runs.
    direction: str = LEVEL

    @classmethod
    def of(cls, page: pymupdf.Page, direction: str = LEVEL) -> Turn:
        """How this page is turned, for text of that direction."""
        matrix: Any = page.rotation_matrix
        return cls(
            a=matrix.a,
            b=matrix.b,
            c=matrix.c,
            d=matrix.d,
            e=matrix.e,
            f=matrix.f,
            direction=direction if direction in _WAYS else LEVEL,
        )

    def box(self, box: Rect) -> Rect:
        """A box as it is seen, always with its upper left corner first."""
        return self.turned(self._seen(box))

    def turned(self, seen: Rect) -> Rect:
        """A box that is as it is seen, as if text of this direction ran to the right."""
        return seen if self.direction == LEVEL else to_the_right(seen, _WAYS[self.direction])[1]

    def _seen(self, box: Rect) -> Rect:
        if self.a == self.d == 1 and self.b == self.c == self.e == self.f == 0:
            return box
        xs = [self.a * x + self.c * y + self.e for x in box[::2] for y in box[1::2]]
        ys = [self.b * x + self.d * y + self.f for x in box[::2] for y in box[1::2]]
        return min(xs), min(ys), max(xs), max(ys)

    def way(self, direction: tuple[float, float]) -> tuple[float, float]:
        """The way a line runs as it is seen."""
        dx, dy = direction
        return dx * self.a + dy * self.c, dx * self.b + dy * self.d


def to_the_right(box: Rect, direction: tuple[float, float]) -> tuple[str, Rect]:
    """The box as it would be if its text ran to the right, so that one way of ordering serves all directions."""
    (x0, y0, x1, y1), (dx, dy) = box, direction
    if min(abs(dx), abs(dy)) > 0.1:
        return "slanted", box  # watermarks, mostly
    if abs(dx) >= abs(dy):
        return (LEVEL, box) if dx >= 0 else ("left", (-x1, -y1, -x0, -y0))
    return ("down", (y0, -x1, y1, -x0)) if dy > 0 else ("up", (-y1, x0, -y0, x1))
