"""Writers of old Office files for the tests: just enough of each structure for what a test is about."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def ole(streams: dict[str, bytes]) -> bytes:
    """A compound file with these streams, in folders where their names have slashes.

    Short ones are filled up, so that none is kept in pieces.
    """
    contents = {name: content.ljust(4096, b"\0") for name, content in streams.items()}
    sectors: list[bytes] = []
    chains: list[int] = []
    starts: dict[str, int] = {}
    for name, content in contents.items():
        starts[name] = len(sectors)
        pieces = [content[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(content), SECTOR)]
        chains += [*range(len(sectors) + 1, len(sectors) + len(pieces)), END]
        sectors += pieces
    directory = _directory(contents, starts)
    directory_at = len(sectors)
    pieces = [directory[at : at + SECTOR] for at in range(0, len(directory), SECTOR)]
    chains += [*range(len(sectors) + 1, len(sectors) + len(pieces)), END]
    sectors += pieces
    fat_count = 1
    while fat_count * (SECTOR // 4) < len(sectors) + fat_count:
        fat_count += 1
    table = chains + [FAT] * fat_count
    table += [FREE] * (fat_count * (SECTOR // 4) - len(table))
    fat_at = len(sectors)
    sectors.append(struct.pack(f"<{len(table)}I", *table))
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, fat_count, directory_at, 0, 4096, END, 0, END, 0)
    slots = [fat_at + index for index in range(fat_count)]
    header += struct.pack("<109I", *slots, *[FREE] * (109 - len(slots)))
    return header + b"".join(sectors)


def _directory(contents: dict[str, bytes], starts: dict[str, int]) -> bytes:
    """The entries of streams and folders; what lies in one folder hangs together to the right."""
    folders = {"/".join(name.split("/")[:depth]) for name in contents for depth in range(1, name.count("/") + 1)}
    paths = [*contents, *sorted(folders)]
    number = {path: index for index, path in enumerate(paths, start=1)}
    inside: dict[str, list[str]] = {}
    for path in paths:
        inside.setdefault(path.rpartition("/")[0], []).append(path)
    following = {path: after for group in inside.values() for path, after in pairwise(group)}
    entries = [_entry("Root Entry", 5, END, 0, child=number[inside[""][0]] if paths else FREE)]
    for path in paths:
        right = number[following[path]] if path in following else FREE
        name = path.rpartition("/")[2]
        if path in contents:
            entries.append(_entry(name, 2, starts[path], len(contents[path]), right=right))
        else:
            entries.append(_entry(name, 1, 0, 0, right=right, child=number[inside[path][0]]))
    return b"".join(entries) + _entry("", 0, 0, 0) * (-len(entries) % 4)


def _entry(name: str, kind: int, start: int, size: int, *, right: int = FREE, child: int = FREE) -> bytes:
    raw = name.encode("utf-16-le") + b"\0\0" if name else b""
    head = raw.ljust(64, b"\0") + struct.pack("<HBBIII", len(raw), kind, 1, FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


# --- Excel ------------------------------------------------------------------------------------------------------------


def biff(kind: int, content: bytes = b"") -> bytes:
    """One record of a workbook's stream."""
    return struct.pack("<HH", kind, len(content)) + content


def text8(text: str, *, length: str = "<H") -> bytes:
    """A string as Excel 97 keeps it."""
    return struct.pack(length, len(text)) + b"\x01" + text.encode("utf-16-le")


def label(row: int, column: int, text: str, style: int = 0) -> bytes:
    """A cell with a text of its own."""
    return biff(0x0204, struct.pack("<HHH", row, column, style) + text8(text))


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    """A cell with a number."""
    return biff(0x0203, struct.pack("<HHHd", row, column, style, value))


