"""Pictures of kinds that few people know are shown like any other, upright and in their colours."""

from __future__ import annotations

import io
import struct
from typing import Any

import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractedImage, Status, extract_content
from extractors.detect import detect_media_type
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

RED, BLUE = (220, 30, 30), (30, 60, 220)
SIZE = (60, 40)


def scene() -> Image.Image:
    """Red on the left, blue on the right, white below."""
    image = Image.new("RGB", SIZE, "white")
    image.paste(RED, (0, 0, 30, 30))
    image.paste(BLUE, (30, 0, 60, 30))
    return image


def saved(file_format: str, image: Image.Image | None = None, **options: Any) -> bytes:
    buffer = io.BytesIO()
    (image or scene()).save(buffer, file_format, **options)
    return buffer.getvalue()


def rows(order: str, *, upside_down: bool = True, tail: bytes = b"") -> bytes:
    image = scene()
    lines = range(SIZE[1])[::-1] if upside_down else range(SIZE[1])
    places = ["RGB".index(letter) for letter in order]
    pixels: list[tuple[int, ...]] = [image.getpixel((x, y)) for y in lines for x in range(SIZE[0])]  # type: ignore[misc] # three bands
    return b"".join(bytes(pixel[place] for place in places) + tail for pixel in pixels)


def bmp(header: bytes, pixels: bytes) -> bytes:
    start = 14 + len(header)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + header + pixels


def windows_header(size: int, bits: int, packing: int = 0, height: int = SIZE[1]) -> bytes:
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000) if packing == 3 else b""
    head = struct.pack("<IiiHHIIiiII", size, SIZE[0], height, 1, bits, packing, 0, 0, 0, 0, 0) + masks
    return head.ljust(size, b"\0")


def photoshop() -> bytes:
    planes = b"".join(band.tobytes() for band in scene().split())
    head = b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, SIZE[1], SIZE[0], 8, 3)
    return head + bytes(12) + struct.pack(">H", 0) + planes


KINDS = {
    "JPEG 2000": ("x.jp2", "image/jp2", saved("JPEG2000")),
    "JPEG 2000 with transparency": ("x.jp2", "image/jp2", saved("JPEG2000", scene().convert("RGBA"))),
    "JPEG 2000 without a box": ("x.j2k", "image/jp2", saved("JPEG2000", no_jp2=True)),
    "Photoshop": ("x.psd", "image/vnd.adobe.photoshop", photoshop()),
    "Targa": ("x.tga", "image/x-tga", saved("TGA")),
    "Targa, packed": ("x.tga", "image/x-tga", saved("TGA", compression="tga_rle")),
    "portable map": ("x.ppm", "image/x-portable-anymap", saved("PPM")),
    "CMYK as Adobe writes it": ("x.jpg", "image/jpeg", saved("JPEG", scene().convert("CMYK"), quality=95)),
    "CMYK in TIFF": ("x.tif", "image/tiff", saved("TIFF", scene().convert("CMYK"))),
    "LAB in TIFF": ("x.tif", "image/tiff", saved("TIFF", scene().convert("LAB"))),
    "TIFF with JPEG inside": ("x.tif", "image/tiff", saved("TIFF", scene().convert("YCbCr"), compression="jpeg")),
    "TIFF with LZW": ("x.tif", "image/tiff", saved("TIFF", compression="tiff_lzw")),
    "bitmap of OS/2": ("x.bmp", "image/bmp", bmp(struct.pack("<IHHHH", 12, *SIZE, 1, 24), rows("BGR"))),
    "bitmap of OS/2, second version": ("x.bmp", "image/bmp", bmp(windows_header(64, 24), rows("BGR"))),
    "bitmap from the top": (
        "x.bmp",
        "image/bmp",
        bmp(windows_header(40, 24, height=-SIZE[1]), rows("BGR", upside_down=False)),
    ),
    "bitmap of 32 bits": ("x.bmp", "image/bmp", bmp(windows_header(40, 32), rows("BGR", tail=b"\0"))),
    "bitmap with an empty alpha": ("x.bmp", "image/bmp", bmp(windows_header(124, 32, 3), rows("BGR", tail=b"\0"))),
}


def assert_scene(image: ExtractedImage) -> None:
    shown = Image.open(io.BytesIO(image.data)).convert("RGB")
    assert shown.size == SIZE
    for place, colour in (((10, 10), RED), ((50, 10), BLUE), ((30, 36), (255, 255, 255))):
        pixel: tuple[int, ...] = shown.getpixel(place)  # type: ignore[assignment] # three bands
        assert all(abs(a - b) < 40 for a, b in zip(pixel, colour, strict=True)), (place, pixel)


def read(data: bytes, name: str = "picture") -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


@pytest.mark.parametrize("kind", KINDS)
def test_the_picture_is_shown_as_it_looks(kind: str) -> None:
    name, media_type, data = KINDS[kind]

    content = read(data, name)

    assert (content.status, content.media_type, content.warnings) == (Status.OK, media_type, ())
    assert_scene(content.images[0])
    assert (content.text or "").startswith("Image: 60 x 40 px, ")


async def test_they_are_shown_in_the_sandbox_too() -> None:
    async with SandboxedAttachmentExtractor() as extractor:
        for name, _, data in KINDS.values():
            content = await extractor.extract(data, file_metadata={"name": name})
            assert content.status is Status.OK, (name, content.note)
            assert_scene(content.images[0])


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_a_picture_is_turned_upright_from_all_eight_orientations(file_format: str, number: int) -> None:
    turns = (None, 0, 3, 1, 5, 2, 6, 4)
    turn = turns[number - 1]
    exif = Image.Exif()
    exif[0x0112] = number
    image = scene() if turn is None else scene().transpose(Image.Transpose(turn))

    content = read(saved(file_format, image, exif=exif, quality=95))

    assert_scene(content.images[0])
    assert (content.text or "").startswith("Image: 60 x 40 px, ")


@pytest.mark.parametrize("packing", ["group3", "group4", "packbits", "tiff_lzw"])
def test_a_fax_is_shown_black_on_white(packing: str) -> None:
    image = Image.new("1", (200, 100), 1)
    image.paste(0, (0, 0, 100, 100))

    shown = Image.open(io.BytesIO(read(saved("TIFF", image, compression=packing)).images[0].data)).convert("L")

    assert (shown.getpixel((20, 50)), shown.getpixel((180, 50))) == (0, 255)


def test_a_picture_of_which_nothing_is_meant_to_be_seen_stays_white() -> None:
    empty = Image.new("RGBA", (64, 64), (0, 0, 0, 0))

    shown = Image.open(io.BytesIO(read(saved("PNG", empty)).images[0].data)).convert("RGB")

    assert shown.getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize("text", ["P1 1 1 0", "P2\n# by hand\n2 1\n255\n0 255\n", "P3 1 1 255 0 0 0"])
def test_a_portable_map_in_digits_is_a_picture(text: str) -> None:
    assert read(text.encode()).images


@pytest.mark.parametrize(
    "text", ["P1 12 30 are the priorities of this week.", "P5 120 80 255 is the second port", "P6 0 0 0", "Page 1"]
)
def test_text_that_begins_like_a_portable_map_is_text(text: str) -> None:
    assert detect_media_type(text.encode()) == "text/plain"


def test_bytes_without_the_end_of_a_targa_are_not_tried_as_one() -> None:
    data = saved("TGA")[:-10]

    assert read(data, "x.tga").status is Status.REJECTED
    assert not read(data).images
