"""Rules drawn on a page become tables of cells. Pure geometry, in points, y grows downwards."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Rect = tuple[float, float, float, float]
Item = TypeVar("Item")
#: The cells of a table by row and column; None where a cell goes on from the left or from above.
Grid = list[list[Rect | None]]

#: Rules this near to each other are one; rules that end this near to another one reach it.
NEAR = 3.0
#: Shorter ones, once what belongs together is joined, are parts of letters and pictures.
MIN_LENGTH = 3.0
#: More crossings than these are a drawing, and cost seconds.
MAX_CROSSINGS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A line across (`at` is its height) or a line down (`at` is its x), from where to where it runs."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The lines of a page that run across and those that run down."""

    across: list[Rule]
    down: list[Rule]


def grids(rules: Rules) -> list[Grid]:
    """The tables that the rules draw, from the top. A side that is not drawn is taken for drawn."""
    rules = _tidied(rules)
    frames = list(_frames(rules, _crossings(rules)))
    closed = Rules(
        across=[Rule(at=y, start=x0, end=x1) for x0, y0, x1, y1 in frames for y in (y0, y1)],
        down=[Rule(at=x, start=y0, end=y1) for x0, y0, x1, y1 in frames for x in (x0, x1)],
    )
    rules = _tidied(Rules(across=rules.across + closed.across, down=rules.down + closed.down))
    return sorted((_grid(cells) for cells in _tables(_cells(rules, _crossings(rules)))), key=_top)


def _tidied(rules: Rules) -> Rules:
    return Rules(across=list(_joined(rules.across)), down=list(_joined(rules.down)))


def _joined(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Rules at nearly the same place at the very same one, those that touch as one, without the short ones."""
    near: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if near and rule.at - near[-1].at > NEAR:
            yield from _touching(near)
            near = []
        near.append(rule)
    yield from _touching(near)


def _touching(rules: Sequence[Rule]) -> Iterator[Rule]:
    if not rules:
        return
    at = sum(rule.at for rule in rules) / len(rules)
    found: Rule | None = None
    for rule in sorted(rules, key=lambda rule: rule.start):
        if found is not None and rule.start <= found.end + NEAR:
            found = replace(found, end=max(found.end, rule.end))
            continue
        if found is not None and found.end - found.start >= MIN_LENGTH:
            yield found
        found = replace(rule, at=at)
    if found is not None and found.end - found.start >= MIN_LENGTH:
        yield found


def _crossings(rules: Rules) -> set[tuple[int, int]]:
    """Which line down meets which line across, by their numbers; nothing where they are too many."""
    heights = [rule.at for rule in rules.across]
    order = sorted(range(len(heights)), key=heights.__getitem__)
    in_order = [heights[number] for number in order]
    found: set[tuple[int, int]] = set()
    for number, down in enumerate(rules.down):
        first, last = bisect_left(in_order, down.start - NEAR), bisect_right(in_order, down.end + NEAR)
        for other in order[first:last]:
            across = rules.across[other]
            if across.start - NEAR <= down.at <= across.end + NEAR:
                found.add((number, other))
        if len(found) > MAX_CROSSINGS:
            return set()
    return found


def _frames(rules: Rules, crossings: set[tuple[int, int]]) -> Iterator[Rect]:
    """The box around each group of rules that cross."""
    groups: _Groups[Rect] = _Groups()
    for down, across in crossings:
        upright, level = rules.down[down], rules.across[across]
        groups.join((upright.at, upright.start, upright.at, upright.end), (level.start, level.at, level.end, level.at))
    for group in groups.all():
        x0, y0, x1, y1 = zip(*group, strict=True)
        yield min(x0), min(y0), max(x1), max(y1)


def _cells(rules: Rules, crossings: set[tuple[int, int]]) -> Iterator[Rect]:
    """The smallest box that hangs on each crossing as its upper left corner."""
    below: dict[int, list[int]] = defaultdict(list)
    beside: dict[int, list[int]] = defaultdict(list)
    for down, across in crossings:
        below[down].append(across)
        beside[across].append(down)
    for numbers in below.values():
        numbers.sort(key=lambda number: rules.across[number].at)
    for numbers in beside.values():
        numbers.sort(key=lambda number: rules.down[number].at)
    for down, across in crossings:
        lower = below[down][below[down].index(across) + 1 :]
        further = beside[across][beside[across].index(down) + 1 :]
        corner = next(((x, y) for y in lower for x in further if (x, y) in crossings), None)
        if corner is not None:
            x1, y1 = rules.down[corner[0]].at, rules.across[corner[1]].at
            yield rules.down[down].at, rules.across[across].at, x1, y1


def _tables(cells: Iterable[Rect]) -> Iterator[list[Rect]]:
    """The cells that hang together by a corner."""
    at_corner: dict[tuple[float, float], Rect] = {}
    groups: _Groups[Rect] = _Groups()
    for cell in cells:
        for corner in itertools.product(cell[::2], cell[1::2]):
            groups.join(cell, at_corner.setdefault(corner, cell))
    return (group for group in groups.all() if len(group) > 1)


def _grid(cells: Sequence[Rect]) -> Grid:
    by_corner = {(x0, y0): (x0, y0, x1, y1) for x0, y0, x1, y1 in cells}
    xs, ys = sorted({cell[0] for cell in cells}), sorted({cell[1] for cell in cells})
    return [[by_corner.get((x, y)) for x in xs] for y in ys]


def _top(grid: Grid) -> float:
    return min(cell[1] for row in grid for cell in row if cell is not None)


class _Groups(Generic[Item]):
    """Items joined two by two become groups."""

    def __init__(self) -> None:
        self._parents: dict[Item, Item] = {}

    def join(self, one: Item, other: Item) -> None:
        self._parents[self._root(one)] = self._root(other)

    def all(self) -> list[list[Item]]:
        found: dict[Item, list[Item]] = defaultdict(list)
        for item in self._parents:
            found[self._root(item)].append(item)
        return list(found.values())

    def _root(self, item: Item) -> Item:
        parents = self._parents
        while parents.setdefault(item, item) != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item
