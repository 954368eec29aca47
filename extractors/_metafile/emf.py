"""EMF: an enhanced metafile, drawn into a scene."""

from __future__ import annotations

from collections.abc import Callable

from extractors._metafile import emf_content, emf_shapes, emf_state
from extractors._metafile.emf_records import Emf, Record, records
from extractors._metafile.gdi import colour_of
from extractors._metafile.scene import Scene

_END, _COMMENT = 14, 70
_PLUS_HEADER = b"EMF+\x01\x40"


def read_emf(data: bytes, scene: Scene) -> None:
    """Draws until the last record, or the first that is broken; what isn't known is passed over."""
    emf = Emf(scene=scene)
    is_alone = False
    for record in records(data):
        scene.is_whole = record.kind == _END and not is_alone
        is_alone |= record.kind == _COMMENT and _is_plus_alone(record)
        do = _RECORDS.get(record.kind)
        if do is not None:
            do(emf, record)


def _is_plus_alone(record: Record) -> bool:
    """True for the first record of EMF+ that has no EMF beside it."""
    return record.data[12:18] == _PLUS_HEADER and not record.data[18] & 1


_RECORDS: dict[int, Callable[[Emf, Record], None]] = {
    1: emf_state.header,
    **dict.fromkeys((2, 3, 4, 5, 6, 85, 86, 87, 88, 89), emf_shapes.poly),
    **dict.fromkeys((7, 8, 90, 91), emf_shapes.polies),
    **dict.fromkeys((56, 92), emf_shapes.poly_draw),
    **dict.fromkeys((42, 43, 44), emf_shapes.box_shape),
    **dict.fromkeys((45, 46, 47, 55), emf_shapes.arc),
    **dict.fromkeys((62, 63, 64), emf_shapes.draw_path),
    **dict.fromkeys((9, 10), emf_state.window),
    **dict.fromkeys((11, 12), emf_state.viewport),
    15: emf_content.pixel,
    17: emf_state.map_mode,
    18: lambda emf, record: emf.device.set(is_opaque=record.u32(8) == 2),
    22: lambda emf, record: emf.device.set(align=record.u32(8)),
    24: lambda emf, record: emf.device.set(text_colour=colour_of(record.u32(8))),
    25: lambda emf, record: emf.device.set(back_colour=colour_of(record.u32(8))),
    27: lambda emf, record: emf.device.move_to(record.point(8)),
    30: emf_state.clip_rectangle,
    33: lambda emf, _: emf.device.save(),
    34: emf_state.restore,
    **dict.fromkeys((35, 36), emf_state.world),
    37: lambda emf, record: emf.tools.select(record.u32(8)),
    38: emf_state.pen,
    39: emf_state.brush,
    40: lambda emf, record: emf.tools.drop(record.u32(8)),
    54: lambda emf, record: emf.device.line_to([record.point(8)]),
    59: emf_shapes.begin_path,
    61: emf_shapes.close,
    67: emf_state.clip_path,
    75: emf_state.clip_region,
    **dict.fromkeys((76, 77, 78, 114, 116), emf_content.transfer),
    80: emf_content.on_device,
    81: emf_content.stretched,
    82: emf_state.font,
    **dict.fromkeys((83, 84), emf_content.ext_text),
    95: emf_state.wide_pen,
    **dict.fromkeys((93, 94), emf_state.pattern_brush),
    **dict.fromkeys((96, 97), emf_content.poly_text),
    108: emf_content.small_text,
    118: emf_shapes.gradient,
}
