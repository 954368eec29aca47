"""The texts on the slides of an old presentation: paragraphs with their level, their bullet and their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractors._legacy.numbers import u16, u32
from extractors._legacy.ppt_file import Presentation, wide_text
from extractors._legacy.records import Record
from extractors._symbol_fonts import IN_SYMBOL_AREA, symbol

TITLES, NOTES, OTHER = frozenset({0, 6}), 2, 4
_HEADER, _WIDE, _NARROW, _STYLE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1
_LINK_INFO, _LINK_PLACE, _LINK_ATOM = 0x0FF2, 0x0FDF, 0x0FF3
#: Where a number, a date, a header or a footer is filled in; an asterisk holds the place.
_FILLED_IN = frozenset({0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015})
#: Kinds of text whose paragraphs are bulleted unless they say otherwise.
_BULLETED = frozenset({1, 7, 8})
_HAS_BULLET, _BULLET_FLAGS, _TAB_STOPS = 0x0001, 0x000F, 0x0010_0000
#: The fields of a paragraph's format in their order: a bit that says whether it is there, and its size.
_FORMAT_FIELDS = ((_BULLET_FLAGS, 2), (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2),
                  (0x4000, 2), (0x100, 2), (0x400, 2), (0x8000, 2), (_TAB_STOPS, 0), (0x1_0000, 2), (0xE_0000, 2),
                  (0x20_0000, 2))  # fmt: skip
#: The same for letters: whether they are bold and such, and four fonts, the last of them for symbols.
_STYLES, _FONT, _OTHER_FONTS, _SYMBOL_FONT = 0xFFFF, 0x1_0000, (0x20_0000, 0x40_0000), 0x80_0000
_LETTER_FIELDS = ((0x2_0000, 2), (0x4_0000, 4), (0x8_0000, 2))
_NO_FONT = 0xFFFF
_MAX_RUNS = 20_000
_MAX_LEVEL = 8


@dataclass(frozen=True, slots=True)
class _Format:
    chars: int
    level: int
    has_bullet: bool | None  # None where the kind of text decides


@dataclass(slots=True)
class TextPart:
    """The text of one shape."""

    kind: int = OTHER
    raw: str = ""
    #: The names of the file's fonts.
    fonts: list[str] = field(default_factory=list)
    #: How many letters follow each other in a font, by its number.
    _runs: list[tuple[int, int]] = field(default_factory=list)
    _formats: list[_Format] = field(default_factory=list)
    _links: list[tuple[int, int, str]] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Takes the next record that belongs to the text."""
        if record.kind == _WIDE:
            self.raw = wide_text(record)
        elif record.kind == _NARROW:
            self.raw = record.content.decode("latin-1")
        elif record.kind == _STYLE:
            self._formats, end = _formats(record.content, len(self.raw) + 1)
            self._runs = list(_letter_runs(record.content, end, len(self.raw) + 1))
        elif record.kind in _FILLED_IN:
            at = u32(record.data, record.start)
            self.raw = self.raw[:at] + self.raw[at : at + 1].replace("*", "\0") + self.raw[at + 1 :]

    def link(self, place: Record, address: str) -> None:
        """Makes the characters that `place` names a link."""
        self._links.append((u32(place.data, place.start), u32(place.data, place.start + 4), address))

    def lines(self) -> Iterator[str]:
        """The paragraphs that say something, as Markdown."""
        found = list(self._paragraphs())
        for text, level, has_bullet in found:
            is_item = (self.kind in _BULLETED and len(found) > 1) if has_bullet is None else has_bullet
            indent = "  " * level
            yield f"{indent}- {text}".replace("\n", f"\n{indent}  ") if is_item else text

    def _paragraphs(self) -> Iterator[tuple[str, int, bool | None]]:
        at = 0
        for line in self._readable().split("\r"):
            form = self._format_at(at)
            text = self._linked(line, at).replace("\x0b", "\n").replace("\0", "").strip()
            at += len(line) + 1
            if text:
                yield text, form.level, form.has_bullet

    def _readable(self) -> str:
        """The text with the codes of symbol fonts as what they show, each still one character."""
        if IN_SYMBOL_AREA.search(self.raw) is None:
            return self.raw
        names = [(count, self.fonts[number] if number < len(self.fonts) else None) for count, number in self._runs]
        fonts = [name for count, name in names for _ in range(count)]
        return "".join(
            (symbol(ord(char), fonts[at] if at < len(fonts) else None) or "\0") if IN_SYMBOL_AREA.match(char) else char
            for at, char in enumerate(self.raw)
        )

    def _format_at(self, at: int) -> _Format:
        end = 0
        for form in self._formats:
            end += form.chars
            if at < end:
                return form
        return _Format(0, 0, None)

    def _linked(self, line: str, line_at: int) -> str:
        for start, end, address in sorted(self._links, reverse=True):
            first, last = start - line_at, min(end - line_at, len(line))
            words = line[first:last] if 0 <= first < last else ""
            if words.strip() and words.strip() != address:
                line = f"{line[:first]}[{words}]({address}){line[last:]}"
        return line


def text_parts(found: Iterable[Record], presentation: Presentation) -> list[TextPart]:
    """The texts in records that follow each other; each begins with the record that names its kind."""
    parts: list[TextPart] = []
    address = ""
    for record in found:
        if record.kind == _HEADER:
            parts.append(TextPart(kind=u32(record.data, record.start), fonts=presentation.fonts))
            continue
        if not parts:
            parts.append(TextPart(fonts=presentation.fonts))
        if record.kind == _LINK_INFO:
            atom = record.child(_LINK_ATOM)
            address = presentation.links.get(u32(atom.data, atom.start + 4), "") if atom is not None else ""
        elif record.kind == _LINK_PLACE and address:
            parts[-1].link(record, address)
        else:
            parts[-1].take(record)
    return parts


def _formats(content: bytes, chars: int) -> tuple[list[_Format], int]:
    """The formats of the paragraphs, and where those of the letters begin."""
    found: list[_Format] = []
    at = 0
    while chars > 0 and at < len(content) and len(found) < _MAX_RUNS:
        count, level, mask = u32(content, at), u16(content, at + 4), u32(content, at + 6)
        at += 10
        has_bullet = bool(u16(content, at) & _HAS_BULLET) if mask & _HAS_BULLET else None
        for bit, size in _FORMAT_FIELDS:
            if mask & bit:
                at += 2 + 4 * u16(content, at) if bit == _TAB_STOPS else size
        found.append(_Format(count, min(level, _MAX_LEVEL), has_bullet))
        chars -= count
    return found, at


def _letter_runs(content: bytes, at: int, chars: int) -> Iterator[tuple[int, int]]:
    """How many letters are in which font: that for symbols where there is one."""
    for _ in range(_MAX_RUNS):
        if chars <= 0 or at >= len(content):
            return
        count, mask = u32(content, at), u32(content, at + 4)
        at += 8 + 2 * bool(mask & _STYLES)
        font = _NO_FONT
        if mask & _FONT:
            font, at = u16(content, at), at + 2
        at += sum(2 for bit in _OTHER_FONTS if mask & bit)
        if mask & _SYMBOL_FONT:
            font, at = u16(content, at), at + 2
        at += sum(size for bit, size in _LETTER_FIELDS if mask & bit)
        yield min(count, chars), font
        chars -= count