def workbook8(
    sheets: dict[str, bytes],
    *,
    formats: Sequence[str] = (),
    strings: Iterable[bytes] = (),
    extra: bytes = b"",
    hidden: Iterable[str] = (),
) -> bytes:
    """The stream of an Excel 97 workbook. Style 0 is General; style n has the n-th of `formats`."""
    codes = b"".join(biff(0x041E, struct.pack("<H", 164 + n) + text8(code)) for n, code in enumerate(formats))
    ids = [0, *range(164, 164 + len(formats))]
    styles = b"".join(biff(0x00E0, struct.pack("<HH", 0, number_format) + bytes(16)) for number_format in ids)
    head = biff(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0)) + codes + styles + extra
    tail = b"".join(strings) + biff(0x000A)
    bodies = [biff(0x0809, struct.pack("<HHHHII", 0x0600, 0x10, 0, 0, 0, 0)) + body + biff(0x000A)
              for body in sheets.values()]  # fmt: skip
    size = sum(len(biff(0x0085, bytes(6) + text8(name, length="<B"))) for name in sheets)
    at = len(head) + size + len(tail)
    listed = b""
    for name, body in zip(sheets, bodies, strict=True):
        listed += biff(0x0085, struct.pack("<IBB", at, name in set(hidden), 0) + text8(name, length="<B"))
        at += len(body)
    return head + listed + tail + b"".join(bodies)


def xls(sheets: dict[str, bytes], **options: object) -> bytes:
    """An Excel 97 file with these sheets, given as records."""
    return ole({"Workbook": workbook8(sheets, **options)})  # type: ignore[arg-type] # passed on as they come


# --- records of drawings and of PowerPoint ----------------------------------------------------------------------------


def record(kind: int, content: bytes = b"", *, instance: int = 0, version: int = 0) -> bytes:
    """One record with an eight-byte header."""
    return struct.pack("<HHI", instance << 4 | version, kind, len(content)) + content


def box(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    """A record that holds records."""
    return record(kind, b"".join(parts), instance=instance, version=0xF)


def properties(**values: int) -> bytes:
    """The properties of a shape, by their numbers written as `p260=1`."""
    listed = b"".join(struct.pack("<HI", int(name[1:]), value) for name, value in values.items())
    return record(0xF00B, listed, instance=len(values), version=3)


def shape(number: int, *parts: bytes, flags: int = 0) -> bytes:
    """One shape of a drawing."""
    return box(0xF004, record(0xF00A, struct.pack("<II", number, flags), version=2), *parts)


def group(*members: bytes) -> bytes:
    """Shapes that belong together; the first of them stands for the group."""
    return box(0xF003, *members)


def drawing(*members: bytes) -> bytes:
    """All shapes of a slide, a sheet or a document."""
    return box(0xF002, record(0xF008, bytes(8)), group(shape(1, flags=0x5), *members))


def picture_store(*pngs: bytes) -> bytes:
    """The pictures that the shapes of a file share."""
    blips = [record(0xF01E, bytes(17) + png, instance=0x6E0) for png in pngs]
    entries = [record(0xF007, bytes(36) + blip, version=2) for blip in blips]
    return box(0xF000, box(0xF001, *entries))


# --- PowerPoint -------------------------------------------------------------------------------------------------------


@dataclass
class SlideFile:
    """One slide: what its outline says, its shapes, and more records."""

    shapes: Sequence[bytes] = ()
    outline: Sequence[tuple[int, str]] = ()
    notes: Sequence[bytes] = ()
    is_hidden: bool = False
    extra: bytes = b""


def placed(left: int, top: int, right: int = 0, bottom: int = 0) -> bytes:
    """Where a shape is on its slide, in 576ths of an inch."""
    return record(0xF010, struct.pack("<4h", top, left, right or left + 500, bottom or top + 200))


def inside_group(left: int, top: int, right: int, bottom: int) -> bytes:
    """Where a shape is within its group."""
    return record(0xF00F, struct.pack("<4i", left, top, right, bottom))


def typed(text: str, kind: int = 4, *more: bytes) -> bytes:
    """The text of a shape."""
    return box(0xF00D, record(0x0F9F, struct.pack("<I", kind)), record(0x0FA0, text.encode("utf-16-le")), *more)


def from_outline(index: int) -> bytes:
    """The text of a shape that stands in the outline of the presentation."""
    return box(0xF00D, record(0x0F9E, struct.pack("<I", index)))


def ppt(
    slides: Sequence[SlideFile],
    *,
    master: Sequence[bytes] = (),
    document_extra: bytes = b"",
    token: int = 0xE391C05F,
    storage: bytes = b"",
) -> bytes:
    """A PowerPoint file. Its second object is the master, or the `storage` of a file on a slide."""
    persist = [storage or box(0x03F8, box(0x040C, drawing(*master)))]
    listed, listed_notes = b"", b""
    listed_masters = record(0x03F3, struct.pack("<5I", 2, 0, 0, 77, 0))
    for index, slide in enumerate(slides):
        persist.append(_slide(slide, notes_number=1000 + index if slide.notes else 0))
        listed += record(0x03F3, struct.pack("<5I", len(persist) + 1, 0, 0, 256 + index, 0))
        for kind, text in slide.outline:
            listed += record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, text.encode("utf-16-le"))
        if slide.notes:
            persist.append(box(0x03F0, box(0x040C, drawing(*slide.notes))))
            listed_notes += record(0x03F3, struct.pack("<5I", len(persist) + 1, 0, 0, 1000 + index, 0))
    document = box(
        0x03E8,
        document_extra,
        box(0x0FF0, listed),
        box(0x0FF0, listed_masters, instance=1),
        box(0x0FF0, listed_notes, instance=2),
    )
    objects = [document, *persist]
    offsets = [sum(map(len, objects[:index])) for index in range(len(objects))]
    stream = b"".join(objects)
    directory_at = len(stream)
    stream += record(0x1772, struct.pack("<I", 1 | len(objects) << 20) + struct.pack(f"<{len(offsets)}I", *offsets))
    edit_at = len(stream)
    stream += record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0, 0, directory_at, 1, len(objects), 0, 0))
    stream = stream.replace(b"\0\0\0\0" + struct.pack("<I", directory_at), struct.pack("<II", edit_at, directory_at))
    user = record(0x0FF6, struct.pack("<III", 20, token, edit_at))
    return ole({"Current User": user, "PowerPoint Document": stream})


