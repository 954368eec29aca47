"""EMF: lines, areas and paths."""

from __future__ import annotations

from extractors._metafile import curves
from extractors._metafile.emf_records import Emf, Record


def poly(emf: Emf, record: Record) -> None:
    is_short = record.kind >= 85
    points = record.points(28, record.u32(24), is_short=is_short)
    if not points:
        return
    name = {85: 2, 86: 3, 87: 4, 88: 5, 89: 6}.get(record.kind, record.kind)
    device = emf.device
    if name == 2:
        device.line(curves.bezier(points))
    elif name == 3:
        device.area([points])
    elif name == 4:
        device.line(points)
    elif name == 5:
        device.line_to(curves.bezier([device.state.position, *points])[1:] or points)
    else:
        device.line_to(points)


def polies(emf: Emf, record: Record) -> None:
    """Several lines (7, 90) or several outlines that are filled together (8, 91)."""
    is_short = record.kind >= 90
    parts = min(record.u32(24), (len(record.data) - 32) // 4)
    at = 32 + 4 * parts
    outlines = []
    for index in range(parts):
        count = record.u32(32 + 4 * index)
        outlines.append(record.points(at, count, is_short=is_short))
        at += count * (4 if is_short else 8)
    if record.kind in {8, 91}:
        emf.device.area(outlines)
    else:
        for outline in outlines:
            emf.device.line(outline)


def poly_draw(emf: Emf, record: Record) -> None:
    is_short = record.kind == 92
    count = min(record.u32(24), len(record.data))
    points = record.points(28, count, is_short=is_short)
    kinds = record.data[28 + count * (4 if is_short else 8) :]
    device, at = emf.device, 0
    while at < len(points) and at < len(kinds):
        kind = kinds[at] & 0x6
        if kind == 6:
            device.move_to(points[at])
        elif kind == 4 and at + 2 < len(points):
            device.line_to(curves.bezier([device.state.position, *points[at : at + 3]])[1:])
            at += 2
        else:
            device.line_to([points[at]])
        at += 1


def box_shape(emf: Emf, record: Record) -> None:
    (left, top), (right, bottom) = record.point(8), record.point(16)
    if record.kind == 42:
        outline = curves.ellipse((left, top, right, bottom))
    elif record.kind == 43:
        outline = [(left, top), (right, top), (right, bottom), (left, bottom)]
    else:
        across, along = record.point(24)
        outline = curves.rounded((left, top, right, bottom), across, along)
    emf.device.area([outline])


def arc(emf: Emf, record: Record) -> None:
    (left, top), (right, bottom) = record.point(8), record.point(16)
    line = curves.arc((left, top, right, bottom), record.point(24), record.point(32))
    if record.kind == 45:
        emf.device.line(line)
    elif record.kind == 55:
        emf.device.line_to(line)
    elif record.kind == 46:
        emf.device.area([line])
    else:
        emf.device.area([[*line, ((left + right) / 2, (top + bottom) / 2)]])


def close(emf: Emf, _: Record) -> None:
    if emf.device.path and emf.device.path[-1]:
        emf.device.path[-1].append(emf.device.path[-1][0])


def begin_path(emf: Emf, _: Record) -> None:
    emf.device.path = [[emf.device.place(emf.device.state.position)]]


def draw_path(emf: Emf, record: Record) -> None:
    emf.device.end_path(is_stroked=record.kind != 62, is_filled=record.kind != 64)


def gradient(emf: Emf, record: Record) -> None:
    """Rectangles in the mean of two colours."""
    vertices, meshes = min(record.u32(24), 10_000), min(record.u32(28), 10_000)
    if record.u32(32) > 1:
        return
    before, at = emf.device.state, 36 + 16 * vertices
    for mesh in range(meshes):
        ends = [36 + 16 * min(record.u32(at + 8 * mesh + place), vertices) for place in (0, 4)]
        red, green, blue = (sum(record.u32(end + place) & 0xFFFF for end in ends) >> 9 for place in (8, 10, 12))
        (left, top), (right, bottom) = (record.point(end) for end in ends)
        emf.device.set(fill=(red, green, blue), pen=None)
        emf.device.area([[(left, top), (right, top), (right, bottom), (left, bottom)]])
    emf.device.set(fill=before.fill, pen=before.pen)
