"""The lists that a file defines, as far as needed to tell a bullet from a number: the letter o may be either."""

from __future__ import annotations

from dataclasses import dataclass, field

_BULLET = 23
_MAX_LEVELS = 100_000


@dataclass(slots=True, kw_only=True)
class Lists:
    """The definitions by their id, and the numbers by which paragraphs name them."""

    _levels: list[bool] = field(default_factory=list)  # of the definition that is being read: whether it is a bullet
    _definitions: dict[int, list[bool]] = field(default_factory=dict)
    _defined: int | None = None
    _by_number: dict[int, int] = field(default_factory=dict)

    def begin(self) -> None:
        """A definition begins."""
        self._levels = []

    def level(self, numeral: int) -> None:
        """The next level of it, by how its numbers are written."""
        if len(self._levels) < _MAX_LEVELS:
            self._levels.append(numeral == _BULLET)

    def name(self, list_id: int) -> None:
        """The id of the definition that ends, or that a number stands for."""
        self._defined = list_id
        if self._levels:
            self._definitions[list_id], self._levels = self._levels, []

    def number(self, number: int) -> None:
        """The number by which paragraphs name the list of that id."""
        if self._defined is not None:
            self._by_number[number] = self._defined

    def is_bullet(self, number: int, level: int) -> bool:
        """True where items of that list and level have a bullet, whatever stands for it in the text."""
        levels = self._definitions.get(self._by_number.get(number, 0), [])
        return level < len(levels) and levels[level]