def _slide(slide: SlideFile, *, notes_number: int) -> bytes:
    atom = record(0x03EF, struct.pack("<I8xIIHH", 0, 77, notes_number, 0, 0))
    show = record(0x03F9, struct.pack("<IIBBHI", 0, 0, 0, 0, 0x4 if slide.is_hidden else 0, 0))
    return box(0x03EE, atom, show, box(0x040C, drawing(*slide.shapes)), slide.extra)


# --- Word -------------------------------------------------------------------------------------------------------------


@dataclass
class Para:
    """One paragraph of a Word file: its runs as (text, operations), its own operations, its mark and its style."""

    runs: Sequence[tuple[str, bytes]]
    operations: bytes = b""
    mark: str = "\r"
    style: int = 0


def para(text: str, operations: bytes = b"", mark: str = "\r", style: int = 0) -> Para:
    """A paragraph whose characters have no operations of their own."""
    return Para([(text, b"")], operations, mark, style)


def cell(text: str, depth: int = 1) -> Para:
    """The last paragraph of a table's cell."""
    if depth == 1:
        return para(text, sprm(0x2416, 1), "\x07")
    return para(text, sprm(0x2416, 1) + sprm(0x6649, depth, "<I") + sprm(0x244B, 1))


def row_end(edges: Sequence[int], flags: Sequence[int] = (), depth: int = 1) -> Para:
    """The mark after a row: the edges of its cells, and for each cell how it is merged."""
    count = len(edges) - 1
    cells = b"".join(struct.pack("<H18x", flag) for flag in [*flags, *[0] * (count - len(flags))])
    definition = struct.pack(f"<B{count + 1}h", count, *edges) + cells
    table = struct.pack("<HH", 0xD608, len(definition) + 1) + definition
    if depth == 1:
        return para("", sprm(0x2416, 1) + sprm(0x2417, 1) + table, "\x07")
    return para("", sprm(0x2416, 1) + sprm(0x6649, depth, "<I") + sprm(0x244C, 1) + table)


def sprm(code: int, value: int, form: str = "<B") -> bytes:
    """One operation on a property."""
    return struct.pack("<H", code) + struct.pack(form, value)


def field_text(instruction: str, result: str) -> str:
    """A field with its instruction and its result."""
    return f"\x13{instruction}\x14{result}\x15"


@dataclass
class WordParts:
    """What a Word file has beside its body."""

    styles: Sequence[int] = (0,)  # the kind of each style: 0 Normal, 1 to 9 headings
    footnotes: Sequence[str] = ()
    headers: Sequence[str] = ()  # six for each section: even and odd header, even and odd footer, first ones
    comments: Sequence[str] = ()
    authors: Sequence[str] = ()
    text_boxes: dict[int, str] = field(default_factory=dict)
    drawings: bytes = b""
    anchors: dict[int, int] = field(default_factory=dict)
    lists: bytes = b""
    list_levels: bytes = b""
    overrides: bytes = b""
    fonts: Sequence[str] = ()
    data: bytes = b""
    flags: int = 0
    streams: dict[str, bytes] = field(default_factory=dict)


