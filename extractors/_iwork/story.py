"""The text of a storage in paragraphs: headings, lists, links, notes, and what stands among the words."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from extractors._iwork.archive import Archive
from extractors._iwork.protobuf import Message
from extractors._numerals import numeral

STORAGES = frozenset({2001, 2005})
_DRAWABLE_IN_TEXT, _FOOTNOTE, _HYPERLINK = 2003, 2008, 2032
_TEXT_FIELD, _STYLES, _LEVELS, _LISTS, _ATTACHED, _LINKS, _NOTES, _DELETIONS = 3, 5, 6, 7, 9, 11, 16, 22
_HEADING = re.compile(r"(?:heading|标题|標題|見出し)\s*([1-9])?", re.IGNORECASE)
_TITLES = frozenset({"title", "标题", "標題", "タイトル"})
#: Line ends, and the breaks of sections, pages and columns.
_PARAGRAPH_END = re.compile(r"([\n\r\u2029\x04\x05\x0c\x0f])")
_LINE_BREAK = re.compile(r"[\u2028\x0b]")
_NOT_WORDS = re.compile(r"[\x00-\x08\x0e-\x1f\ufffc]")
_NO_LABEL, _NUMBERED = 0, 3
_NUMERALS = ("decimal", "upperRoman", "lowerRoman", "upperLetter", "lowerLetter")
_MAX_ANCESTORS = 20
_MAX_LEVEL = 8


class Paragraph(NamedTuple):
    """One paragraph as Markdown, with the drawings that hang in it."""

    markdown: str
    is_item: bool
    drawables: tuple[int, ...]


class _Run(NamedTuple):
    """Words from that place on, all within one link and all deleted or not."""

    at: int
    text: str
    address: str
    is_deleted: bool
    attached: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class Notes:
    """The footnotes met so far: the storages that hold their texts, in the order of their numbers."""

    storages: list[int] = field(default_factory=list)
    has_deletions: bool = False


@dataclass(slots=True, kw_only=True)
class Story:
    """Reads one storage."""

    archive: Archive
    storage: Message
    notes: Notes
    _text: str = field(init=False)
    _places: _Places = field(init=False)
    _counts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._text = "".join(self.storage.texts(_TEXT_FIELD))
        self._places = _Places(self._text)

    def paragraphs(self) -> Iterator[Paragraph]:
        """The paragraphs that say something, in order."""
        styles, lists, levels = self._steps(_STYLES), self._steps(_LISTS), self._levels()
        words: list[str] = []
        drawables: list[int] = []
        start = 0
        for run in self._runs():
            if run.is_deleted:
                self.notes.has_deletions = True
                continue
            drawables += self._attached(run, words)
            at = run.at
            for piece in _PARAGRAPH_END.split(run.text):
                if _PARAGRAPH_END.fullmatch(piece):
                    yield from self._closed(words, drawables, styles.at(start), lists.at(start), levels.at(start))
                    words, drawables, start = [], [], at + 1
                elif piece:
                    words.append(_linked(piece, run.address))
                at += len(piece)
        yield from self._closed(words, drawables, styles.at(start), lists.at(start), levels.at(start))

    def _closed(
        self, words: list[str], drawables: list[int], style: int, listed: int, level: int
    ) -> Iterator[Paragraph]:
        text = _NOT_WORDS.sub("", _LINE_BREAK.sub("\n", "".join(words))).strip()
        if not text:
            if drawables:
                yield Paragraph("", is_item=False, drawables=tuple(drawables))
            return
        label = self._label(listed, min(level, _MAX_LEVEL))
        heading = self._heading(style)
        if heading:
            text = f"{'#' * heading} {' '.join(text.split())}"
        elif label:
            indent = "  " * min(level, _MAX_LEVEL)
            text = f"{indent}{label} {text}".replace("\n", f"\n{indent}  ")
        yield Paragraph(text, is_item=bool(label) and not heading, drawables=tuple(drawables))

    # --- what stands among the words ----------------------------------------------------------------------------------

    def _runs(self) -> Iterator[_Run]:
        links, deletions = self._steps(_LINKS), self._steps(_DELETIONS)
        attached: dict[int, list[int]] = {}
        for table in (_ATTACHED, _NOTES):
            for entry in self.storage.message(table).messages(1):
                references = attached.setdefault(self._places.of(entry.number(1)), [])
                if (reference := entry.reference(2)) and reference not in references:
                    references.append(reference)
        cuts = sorted({0, *attached, *links.starts, *deletions.starts})
        for at, end in zip(cuts, [*cuts[1:], len(self._text)], strict=True):
            link = self.archive.get(links.at(at))
            address = link.message.text(2) if link is not None and link.kind == _HYPERLINK else ""
            yield _Run(at, self._text[at:end], address, bool(deletions.at(at)), tuple(attached.get(at, ())))

    def _attached(self, run: _Run, words: list[str]) -> Iterator[int]:
        """The drawings at the start of a run; notes and fields become words."""
        for reference in run.attached:
            record = self.archive.get(reference)
            if record is None:
                continue
            if record.kind == _DRAWABLE_IN_TEXT:
                yield record.message.reference(1)
            elif record.kind == _FOOTNOTE:
                self.notes.storages.append(record.message.reference(2))
                words.append(f"[^{len(self.notes.storages)}]")
            else:  # page numbers and the like: what they last showed
                words.append(record.message.text(1) or record.message.message(1).text(1))

    # --- styles -------------------------------------------------------------------------------------------------------

    def _heading(self, style: int) -> int:
        """The level of a paragraph style by its name, or by that of the style it varies."""
        for _ in range(_MAX_ANCESTORS):
            described = self.archive.message(style).message(1)
            name = described.text(1)
            if name or not (style := described.reference(3)):
                return heading_level(name)
        return 0

    def _label(self, style: int, level: int) -> str:
        kind = self._list_value(style, 11, level)
        if kind == _NO_LABEL:
            self._counts.clear()
            return ""
        del self._counts[level + 1 :]
        self._counts += [0] * (level + 1 - len(self._counts))
        self._counts[level] += 1
        if kind != _NUMBERED:
            return "-"
        system = self._list_value(style, 15, level) // 3
        return f"{numeral(self._counts[level], _NUMERALS[system] if system < len(_NUMERALS) else 'decimal')}."

    def _list_value(self, style: int, name: int, level: int) -> int:
        for _ in range(_MAX_ANCESTORS):
            described = self.archive.message(style)
            if values := described.numbers(name):
                return values[min(level, len(values) - 1)]
            if not (style := described.message(1).reference(3)):
                return 0
        return 0

    def _steps(self, table: int) -> _Steps:
        """Which object holds from which place on. Paragraph and list styles hold on where none is named."""
        starts: list[int] = []
        values: list[int] = []
        holds_on = table in {_STYLES, _LISTS}
        for entry in self.storage.message(table).messages(1):
            value = entry.reference(2)
            starts.append(self._places.of(entry.number(1)))
            values.append(values[-1] if holds_on and not value and values else value)
        return _Steps(starts, values)

    def _levels(self) -> _Steps:
        entries = self.storage.message(_LEVELS).messages(1)
        return _Steps([self._places.of(entry.number(1)) for entry in entries], [entry.number(2) for entry in entries])


class _Steps(NamedTuple):
    """Values that hold from their starts on."""

    starts: list[int]
    values: list[int]

    def at(self, place: int) -> int:
        """The value that holds at that place; 0 before the first."""
        index = bisect.bisect_right(self.starts, place) - 1
        return self.values[index] if index >= 0 else 0


class _Places:
    """Places in a text, which iWork counts in units of UTF-16 and Python in characters."""

    def __init__(self, text: str) -> None:
        wide = (place for place, char in enumerate(text) if char > "\uffff")
        #: The unit at which each character beyond 16 bits begins.
        self._wide = [place + number for number, place in enumerate(wide)]
        self._length = len(text)

    def of(self, unit: int) -> int:
        """The character at that unit."""
        return min(unit - bisect.bisect_left(self._wide, unit), self._length)


def heading_level(style_name: str) -> int:
    """The level of the headings in a style of that name; 0 for body text."""
    name = style_name.strip().lower()
    if name in _TITLES:
        return 1
    match = _HEADING.fullmatch(name)
    return min(int(match[1] or 1), 6) if match else 0


def _linked(text: str, address: str) -> str:
    bare = text.strip()
    if not address or not bare or bare == address:
        return text
    return text.replace(bare, f"[{bare}]({address})", 1)
