"""The styles and the lists of an old Word document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from extractors._legacy.numbers import i16, i32, u8, u16, u32, utf16
from extractors._legacy.word_file import Part, WordFile
from extractors._legacy.word_properties import operations
from extractors._numerals import WORD_NUMERALS
from extractors._ooxml.numbering import Level, Numbering

LIST_LEVEL, LIST_ID, OUTLINE, VANISH = 0x260A, 0x460B, 0x2640, 0x083C
_TITLE = 62
_BODY_LEVEL = 9
_MAX_ANCESTORS = 20
_LIST_BYTES, _OVERRIDE_BYTES, _LEVEL_BYTES = 28, 16, 28
_MAX_LISTS = 4_000


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says: heading level (0 for none), operations, hidden; with what it inherits."""

    heading: int = 0
    operations: dict[int, bytes] = field(default_factory=dict)
    is_hidden: bool = False


def read_styles(file: WordFile) -> list[Style]:
    """The paragraph styles by their number."""
    sheet = file.part(Part.STYLES)
    base_bytes = u16(sheet, 4)
    at = 2 + u16(sheet, 0)
    entries: list[bytes] = []
    for _ in range(u16(sheet, 2)):
        size = u16(sheet, at)
        entries.append(sheet[at + 2 : at + 2 + size])
        at += 2 + size
    own = [_own(entry, base_bytes, is_old=file.is_old) for entry in entries]
    parents = [u16(entry, 2) >> 4 for entry in entries]
    return [_inherited(index, own, parents) for index in range(len(own))]


def _own(entry: bytes, base_bytes: int, *, is_old: bool) -> Style:
    kind = u16(entry, 0) & 0x0FFF
    heading = kind if 1 <= kind <= 9 else 1 if kind == _TITLE else 0
    if is_old or u16(entry, 2) & 0xF != 1:
        return Style(heading)
    at = base_bytes + 4 + 2 * u16(entry, base_bytes)
    size = u16(entry, at)
    paragraph = dict(operations(entry[at + 4 : at + 2 + size]))
    at += 2 + size + size % 2
    characters = dict(operations(entry[at + 2 : at + 2 + u16(entry, at)]))
    outline = u8(paragraph.get(OUTLINE, b"\x09"), 0)
    if not heading and outline < _BODY_LEVEL:
        heading = outline + 1
    return Style(heading, paragraph, u8(characters.get(VANISH, b""), 0) & 1 == 1)


def _inherited(index: int, own: list[Style], parents: list[int]) -> Style:
    style = own[index]
    for _ in range(_MAX_ANCESTORS):
        index = parents[index]
        if not 0 <= index < len(own):
            break
        parent = own[index]
        style = Style(
            style.heading or parent.heading, parent.operations | style.operations, style.is_hidden or parent.is_hidden
        )
    return style


def read_lists(file: WordFile) -> Numbering:
    """The lists by the number that paragraphs name them by, counting together where they share a definition."""
    numbering = Numbering()
    if file.is_old:
        return numbering
    definitions = _definitions(file)
    table = file.part(Part.LIST_OVERRIDES)
    count = min(u32(table, 0), _MAX_LISTS, len(table) // _OVERRIDE_BYTES)
    extra = table[4 + _OVERRIDE_BYTES * count :]
    at = 0
    for index in range(count):
        entry = 4 + _OVERRIDE_BYTES * index
        list_id = str(i32(table, entry))
        levels = dict(definitions.get(list_id, {}))
        at += 4
        for _ in range(u8(table, entry + 12)):
            at = _override(extra, at, levels)
        numbering.levels[str(index + 1)] = levels
        numbering.abstract[str(index + 1)] = list_id
    return numbering


def _definitions(file: WordFile) -> dict[str, dict[int, Level]]:
    table, tail = file.part(Part.LISTS), file.tail(Part.LISTS)
    definitions: dict[str, dict[int, Level]] = {}
    at = 0
    for index in range(min(u16(table, 0), _MAX_LISTS, len(table) // _LIST_BYTES)):
        entry = 2 + _LIST_BYTES * index
        levels: dict[int, Level] = {}
        for number in range(1 if u8(table, entry + 26) & 1 else 9):
            levels[number], at = _level(tail, at)
        definitions[str(i32(table, entry))] = levels
    return definitions


def _override(extra: bytes, at: int, levels: dict[int, Level]) -> int:
    start, flags = i32(extra, at), u32(extra, at + 4)
    number = flags & 0xF
    at += 8
    if flags & 0x20:
        levels[number], at = _level(extra, at)
    if flags & 0x10 and number in levels:
        start = levels[number].start if flags & 0x20 else start
        levels[number] = replace(levels[number], start=start, restarts=True)
    return at


def _level(data: bytes, at: int) -> tuple[Level, int]:
    """One level and where it ends. In its text the characters 0 to 8 stand for the numbers of the levels."""
    flags = u8(data, at + 5)
    level = Level(
        start=i32(data, at),
        numeral=WORD_NUMERALS.get(u8(data, at + 4), "decimal"),
        is_legal=bool(flags & 0x04),
        restarts_after=u8(data, at + 26) if flags & 0x08 else None,
    )
    text_at = at + _LEVEL_BYTES + u8(data, at + 24) + u8(data, at + 25)
    length = u16(data, text_at)
    text = utf16(data, text_at + 2, min(length, len(data)))
    marked = "".join(f"%{ord(char) + 1}" if ord(char) < 9 else char for char in text.replace("%", "％"))
    return replace(level, text=marked), text_at + 2 + 2 * length


def list_place(found: dict[int, bytes]) -> tuple[str, int]:
    """The list and the level of a paragraph by its operations; "" for none."""
    number = i16(found.get(LIST_ID, b""), 0)
    return (str(number) if number > 0 else ""), min(u8(found.get(LIST_LEVEL, b""), 0), 8)
