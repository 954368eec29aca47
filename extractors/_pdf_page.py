"""One page of a PDF: its text in reading order, its ruled tables, what its text layer is worth, and its picture."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from extractors import markdown
from extractors._images import fit_pixels
from extractors._reading_order import Piece, paragraphs
from extractors.content import ExtractedImage, Status
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    import pymupdf

Rect = tuple[float, float, float, float]

#: TEXT_PRESERVE_WHITESPACE | TEXT_MEDIABOX_CLIP. Without CID_FOR_UNKNOWN_UNICODE, so that a letter without a map to
#: Unicode shows as U+FFFD and not as some other letter; without ligatures, so that "fi" is two letters.
TEXT_FLAGS = 2 | 64
#: Fewer rules than these, of at least this length in points, make no table.
MIN_TABLE_RULES = 4
MIN_RULE_LENGTH = 12
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
#: Fonts without a map to Unicode give control, private and replacement characters, or shifted ASCII.
MAX_GARBLED_SHARE = 0.05
MIN_WORD_SHARE = 0.6
_GARBLED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_CJK_FONT = re.compile(
    r"song|[a-z]hei|kaiti|ming|mincho|gothic|cjk|gb2312|gbk|simsun|fang|pingfang|wenquan|[\u4e00-\u9fff]", re.I
)


class TextLayer(StrEnum):
    """What the text of a page is worth."""

    GOOD = "a text layer"
    MISSING = "no text layer, or next to none"  # something is drawn, and it is not text
    GARBLED = "a garbled text layer"  # there is text, but not what the page shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What is drawn on a page besides text: strokes in all, those that may rule a table and where, pictures."""

    strokes: int
    rules: int
    ruled_area: Rect
    picture_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The paragraphs and tables of a page in reading order."""

    paragraphs: list[str]
    layer: TextLayer
    drawn: Drawn


def read_page(page: pymupdf.Page, limits: ExtractLimits, *, with_tables: bool) -> PageText:
    """The text of one page, and whether it can be trusted."""
    pieces, fonts = _lines(page)
    drawn = _drawn(page)
    layer = _judge("".join(piece.text for group in pieces for piece in group), fonts, drawn)
    if layer is TextLayer.GARBLED:
        return PageText(paragraphs=[], layer=layer, drawn=drawn)
    is_ruled = drawn.rules >= MIN_TABLE_RULES and drawn.strokes <= limits.pdf_max_drawings_for_tables
    if with_tables and is_ruled and pieces and page.rotation == 0:
        tables = _tables(page, drawn.ruled_area, limits)
        pieces[0] = [piece for piece in pieces[0] if not any(_holds(table, piece) for table in tables)] + tables
    return PageText(paragraphs=[text for group in pieces for text in paragraphs(group)], layer=layer, drawn=drawn)


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


# --- lines ------------------------------------------------------------------------------------------------------------


def _lines(page: pymupdf.Page) -> tuple[list[list[Piece]], set[str]]:
    """The lines by the direction they run in, each group as if it ran to the right, most text first; and the fonts."""
    groups: dict[str, list[Piece]] = defaultdict(list)
    fonts: set[str] = set()
    rotation = page.rotation_matrix
    for block in page.get_text("dict", flags=TEXT_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            if not text.strip():
                continue
            fonts.update(span["font"] for span in line["spans"])
            dx, dy = line["dir"]
            turned = (dx * rotation.a + dy * rotation.c, dx * rotation.b + dy * rotation.d)
            direction, bbox = _to_the_right(_transformed(line["bbox"], rotation), turned)
            groups[direction].append(Piece(*bbox, text))
    return sorted(groups.values(), key=lambda group: -sum(len(piece.text) for piece in group)), fonts


def _transformed(bbox: Rect, matrix: Any) -> Rect:
    xs = [matrix.a * x + matrix.c * y + matrix.e for x in bbox[::2] for y in bbox[1::2]]
    ys = [matrix.b * x + matrix.d * y + matrix.f for x in bbox[::2] for y in bbox[1::2]]
    return min(xs), min(ys), max(xs), max(ys)


def _to_the_right(bbox: Rect, direction: tuple[float, float]) -> tuple[str, Rect]:
    """The box as it would be if its text ran to the right, so that one way of ordering serves all directions."""
    (x0, y0, x1, y1), (dx, dy) = bbox, direction
    if min(abs(dx), abs(dy)) > 0.1:
        return "slanted", bbox  # watermarks, mostly
    if abs(dx) >= abs(dy):
        return ("right", bbox) if dx >= 0 else ("left", (-x1, -y1, -x0, -y0))
    return ("down", (y0, -x1, y1, -x0)) if dy > 0 else ("up", (-y1, x0, -y0, x1))


# --- what the text is worth -------------------------------------------------------------------------------------------


def _drawn(page: pymupdf.Page) -> Drawn:
    strokes, covered = 0, 0.0
    rules: list[Rect] = []
    bounds = page.rect
    for kind, box in page.get_bboxlog():
        width, height = box[2] - box[0], box[3] - box[1]
        if kind.endswith("path"):
            strokes += 1
            if max(width, height) >= MIN_RULE_LENGTH and strokes <= MAX_RENDERED_DRAWINGS:
                rules.append(box)
        elif kind.endswith(("image", "imgmask", "shade")):
            inside_x = min(box[2], bounds.x1) - max(box[0], bounds.x0)
            inside_y = min(box[3], bounds.y1) - max(box[1], bounds.y0)
            covered += max(inside_x, 0) * max(inside_y, 0)
    x0, y0, x1, y1 = zip(*rules, strict=True) if rules else ((0.0,),) * 4
    return Drawn(
        strokes=strokes,
        rules=len(rules),
        ruled_area=(min(x0), min(y0), max(x1), max(y1)),
        picture_share=covered / max(bounds.width * bounds.height, 1),
    )


def _judge(text: str, fonts: Iterable[str], drawn: Drawn) -> TextLayer:
    letters = "".join(text.split())
    count = len(letters)
    if count and (len(_GARBLED.findall(letters)) > count * MAX_GARBLED_SHARE or _is_shifted(letters, fonts)):
        return TextLayer.GARBLED
    is_missing = (
        (count == 0 and (drawn.strokes > 0 or drawn.picture_share > 0))
        or (count < FEW_CHARS and (drawn.picture_share >= PICTURE_SHARE or drawn.strokes >= OUTLINE_DRAWINGS))
        or (count < SOME_CHARS and drawn.picture_share >= SCAN_SHARE)
    )
    return TextLayer.MISSING if is_missing else TextLayer.GOOD


def _is_shifted(letters: str, fonts: Iterable[str]) -> bool:
    """True where a font for Chinese, Japanese or Korean gives none of it, nor words of any other script."""
    if len(letters) < FEW_CHARS or _CJK.search(letters) or not any(_CJK_FONT.search(font) for font in fonts):
        return False
    return sum(char.isalnum() for char in letters) < len(letters) * MIN_WORD_SHARE


# --- tables -----------------------------------------------------------------------------------------------------------


def _tables(page: pymupdf.Page, area: Rect, limits: ExtractLimits) -> list[Piece]:
    """The ruled tables of a page as Markdown. Their letters come from the text layer, so none is changed or lost."""
    words = [Piece(x0, y0, x1, y1, text) for x0, y0, x1, y1, text, *_ in page.get_text("words", flags=TEXT_FLAGS)]
    found = []
    clip = (area[0] - 3, area[1] - 3, area[2] + 3, area[3] + 3)
    for table in page.find_tables(clip=clip).tables:
        rows = [row.cells for row in table.rows]
        if len(rows) < 2 or max(len(row) for row in rows) < 2:
            continue  # a frame around text
        x0, y0, x1, y1 = table.bbox
        bounds = Piece(x0, y0, x1, y1, "", is_block=True)
        cells = _filled(rows, [word for word in words if _holds(bounds, word)])
        if sum(bool(text) for row in cells for text in row) >= 2:
            clipped = [[text[: limits.table_cell_max_chars] for text in row] for row in cells]
            found.append(replace(bounds, text=markdown.table(clipped)))
    return found


def _filled(rows: Sequence[Sequence[Rect | None]], words: Sequence[Piece]) -> list[list[str]]:
    """The text of each cell; a cell merged into another is empty."""
    cells = [(y, x, box) for y, row in enumerate(rows) for x, box in enumerate(row) if box is not None]
    inside: dict[tuple[int, int], list[Piece]] = defaultdict(list)
    for word in words:
        y, x, _ = min(cells, key=lambda cell: _distance(cell[2], word))
        inside[y, x].append(word)
    return [["\n".join(paragraphs(inside[y, x])) for x in range(len(row))] for y, row in enumerate(rows)]


def _distance(box: Rect, word: Piece) -> float:
    x, y = (word.x0 + word.x1) / 2, word.y
    return max(box[0] - x, x - box[2], 0) + max(box[1] - y, y - box[3], 0)


def _holds(table: Piece, piece: Piece) -> bool:
    return table.x0 <= (piece.x0 + piece.x1) / 2 <= table.x1 and table.y0 <= piece.y <= table.y1
