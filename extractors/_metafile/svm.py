"""SVM: the actions of an OpenOffice metafile, drawn on a device. Each action says how long it is."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractors._metafile import curves
from extractors._metafile.bitmap import decoded_file
from extractors._metafile.device import Device, chained
from extractors._metafile.fonts import Font
from extractors._metafile.scene import Colour, Pen, Point, Scene

_SIGNATURE_BYTES = 6
_MAX_ACTIONS = 200_000
#: Millimetres to the unit of a map mode: hundredths, tenths, millimetres, centimetres; inches; points and twips.
_UNITS_MM = {0: 0.01, 1: 0.1, 2: 1.0, 3: 10.0, 4: 0.0254, 5: 0.254, 6: 2.54, 7: 25.4, 8: 25.4 / 72, 9: 25.4 / 1440}
_BOLD_FROM = 7
_SYMBOL_CHARSET, _UNICODE = 10, 0xFFFF
_RELATIVE = 13


@dataclass(slots=True)
class Cursor:
    """Reads the fields of one action one after the other; past the end all are 0."""

    data: bytes
    at: int = 0

    def u8(self) -> int:
        """The next byte."""
        return self._whole(1)

    def u16(self) -> int:
        """The next 16 bits."""
        return self._whole(2)

    def u32(self) -> int:
        """The next 32 bits."""
        return self._whole(4)

    def i32(self) -> int:
        """The next 32 bits, signed."""
        return self._whole(4, signed=True)

    def _whole(self, size: int, *, signed: bool = False) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little", signed=signed)

    def point(self) -> Point:
        """The next two numbers."""
        return float(self.i32()), float(self.i32())

    def box(self) -> tuple[float, float, float, float]:
        """The next four numbers."""
        return (*self.point(), *self.point())

    def polygon(self) -> list[Point]:
        """Points after their number."""
        count = min(self.u16(), max(0, len(self.data) - self.at) // 8)
        numbers = struct.unpack_from(f"<{2 * count}i", self.data, self.at)
        self.at += 8 * count
        return list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))

    def narrow(self, *, is_wide: bool = False) -> str:
        """Text in bytes after its length; in UTF-16 where the font says so."""
        if is_wide:
            size = 2 * min(self.u32(), len(self.data))
            self.at += size
            return self.data[self.at - size : self.at].decode("utf-16-le", "replace")
        size = self.u16()
        self.at += size
        return self.data[self.at - size : self.at].decode("cp1252", "replace")

    def wide(self) -> str:
        """Text in UTF-16 after its length."""
        size = 2 * self.u16()
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-16-le", "replace")

    def colour(self) -> Colour:
        """The next colour, which stands as blue, green, red."""
        value = self.u32()
        return value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF

    def part(self) -> Cursor:
        """A structure that says its version and its length; the cursor goes on behind it."""
        self.u16()
        size = self.u32()
        start, self.at = self.at, self.at + size
        return Cursor(self.data[start : start + size])


@dataclass(slots=True)
class Svm:
    """One file while its actions are drawn."""

    scene: Scene
    device: Device = field(init=False)
    #: The font's character set is Unicode.
    is_wide: bool = False

    def __post_init__(self) -> None:
        self.device = Device(scene=self.scene)


def read_svm(data: bytes, scene: Scene) -> None:
    """Draws until the last action, or the end of the file; what isn't known is passed over."""
    svm, cursor = Svm(scene), Cursor(data, _SIGNATURE_BYTES)
    header = cursor.part()
    header.u32()  # how bitmaps are packed
    mode = header.part()
    unit, origin = mode.u16(), mode.point()
    scales = [top / bottom if bottom else 1.0 for top, bottom in (mode.point(), mode.point())]
    size = header.point()
    if min(size) > 0:
        scene.frame = (-origin[0], -origin[1], size[0] - origin[0], size[1] - origin[1])
        if unit in _UNITS_MM:
            width, height = (side * scale * _UNITS_MM[unit] / 25.4 for side, scale in zip(size, scales, strict=True))
            scene.inches = (width, height)
    svm.device.set(fill=None)
    for kind, action in _actions(cursor, header.u32()):
        do = _ACTIONS.get(kind)
        if do is not None:
            do(svm, action)
    scene.is_whole = cursor.at >= len(data)


def _actions(cursor: Cursor, count: int) -> Iterator[tuple[int, Cursor]]:
    for _ in range(min(count, _MAX_ACTIONS)):
        if cursor.at + 8 > len(cursor.data):
            return
        yield cursor.u16(), cursor.part()


def _line(svm: Svm, action: Cursor) -> None:
    svm.device.line([action.point(), action.point()])


