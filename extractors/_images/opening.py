"""Pictures opened: which decoders are used, what is known before a picture is decoded, and what goes wrong."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from extractors._magic import PICT, TARGA_END, type_of_signature
from extractors._metafile.drawing import Undrawn
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    from PIL import Image

EXIF_ORIENTATION = 0x0112
#: The orientations that swap width and height.
SIDEWAYS = frozenset({5, 6, 7, 8})
#: Only these decoders: others start programs (EPS) or are hardly maintained.
OPENED_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "DIB", "TIFF", "ICO", "AVIF", "JPEG2000", "PSD", "PPM")
#: Of the pictures that begin like HEIC, those that Pillow reads by itself.
AVIF_BRANDS = frozenset({b"avif", b"avis"})
#: What stands in documents as a picture, is whole, and is drawn by no reader here.
UNDRAWN = {"application/pdf": "a PDF", "application/postscript": "PostScript", PICT: "a Macintosh drawing"}
#: From here on a picture that is scaled down as a whole cannot be read.
LONG_ASPECT = 3
#: Smaller or longer pictures are refused by one endpoint or another; they get a white margin.
MIN_SIDE_PX = 32
MAX_ASPECT = 50


class ImageFacts(NamedTuple):
    """Upright size in pixels, format as Pillow names it, frames or pages."""

    width: int
    height: int
    format_name: str
    frames: int

    def is_long(self, limits: ExtractLimits) -> bool:
        """True for a picture that should be shown in parts."""
        long, short = max(self.width, self.height), min(self.width, self.height)
        return LONG_ASPECT * short <= long <= MAX_ASPECT * short and long > 1.5 * limits.image_max_side_px


def image_dimensions(data: bytes, media_type: str | None = None) -> tuple[int, int] | None:  # noqa: ARG001 - the header tells; public signature
    """Width and height in pixels by the header alone, None where there is no image. Never raises."""
    try:
        with opened(data) as image:
            return image.size
    except Unreadable:
        return None


def facts(data: bytes, limits: ExtractLimits) -> ImageFacts:
    """What can be said of the picture in `data` before it is decoded. May raise `Unreadable`."""
    with opened(data) as image:
        check_pixels(image, limits)
        width, height = image.size
        if orientation(image) in SIDEWAYS and image.format != "TIFF":  # which Pillow has swapped already
            width, height = height, width
        if image.format == "MPO":  # a phone's JPEG with previews behind it
            return ImageFacts(width, height, "JPEG", 1)
        if image.format == "PSD":  # the layers are parts of the one picture
            return ImageFacts(width, height, "PSD", 1)
        return ImageFacts(width, height, image.format or "unknown", getattr(image, "n_frames", 1))


@contextmanager
def opened(data: bytes) -> Iterator[Image.Image]:
    """The picture by its header; errors of the decoders inside the block become `Unreadable`."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - a parser loads with the first file that needs it

    try:
        with warnings.catch_warnings():
            # Pillow warns about odd metadata, and about sizes that we check against a limit of our own.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_formats(data)) as image:
                yield image
    except (Unreadable, MemoryError):
        raise
    except Image.DecompressionBombError:
        raise Unreadable(Status.REJECTED, "the image has too many pixels") from None
    except UnidentifiedImageError:
        raise _unknown(data) from None
    except Exception as exc:
        # Decoders raise nearly anything on broken data: OSError, SyntaxError, struct.error, ValueError.
        raise Unreadable(Status.REJECTED, f"the image is broken or cut off ({type(exc).__name__})") from exc


def _unknown(data: bytes) -> Unreadable:
    kind = UNDRAWN.get(type_of_signature(data) or "")
    if kind is not None:
        return Undrawn(f"the image is {kind}, which is not drawn")
    return Unreadable(Status.REJECTED, "the image is broken or of an unknown kind")


def _formats(data: bytes) -> tuple[str, ...]:
    """The decoders for these bytes. AVIF is kept from starting threads; Pillow is taught HEIC only where it is met."""
    if data[4:8] != b"ftyp":
        return (*OPENED_FORMATS, "TGA") if data.endswith(TARGA_END) else OPENED_FORMATS
    if data[8:12] in AVIF_BRANDS:
        from PIL import AvifImagePlugin  # noqa: PLC0415 - a parser loads with the first file that needs it

        AvifImagePlugin.DEFAULT_MAX_THREADS = 1
        return OPENED_FORMATS
    try:
        import pi_heif  # type: ignore[import-untyped] # noqa: PLC0415 # untyped; loads with the first file that needs it
    except (ImportError, OSError):  # a zygote that does not have it, whose children can open nothing
        raise Unreadable(Status.UNSUPPORTED, "HEIC pictures are read only as files of their own") from None

    pi_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=0)
    return (*OPENED_FORMATS, "HEIF")


def orientation(image: Image.Image) -> int:
    """How it must be turned to stand upright, as cameras write it; 1 for not at all."""
    if image.format == "PNG" and "exif" not in image.info:
        return 1  # Pillow would decode the whole picture to look for it at the end
    found = image.getexif().get(EXIF_ORIENTATION, 1)
    return found if isinstance(found, int) else 1


def check_pixels(image: Image.Image, limits: ExtractLimits) -> None:
    """Raises `Unreadable` for a picture that would take too much memory."""
    pixels = image.width * image.height
    if pixels > limits.image_decode_max_pixels:
        raise Unreadable(
            Status.REJECTED,
            f"the image has too many pixels ({image.width:,} x {image.height:,}; "
            f"{limits.image_decode_max_pixels:,} are allowed)",
        )
