"""What EMF and WMF share: the tools that records make and select, and the stock ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors._metafile.device import Device
from extractors._metafile.fonts import Font
from extractors._metafile.scene import BLACK, WHITE, Colour, Pen

NO_TOOL = 5  # the style of a pen that draws nothing
_HOLLOW, _HATCHED, _PATTERNS = 1, 2, frozenset({3, 5, 6, 7, 8})
_STOCK = 0x80000000
_STOCK_BRUSHES: dict[int, Colour | None] = {
    0: WHITE, 1: (192, 192, 192), 2: (128, 128, 128), 3: (64, 64, 64), 4: BLACK, 5: None,
}  # fmt: skip
_STOCK_PENS = {6: Pen(WHITE), 7: Pen(BLACK), 8: None}
_MAX_TOOLS = 20_000


@dataclass(frozen=True, slots=True)
class Brush:
    """What areas are filled with; None for nothing."""

    colour: Colour | None


@dataclass(frozen=True, slots=True)
class Stroker:
    """A pen as a tool; None for one that draws nothing."""

    pen: Pen | None


Tool = Brush | Stroker | Font | None


@dataclass(slots=True)
class Tools:
    """The tools of one file by their number."""

    device: Device
    _tools: dict[int, Tool] = field(default_factory=dict)

    def keep(self, number: int, tool: Tool) -> None:
        """A tool under the number that the record gives."""
        if len(self._tools) < _MAX_TOOLS:
            self._tools[number] = tool

    def keep_next(self, tool: Tool) -> None:
        """A tool under the lowest number that is free."""
        self.keep(next(number for number in range(len(self._tools) + 1) if number not in self._tools), tool)

    def drop(self, number: int) -> None:
        """Forgets a tool."""
        self._tools.pop(number, None)

    def select(self, number: int) -> None:
        """Draws with a tool from now on."""
        if number >= _STOCK:
            stock = number - _STOCK
            if stock in _STOCK_BRUSHES:
                self.device.set(fill=_STOCK_BRUSHES[stock])
            elif stock in _STOCK_PENS:
                self.device.set(pen=_STOCK_PENS[stock])
            return
        match self._tools.get(number):
            case Brush(colour):
                self.device.set(fill=colour)
            case Stroker(pen):
                self.device.set(pen=pen)
            case Font() as font:
                self.device.set(font=font)
            case None:
                pass


def colour_of(value: int) -> Colour:
    """Red, green and blue of a COLORREF."""
    return value & 0xFF, value >> 8 & 0xFF, value >> 16 & 0xFF


def brush_of(style: int, value: int) -> Brush:
    """A brush; lines across are shown as a tint of their colour, and patterns as grey."""
    if style == _HOLLOW:
        return Brush(None)
    red, green, blue = (128, 128, 128) if style in _PATTERNS else colour_of(value)
    if style == _HATCHED:
        return Brush(((red + 510) // 3, (green + 510) // 3, (blue + 510) // 3))
    return Brush((red, green, blue))


def pen_of(style: int, width: float, value: int) -> Stroker:
    """A pen; dashes are drawn through."""
    return Stroker(None if style & 0xF == NO_TOOL else Pen(colour_of(value), abs(width)))
