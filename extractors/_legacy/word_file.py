"""A Word document (Word 6 to 2003) as its file information block describes it: streams, pieces of text, parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise

from extractors._legacy.compound import Compound
from extractors._legacy.numbers import u8, u16, u32
from extractors._legacy.word_fonts import Font, read_fonts
from extractors.content import Status
from extractors.format import Unreadable

_ENCRYPTED, _TABLE_1, _WIDE = 0x0100, 0x0200, 0x1000
#: The character set of files that were written on a Macintosh.
_MACINTOSH = 0x100
#: The first version with the layout of Word 97.
_WORD_97 = 0x6A
_COMPRESSED = 0x4000_0000
#: Windows' Western characters where they differ from Latin-1; the five that it leaves open stay control characters.
_WESTERN = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
_CODECS = {0x0804: "gb18030", 0x1004: "gb18030", 0x0404: "big5", 0x0C04: "big5", 0x0411: "cp932", 0x0412: "cp949",
           0x0419: "cp1251", 0x0422: "cp1251", 0x0402: "cp1251", 0x0415: "cp1250", 0x0405: "cp1250", 0x040E: "cp1250",
           0x0408: "cp1253", 0x041F: "cp1254", 0x040D: "cp1255", 0x0401: "cp1256", 0x041E: "cp874"}  # fmt: skip


class Part(IntEnum):
    """The parts that the block points to, by their number."""

    STYLES = 1
    FOOTNOTE_MARKS = 2
    FOOTNOTES = 3
    COMMENT_MARKS = 4
    COMMENTS = 5
    MARGINS = 11
    CHARACTER_PAGES = 12
    PARAGRAPH_PAGES = 13
    FONTS = 15
    PIECES = 33
    AUTHORS = 36
    ANCHORS = 40
    MARGIN_ANCHORS = 41
    ENDNOTE_MARKS = 46
    ENDNOTES = 47
    DRAWINGS = 50
    TEXT_BOXES = 56
    MARGIN_TEXT_BOXES = 58
    LISTS = 73
    LIST_OVERRIDES = 74


#: Where Word 6 and 95 keep the few parts that are read of them.
_OLD_PARTS = {Part.STYLES: 0x60, Part.MARGINS: 0xB0, Part.CHARACTER_PAGES: 0xB8, Part.PARAGRAPH_PAGES: 0xC0,
              Part.FONTS: 0xD0, Part.PIECES: 0x160, Part.FOOTNOTE_MARKS: 0x68, Part.FOOTNOTES: 0x70}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters that lie together in the file: their positions in the document, and where the first of them is."""

    start: int
    end: int
    at: int
    width: int
    #: Properties that a quick save has laid over the piece.
    properties: bytes = b""


@dataclass(frozen=True, slots=True)
class Stories:
    """Where the texts beside the body begin; all lie behind it in one sequence of characters."""

    footnotes: int
    margins: int
    comments: int
    endnotes: int
    text_boxes: int
    margin_boxes: int
    end: int