def _rectangle(svm: Svm, action: Cursor) -> None:
    left, top, right, bottom = action.box()
    svm.device.area([[(left, top), (right, top), (right, bottom), (left, bottom)]])


def _rounded(svm: Svm, action: Cursor) -> None:
    svm.device.area([curves.rounded(action.box(), float(action.u32()), float(action.u32()))])


def _ellipse(svm: Svm, action: Cursor) -> None:
    svm.device.area([curves.ellipse(action.box())])


def _polygons(svm: Svm, action: Cursor) -> None:
    svm.device.area([action.polygon() for _ in range(min(action.u16(), len(action.data) // 2))])


def _text(svm: Svm, action: Cursor) -> None:
    at, text = action.point(), action.narrow(is_wide=svm.is_wide)
    first, count = action.u16(), action.u16()
    svm.device.text((action.wide() or text)[first : first + count], at)


def _text_array(svm: Svm, action: Cursor) -> None:
    at, text = action.point(), action.narrow(is_wide=svm.is_wide)
    first, count = action.u16(), action.u16()
    advances = action.u32()
    reach = 0
    for _ in range(min(advances, len(action.data))):
        reach = action.i32()
    wide = action.wide()
    text = (wide or text)[first : first + count]
    svm.device.text(text, at, advance=float(reach) if advances == count else 0.0)


def _stretched_text(svm: Svm, action: Cursor) -> None:
    at, text = action.point(), action.narrow(is_wide=svm.is_wide)
    width, first, count = action.u32(), action.u16(), action.u16()
    text = (action.wide() or text)[first : first + count]
    svm.device.text(text, at, advance=float(width))


def _text_in_box(svm: Svm, action: Cursor) -> None:
    left, top, _, _ = action.box()
    text = action.narrow(is_wide=svm.is_wide)
    action.u16()
    svm.device.text(action.wide() or text, (left, top + svm.device.state.font.em))


def _font(svm: Svm, action: Cursor) -> None:
    inner = action.part()
    face, _style = inner.narrow(), inner.narrow()
    _width, height = inner.point()
    charset, _family, _pitch, weight = (inner.u16() for _ in range(4))
    _underline, _strikeout, _italic, _language, _width_type = (inner.u16() for _ in range(5))
    angle = inner.u16()
    svm.is_wide = charset == _UNICODE
    is_signs = charset == _SYMBOL_CHARSET
    svm.device.set(
        font=Font(
            em=abs(height) * 0.87 or 12.0,
            angle=angle / 10,
            is_bold=weight >= _BOLD_FROM,
            face="symbol" if is_signs and "symbol" in face.lower() else face,
        )
    )


def _pen(svm: Svm, action: Cursor) -> None:
    colour, is_set = action.colour(), action.u8()
    svm.device.set(pen=Pen(colour) if is_set else None)


def _fill(svm: Svm, action: Cursor) -> None:
    colour, is_set = action.colour(), action.u8()
    svm.device.set(fill=colour if is_set else None)


def _bitmap(svm: Svm, action: Cursor) -> None:
    """A bitmap, which stands as it would in a file, scaled to a box."""
    image, action.at = decoded_file(action.data, svm.scene)
    svm.device.bitmap(image, action.point(), action.point(), 0)


def _map_mode(svm: Svm, action: Cursor) -> None:
    """Coordinates that are moved and scaled, against those of the file or those before."""
    mode = action.part()
    unit, (x, y) = mode.u16(), mode.point()
    across, along = (top / bottom if bottom else 1.0 for top, bottom in (mode.point(), mode.point()))
    if unit == _RELATIVE:
        moved = (across, 0.0, 0.0, along, x * across, y * along)
        svm.device.set(page=chained(moved, svm.device.state.page))


_ACTIONS: dict[int, Callable[[Svm, Cursor], None]] = {
    102: _line,
    103: _rectangle,
    104: _rounded,
    105: _ellipse,
    109: lambda svm, action: svm.device.line(action.polygon()),
    110: lambda svm, action: svm.device.area([action.polygon()]),
    111: _polygons,
    112: _text,
    113: _text_array,
    114: _stretched_text,
    115: _text_in_box,
    117: _bitmap,
    132: _pen,
    133: _fill,
    134: lambda svm, action: svm.device.set(text_colour=action.colour()),
    136: lambda svm, action: svm.device.set(align={0: 0, 1: 0x18, 2: 0x8}.get(action.u16(), 0)),
    137: _map_mode,
    138: _font,
    139: lambda svm, _: svm.device.save(),
    140: lambda svm, _: svm.device.restore(-1),
}
