"""Pictures of RTF: bytes written as digits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractors._album import Album

LEFT_OUT = "[an image that is left out]"
_NOT_DIGITS = re.compile(r"[^0-9a-fA-F]+")
#: Written as they would stand in a file.
_FILES = frozenset({"pngblip", "jpegblip", "emfblip", "wmetafile", "macpict"})
_BITMAPS = frozenset({"dibitmap"})
#: What says how a picture is coded.
KINDS = _FILES | _BITMAPS | frozenset({"pmmetafile", "wbitmap"})
_BMP_HEADER_BYTES = 14


@dataclass(slots=True, kw_only=True)
class RtfPicture:
    """A picture while its bytes come in."""

    kind: str = ""
    digits: list[str] = field(default_factory=list)
    binary: bytes = b""
    words: str = ""

    def reference(self, album: Album) -> str:
        """What stands in the text for it; "" for none."""
        data = self._data()
        if not data:
            return ""
        if self.kind in _FILES:
            return album.reference(data, self.words)
        if self.kind in _BITMAPS:
            return album.reference(_as_file(data), self.words)
        return f"{LEFT_OUT} ({self.words})" if self.words else LEFT_OUT

    def _data(self) -> bytes:
        return self.binary or bytes_of_digits(self.digits)


def bytes_of_digits(pieces: list[str]) -> bytes:
    """The bytes that digits stand for; whatever else stands among them is passed over."""
    digits = _NOT_DIGITS.sub("", "".join(pieces))
    return bytes.fromhex(digits[: len(digits) & ~1])


def _as_file(bitmap: bytes) -> bytes:
    """A Windows bitmap with the header that only files have."""
    header_bytes = int.from_bytes(bitmap[:4], "little")
    colours = int.from_bytes(bitmap[32:36], "little")
    bits = int.from_bytes(bitmap[14:16], "little")
    if colours == 0 and bits <= 8:
        colours = 1 << bits
    pixels_at = _BMP_HEADER_BYTES + header_bytes + 4 * min(colours, 256)
    size = (_BMP_HEADER_BYTES + len(bitmap)).to_bytes(4, "little")
    return b"BM" + size + b"\0\0\0\0" + pixels_at.to_bytes(4, "little") + bitmap
