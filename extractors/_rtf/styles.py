"""What the style sheet says of paragraphs: which of them are headings, by name, outline level or inheritance."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADING_NAME = re.compile(r"(?:heading|标题|überschrift|titre|título|見出し|제목)\s*([1-9])\b", re.IGNORECASE)
_TITLE_NAME = re.compile(r"title\s*;", re.IGNORECASE)
_BODY_LEVEL = 9
_MAX_ANCESTORS = 20


@dataclass(slots=True, kw_only=True)
class Styles:
    """The paragraph styles by their number."""

    _headings: dict[int, int] = field(default_factory=dict)
    _bases: dict[int, int] = field(default_factory=dict)

    def add(self, number: int, words: str, *, outline: int | None, base: int | None) -> None:
        """Takes one entry of the style sheet; `words` are its name and a semicolon."""
        named = _HEADING_NAME.match(words)
        if named:
            self._headings[number] = int(named[1])
        elif _TITLE_NAME.match(words):
            self._headings[number] = 1
        elif outline is not None:
            self._headings[number] = outline + 1 if outline < _BODY_LEVEL else 0
        if base is not None:
            self._bases[number] = base

    def heading(self, number: int) -> int:
        """The level of heading that paragraphs of a style are; 0 for none."""
        for _ in range(_MAX_ANCESTORS):
            if number in self._headings:
                return self._headings[number]
            if number not in self._bases:
                break
            number = self._bases[number]
        return 0
