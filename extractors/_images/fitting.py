"""Pictures made fit for a model: upright, RGB, JPEG or PNG, within the limits. Pillow is imported where it is used."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from extractors._images.opening import MAX_ASPECT, MIN_SIDE_PX, check_pixels, opened, orientation
from extractors.content import ExtractedImage, Status
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    from PIL import Image

JPEG_QUALITIES = (85, 70, 50, 30)
#: Line art and screenshots of text are sharper as PNG, and often smaller.
MAX_PNG_COLOURS = 256
#: What a model takes as it is, with the modes that no endpoint misreads (no CMYK, no transparency).
PASSED_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
PASSED_MODES = frozenset({"RGB", "L", "1"})
#: Frames of an animation are decoded one after the other up to the wanted one; so many pixels in all.
MAX_ANIMATION_PIXELS = 300_000_000
MAX_PARTS = 6
PART_OVERLAP = 0.05


def fit_image(data: bytes, limits: ExtractLimits, *, name: str | None = None) -> ExtractedImage:
    """The (first) picture in `data`, fit for a model; unchanged where it is so already. May raise `Unreadable`."""
    with opened(data) as image:
        check_pixels(image, limits)
        return _passed(image, data, limits, name) or fit_raster(image, limits, name=name)


def fit_frames(data: bytes, limits: ExtractLimits, *, name: str = "frame") -> list[ExtractedImage]:
    """The frames of an animation, evenly spread, or the first pages: as many as `animation_max_frames`."""
    with opened(data) as image:
        check_pixels(image, limits)
        frames = []
        for number in _frame_numbers(image, limits):
            image.seek(number)
            frames.append(fit_raster(image.copy(), limits, name=f"{name} {number + 1}"))
        return frames


def fit_parts(data: bytes, limits: ExtractLimits, *, name: str = "part") -> list[ExtractedImage]:
    """A very long picture, such as a screenshot of a whole chat, cut across into parts that stay legible."""
    with opened(data) as found:
        check_pixels(found, limits)
        image = _upright(found)
        length = max(image.size)
        parts = min(MAX_PARTS, math.ceil(length / limits.image_max_side_px))
        cut = []
        for number in range(parts):
            # Each part begins a little early, so that no line of text is cut in all of them.
            start = max(0, round(length * (number / parts - PART_OVERLAP / parts)))
            end = round(length * (number + 1) / parts)
            box = (0, start, image.width, end) if image.height == length else (start, 0, end, image.height)
            cut.append(fit_raster(image.crop(box), limits, name=f"{name} {number + 1}"))
        return cut


def fit_pixels(rgb: bytes, size: tuple[int, int], limits: ExtractLimits, *, name: str | None = None) -> ExtractedImage:
    """A picture given as rows of RGB bytes, fit for a model."""
    from PIL import Image  # noqa: PLC0415 - a parser loads with the first file that needs it

    return fit_raster(Image.frombytes("RGB", size, rgb), limits, name=name)


def fit_raster(image: Image.Image, limits: ExtractLimits, *, name: str | None = None) -> ExtractedImage:
    """An opened picture, turned upright, scaled down, flattened, padded and encoded."""
    fitted = _padded(_flattened(_upright(_scaled(image, limits))))
    for _ in range(8):
        encoded = _encoded(fitted, limits, name)
        if encoded is not None:
            return encoded
        fitted = fitted.resize((max(MIN_SIDE_PX, fitted.width * 2 // 3), max(MIN_SIDE_PX, fitted.height * 2 // 3)))
    raise Unreadable(Status.REJECTED, "the image cannot be made small enough")


def _passed(image: Image.Image, data: bytes, limits: ExtractLimits, name: str | None) -> ExtractedImage | None:
    """The bytes as they are, once they have been decoded without an error; None where something must change."""
    width, height = image.size
    fits = (
        image.format in PASSED_TYPES
        and image.mode in PASSED_MODES
        and getattr(image, "n_frames", 1) == 1
        and orientation(image) == 1
        and len(data) <= _max_bytes(limits)
        and _scale(width, height, limits) == 1
        and _padded_size(width, height) == (width, height)
        and "transparency" not in image.info
    )
    if not fits or image.format is None:
        return None
    image.load()
    return ExtractedImage(data, PASSED_TYPES[image.format], width=width, height=height, name=name)


def _frame_numbers(image: Image.Image, limits: ExtractLimits) -> list[int]:
    total = getattr(image, "n_frames", 1)
    wanted = min(total, limits.animation_max_frames)
    if image.format == "TIFF":
        return list(range(wanted))
    reachable = max(1, min(total, MAX_ANIMATION_PIXELS // max(1, image.width * image.height)))
    return sorted({index * reachable // wanted for index in range(wanted)})


def _max_bytes(limits: ExtractLimits) -> int:
    return min(limits.image_max_bytes, limits.image_max_output_bytes)


def _scale(width: int, height: int, limits: ExtractLimits) -> float:
    """The factor that brings a picture within its side and its pixels; 1 where it is."""
    return min(
        1.0, limits.image_max_side_px / max(width, height), math.sqrt(limits.image_max_pixels / (width * height))
    )


def _scaled(image: Image.Image, limits: ExtractLimits) -> Image.Image:
    """Scaled down before anything else, so that later steps touch few pixels; JPEG is even decoded small."""
    factor = _scale(*image.size, limits)
    if factor == 1:
        return image
    size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
    if image.mode in {"1", "P", "PA"}:
        image = image.convert("L" if image.mode == "1" else "RGBA")
    image.thumbnail(size, reducing_gap=2.0)
    return image


def _upright(image: Image.Image) -> Image.Image:
    from PIL import ImageOps  # noqa: PLC0415 - a parser loads with the first file that needs it

    return ImageOps.exif_transpose(image)


def _flattened(image: Image.Image) -> Image.Image:
    """RGB on white; numbers beyond eight bits are spread over them."""
    if image.mode.startswith(("I", "F")):
        image = _eight_bits(image)
    if image.mode in {"RGBA", "LA", "PA", "La", "RGBa"} or "transparency" in image.info:
        layer = image.convert("RGBA")
        colours = layer.convert("RGB")
        if layer.getchannel("A").getextrema() == (0, 0) and colours.getcolors(1) is None:
            return colours  # a picture that nobody would see: the channel is not meant
        ground = _ground(layer.size)
        ground.paste(layer, mask=layer.getchannel("A"))
        return ground
    return image if image.mode == "RGB" else image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    values = image.convert("F")
    low, high = values.getextrema()
    if not isinstance(low, float) or not isinstance(high, float):
        return image.convert("L")
    factor = 255 / (high - low) if high > low else 0.0
    return values.point(lambda value: value * factor - low * factor).convert("L")


def _padded_size(width: int, height: int) -> tuple[int, int]:
    return (
        max(width, MIN_SIDE_PX, math.ceil(height / MAX_ASPECT)),
        max(height, MIN_SIDE_PX, math.ceil(width / MAX_ASPECT)),
    )


def _padded(image: Image.Image) -> Image.Image:
    size = _padded_size(*image.size)
    if size == image.size:
        return image
    ground = _ground(size)
    ground.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
    return ground


def _ground(size: tuple[int, int]) -> Image.Image:
    from PIL import Image  # noqa: PLC0415 - a parser loads with the first file that needs it

    return Image.new("RGB", size, "white")


def _encoded(image: Image.Image, limits: ExtractLimits, name: str | None) -> ExtractedImage | None:
    """PNG where it is lossless and smaller, else JPEG at the best quality that fits; None where none fits."""
    jpeg = _saved(image, "JPEG", quality=JPEG_QUALITIES[0])
    if image.getcolors(MAX_PNG_COLOURS) is not None:
        png = _saved(image, "PNG")
        if len(png) <= min(len(jpeg), _max_bytes(limits)):
            return ExtractedImage(png, "image/png", width=image.width, height=image.height, name=name)
    for quality in JPEG_QUALITIES[1:]:
        if len(jpeg) <= _max_bytes(limits):
            break
        jpeg = _saved(image, "JPEG", quality=quality)
    if len(jpeg) > _max_bytes(limits):
        return None
    return ExtractedImage(jpeg, "image/jpeg", width=image.width, height=image.height, name=name)


def _saved(image: Image.Image, format_name: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format_name, **options)
    return buffer.getvalue()
