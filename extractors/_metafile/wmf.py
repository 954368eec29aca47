"""WMF: the records of a Windows metafile of the 16-bit days, drawn on a device. Numbers are those of [MS-WMF]."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractors._metafile import curves
from extractors._metafile.bitmap import decoded_whole
from extractors._metafile.device import Device
from extractors._metafile.fonts import decoded_text, font_of
from extractors._metafile.gdi import Brush, Tools, brush_of, colour_of, pen_of
from extractors._metafile.scene import BLACK, WHITE, Point, Scene

PLACEABLE = b"\xd7\xcd\xc6\x9a"
_PLACEABLE_BYTES, _HEADER_BYTES = 22, 18
_MAX_RECORDS = 200_000
_OPAQUE, _CLIPPED, _GLYPHS = 0x2, 0x4, 0x10
_NO_SOURCE = {0xF00021: None, 0x000042: BLACK, 0xFF0062: WHITE}


@dataclass(slots=True)
class Record:
    """One record: its number and its parameters, 16 bits each, the last parameter of a call first."""

    kind: int
    data: bytes

    def i16(self, index: int) -> int:
        """A signed parameter by its place."""
        return int.from_bytes(self.data[2 * index : 2 * index + 2], "little", signed=True)

    def u16(self, index: int) -> int:
        """A parameter by its place."""
        return int.from_bytes(self.data[2 * index : 2 * index + 2], "little")

    def u32(self, index: int) -> int:
        """Two parameters as one number."""
        return int.from_bytes(self.data[2 * index : 2 * index + 4], "little")

    def point(self, index: int) -> Point:
        """A point, which stands as y, x."""
        return float(self.i16(index + 1)), float(self.i16(index))

    def points(self, index: int, count: int) -> list[Point]:
        """So many points, which stand as x, y."""
        count = max(0, min(count, (len(self.data) - 2 * index) // 4))
        numbers = struct.unpack_from(f"<{2 * count}h", self.data, 2 * index)
        return list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))


@dataclass(slots=True)
class Wmf:
    """One file while its records are drawn."""

    scene: Scene
    device: Device = field(init=False)
    tools: Tools = field(init=False)

    def __post_init__(self) -> None:
        self.device = Device(scene=self.scene)
        self.device.set(window=(0.0, 0.0, 0.0, 0.0))  # not known yet
        self.tools = Tools(self.device)


def read_wmf(data: bytes, scene: Scene) -> None:
    """Draws until the last record, or the first that is broken; what isn't known is passed over."""
    wmf = Wmf(scene=scene)
    start = 0
    if data.startswith(PLACEABLE):
        start = _PLACEABLE_BYTES
        left, top, right, bottom, to_inch = struct.unpack_from("<4hH", data.ljust(start, b"\0"), 6)
        if to_inch and left != right and top != bottom:
            scene.inches = (abs(right - left) / to_inch, abs(bottom - top) / to_inch)
        wmf.device.set(window=(float(left), float(top), float(right - left), float(bottom - top)))
        _map(wmf)
    for record in _records(data, start + _HEADER_BYTES):
        scene.is_whole = not record.kind
        do = _RECORDS.get(record.kind)
        if do is not None:
            do(wmf, record)


def _records(data: bytes, at: int) -> Iterator[Record]:
    for _ in range(_MAX_RECORDS):
        if at + 6 > len(data):
            return
        words, kind = struct.unpack_from("<IH", data, at)
        if words < 3:
            return
        yield Record(kind, data[at + 6 : at + 2 * words])
        if not kind:
            return
        at += 2 * words


# --- coordinates ------------------------------------------------------------------------------------------------------


def _map(wmf: Wmf) -> None:
    """The plane is the window that is known first, upright; later windows are laid over it."""
    width, height = wmf.device.state.window[2:]
    if not width or not height:
        return
    if wmf.scene.frame is None:
        wmf.scene.frame = (0.0, 0.0, abs(width), abs(height))
    wmf.device.set(viewport=wmf.scene.frame)
    wmf.device.map_window()


def _window_corner(wmf: Wmf, record: Record) -> None:
    wmf.device.set(window=(*record.point(0), *wmf.device.state.window[2:]))
    _map(wmf)


def _window_size(wmf: Wmf, record: Record) -> None:
    wmf.device.set(window=(*wmf.device.state.window[:2], *record.point(0)))
    _map(wmf)


def _clip_rectangle(wmf: Wmf, record: Record) -> None:
    wmf.device.clip_to([record.point(0), record.point(2)])


# --- tools ------------------------------------------------------------------------------------------------------------


def _pen(wmf: Wmf, record: Record) -> None:
    wmf.tools.keep_next(pen_of(record.u16(0), record.i16(1), record.u32(3)))


def _brush(wmf: Wmf, record: Record) -> None:
    wmf.tools.keep_next(brush_of(record.u16(0), record.u32(1)))


def _pattern_brush(wmf: Wmf, _: Record) -> None:
    wmf.tools.keep_next(Brush((128, 128, 128)))


def _font(wmf: Wmf, record: Record) -> None:
    charset = record.data[13] if len(record.data) > 13 else 0
    face = record.data[18:50].partition(b"\0")[0].decode("latin-1")
    wmf.tools.keep_next(font_of(record.i16(0), record.i16(2), record.i16(4), charset, face))


def _other_tool(wmf: Wmf, _: Record) -> None:
    """Palettes and regions take a number as well."""
    wmf.tools.keep_next(None)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _polygon(wmf: Wmf, record: Record) -> None:
    wmf.device.area([record.points(1, record.u16(0))])


