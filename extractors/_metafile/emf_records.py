"""The records of an enhanced metafile (EMF), and what they work on. Numbers are those of [MS-EMF]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors._metafile.device import Device
from extractors._metafile.gdi import Tools
from extractors._metafile.scene import Point, Scene

_END = 14
_MAX_RECORDS = 200_000
_UNITS_OF_MODE = {2: 0.1, 3: 0.01, 4: 0.254, 5: 0.0254, 6: 25.4 / 1440}
_MM_TEXT = 1


@dataclass(slots=True)
class Record:
    """One record: its whole bytes, from which fields are read by their offset."""

    kind: int
    data: bytes

    def u32(self, at: int) -> int:
        """A field of 32 bits."""
        return int.from_bytes(self.data[at : at + 4], "little")

    def i32(self, at: int) -> int:
        """A signed one."""
        return int.from_bytes(self.data[at : at + 4], "little", signed=True)

    def point(self, at: int) -> Point:
        """Two signed fields."""
        return float(self.i32(at)), float(self.i32(at + 4))

    def points(self, at: int, count: int, *, is_short: bool) -> list[Point]:
        """So many points, or as many as there are."""
        size, code = (4, "h") if is_short else (8, "i")
        count = max(0, min(count, (len(self.data) - at) // size))
        numbers = struct.unpack_from(f"<{2 * count}{code}", self.data, at)
        return list(zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True))

    def part(self, at: int) -> bytes:
        """The bytes that an offset and a size name."""
        start = self.u32(at)
        return self.data[start : start + self.u32(at + 4)] if start else b""


@dataclass(slots=True)
class Emf:
    """One file while its records are drawn: the device, the tools, and how its coordinates are meant."""

    scene: Scene
    device: Device = field(init=False)
    tools: Tools = field(init=False)
    #: Units of the plane (pixels of the device the file was made for) to the millimetre.
    density: Point = (3.78, 3.78)
    mode: int = _MM_TEXT

    def __post_init__(self) -> None:
        self.device = Device(scene=self.scene)
        self.tools = Tools(self.device)

    def map(self) -> None:
        """Makes the coordinates of the mode, the window and the viewport."""
        state = self.device.state
        if self.mode == _MM_TEXT:
            origin = (state.viewport[0] - state.window[0], state.viewport[1] - state.window[1])
            self.device.set(page=(1.0, 0.0, 0.0, 1.0, *origin))
        elif unit := _UNITS_OF_MODE.get(self.mode):
            across, along = unit * self.density[0], -unit * self.density[1]
            x, y = state.viewport[0] - state.window[0] * across, state.viewport[1] - state.window[1] * along
            self.device.set(page=(across, 0.0, 0.0, along, x, y))
        else:
            self.device.map_window()


def records(data: bytes) -> Iterator[Record]:
    """The records in their order."""
    at = 0
    for _ in range(_MAX_RECORDS):
        if at + 8 > len(data):
            return
        kind, size = struct.unpack_from("<II", data, at)
        if size < 8 or at + size > len(data) + 3:
            return
        yield Record(kind, data[at : at + size])
        if kind == _END:
            return
        at += size
