"""EMF: the frame, the coordinates, what is clipped, and the tools."""

from __future__ import annotations

import struct

from extractors._metafile.bitmap import decoded
from extractors._metafile.device import IDENTITY, chained
from extractors._metafile.emf_records import Emf, Record
from extractors._metafile.fonts import font_of
from extractors._metafile.gdi import Brush, brush_of, pen_of


def header(emf: Emf, record: Record) -> None:
    bounds = [float(record.i32(at)) for at in range(8, 24, 4)]
    frame = [float(record.i32(at)) for at in range(24, 40, 4)]
    pixels, millimetres = record.point(72), record.point(80)
    if min(*pixels, *millimetres) > 0:
        emf.density = (pixels[0] / millimetres[0], pixels[1] / millimetres[1])
    across, along = emf.density
    if frame[0] < frame[2] and frame[1] < frame[3]:
        emf.scene.frame = tuple(  # type: ignore[assignment] # of four
            side / 100 * density for side, density in zip(frame, (across, along, across, along), strict=True)
        )
        emf.scene.inches = ((frame[2] - frame[0]) / 2540, (frame[3] - frame[1]) / 2540)
    elif bounds[0] < bounds[2] and bounds[1] < bounds[3]:
        emf.scene.frame = (bounds[0], bounds[1], bounds[2], bounds[3])


def map_mode(emf: Emf, record: Record) -> None:
    emf.mode = record.u32(8)
    emf.map()


def window(emf: Emf, record: Record) -> None:
    emf.device.set(window=_changed(emf.device.state.window, record))
    emf.map()


def viewport(emf: Emf, record: Record) -> None:
    emf.device.set(viewport=_changed(emf.device.state.viewport, record))
    emf.map()


def _changed(box: tuple[float, float, float, float], record: Record) -> tuple[float, float, float, float]:
    """The window or the viewport with a new size (records 9 and 11) or a new corner (10 and 12)."""
    x, y = record.point(8)
    return (*box[:2], x, y) if record.kind in {9, 11} else (x, y, *box[2:])


def world(emf: Emf, record: Record) -> None:
    if len(record.data) < 32:
        return
    a, b, c, d, e, f = struct.unpack_from("<6f", record.data, 8)
    matrix, old = (a, b, c, d, e, f), emf.device.state.world
    how = record.u32(32) if record.kind == 36 else 4
    changed = {1: IDENTITY, 2: chained(matrix, old), 3: chained(old, matrix)}.get(how, matrix)
    emf.device.set(world=changed)


def restore(emf: Emf, record: Record) -> None:
    emf.device.restore(record.i32(8))


def clip_rectangle(emf: Emf, record: Record) -> None:
    emf.device.clip_to([record.point(8), record.point(16)])


def clip_region(emf: Emf, record: Record) -> None:
    """A region is kept as rectangles in the units of the device; its box is what we clip to."""
    device, mode = emf.device, record.u32(12)
    if record.u32(8) < 48:
        if mode == 5:
            device.set(clip=None)
        return
    if mode in {1, 5}:
        before = device.state
        device.set(world=IDENTITY, page=IDENTITY)
        device.clip_to([record.point(32), record.point(40)], is_new=mode == 5)
        device.set(world=before.world, page=before.page)


def clip_path(emf: Emf, record: Record) -> None:
    device, before = emf.device, emf.device.state
    points = [point for outline in device.path or () for point in outline]
    device.path = None
    if points and record.u32(8) in {1, 5}:
        device.set(world=IDENTITY, page=IDENTITY)
        device.clip_to(points, is_new=record.u32(8) == 5)
        device.set(world=before.world, page=before.page)


# --- tools ------------------------------------------------------------------------------------------------------------


def pen(emf: Emf, record: Record) -> None:
    emf.tools.keep(record.u32(8), pen_of(record.u32(12), record.i32(16), record.u32(24)))


def wide_pen(emf: Emf, record: Record) -> None:
    style, width = record.u32(28), record.u32(32)
    # A cosmetic pen is measured in pixels, whatever the coordinates are.
    emf.tools.keep(record.u32(8), pen_of(style, width if style & 0x10000 else 0, record.u32(40)))


def brush(emf: Emf, record: Record) -> None:
    emf.tools.keep(record.u32(8), brush_of(record.u32(12), record.u32(16)))


def pattern_brush(emf: Emf, record: Record) -> None:
    image = decoded(record.part(16), record.part(24), emf.scene)
    pixel = image.convert("RGB").resize((1, 1)).getpixel((0, 0)) if image is not None else None
    red, green, blue = pixel if isinstance(pixel, tuple) else (128, 128, 128)
    emf.tools.keep(record.u32(8), Brush((int(red), int(green), int(blue))))


def font(emf: Emf, record: Record) -> None:
    face = record.data[40:104].decode("utf-16-le", "replace").partition("\0")[0]
    charset = record.data[35] if len(record.data) > 35 else 0
    emf.tools.keep(record.u32(8), font_of(record.i32(12), record.i32(20), record.i32(28), charset, face))
