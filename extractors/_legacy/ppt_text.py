"""The texts on the slides of an old presentation: paragraphs with their level, their bullet and their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractors._legacy.numbers import u16, u32
from extractors._legacy.ppt_file import wide_text
from extractors._legacy.records import Record

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
    _formats: list[_Format] = field(default_factory=list)
    _links: list[tuple[int, int, str]] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Takes the next record that belongs to the text."""
        if record.kind == _WIDE:
            self.raw = wide_text(record)
        elif record.kind == _NARROW:
            self.raw = record.content.decode("latin-1")
        elif record.kind == _STYLE:
            self._formats = list(_formats(record.content, len(self.raw) + 1))
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
        for line in self.raw.split("\r"):
            form = self._format_at(at)
            text = self._linked(line, at).replace("\x0b", "\n").replace("\0", "").strip()
            at += len(line) + 1
            if text:
                yield text, form.level, form.has_bullet

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


def text_parts(found: Iterable[Record], links: dict[int, str]) -> list[TextPart]:
    """The texts in records that follow each other; each begins with the record that names its kind."""
    parts: list[TextPart] = []
    address = ""
    for record in found:
        if record.kind == _HEADER:
            parts.append(TextPart(kind=u32(record.data, record.start)))
            continue
        if not parts:
            parts.append(TextPart())
        if record.kind == _LINK_INFO:
            atom = record.child(_LINK_ATOM)
            address = links.get(u32(atom.data, atom.start + 4), "") if atom is not None else ""
        elif record.kind == _LINK_PLACE and address:
            parts[-1].link(record, address)
        else:
            parts[-1].take(record)
    return parts


def _formats(content: bytes, chars: int) -> Iterator[_Format]:
    at = 0
    for _ in range(_MAX_RUNS):
        if chars <= 0 or at >= len(content):
            return
        count, level, mask = u32(content, at), u16(content, at + 4), u32(content, at + 6)
        at += 10
        has_bullet = bool(u16(content, at) & _HAS_BULLET) if mask & _HAS_BULLET else None
        for bit, size in _FORMAT_FIELDS:
            if mask & bit:
                at += 2 + 4 * u16(content, at) if bit == _TAB_STOPS else size
        yield _Format(count, min(level, _MAX_LEVEL), has_bullet)
        chars -= count