def _polyline(wmf: Wmf, record: Record) -> None:
    wmf.device.line(record.points(1, record.u16(0)))


def _polygons(wmf: Wmf, record: Record) -> None:
    parts = min(record.u16(0), len(record.data) // 2)
    at, outlines = 1 + parts, []
    for index in range(parts):
        count = record.u16(1 + index)
        outlines.append(record.points(at, count))
        at += 2 * count
    wmf.device.area(outlines)


def _box_shape(wmf: Wmf, record: Record) -> None:
    round_at = 2 if record.kind == 0x061C else 0
    (right, bottom), (left, top) = record.point(round_at), record.point(round_at + 2)
    if record.kind == 0x0418:
        outline = curves.ellipse((left, top, right, bottom))
    elif record.kind == 0x041B:
        outline = _corners(left, top, right - left, bottom - top)
    else:
        across, along = record.point(0)
        outline = curves.rounded((left, top, right, bottom), across, along)
    wmf.device.area([outline])


def _arc(wmf: Wmf, record: Record) -> None:
    (right, bottom), (left, top) = record.point(4), record.point(6)
    line = curves.arc((left, top, right, bottom), record.point(2), record.point(0))
    if record.kind == 0x0817:
        wmf.device.line(line)
    elif record.kind == 0x0830:
        wmf.device.area([line])
    else:
        wmf.device.area([[*line, ((left + right) / 2, (top + bottom) / 2)]])


def _corners(left: float, top: float, width: float, height: float) -> list[Point]:
    return [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]


def _filled(wmf: Wmf, operation: int, corner: Point, size: Point) -> None:
    """A box that is filled without a bitmap, by the brush or with one colour."""
    if operation in _NO_SOURCE:
        before = wmf.device.state
        wmf.device.set(pen=None, fill=_NO_SOURCE[operation] or before.fill)
        wmf.device.area([_corners(*corner, *size)])
        wmf.device.set(pen=before.pen, fill=before.fill)


def _pattern_fill(wmf: Wmf, record: Record) -> None:
    _filled(wmf, record.u32(0), record.point(4), record.point(2))


def _text(wmf: Wmf, record: Record) -> None:
    count = record.u16(0)
    at = 1 + (count + 1) // 2
    wmf.device.text(decoded_text(record.data[2 : 2 + count], wmf.device.state.font), record.point(at))


def _ext_text(wmf: Wmf, record: Record) -> None:
    count, options = record.u16(2), record.u16(3)
    start, box = 8, []
    if options & (_OPAQUE | _CLIPPED):
        left, top, right, bottom = (record.i16(index) for index in range(4, 8))
        box = _corners(left, top, right - left, bottom - top) if options & _OPAQUE else []
        start = 16
    raw = b"" if options & _GLYPHS else record.data[start : start + count]
    advances_at = (start + count + 1) // 2
    advance = 0
    if 2 * (advances_at + count) <= len(record.data):
        advance = sum(record.i16(advances_at + index) for index in range(count))
    wmf.device.text(decoded_text(raw, wmf.device.state.font), record.point(0), advance=advance, box=box)


def _bitmap(wmf: Wmf, record: Record) -> None:
    """A bitmap stretched over a box, or the box filled where there is none; their parameters differ by one or two."""
    at = {0x0940: 4, 0x0B41: 6, 0x0F43: 7}[record.kind]
    operation, header_at = record.u32(0), 2 * (at + 4)
    is_filled = record.kind != 0x0F43 and len(record.data) < header_at + 12
    if is_filled:
        at += 1
    size, corner = record.point(at), record.point(at + 2)
    if is_filled:
        _filled(wmf, operation, corner, size)
    else:
        wmf.device.bitmap(decoded_whole(record.data[header_at:], wmf.scene), corner, size, operation)


def _select(wmf: Wmf, record: Record) -> None:
    wmf.tools.select(record.u16(0))


_RECORDS: dict[int, Callable[[Wmf, Record], None]] = {
    0x001E: lambda wmf, _: wmf.device.save(),
    0x0127: lambda wmf, record: wmf.device.restore(record.i16(0)),
    0x0102: lambda wmf, record: wmf.device.set(is_opaque=record.u16(0) == 2),
    0x012D: _select,
    0x012E: lambda wmf, record: wmf.device.set(align=record.u16(0)),
    0x01F0: lambda wmf, record: wmf.tools.drop(record.u16(0)),
    0x0201: lambda wmf, record: wmf.device.set(back_colour=colour_of(record.u32(0))),
    0x0209: lambda wmf, record: wmf.device.set(text_colour=colour_of(record.u32(0))),
    0x020B: _window_corner,
    0x020C: _window_size,
    0x0213: lambda wmf, record: wmf.device.line_to([record.point(0)]),
    0x0214: lambda wmf, record: wmf.device.move_to(record.point(0)),
    0x0416: _clip_rectangle,
    0x02FA: _pen,
    0x02FB: _font,
    0x02FC: _brush,
    **dict.fromkeys((0x01F9, 0x0142), _pattern_brush),
    **dict.fromkeys((0x00F7, 0x06FF), _other_tool),
    0x0324: _polygon,
    0x0325: _polyline,
    0x0538: _polygons,
    **dict.fromkeys((0x0418, 0x041B, 0x061C), _box_shape),
    **dict.fromkeys((0x0817, 0x081A, 0x0830), _arc),
    0x0521: _text,
    0x0A32: _ext_text,
    0x061D: _pattern_fill,
    **dict.fromkeys((0x0940, 0x0B41, 0x0F43), _bitmap),
}
