"""Curves as points: Bezier curves, ellipses, arcs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from extractors._metafile.scene import Box, Point

_BEZIER_STEPS = 10
_ELLIPSE_STEPS = 48


def bezier(points: Sequence[Point]) -> list[Point]:
    """A chain of cubic curves: a start, then two controls and an end for each."""
    path = list(points[:1])
    for at in range(1, len(points) - 2, 3):
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points[at - 1 : at + 3]
        for step in range(1, _BEZIER_STEPS + 1):
            t = step / _BEZIER_STEPS
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            path.append((a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3))
    return path


def ellipse(box: Box) -> list[Point]:
    """The outline of an ellipse in a box, closed."""
    return sector(box, 0.0, 2 * math.pi)


def sector(box: Box, start: float, sweep: float) -> list[Point]:
    """A part of an ellipse, from an angle in radians (y upwards) against the clock."""
    left, top, right, bottom = box
    x, y, across, along = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    steps = max(2, math.ceil(_ELLIPSE_STEPS * min(abs(sweep), 2 * math.pi) / (2 * math.pi)))
    angles = (start + sweep * step / steps for step in range(steps + 1))
    return [(x + across * math.cos(angle), y - along * math.sin(angle)) for angle in angles]


def arc(box: Box, start: Point, end: Point, *, clockwise: bool = False) -> list[Point]:
    """A part of an ellipse between two rays from its middle."""
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    across, along = (right - left) / 2 or 1.0, (bottom - top) / 2 or 1.0
    first = math.atan2((y - start[1]) / along, (start[0] - x) / across)
    last = math.atan2((y - end[1]) / along, (end[0] - x) / across)
    sweep = (last - first) % (2 * math.pi) or 2 * math.pi
    return sector(box, first, sweep - 2 * math.pi if clockwise else sweep)


def rounded(box: Box, across: float, along: float) -> list[Point]:
    """A rectangle whose corners are quarters of an ellipse of that width and height, closed."""
    left, top, right, bottom = box
    across, along = min(abs(across), abs(right - left)), min(abs(along), abs(bottom - top))
    quarter = math.pi / 2
    path = [
        *sector((right - across, top, right, top + along), 0, quarter),
        *sector((left, top, left + across, top + along), quarter, quarter),
        *sector((left, bottom - along, left + across, bottom), 2 * quarter, quarter),
        *sector((right - across, bottom - along, right, bottom), 3 * quarter, quarter),
    ]
    return [*path, path[0]]
