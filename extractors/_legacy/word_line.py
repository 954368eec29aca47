"""The characters of one paragraph of an old Word document as Markdown: fields, notes, pictures, hidden words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby

from extractors import markdown
from extractors._addresses import link
from extractors._legacy.art import Shape
from extractors._legacy.numbers import u8, u16, u32
from extractors._legacy.word_document import WordDocument
from extractors._legacy.word_old import DELETED, FONT, INSERTED
from extractors._legacy.word_styles import VANISH
from extractors._ooxml.fields import drawn, field_address
from extractors._symbol_fonts import readable, symbol

_PICTURE_PLACE, _FORM_DATA, _SYMBOL, _IS_OBJECT = 0x6A03, 0x0806, 0x6A09, 0x080A
_TOKEN = re.compile(r"[\x00-\x1f]|[^\x00-\x1f]+")
_PLAIN = {"\t": "\t", "\x0b": "\n", "\x0e": "\n", "\x1e": "-"}
_MAX_FIELDS = 100


@dataclass(slots=True)
class Field:
    """An open field: its instruction so far, and where in which line its result began."""

    instruction: list[str] = field(default_factory=list)
    result_at: int | None = None
    line: Line | None = None


@dataclass(slots=True)
class Line:
    """A paragraph as it is read: its words, each hidden or not, and the shapes that are anchored in it."""

    pieces: list[tuple[str, bool]] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)

    def text(self) -> str:
        """The paragraph; hidden words stand on lines of their own."""
        runs = [(hidden, "".join(text for text, _ in run)) for hidden, run in groupby(self.pieces, lambda p: p[1])]
        lines = [markdown.hidden(text.strip()) if hidden else text.strip() for hidden, text in runs if text.strip()]
        return "\n".join(lines)


@dataclass(slots=True)
class LineReader:
    """Reads the lines of one story one after the other; a field may begin in one line and end in another."""

    document: WordDocument
    _fields: list[Field] = field(default_factory=list)
    _line: Line = field(default_factory=Line)
    _is_hidden: bool = False

    def line(self, start: int, end: int, *, is_hidden: bool) -> Line:
        """The characters between two positions. `is_hidden` is what the paragraph's style says."""
        self._line = Line()
        for first, last, found in self.document.properties.characters(start, end):
            self._is_hidden = _is_on(found, VANISH, style=is_hidden)
            is_deleted = _is_on(found, DELETED)
            self.document.has_tracked_changes |= is_deleted or _is_on(found, INSERTED)
            if "\x14" in self.document.file.text[first:last] and _is_on(found, _IS_OBJECT) and not is_deleted:
                self.document.objects[f"_{u32(found.get(_PICTURE_PLACE, b''), 0)}"] = None
            if _SYMBOL in found and not is_deleted:
                font = self.document.file.font(found[_SYMBOL])
                self._add(symbol(u16(found[_SYMBOL], 2), font.name if font else None) * (last - first))
                continue
            self._run(first, self.document.file.text[first:last], found, is_deleted=is_deleted)
        return self._line

    def _run(self, at: int, text: str, found: dict[int, bytes], *, is_deleted: bool) -> None:
        for token in _TOKEN.finditer(text):
            words, position = token[0], at + token.start()
            if words in _FIELD_MARKS:
                _FIELD_MARKS[words](self)
            elif is_deleted:
                continue
            elif words < " ":
                self._special(words, position, found)
            else:
                font = self.document.file.font(found.get(FONT, b""))
                text = self.document.file.readable(words, font)
                self._add(readable(text, font.name if font else None))
                for mark in range(position, position + len(words)) if self.document.references else ():
                    if mark in self.document.references:  # a mark of the author's own, such as an asterisk
                        self._add(self.document.references[mark])

    def _special(self, char: str, position: int, found: dict[int, bytes]) -> None:
        if char in "\x02\x05":
            self._add(self.document.references.get(position, ""))
        elif char == "\x01":
            place = u32(found.get(_PICTURE_PLACE, b""), 0)
            if _is_on(found, _FORM_DATA):
                # It stands in the field's instruction, which is not shown.
                if shown := self.document.form_field(place):
                    self._line.pieces.append((shown, self._is_hidden))
            elif _PICTURE_PLACE in found:
                self._add(self.document.inline_picture(place))
        elif char == "\x08":
            if position in self.document.anchors:
                self._line.shapes.append(self.document.anchors[position])
        else:
            self._add(_PLAIN.get(char, ""))

    def _add(self, text: str) -> None:
        inner = next((item for item in reversed(self._fields) if item.result_at is None), None)
        if inner is not None:
            inner.instruction.append(text)
        elif text:
            self._line.pieces.append((text, self._is_hidden))

    def _begin_field(self) -> None:
        if len(self._fields) < _MAX_FIELDS:
            self._fields.append(Field())

    def _begin_result(self) -> None:
        if self._fields:
            self._fields[-1].result_at = len(self._line.pieces)
            self._fields[-1].line = self._line

    def _end_field(self) -> None:
        closed = self._fields.pop() if self._fields else None
        if closed is None:
            return
        if closed.result_at is None:
            self._add(drawn("".join(closed.instruction)))
            return
        if closed.line is not self._line:
            return
        link(self._line.pieces, closed.result_at, field_address("".join(closed.instruction)))


_FIELD_MARKS: dict[str, Callable[[LineReader], None]] = {
    "\x13": LineReader._begin_field,  # noqa: SLF001 - the class's own table of what each mark does
    "\x14": LineReader._begin_result,  # noqa: SLF001 - the same
    "\x15": LineReader._end_field,  # noqa: SLF001 - the same
}


def _is_on(found: dict[int, bytes], code: int, *, style: bool = False) -> bool:
    """Whether a switch is on; its operand may also say "as in the style" or the opposite of that."""
    if code not in found:
        return style
    value = u8(found[code], 0)
    return value == 1 if value < 0x80 else style != bool(value & 1)
