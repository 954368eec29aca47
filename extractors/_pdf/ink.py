"""Whether what is written on a page can be seen: it may lack ink or size, or have the colour of its ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from extractors._pdf.drawn import Drawn, area, is_inside
from extractors._pdf.turned import Rect, Turn

if TYPE_CHECKING:
    import pymupdf

#: In points.
TINY_SIZE = 2.0
#: Fewer letters of another size do not make small ones hidden: the page is small as a whole.
MIN_LEGIBLE_CHARS = 20
#: Of 255: with less nothing is seen.
MIN_ALPHA = 13
#: Colours as bright as this in each channel are seen only on another ground.
NEARLY_WHITE = 0xE0
#: Pixels that differ by less look the same.
MIN_CONTRAST = 20
#: MuPDF's flags of letters: filled or stroked; or what is drawn later is seen through them.
INKED = 16 | 32
CLIPPING = 64
#: Of the height of a line, above and below its small letters.
MARGIN = 0.3
#: A page with more strokes, larger pictures or longer sides takes too long to be drawn for this.
MAX_STROKES = 5_000
MAX_IMAGE_PIXELS = 20_000_000
MAX_SIDE = 2_000
#: A picture of so much of the page is a scan, and what is written over it without ink is what was recognised in it.
SCAN_SHARE = 0.3


class Ink:
    """Tells hidden letters of one page from others. The page is drawn only where something asks for it."""

    def __init__(self, page: pymupdf.Page, drawn: Drawn, blocks: Iterable[Mapping[str, Any]]) -> None:
        self._page = page
        self._drawn = drawn
        self._blocks = blocks
        self._turn = Turn.of(page)

    def hides(self, span: Mapping[str, Any]) -> bool:
        """True for letters that nobody sees."""
        if span["size"] < TINY_SIZE and span["bbox"][3] - span["bbox"][1] < 2 * TINY_SIZE and self._has_legible_text:
            return True
        if span["char_flags"] & CLIPPING:
            return False
        is_bare = span["alpha"] < MIN_ALPHA or not span["char_flags"] & INKED
        colour = span["color"]
        is_bright = min(colour >> 16 & 0xFF, colour >> 8 & 0xFF, colour & 0xFF) >= NEARLY_WHITE
        if not is_bright and not is_bare:
            return False
        box = self._turn.box(span["bbox"])
        return not (is_bare and self._is_on_scan(box)) and self._is_uniform(box)

    @cached_property
    def _has_legible_text(self) -> bool:
        spans = (span for block in self._blocks for line in block.get("lines", ()) for span in line["spans"])
        letters = sum(_length(span) for span in spans if span["size"] >= TINY_SIZE)
        return letters >= MIN_LEGIBLE_CHARS

    def _is_on_scan(self, box: Rect) -> bool:
        return any(is_inside(box, image) for image in self._scans)

    @cached_property
    def _scans(self) -> list[Rect]:
        least = SCAN_SHARE * area(tuple(self._page.rect))
        return [image for image in self._drawn.images if area(image) >= least]

    def _is_uniform(self, box: Rect) -> bool:
        """True where nothing is seen in the box: all of it has one colour."""
        if self._pixels is None:
            return False
        pixels, (x0, y0, x1, y1) = self._pixels, _middle(box)
        left, right = max(int(x0), 0), min(int(x1) + 1, pixels.width)
        top, bottom = max(int(y0), 0), min(int(y1) + 1, pixels.height)
        if left >= right or top >= bottom:
            return False
        samples, stride = pixels.samples_mv, pixels.stride
        rows = [bytes(samples[y * stride + left * 3 : y * stride + right * 3]) for y in range(top, bottom)]
        band = b"".join(rows)
        return all(max(band[channel::3]) - min(band[channel::3]) < MIN_CONTRAST for channel in range(3))

    @cached_property
    def _pixels(self) -> Any:
        bounds = self._page.rect
        if self._drawn.strokes > MAX_STROKES or max(bounds.width, bounds.height) > MAX_SIDE:
            return None
        if self._drawn.images and any(
            info["width"] * info["height"] > MAX_IMAGE_PIXELS for info in self._page.get_image_info()
        ):
            return None
        return self._page.get_pixmap(alpha=False)


def is_wordless(span: Mapping[str, Any]) -> bool:
    """True for a span of nothing but blanks and signs, such as boxes to tick, which may have one colour all over."""
    text = span["text"] if "text" in span else "".join(char["c"] for char in span["chars"])
    return not any(map(str.isalnum, text))


def _length(span: Mapping[str, Any]) -> int:
    return len(span["text"]) if "text" in span else len(span["chars"])


def _middle(box: Rect) -> Rect:
    """Where the small letters of a line stand, whichever way it runs."""
    x0, y0, x1, y1 = box
    if x1 - x0 >= y1 - y0:
        margin = (y1 - y0) * MARGIN
        return x0, y0 + margin, x1, y1 - margin
    margin = (x1 - x0) * MARGIN
    return x0 + margin, y0, x1 - margin, y1
