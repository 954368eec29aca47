"""One page of a PDF: its text in reading order, its ruled tables, what its text layer is worth, and its picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from extractors import markdown
from extractors._images import fit_pixels
from extractors._pdf.aligned import gathered
from extractors._pdf.annotations import squeezed
from extractors._pdf.drawn import Drawn
from extractors._pdf.figures import Figures
from extractors._pdf.letters import is_garbled
from extractors._pdf.line_ends import unbroken
from extractors._pdf.lines import (
    Line,
    believable_lines,
    in_directions,
    main_direction,
    outside_lines,
    page_lines,
)
from extractors._pdf.tables import ruled_tables
from extractors._pdf.turned import LEVEL
from extractors._reading_order import paragraphs
from extractors.content import ExtractedImage, Status
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    import pymupdf

#: Fewer rules make no table.
MIN_TABLE_RULES = 4
#: Of a page; where more is hidden, it is mostly another page that was cut off.
MAX_HIDDEN_CHARS = 1_000
#: What is shorter may be written twice by chance.
MIN_COPY_CHARS = 8
#: A page with more strokes takes many seconds to draw (measured: 12 s for 60,000).
MAX_RENDERED_DRAWINGS = 10_000
#: So few letters, beside pictures or strokes, are no text layer worth the name.
FEW_CHARS = 20
SOME_CHARS = 100
#: Shares of the page that pictures cover: enough to matter, enough to be a scan.
PICTURE_SHARE = 0.05
SCAN_SHARE = 0.4
#: Strokes that may be letters turned into outlines.
OUTLINE_DRAWINGS = 30


class TextLayer(StrEnum):
    """What the text of a page is worth."""

    GOOD = "a text layer"
    MISSING = "no text layer, or next to none"  # something is drawn, and it is not text
    GARBLED = "a garbled text layer"  # there is text, but not what the page shows


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The paragraphs and tables of a page in reading order."""

    paragraphs: list[str]
    layer: TextLayer
    drawn: Drawn


def read_page(page: pymupdf.Page, limits: ExtractLimits, figures: Figures, *, with_tables: bool) -> PageText:
    """The text of one page with references to its figures, and whether it can be trusted."""
    drawn = figures.drawn_on(page)
    found = list(page_lines(page, drawn))
    lines = [line for line in found if not line.is_hidden]
    hidden = [line for line in found if line.is_hidden] + (list(outside_lines(page)) if drawn.has_text_outside else [])
    layer = _judge(lines, drawn)
    if layer is TextLayer.GARBLED:
        lines = believable_lines(lines)
    direction, more, blocks = main_direction(lines), [], []
    is_ruled = drawn.rules >= MIN_TABLE_RULES and drawn.strokes <= limits.pdf_max_drawings_for_tables
    if with_tables and is_ruled and lines and layer is TextLayer.GOOD:
        tables = ruled_tables(page, [line for line in lines if line.direction == direction], limits)
        lines = [line for line in lines if line.number not in tables.lines]
        more, blocks = tables.rest, tables.blocks
    shown = figures.pieces(page, drawn, blocks, direction) if layer is TextLayer.GOOD else []
    groups = in_directions(lines, [*more, *blocks, *shown], direction)
    texts = unbroken([text for group in groups for text in paragraphs(group, gathered)])
    return PageText(paragraphs=texts + list(_hidden(hidden, texts)), layer=layer, drawn=drawn)


def _hidden(lines: Sequence[Line], texts: Sequence[str]) -> Iterator[str]:
    """What nobody sees on the page, marked; a shadow or a copy of what is seen is not told again."""
    seen, left = squeezed("".join(texts)), MAX_HIDDEN_CHARS
    for group in in_directions((line for line in lines if _is_told(squeezed(line.text), seen)), [], LEVEL):
        for text in map(str.strip, paragraphs(group)):
            yield markdown.hidden(text if len(text) <= left else f"{text[:left]} ... and more")
            left -= len(text)
            if left <= 0:
                return


def _is_told(letters: str, seen: str) -> bool:
    return any(map(str.isalnum, letters)) and (len(letters) < MIN_COPY_CHARS or letters not in seen)


def render_page(page: pymupdf.Page, drawn: Drawn, limits: ExtractLimits, *, name: str) -> ExtractedImage:
    """The page as a picture, within the limits. May raise `Unreadable` where drawing it would cost too much."""
    if drawn.strokes > MAX_RENDERED_DRAWINGS:
        raise Unreadable(Status.REJECTED, "too many strokes to draw")
    if any(info["width"] * info["height"] > limits.image_decode_max_pixels for info in page.get_image_info()):
        raise Unreadable(Status.REJECTED, "a picture on it has too many pixels")
    width, height = max(page.rect.width, 1.0), max(page.rect.height, 1.0)
    zoom = min(
        limits.pdf_render_zoom,
        limits.image_max_side_px / max(width, height),
        math.sqrt(limits.pdf_render_max_pixels / (width * height)),
    )
    pixels = page.get_pixmap(matrix=(zoom, 0, 0, zoom, 0, 0), alpha=False)
    page_limits = replace(limits, image_max_bytes=limits.pdf_render_max_image_bytes)
    return fit_pixels(pixels.samples, (pixels.width, pixels.height), page_limits, name=name)


# --- what the text is worth -------------------------------------------------------------------------------------------


def _judge(lines: Sequence[Line], drawn: Drawn) -> TextLayer:
    if is_garbled(line.spans for line in lines):
        return TextLayer.GARBLED
    count = sum(len("".join(line.text.split())) for line in lines)
    is_missing = (
        (count == 0 and (drawn.strokes > 0 or drawn.picture_share > 0))
        or (count < FEW_CHARS and (drawn.picture_share >= PICTURE_SHARE or drawn.strokes >= OUTLINE_DRAWINGS))
        or (count < SOME_CHARS and drawn.picture_share >= SCAN_SHARE)
    )
    return TextLayer.MISSING if is_missing else TextLayer.GOOD
