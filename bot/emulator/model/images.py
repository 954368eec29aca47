"""Opens every image of a request for real, as a strict provider would."""

from __future__ import annotations

import base64
import binascii
import io
import re

from PIL import Image

from bot.emulator.model.problems import Problem
from bot.emulator.wire import ModelOptions, SeenImage

_DATA_URL = re.compile(r"data:(image/(?:png|jpeg|webp|gif));base64,")
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/gif": "GIF"}


def decoded_image(url: str, options: ModelOptions) -> SeenImage:
    """The image behind a data URL, fully decoded; a Problem says what is wrong with it."""
    head = _DATA_URL.match(url[:64])
    if head is None:
        raise _bad_image("only data:image/png|jpeg|webp|gif;base64 addresses are taken")
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except binascii.Error as error:
        raise _bad_image(f"not base64: {error}") from None
    if len(data) > options.image_max_bytes:
        raise _bad_image(f"larger than {options.image_max_bytes} bytes")
    width, height = _opened(data, head[1], options)
    return SeenImage(media_type=head[1], width=width, height=height, size_bytes=len(data))


def _opened(data: bytes, media_type: str, options: ModelOptions) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.format != _FORMATS[media_type]:
                raise _bad_image(f"declared {media_type}, but the bytes are {image.format}")
            if image.width * image.height > options.image_max_pixels:
                raise _bad_image("Image exceeds the maximum allowed total pixels")
            if min(image.size) <= options.image_min_side_px:
                raise _bad_image(f"length and width must be larger than {options.image_min_side_px} pixels")
            if getattr(image, "n_frames", 1) > 1:
                raise _bad_image("animated")
            image.load()
            return image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise _bad_image(f"cannot be decoded: {error}") from None


def _bad_image(why: str) -> Problem:
    return Problem(400, f"Invalid image: {why}.", code="invalid_image_format", param="messages")
