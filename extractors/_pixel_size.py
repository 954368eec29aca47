"""The size of a picture as its own header says, for pictures that come from a child that may have been taken over."""

from __future__ import annotations

import struct

#: Markers of JPEG that begin a frame: all of this row but tables (C4), an extension (C8) and arithmetic tables (CC).
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def pixel_size(untrusted: bytes, media_type: str) -> tuple[int, int] | None:
    """Width and height; None where the header does not have them. Decodes nothing."""
    try:
        match media_type:
            case "image/png":
                return struct.unpack_from(">II", untrusted, 16)
            case "image/gif":
                return struct.unpack_from("<HH", untrusted, 6)
            case "image/jpeg":
                return _of_jpeg(untrusted)
            case "image/webp":
                return _of_webp(untrusted)
    except struct.error:
        return None
    return None


def _of_jpeg(untrusted: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(untrusted) and untrusted[at] == 0xFF:
        marker, length = struct.unpack_from(">BH", untrusted, at + 1)
        if marker == 0xFF:  # filled up
            at += 1
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", untrusted, at + 5)
            return width, height
        else:
            at += 2 + max(length, 2)
    return None


def _of_webp(untrusted: bytes) -> tuple[int, int] | None:
    match untrusted[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", untrusted, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (packed,) = struct.unpack_from("<I", untrusted, 21)
            return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(untrusted) >= 30:
            return int.from_bytes(untrusted[24:27], "little") + 1, int.from_bytes(untrusted[27:30], "little") + 1
        case _:
            return None