TEXT_AT = 0x800


def doc(body: Sequence[Para], parts: WordParts | None = None) -> bytes:
    """A Word 97 file. References to notes stand in the body as the characters 2 (footnotes) and 5 (comments)."""
    parts = parts or WordParts()
    paragraphs = [replace(p, runs=[(_units(run), operations) for run, operations in p.runs]) for p in body]
    text = "".join("".join(run for run, _ in p.runs) + p.mark for p in paragraphs)
    stories = {
        "footnotes": [f"\x02 {note}\r" for note in parts.footnotes],
        "headers": [f"{words}\r" if words else "" for words in parts.headers],
        "comments": [f"\x05{note}\r" for note in parts.comments],
        "boxes": [f"{words}\r" for words in parts.text_boxes.values()],
    }
    lengths = {name: sum(map(len, pieces)) for name, pieces in stories.items()}
    for pieces in stories.values():
        paragraphs += [Para([(piece[:-1], b"")]) for piece in pieces if piece]
    whole = "".join("".join(run for run, _ in p.runs) + p.mark for p in paragraphs)
    table = bytearray()
    places: dict[int, tuple[int, int]] = {}

    def put(number: int, content: bytes) -> None:
        places[number] = (len(table), len(content))
        table.extend(content)

    put(33, b"\x02" + struct.pack("<III", 16, 0, len(whole)) + struct.pack("<HIH", 0, TEXT_AT, 0))
    put(1, _styles(parts.styles))
    put(15, struct.pack("<HH", len(parts.fonts), 0) + b"".join(map(_font, parts.fonts)))
    _put_notes(put, text, stories, parts)
    main = bytearray(TEXT_AT) + whole.encode("utf-16-le", "surrogatepass")
    main += bytes(-len(main) % SECTOR)
    _put_pages(put, main, paragraphs)
    put(73, parts.lists)
    table.extend(parts.list_levels)
    put(74, parts.overrides)
    struct.pack_into("<HHHHHH", main, 0, 0xA5EC, 0xC1, 0, 0x0804, 0, 0x0200 | parts.flags)
    counts = (len(text), lengths["footnotes"], lengths["headers"], 0, lengths["comments"], 0, lengths["boxes"], 0)
    struct.pack_into("<8I", main, 0x4C, *counts)
    for number, place in places.items():
        struct.pack_into("<II", main, 0x9A + 8 * number, *place)
    streams = {"WordDocument": bytes(main), "1Table": bytes(table)}
    return ole(streams | ({"Data": parts.data} if parts.data else {}) | parts.streams)


def _units(text: str) -> str:
    """One character for each unit of UTF-16, as positions in a Word file count."""
    raw = text.encode("utf-16-le")
    return "".join(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw)))


def _put_notes(put, text: str, stories: dict[str, list[str]], parts: WordParts) -> None:  # type: ignore[no-untyped-def] # a closure of the writer
    def positions(pieces: Sequence[str]) -> list[int]:
        return [sum(map(len, pieces[:index])) for index in range(len(pieces) + 1)]

    for mark, marks_part, texts_part, name, size in (("\x02", 2, 3, "footnotes", 2), ("\x05", 4, 5, "comments", 30)):
        at = [index for index, char in enumerate(text) if char == mark]
        entries = b"".join(
            bytes(20) + struct.pack("<H", index) + bytes(8) if size == 30 else b"\1\0" for index in range(len(at))
        )
        if at:
            put(marks_part, struct.pack(f"<{len(at) + 1}I", *at, len(text)) + entries)
            ends = positions(stories[name])
            put(texts_part, struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1]))
    if parts.headers:
        ends = [0] * 6 + positions(stories["headers"])
        put(11, struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1]))
    put(36, b"".join(struct.pack("<H", len(name)) + name.encode("utf-16-le") for name in parts.authors))
    if parts.text_boxes:
        ends = positions(stories["boxes"])
        boxes = b"".join(struct.pack("<14xI4x", number) for number in parts.text_boxes)
        put(56, struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1]) + boxes + bytes(22))
    put(50, parts.drawings)
    if parts.anchors:
        at = list(parts.anchors)
        spots = b"".join(struct.pack("<I22x", number) for number in parts.anchors.values())
        put(40, struct.pack(f"<{len(at) + 1}I", *at, len(text)) + spots)


