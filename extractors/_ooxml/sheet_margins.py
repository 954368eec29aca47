"""Headers and footers of printed sheets: their codes read, what only counts pages left out, each shown once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractors.content import Text

_PART = re.compile(r"&([LCR])")
_CODE = re.compile(r'&(?:"[^"]*"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d{1,3}|P(?:[+-]\d+)?|.)', re.IGNORECASE | re.DOTALL)
_PAGE = "\x01"
#: What a header says that only counts pages or repeats the name of the sheet.
_COUNTED = re.compile(
    r"(?:pages?|sheet|of|seite|von|p[aá]gina|de|sur|стр|из|第|页|頁|共|ページ|[\W\d_])*", re.IGNORECASE
)
_MAX_CHARS = 2_000


@dataclass(slots=True)
class Margins:
    """The headers and footers of one workbook; sheets often share them."""

    _seen: set[str] = field(default_factory=set)

    def blocks(self, name: str, margins: Iterable[tuple[str, str]]) -> Iterator[Text]:
        """The headers and footers of a sheet that were not shown yet; `margins` are labels and codes."""
        lines = list(self._lines(name, margins))
        if lines:
            yield Text("\n".join(lines))

    def _lines(self, name: str, margins: Iterable[tuple[str, str]]) -> Iterator[str]:
        for label, code in margins:
            words = margin_words(code[:_MAX_CHARS], name)
            line = f"{label}: {words}"
            if words and line not in self._seen:
                self._seen.add(line)
                yield line


def margin_words(code: str, sheet_name: str) -> str:
    """What a header or footer says, its left, middle and right part apart; "" where it only counts pages."""
    first, *others = _PART.split(code.replace("&&", "\x02"))
    pieces = [first, *others[1::2]]
    if all(_COUNTED.fullmatch(_read(piece, "")) for piece in pieces):
        return ""
    words = (" ".join(_read(piece, sheet_name).replace(_PAGE, "#").split()) for piece in pieces)
    return " | ".join(filter(None, words)).replace("\x02", "&")


def _read(piece: str, sheet_name: str) -> str:
    def shown(match: re.Match[str]) -> str:
        kind = match[0][1].upper()
        return sheet_name if kind == "A" else _PAGE if kind in "PN" else ""

    return _CODE.sub(shown, piece)
