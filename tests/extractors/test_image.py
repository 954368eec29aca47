"""Pictures are made fit for a model: upright, flat, small enough, legible; broken ones are refused kindly."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractedImage, ExtractLimits, Kind, Status, extract_content, image_dimensions


def saved(image: Image.Image, file_format: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def read(data: bytes, name: str = "picture", **limits: int) -> ExtractedContent:
    return extract_content(data, media_type="", name=name, limits=ExtractLimits(**limits))


def opened(image: ExtractedImage) -> Image.Image:
    found = Image.open(io.BytesIO(image.data))
    assert found.size == (image.width, image.height)
    assert Image.MIME[found.format or ""] == image.media_type
    return found


def photo(width: int, height: int) -> Image.Image:
    """Noise in colour: many colours, so no line art."""
    return Image.merge("RGB", [Image.effect_noise((width, height), 40 + 20 * band) for band in range(3)])


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_a_picture_that_fits_passes_unchanged(file_format: str) -> None:
    data = saved(photo(300, 200), file_format)

    content = read(data)

    assert [image.data for image in content.images] == [data]
    assert content.text == f"Image: 300 x 200 px, {file_format}\n\n[image: image]"
    assert (content.kind, content.status, content.note) == (Kind.IMAGE, Status.OK, None)
    assert content.images[0].name == "image"


@pytest.mark.parametrize("file_format", ["GIF", "BMP", "TIFF", "ICO", "AVIF"])
def test_other_formats_become_jpeg_or_png(file_format: str) -> None:
    content = read(saved(photo(64, 64), file_format))

    assert content.status is Status.OK
    assert content.images[0].media_type in {"image/jpeg", "image/png"}
    opened(content.images[0])


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr", "I;16", "I", "F"])
def test_every_kind_of_pixel_becomes_rgb(mode: str) -> None:
    source = Image.linear_gradient("L")
    image = (
        source.convert(mode) if mode != "I;16" else source.convert("I").point(lambda value: value * 257).convert(mode)
    )
    data = saved(image, "TIFF")

    shown = opened(read(data).images[0]).convert("L")

    assert shown.getpixel((128, 5)) < 60  # type: ignore[operator] # one band gives one number
    assert shown.getpixel((128, 250)) > 190  # type: ignore[operator] # one band gives one number


def test_a_picture_taken_sideways_is_turned_upright() -> None:
    image = Image.new("RGB", (300, 100), "red")
    image.paste("blue", (150, 0, 300, 100))
    exif = Image.Exif()
    exif[0x0112] = 6

    content = read(saved(image, "JPEG", exif=exif))

    shown = opened(content.images[0]).convert("RGB")
    assert shown.size == (100, 300)
    assert (content.text or "").startswith("Image: 100 x 300 px, JPEG")
    red, blue = shown.getpixel((50, 20)), shown.getpixel((50, 280))
    assert isinstance(red, tuple)
    assert isinstance(blue, tuple)
    assert red[0] > 200 > red[2]
    assert blue[2] > 200 > blue[0]


def test_what_is_transparent_is_shown_on_white() -> None:
    shown = opened(read(saved(Image.new("RGBA", (64, 64), (0, 0, 0, 0)))).images[0])

    assert shown.convert("RGB").getpixel((9, 9)) == (255, 255, 255)


def test_a_large_picture_is_scaled_down_and_keeps_its_shape() -> None:
    shown = opened(read(saved(photo(2400, 1800), "JPEG")).images[0])

    assert shown.size == (1568, 1176)
    assert shown.format == "JPEG"


def test_fewer_pixels_can_be_asked_for() -> None:
    shown = opened(read(saved(photo(600, 600), "JPEG"), image_max_pixels=90_000).images[0])

    assert shown.size == (300, 300)


def test_the_size_in_bytes_is_kept_to() -> None:
    content = read(saved(photo(1000, 1000), "JPEG", quality=95), image_max_output_bytes=60_000)

    assert len(content.images[0].data) <= 60_000
    opened(content.images[0])


def test_line_art_stays_sharp_as_png() -> None:
    shown = opened(read(saved(Image.new("RGB", (3000, 2000), "white"), "BMP")).images[0])

    assert shown.format == "PNG"


@pytest.mark.parametrize("size", [(1, 1), (5, 400), (3000, 4), (4, 3000)])
def test_tiny_and_thin_pictures_get_a_margin(size: tuple[int, int]) -> None:
    shown = opened(read(saved(Image.new("RGB", size, "red"))).images[0])

    assert min(shown.size) >= 32
    assert max(shown.size) <= 50 * min(shown.size)


def test_a_long_screenshot_is_shown_in_parts_from_top_to_bottom() -> None:
    image = Image.new("RGB", (600, 4800))
    for band in range(48):
        image.paste((band * 5, 0, 0), (0, band * 100, 600, band * 100 + 100))

    content = read(saved(image))

    tops = [opened(part).convert("RGB").getpixel((5, 0)) for part in content.images]
    assert len(tops) == 4
    assert tops == sorted(tops)  # type: ignore[type-var] # each is a triple
    assert [part.name for part in content.images] == ["part 1", "part 2", "part 3", "part 4"]
    assert "[image: part 4]" in (content.text or "")


def test_an_animation_shows_frames_from_beginning_to_end() -> None:
    frames = [Image.new("RGB", (60, 60), (index * 4, 0, 0)) for index in range(40)]

    content = read(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))

    assert [image.name for image in content.images] == ["frame 1", "frame 11", "frame 21", "frame 31"]
    assert content.status is Status.OK
    assert "animation of 40 frames" in (content.text or "")


def test_a_file_of_several_pages_shows_the_first_and_names_the_others() -> None:
    pages = [photo(64, 64) for _ in range(6)]

    content = read(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]))

    assert content.total_pages == 6
    assert len(content.images) == 4
    assert content.status is Status.PARTIAL
    assert "pages 5 to 6 of 6" in (content.note or "")


def test_a_picture_that_is_cut_off_is_refused_and_never_passed_on() -> None:
    content = read(saved(photo(400, 400), "JPEG")[:-20_000])

    assert content.status is Status.REJECTED
    assert content.images == ()
    assert "broken or cut off" in (content.note or "")


def png_head(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [10_001, 48_000])
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(side: int) -> None:
    content = read(png_head(side, side))

    assert content.status is Status.REJECTED
    assert "too many pixels" in (content.note or "")


@pytest.mark.parametrize("magic", [b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"II*\0"])
def test_a_signature_before_rubbish_is_refused(magic: bytes) -> None:
    assert read(magic + b"rubbish" * 20).status is Status.REJECTED


def test_dimensions_are_read_from_the_header_alone() -> None:
    assert image_dimensions(saved(photo(70, 40), "JPEG")) == (70, 40)
    assert image_dimensions(png_head(9_000, 9_000), "image/png") == (9_000, 9_000)


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7", bytes(1_000)])
def test_dimensions_of_what_is_no_picture_are_none(data: bytes) -> None:
    assert image_dimensions(data) is None
