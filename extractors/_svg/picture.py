"""A picture of a drawing.

resvg draws everything but text, for it reads fonts from files, and a confined reader opens none; MuPDF has its fonts
inside, Chinese too, and draws the text over that.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from extractors._images import fit_raster
from extractors._svg.tree import Element, depth, drop_foreign, keep_text, local_name, parse_drawing, serialized
from extractors.content import ExtractedImage, Status
from extractors.format import Unreadable
from extractors.limits import MIB, ExtractLimits

if TYPE_CHECKING:
    from PIL import Image

MAX_DRAWN_BYTES = 8 * MIB
#: resvg overflows its stack somewhere above 200.
MAX_DRAWN_DEPTH = 120
#: A drawing has no pixels of its own; so many that small words can be read.
DRAWN_SIDE_PX = 1_200
MAX_ASPECT = 20
#: At the library's own 0, a drawing measured in points or inches has no size.
DPI = 96.0
_LENGTH = re.compile(r"\s*([\d.]+)\s*(?!%)")


def draw(data: bytes, limits: ExtractLimits, *, name: str | None = None) -> ExtractedImage:
    """The drawing as a picture fit for a model. Raises `Unreadable` where it cannot be drawn."""
    return fit_raster(_drawn(data, limits), limits, name=name)


def drawn_png(data: bytes, limits: ExtractLimits) -> bytes:
    """The drawing as a PNG, for whoever takes pictures as bytes. Raises `Unreadable` where it cannot be drawn."""
    file = io.BytesIO()
    _drawn(data, limits).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _drawn(data: bytes, limits: ExtractLimits) -> Image.Image:
    import resvg_py  # noqa: PLC0415 - a parser loads with the first file that needs it
    from PIL import Image  # noqa: PLC0415 - the same

    root = parse_drawing(data)
    drop_foreign(root, limits)
    source = serialized(root)
    if depth(root) > MAX_DRAWN_DEPTH:
        raise Unreadable(Status.REJECTED, "the drawing nests too deeply to be drawn")
    if len(source) > MAX_DRAWN_BYTES:
        raise Unreadable(Status.REJECTED, "the drawing is too large to be drawn")
    width, height = _size(root)
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise Unreadable(Status.REJECTED, "the drawing is too long and narrow to be drawn")
    side = min(DRAWN_SIDE_PX, limits.image_max_side_px)
    try:
        png = resvg_py.svg_to_bytes(
            svg_string=source,
            skip_system_fonts=True,
            background="white",
            dpi=DPI,
            width=side,  # both, or a file that misstates one of its sides gets a picture without bound
            height=side,
        )
        image = Image.open(io.BytesIO(png), formats=("PNG",)).convert("RGB")
    except BaseException as exc:
        # A panic of Rust is no Exception, and its class can't be imported.
        if not isinstance(exc, ValueError | OSError) and type(exc).__name__ != "PanicException":
            raise
        raise Unreadable(Status.REJECTED, "the drawing cannot be drawn") from exc
    return _with_text(image, root)


def _with_text(image: Image.Image, root: Element) -> Image.Image:
    """The picture with the drawing's text over it; changes the tree."""
    import pymupdf  # noqa: PLC0415 - a parser loads with the first file that needs it
    from PIL import Image  # noqa: PLC0415 - the same

    if not any(local_name(element) == "text" for element in root.iter()):
        return image
    keep_text(root)
    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - the library's own signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003 - the library's own signature
    try:
        with pymupdf.open(stream=serialized(root).encode(), filetype="svg") as document:
            page = document[0]
            matrix = pymupdf.Matrix(image.width / page.rect.width, image.height / page.rect.height)
            text = page.get_pixmap(matrix=matrix, alpha=True)
    except (RuntimeError, ValueError, ZeroDivisionError):
        return image  # the words are in the text already
    layer = Image.frombytes("RGBA", (text.width, text.height), text.samples)
    image.paste(layer, (0, 0), layer)
    return image


def _size(root: Element) -> tuple[float, float]:
    """Width and height in whatever unit, by the view box or the attributes; a square where neither tells."""
    box = [float(number) for number in re.findall(r"-?[\d.]+", root.get("viewBox", "")) if number.strip("-.")]
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        return box[2], box[3]
    sides = [_LENGTH.match(root.get(name, "")) for name in ("width", "height")]
    numbers = [float(side[1]) if side and side[1].strip(".") else 0.0 for side in sides]
    return (numbers[0], numbers[1]) if min(numbers) > 0 else (1.0, 1.0)
