"""The bitmaps inside metafiles (DIB), decoded by Pillow after they got the header that only files have."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import TYPE_CHECKING

from extractors._metafile.scene import MAX_BITMAP_PIXELS, Scene

if TYPE_CHECKING:
    from PIL import Image

_CORE_HEADER_BYTES, _INFO_HEADER_BYTES, _FILE_HEADER_BYTES = 12, 40, 14
_BIT_FIELDS = 3
_OPENOFFICE_PACKING = b"SD\0\x01"
#: Ways of packing that are a JPEG or a PNG as it would stand in a file.
_FILES_INSIDE = frozenset({4, 5})
#: Raster operations that combine; all others that have a source are shown as copies.
_MIXINGS = {0x8800C6: "and", 0xEE0086: "or", 0x660046: "xor"}


def mixing_of(operation: int) -> str:
    """How a raster operation lays a picture over what is below."""
    return _MIXINGS.get(operation, "copy")


def decoded(header: bytes, pixels: bytes, scene: Scene) -> Image.Image | None:
    """A DIB as a picture; None where it is broken, of no kind that is known, or one too many for the scene."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - a parser loads with the first file that needs it

    file = _as_file(header, pixels)
    if file is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(file), formats=("BMP", "JPEG", "PNG")) as image:
                scene.pixels_left -= image.width * image.height
                if scene.pixels_left < 0:
                    return None
                image.load()
                return image.copy()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, struct.error):
        return None


def translucent(header: bytes, pixels: bytes, scene: Scene) -> Image.Image | None:
    """A DIB whose pixels say how much shows through; None where they don't."""
    from PIL import Image  # noqa: PLC0415 - a parser loads with the first file that needs it

    if len(header) < _INFO_HEADER_BYTES:
        return None
    width, height, _, bits, compression = struct.unpack_from("<iiHHI", header, 4)
    count = width * abs(height)
    if bits != 32 or compression not in {0, _BIT_FIELDS} or width <= 0 or not 0 < 4 * count <= len(pixels):
        return None
    scene.pixels_left -= count
    if scene.pixels_left < 0 or not any(pixels[3 : 4 * count : 4]):
        return None
    return Image.frombytes("RGBA", (width, abs(height)), pixels[: 4 * count], "raw", "BGRa", 0, -1 if height > 0 else 1)


def decoded_whole(dib: bytes, scene: Scene) -> Image.Image | None:
    """The same for a DIB whose pixels follow its header and its colours."""
    return decoded(dib, dib[_head_bytes(dib) :], scene)


def decoded_file(data: bytes, scene: Scene) -> tuple[Image.Image | None, int]:
    """A bitmap that begins as in a file, packed perhaps as OpenOffice does; and where it ends."""
    dib = data[_FILE_HEADER_BYTES:]
    head_bytes, packing = _head_bytes(dib), dib[16:20]
    if not head_bytes:
        return None, len(data)
    if packing != _OPENOFFICE_PACKING:
        width, height, _, bits = struct.unpack_from("<iiHH", dib.ljust(_INFO_HEADER_BYTES), 4)
        end = head_bytes + (width * bits + 31) // 32 * 4 * abs(height)
        return decoded(dib, dib[head_bytes:end], scene), _FILE_HEADER_BYTES + end
    coded, plain, _ = struct.unpack_from("<III", dib.ljust(head_bytes + 12, b"\0"), head_bytes)
    end = head_bytes + 12 + coded
    try:
        pixels = zlib.decompressobj().decompress(dib[head_bytes + 12 : end], min(plain, MAX_BITMAP_PIXELS * 4) or 1)
    except zlib.error:
        return None, _FILE_HEADER_BYTES + end
    return decoded(dib[:16] + bytes(4) + dib[20:], pixels, scene), _FILE_HEADER_BYTES + end


def _as_file(header: bytes, pixels: bytes) -> bytes | None:
    head_bytes = _head_bytes(header)
    if not head_bytes:
        return None
    if head_bytes >= _INFO_HEADER_BYTES and int.from_bytes(header[16:20], "little") in _FILES_INSIDE:
        return pixels
    pixels_at = _FILE_HEADER_BYTES + head_bytes
    head = header[:head_bytes].ljust(head_bytes, b"\0")
    return b"BM" + struct.pack("<IHHI", pixels_at + len(pixels), 0, 0, pixels_at) + head + pixels


def _head_bytes(dib: bytes) -> int:
    """The bytes before the pixels: the header, its masks and its colours; 0 where it is none."""
    if len(dib) < _CORE_HEADER_BYTES:
        return 0
    header_bytes = int.from_bytes(dib[:4], "little")
    if header_bytes == _CORE_HEADER_BYTES:
        bits = int.from_bytes(dib[10:12], "little")
        return header_bytes + (3 << bits if bits <= 8 else 0)
    if not _INFO_HEADER_BYTES <= header_bytes <= len(dib):
        return 0
    bits, compression = struct.unpack_from("<HI", dib, 14)
    colours = int.from_bytes(dib[32:36], "little") or (1 << bits if bits <= 8 else 0)
    is_masked = compression == _BIT_FIELDS and header_bytes == _INFO_HEADER_BYTES
    return header_bytes + 4 * min(colours, 256) + 12 * is_masked
