"""EMF: text and bitmaps."""

from __future__ import annotations

import struct

from extractors._metafile.bitmap import decoded, translucent
from extractors._metafile.emf_records import Emf, Record
from extractors._metafile.fonts import decoded_text
from extractors._metafile.gdi import colour_of
from extractors._metafile.scene import BLACK, WHITE, Point

_GLYPHS, _NARROW, _NO_BOX, _OPAQUE = 0x10, 0x200, 0x100, 0x2
_BLEND, _TRANSPARENT = 114, 116
_NO_SOURCE = {0xF00021: None, 0x000042: BLACK, 0xFF0062: WHITE}


def ext_text(emf: Emf, record: Record) -> None:
    """One run of text."""
    _run(emf, record, 36, is_narrow=record.kind == 83)


def poly_text(emf: Emf, record: Record) -> None:
    """Several runs of text."""
    for index in range(min(record.u32(36), len(record.data) // 40)):
        _run(emf, record, 40 + 40 * index, is_narrow=record.kind == 96)


def _run(emf: Emf, record: Record, at: int, *, is_narrow: bool) -> None:
    count, start, options, advances_at = (record.u32(at + place) for place in (8, 12, 16, 36))
    box = _corners(record.point(at + 20), record.point(at + 28)) if options & _OPAQUE else []
    raw = record.data[start : start + count * (1 if is_narrow else 2)]
    if options & _GLYPHS or not start:  # numbers of a font's glyphs, which say nothing without the font
        raw = b""
    count = len(raw) if is_narrow else len(raw) // 2
    advance = 0
    if advances_at and advances_at + 4 * count <= len(record.data):
        step = 2 if options & 0x2000 else 1  # each with an advance downwards
        advance = sum(struct.unpack_from(f"<{count}I", record.data, advances_at)[::step])
    _show(emf, raw, record.point(at), is_narrow=is_narrow, advance=advance, box=box)


def small_text(emf: Emf, record: Record) -> None:
    """One run of text in the short form."""
    count, options = record.u32(16), record.u32(20)
    start = 36 if options & _NO_BOX else 52
    is_narrow = bool(options & _NARROW)
    raw = record.data[start : start + count * (1 if is_narrow else 2)]
    _show(emf, b"" if options & _GLYPHS else raw, record.point(8), is_narrow=is_narrow)


def _show(
    emf: Emf, raw: bytes, at: Point, *, is_narrow: bool, advance: float = 0, box: list[Point] | None = None
) -> None:
    text = decoded_text(raw, emf.device.state.font) if is_narrow else raw.decode("utf-16-le", "replace")
    emf.device.text(text, at, advance=advance if advance < 1 << 24 else 0, box=box or ())


def _corners(first: Point, last: Point) -> list[Point]:
    (left, top), (right, bottom) = first, last
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def transfer(emf: Emf, record: Record) -> None:
    """A bitmap of the source, or a box filled without one (76, 77, 78, 114, 116)."""
    at, size, operation = record.point(24), record.point(32), record.u32(40)
    header, pixels = record.part(84), record.part(92)
    image = translucent(header, pixels, emf.scene) if record.kind == _BLEND and operation >> 24 else None
    image = image or decoded(header, pixels, emf.scene)
    if image is not None:
        # The last two of these don't mix by an operation.
        emf.device.bitmap(image, at, size, 0 if record.kind in {_BLEND, _TRANSPARENT} else operation)
    elif operation in _NO_SOURCE:
        before = emf.device.state
        emf.device.set(pen=None, fill=_NO_SOURCE[operation] or before.fill)
        emf.device.area([_corners(at, (at[0] + size[0], at[1] + size[1]))])
        emf.device.set(pen=before.pen, fill=before.fill)


def stretched(emf: Emf, record: Record) -> None:
    """A bitmap that stands in the record itself (81)."""
    image = decoded(record.part(48), record.part(56), emf.scene)
    emf.device.bitmap(image, record.point(24), record.point(72), record.u32(68))


def on_device(emf: Emf, record: Record) -> None:
    """A bitmap at its own size (80)."""
    image = decoded(record.part(48), record.part(56), emf.scene)
    emf.device.bitmap(image, record.point(24), record.point(40), 0)


def pixel(emf: Emf, record: Record) -> None:
    """One dot."""
    before, at = emf.device.state, record.point(8)
    emf.device.set(pen=None, fill=colour_of(record.u32(16)))
    emf.device.area([_corners(at, (at[0] + 1, at[1] + 1))])
    emf.device.set(pen=before.pen, fill=before.fill)
