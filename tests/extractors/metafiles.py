"""Writers of metafiles for the tests: the records that a test is about, and a frame around them."""

from __future__ import annotations

import struct

Point = tuple[int, int]


def emf(*records: bytes, size: Point = (400, 200), end: bool = True) -> bytes:
    """An EMF of that many pixels, 4 to the millimetre."""
    width, height = size
    body = b"".join(records) + (emf_record(14, struct.pack("<3I", 0, 16, 20)) if end else b"")
    head = struct.pack("<8i", 0, 0, width, height, 0, 0, width * 25, height * 25) + b" EMF"
    head += struct.pack("<IIIHHIII", 0x10000, 108 + len(body), len(records) + 2, 1, 0, 0, 0, 0)
    head += struct.pack("<4i", 1600, 1200, 400, 300)
    return emf_record(1, head.ljust(100, b"\0")) + body


def emf_record(kind: int, content: bytes = b"") -> bytes:
    content += b"\0" * (-len(content) % 4)
    return struct.pack("<II", kind, 8 + len(content)) + content


def emf_text(words: str, at: Point = (10, 100), *, options: int = 0, advance: int = 0) -> bytes:
    raw = words.encode("utf-16-le")
    padded = raw + b"\0" * (-len(raw) % 4)
    start = 76
    advances_at = start + len(padded) if advance else 0
    content = struct.pack("<4iIff", 0, 0, 0, 0, 1, 1.0, 1.0)
    content += struct.pack("<2iIII4iI", *at, len(raw) // 2, start, options, 0, 0, 0, 0, advances_at)
    return emf_record(84, content + padded + struct.pack("<I", advance) * (len(raw) // 2 if advance else 0))


def emf_font(number: int, height: int, face: str = "Arial", *, angle: int = 0, charset: int = 0) -> bytes:
    font = struct.pack("<5i8B", -height, 0, angle, 0, 400, 0, 0, 0, charset, 0, 0, 0, 0)
    face_raw = face.encode("utf-16-le").ljust(64, b"\0")
    return emf_record(82, struct.pack("<I", number) + font + face_raw) + emf_record(37, struct.pack("<I", number))


def emf_brush(number: int, colour: int) -> bytes:
    content = struct.pack("<IIII", number, 0, colour, 0)
    return emf_record(39, content) + emf_record(37, struct.pack("<I", number))


def emf_bitmap(
    rgb: tuple[int, int, int], corner: Point, size: Point, pixels: int = 64, operation: int = 0xCC0020
) -> bytes:
    """A bitmap of one colour, stretched over a box."""
    bitmap = dib(rgb, pixels)
    content = struct.pack("<4i", 0, 0, 0, 0) + struct.pack("<6i", *corner, 0, 0, pixels, pixels)
    content += struct.pack("<6I", 80, 40, 120, len(bitmap) - 40, 0, operation) + struct.pack("<2i", *size)
    return emf_record(81, content + bitmap)


def dib(rgb: tuple[int, int, int], pixels: int) -> bytes:
    header = struct.pack("<IiiHHIIiiII", 40, pixels, pixels, 1, 24, 0, 0, 0, 0, 0, 0)
    row = bytes(rgb[::-1]) * pixels
    return header + (row + b"\0" * (-len(row) % 4)) * pixels


def wmf(*records: bytes, size: Point = (4000, 2000), placeable: bool = False) -> bytes:
    """A WMF whose window is of that size; `placeable` with the header that says how large it is on paper."""
    width, height = size
    window = wmf_record(0x020B, struct.pack("<2h", 0, 0)) + wmf_record(0x020C, struct.pack("<2h", height, width))
    body = window + b"".join(records) + wmf_record(0)
    head = struct.pack("<HHHIHIH", 1, 9, 0x300, 9 + len(body) // 2, 4, 100, 0)
    return (wmf_placeable(width, height) if placeable else b"") + head + body


def wmf_placeable(width: int, height: int) -> bytes:
    return b"\xd7\xcd\xc6\x9a" + struct.pack("<H4hHIH", 0, 0, 0, width, height, 1000, 0, 0)


def wmf_record(kind: int, content: bytes = b"") -> bytes:
    content += b"\0" * (len(content) % 2)
    return struct.pack("<IH", 3 + len(content) // 2, kind) + content


def wmf_text(words: bytes, at: Point = (100, 1000)) -> bytes:
    return wmf_record(0x0A32, struct.pack("<2hHH", at[1], at[0], len(words), 0) + words)


def wmf_font(number: int, height: int, face: str, *, charset: int = 0) -> bytes:
    font = struct.pack("<5h8B", -height, 0, 0, 0, 400, 0, 0, 0, charset, 0, 0, 0, 0) + face.encode() + b"\0"
    return wmf_record(0x02FB, font) + wmf_record(0x012D, struct.pack("<H", number))


def wmf_rectangle(left: int, top: int, right: int, bottom: int) -> bytes:
    return wmf_record(0x041B, struct.pack("<4h", bottom, right, top, left))


def svm(*actions: bytes, size: Point = (4000, 2000)) -> bytes:
    """An OpenOffice metafile in hundredths of a millimetre."""
    mode = _part(struct.pack("<H6i", 0, 0, 0, 1, 1, 1, 1) + b"\1")
    header = struct.pack("<I", 0) + mode + struct.pack("<2iI", *size, len(actions))
    return b"VCLMTF" + _part(header) + b"".join(actions)


def svm_action(kind: int, content: bytes) -> bytes:
    return struct.pack("<H", kind) + _part(content)


def svm_text(words: str, at: Point = (100, 1000)) -> bytes:
    narrow, wide = words.encode("ascii", "replace"), words.encode("utf-16-le")
    content = struct.pack("<2iH", *at, len(narrow)) + narrow + struct.pack("<HHI", 0, len(words), 0)
    return svm_action(113, content + struct.pack("<H", len(words)) + wide)


def _part(content: bytes) -> bytes:
    return struct.pack("<HI", 1, len(content)) + content
