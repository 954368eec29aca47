"""Loads the reader of HEIC pictures, and what makes its pictures fit."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pi_heif  # type: ignore[import-untyped] # ships no annotations
from PIL import Image


def samples() -> Iterator[tuple[str, bytes]]:
    """There is nothing here that writes HEIC, so its decoder is loaded and another picture read."""
    pi_heif.register_heif_opener()
    Image.init()
    file = io.BytesIO()
    Image.effect_noise((64, 48), 50).convert("CMYK").save(file, "JPEG")
    yield "picture.jpeg", file.getvalue()
