"""A small Windows metafile that reaches what draws one: areas with holes, text of two scripts, a bitmap."""

from __future__ import annotations

import struct


def metafile_sample() -> bytes:
    """A WMF without the header that says how large it is."""
    bitmap = struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(range(16))
    font = struct.pack("<5h8B", -200, 0, 0, 0, 400, 0, 0, 0, 134, 0, 0, 0, 0) + b"Arial\0"
    square = struct.pack("<8h", 0, 0, 500, 0, 500, 500, 0, 500)
    records = (
        _record(0x020B, struct.pack("<2h", 0, 0)),
        _record(0x020C, struct.pack("<2h", 1000, 1000)),
        _record(0x0538, struct.pack("<3H", 2, 4, 4) + square + square),
        _record(0x02FB, font),
        _record(0x012D, struct.pack("<H", 0)),
        _record(0x0A32, struct.pack("<2hHH", 100, 100, 4, 0) + b"Text"),
        _record(0x0A32, struct.pack("<2hHH", 500, 100, 4, 0) + "文字".encode("gbk")),
        _record(0x0B41, struct.pack("<I8h", 0x8800C6, 2, 2, 0, 0, 100, 100, 0, 0) + bitmap),
        _record(0x0000, b""),
    )
    body = b"".join(records)
    return struct.pack("<HHHIHIH", 1, 9, 0x300, 9 + len(body) // 2, 1, max(map(len, records)) // 2, 0) + body


def _record(kind: int, parameters: bytes) -> bytes:
    return struct.pack("<IH", 3 + len(parameters) // 2, kind) + parameters
