"""The order in which the shapes of a slide are read: line by line, and from left to right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

#: Top and left edge, in any unit.
Place = tuple[float, float]


def in_lines(shapes: Iterable[T], place_of: Callable[[T], Place | None], *, same_line: float) -> Iterator[T]:
    """Shapes whose tops differ by no more than `same_line` stand on one line.

    A shape without any place follows the one before it in the file.
    """
    placed: list[tuple[Place, T]] = []
    place: Place = (0, 0)
    for shape in shapes:
        place = place_of(shape) or place
        placed.append((place, shape))
    placed.sort(key=lambda item: item[0][0])
    line: list[tuple[Place, T]] = []
    for item in placed:
        if line and item[0][0] - line[0][0][0] > same_line:
            yield from _from_left(line)
            line = []
        line.append(item)
    yield from _from_left(line)


def _from_left(line: list[tuple[Place, T]]) -> Iterator[T]:
    for _, shape in sorted(line, key=lambda item: item[0][1]):
        yield shape
