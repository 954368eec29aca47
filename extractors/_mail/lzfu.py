"""Compressed RTF as Outlook stores it (MS-OXRTFCP): "LZFu" with a sliding window, "MELA" as it is."""

from __future__ import annotations

import struct

_PRELOAD = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_WINDOW_BYTES = 4096
_HEADER = struct.Struct("<II4sI")
#: One run copies 17 bytes and costs two bytes and a bit, so nothing inflates further.
_MAX_RATIO = 9


def decompress(data: bytes) -> bytes:
    """The RTF, as far as it can be read."""
    if len(data) < _HEADER.size:
        return b""
    _, raw_bytes, kind, _ = _HEADER.unpack_from(data)
    if kind == b"MELA":
        return data[_HEADER.size : _HEADER.size + raw_bytes]
    if kind != b"LZFu":
        return b""
    return _inflated(data, min(raw_bytes, len(data) * _MAX_RATIO))


def _inflated(data: bytes, max_bytes: int) -> bytes:
    window = bytearray(_PRELOAD.ljust(_WINDOW_BYTES, b"\0"))
    write_at = len(_PRELOAD)
    out = bytearray()
    at = _HEADER.size
    while at < len(data) and len(out) < max_bytes:
        control = data[at]
        at += 1
        for bit in range(8):
            if control >> bit & 1:
                if at + 2 > len(data):
                    return bytes(out)
                token = int.from_bytes(data[at : at + 2], "big")
                at += 2
                read_at, length = token >> 4, (token & 0xF) + 2
                if read_at == write_at:  # the mark of the end
                    return bytes(out[:max_bytes])
                for _ in range(length):
                    byte = window[read_at]
                    read_at = (read_at + 1) % _WINDOW_BYTES
                    window[write_at] = byte
                    write_at = (write_at + 1) % _WINDOW_BYTES
                    out.append(byte)
            else:
                if at >= len(data):
                    return bytes(out)
                window[write_at] = data[at]
                write_at = (write_at + 1) % _WINDOW_BYTES
                out.append(data[at])
                at += 1
    return bytes(out[:max_bytes])
