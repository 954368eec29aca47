"""The size that a picture's own header tells, and nothing that a stranger could make of it."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image

from extractors._pixel_size import pixel_size

SIZES = [(1, 1), (300, 200), (1568, 32), (33, 1567)]
SAVED = [
    ("PNG", "image/png", {}),
    ("GIF", "image/gif", {}),
    ("JPEG", "image/jpeg", {}),
    ("JPEG", "image/jpeg", {"progressive": True, "exif": b"Exif\0\0" + bytes(500), "comment": b"\xff" * 40}),
    ("WEBP", "image/webp", {}),
    ("WEBP", "image/webp", {"lossless": True}),
    ("WEBP", "image/webp", {"exif": b"Exif\0\0" + bytes(50)}),
]


def saved(size: tuple[int, int], file_format: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.effect_noise(size, 50).convert("RGB").save(file, file_format, **options)
    return file.getvalue()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("file_format", "media_type", "options"), SAVED)
def test_size_is_what_a_decoder_finds(size, file_format, media_type, options):
    assert pixel_size(saved(size, file_format, **options), media_type) == size


@pytest.mark.parametrize(("file_format", "media_type"), [(fmt, media_type) for fmt, media_type, _ in SAVED])
def test_broken_header_has_no_size_or_some_size_and_never_raises(file_format, media_type):
    data, chance = saved((30, 20), file_format), random.Random(1)
    for length in range(60):
        assert pixel_size(data[:length], media_type) in {None, (30, 20)}
    for _ in range(500):
        broken = bytearray(data)
        broken[chance.randrange(len(broken))] = chance.randrange(256)
        pixel_size(bytes(broken), media_type)


def test_unknown_type_has_no_size():
    assert pixel_size(saved((3, 2), "BMP"), "image/bmp") is None