@dataclass(slots=True, kw_only=True)
class WordFile:
    """The streams of a document, and its characters by position: one for each unit of UTF-16, or each old byte."""

    main: bytes
    table: bytes
    data: bytes
    is_old: bool
    #: The old code page of the text; "" for UTF-16.
    codec: str
    stories: Stories
    pieces: list[Piece] = field(default_factory=list)
    text: str = ""
    fonts: list[Font] = field(default_factory=list)

    def part(self, part: Part) -> bytes:
        """The bytes of a part; none where the document has no such part."""
        if not self.is_old:
            at = 0x9A + 8 * part
        elif part in _OLD_PARTS:
            at = _OLD_PARTS[part]
        else:
            return b""
        start = u32(self.main, at)
        return self.table[start : start + u32(self.main, at + 4)]

    def font(self, operand: bytes) -> Font | None:
        """The font that an operation names."""
        number = u16(operand, 0)
        return self.fonts[number] if operand and number < len(self.fonts) else None

    def tail(self, part: Part) -> bytes:
        """What follows a part: the levels of the lists stand there."""
        at = 0x9A + 8 * part
        return self.table[u32(self.main, at) + u32(self.main, at + 4) :]

    def readable(self, raw: str, font: Font | None = None) -> str:
        """Characters by position as text: halves of supplementary characters joined, old code pages decoded."""
        if self.codec:
            codec = (font and font.codec) or self.codec
            return raw.encode("latin-1", "replace").decode(codec, "replace")
        return raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read_word_file(compound: Compound) -> WordFile:
    """The document in a compound file. Raises `Unreadable` where it is encrypted or none."""
    main = compound.read("WordDocument")
    if main is None or len(main) < 0x200:
        raise Unreadable(Status.REJECTED, "the file is damaged: the document in it cannot be read")
    flags = u16(main, 0x0A)
    if flags & _ENCRYPTED:
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
    is_old = u16(main, 0x02) < _WORD_97
    table = main if is_old else compound.read("1Table" if flags & _TABLE_1 else "0Table")
    if table is None:
        raise Unreadable(Status.REJECTED, "the file is damaged: the tables of the document cannot be read")
    file = WordFile(
        main=main,
        table=table,
        data=compound.read("Data") or b"",
        is_old=is_old,
        codec=_codec(main) if is_old and not flags & _WIDE else "",
        stories=_stories(main, 0x34 if is_old else 0x4C),
    )
    file.pieces = _pieces(file) or [_only_piece(file)]
    file.fonts = read_fonts(file.part(Part.FONTS), is_old=is_old)
    file.text = "".join(_characters(file, piece) for piece in file.pieces)
    return file


def _codec(main: bytes) -> str:
    if u16(main, 0x14) == _MACINTOSH:
        return "mac_roman"
    return _CODECS.get(u16(main, 0x06), "cp1252")


def _stories(main: bytes, at: int) -> Stories:
    body, footnotes, margins, macros, comments, endnotes, boxes, margin_boxes = (
        u32(main, at + 4 * index) for index in range(8)
    )
    margins_at = body + footnotes
    comments_at = margins_at + margins + macros
    endnotes_at = comments_at + comments
    boxes_at = endnotes_at + endnotes
    return Stories(
        body, margins_at, comments_at, endnotes_at, boxes_at, boxes_at + boxes, boxes_at + boxes + margin_boxes
    )


def _only_piece(file: WordFile) -> Piece:
    start, end = u32(file.main, 0x18), u32(file.main, 0x1C)
    width = 1 if file.codec else 2
    return Piece(0, max(0, min(end, len(file.main)) - start) // width, start, width)


def _pieces(file: WordFile) -> list[Piece]:
    """The table of pieces, which stands behind the properties that pieces share."""
    part = file.part(Part.PIECES)
    shared: list[bytes] = []
    at = 0
    while at < len(part) and part[at] == 1:
        size = u16(part, at + 1)
        shared.append(part[at + 3 : at + 3 + size])
        at += 3 + size
    if u8(part, at) != 2:
        return []
    table = part[at + 5 : at + 5 + u32(part, at + 1)]
    count = max(0, (len(table) - 4) // 12)
    positions = [u32(table, 4 * index) for index in range(count + 1)]
    pieces: list[Piece] = []
    for index, (start, end) in enumerate(pairwise(positions)):
        entry = 4 * (count + 1) + 8 * index
        offset, width = _place(file, u32(table, entry + 2))
        modifier = u16(table, entry + 6)
        number = modifier >> 1
        properties = shared[number] if modifier & 1 and number < len(shared) else b""
        # A damaged table may name more characters than there are: never more than the stream holds, nor all in all.
        last = min(end, start + max(0, len(file.main) - offset) // width, len(file.main))
        if last > start and start == (pieces[-1].end if pieces else 0):
            pieces.append(Piece(start, last, offset, width, properties))
    return pieces


def _place(file: WordFile, packed: int) -> tuple[int, int]:
    """Where a piece begins in the stream, and how many bytes each of its characters takes."""
    if file.is_old:
        return packed, 1 if file.codec else 2
    return ((packed & ~_COMPRESSED) // 2, 1) if packed & _COMPRESSED else (packed, 2)


def _characters(file: WordFile, piece: Piece) -> str:
    raw = file.main[piece.at : piece.at + piece.width * (piece.end - piece.start)]
    if piece.width == 1:
        text = raw.decode("latin-1")
        return text if file.codec else text.translate(_WESTERN)
    return "".join(map(chr, memoryview(raw).cast("H"))) if len(raw) % 2 == 0 else ""