def _styles(kinds: Sequence[int]) -> bytes:
    entries = b""
    for kind in kinds:
        entry = (
            struct.pack("<HHHHH", kind, 1 | 0xFFF0, 2, 0, 0) + struct.pack("<HH", 0, 0) + struct.pack("<HHH", 2, 0, 0)
        )
        entries += struct.pack("<H", len(entry)) + entry
    return struct.pack("<HHH", 4, len(kinds), 10) + entries


def _font(name: str) -> bytes:
    entry = bytes(39) + name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<B", len(entry)) + entry


def doc6(
    runs: Sequence[tuple[bytes, bytes]],
    *,
    fonts: Sequence[tuple[str, int]] = (),
    margins: Sequence[bytes] = (),
    charset: int = 0,
) -> bytes:
    """A Word 6 file: its runs as (bytes, operations), its fonts as (name, charset), its headers and footers."""
    start = 0x300
    body, rest = b"".join(text for text, _ in runs), b"".join(margins)
    main = bytearray(start) + body + rest
    main += bytes(-len(main) % SECTOR)
    starts, numbers, at = [], [], start
    for text, operations in runs:
        starts.append(at)
        numbers.append(len(main) // SECTOR)
        main += _page(at, at + len(text), 0, operations, is_paragraphs=False)
        at += len(text)
    entries = b"".join(
        struct.pack("<BBHBB", 6 + len(name), 0, 400, kind, 0) + name.encode() + b"\0" for name, kind in fonts
    )
    ends = [sum(map(len, margins[:index])) for index in range(len(margins) + 1)]
    parts = {
        0xB0: struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1]) if margins else b"",
        0xB8: struct.pack(f"<{len(starts) + 1}I", *starts, at) + struct.pack(f"<{len(numbers)}H", *numbers),
        0xD0: struct.pack("<H", 2 + len(entries)) + entries,
    }
    for place, content in parts.items():
        struct.pack_into("<II", main, place, len(main), len(content))
        main += content
    struct.pack_into("<HHHHH", main, 0, 0xA5DC, 0x65, 0, 0x0409, 0)
    struct.pack_into("<H", main, 0x14, charset)
    struct.pack_into("<II", main, 0x18, start, start + len(body) + len(rest))
    struct.pack_into("<III", main, 0x34, len(body), 0, len(rest))
    return ole({"WordDocument": bytes(main)})


def _put_pages(put, main: bytearray, paragraphs: Sequence[Para]) -> None:  # type: ignore[no-untyped-def] # a closure of the writer
    """One page of formatting for each paragraph, and one for each run."""
    at = TEXT_AT
    for part, is_paragraphs in ((13, True), (12, False)):
        starts, numbers = [], []
        at = TEXT_AT
        for paragraph in paragraphs:
            runs = [("".join(run for run, _ in paragraph.runs) + paragraph.mark, paragraph.operations)]
            if not is_paragraphs:
                runs = [*paragraph.runs, (paragraph.mark, b"")]
            for text, operations in runs:
                end = at + 2 * len(text)
                if end > at:
                    starts.append(at)
                    numbers.append(len(main) // SECTOR)
                    main += _page(at, end, paragraph.style, operations, is_paragraphs=is_paragraphs)
                at = end
        put(part, struct.pack(f"<{len(starts) + 1}I", *starts, at) + struct.pack(f"<{len(numbers)}I", *numbers))


def _page(start: int, end: int, style: int, operations: bytes, *, is_paragraphs: bool) -> bytes:
    page = bytearray(SECTOR)
    struct.pack_into("<II", page, 0, start, end)
    page[8] = 32  # in words: the content begins at 64
    if is_paragraphs:
        content = struct.pack("<H", style) + operations
        content += bytes(len(content) % 2)
        content = struct.pack("<BB", 0, len(content) // 2) + content
    else:
        content = struct.pack("<B", len(operations)) + operations
    page[64 : 64 + len(content)] = content
    page[SECTOR - 1] = 1
    return bytes(page)
