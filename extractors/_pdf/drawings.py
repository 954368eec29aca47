"""Charts, diagrams and other figures that are drawn with strokes, told from tables, boxes around text and ornaments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from extractors._pdf.drawn import (
    RULE_WIDTH,
    WHOLE_SHARE,
    area,
    around,
    common,
    height,
    is_inside,
    is_near,
    is_outside,
    joined,
    width,
)
from extractors._pdf.turned import Rect, Turn

if TYPE_CHECKING:
    import pymupdf

#: In points: what is so near to each other belongs to one figure.
PART_GAP = 12.0
#: Of the page's shorter side: so near stand the words at its axes.
LABEL_GAP = 0.03
#: A longer box or rule parts a page, and no figure's parts.
MAX_JOINT = 0.6
#: So many figures beside each other that fill so much of their place, with less text than that, are one.
MANY = 3
DENSE_SHARE = 0.5
LITTLE_TEXT_SHARE = 0.2
#: A figure is larger than this, in points and as a share of the page, and so much of it is drawn: a slanted or curved
#: stroke counts one, those of one path a few, a filled box without text two.
MIN_SIDE = 40
MIN_SHARE = 0.015
MIN_WEIGHT = 8
MAX_PATH_WEIGHT = 8
BOX_WEIGHT = 2
#: So much of its area under text is a text in a frame.
MAX_TEXT_SHARE = 0.4
#: In points: what rises less along its way is level.
SLANT = 0.5
#: Corners of a box with round ones.
ROUND_CORNERS = 8
NEARLY_WHITE = 0.97

#: A part of a figure, and what it counts.
Part = tuple[Rect, int]


def drawn_figures(page: pymupdf.Page, texts: Sequence[Rect]) -> list[Rect]:
    """The boxes of the figures of a page, as they are seen, with the words at their sides."""
    bounds: Rect = tuple(page.rect)
    parts: list[Part] = []
    frames: list[Rect] = []
    for box, weight in _strokes(page, bounds, texts):
        if weight:
            parts.append((box, weight))
        else:
            frames.append(box)
    page_area, found = area(bounds), []
    # First with the boxes of text between the parts, as in a diagram; where that makes a page of text, without.
    for cluster in joined([box for box, _ in parts] + _joints(frames, bounds), PART_GAP):
        inside = [part for part in parts if is_inside(part[0], cluster)]
        if _is_figure(cluster, inside, texts, page_area):
            found.append(cluster)
            continue
        for core in joined((box for box, _ in inside), PART_GAP):
            grown = _framed(core, frames)
            if _is_figure(grown, inside, texts, page_area):
                found.append(grown)
    labelled = [common(_labelled(box, texts, LABEL_GAP * min(bounds[2:])), bounds) for box in found]
    return _together(joined(labelled, 0), texts)


def _joints(frames: Iterable[Rect], bounds: Rect) -> list[Rect]:
    return [
        frame
        for frame in frames
        if width(frame) <= MAX_JOINT * width(bounds) and height(frame) <= MAX_JOINT * height(bounds)
    ]


def _together(figures: list[Rect], texts: Iterable[Rect]) -> list[Rect]:
    """The figures as one where they are plots in rows, with next to nothing between them."""
    if len(figures) < MANY:
        return figures
    is_dense = sum(map(area, figures)) >= DENSE_SHARE * area(around(figures))
    return gathered_figures(figures, texts) if is_dense else figures


def gathered_figures(figures: list[Rect], texts: Iterable[Rect]) -> list[Rect]:
    """The figures as one where little text is between them."""
    whole = around(figures)
    return [whole] if _text_share(whole, texts) <= LITTLE_TEXT_SHARE else figures


def _strokes(page: pymupdf.Page, bounds: Rect, texts: Sequence[Rect]) -> Iterator[Part]:
    turn = Turn.of(page)
    for drawing in page.get_cdrawings():
        box = turn.box(drawing["rect"])
        if not is_outside(box, bounds) and area(box) < WHOLE_SHARE * area(bounds):
            yield common(box, bounds), _weight(drawing, box, texts)


def _weight(drawing: Mapping[str, Any], box: Rect, texts: Sequence[Rect]) -> int:
    """What a path counts in a figure; 0 for rules, frames and grounds of text."""
    if min(width(box), height(box)) <= RULE_WIDTH:
        return 0
    curves = slanted = 0
    for item in drawing["items"]:
        curves += item[0] == "c"
        slanted += item[0] == "l" and _is_slanted(item[1], item[2])
        if slanted + curves > ROUND_CORNERS:
            return MAX_PATH_WEIGHT
    if not slanted and any(is_inside(text, box) for text in texts):
        return 0
    if curves or slanted:
        return min(curves + slanted, MAX_PATH_WEIGHT)
    fill = drawing.get("fill")
    return BOX_WEIGHT if fill and min(fill) < NEARLY_WHITE else 0


def _is_slanted(start: Sequence[float], end: Sequence[float]) -> bool:
    return abs(start[0] - end[0]) > SLANT and abs(start[1] - end[1]) > SLANT


def _framed(cluster: Rect, frames: Iterable[Rect]) -> Rect:
    """The figure with its axes, its lines across and its frame: what lies beside it for the most part."""
    for frame in frames:
        inside = common(
            frame, (cluster[0] - PART_GAP, cluster[1] - PART_GAP, cluster[2] + PART_GAP, cluster[3] + PART_GAP)
        )
        is_beside = is_near(frame, cluster, PART_GAP)
        if is_beside and width(inside) * 2 >= width(frame) and height(inside) * 2 >= height(frame):
            cluster = around([cluster, frame])
    return cluster


def _is_figure(box: Rect, parts: Iterable[Part], texts: Iterable[Rect], page_area: float) -> bool:
    if min(width(box), height(box)) < MIN_SIDE or area(box) < MIN_SHARE * page_area:
        return False
    weight = sum(weight for part, weight in parts if is_inside(part, box))
    return weight >= MIN_WEIGHT and _text_share(box, texts) <= MAX_TEXT_SHARE


def _text_share(box: Rect, texts: Iterable[Rect]) -> float:
    return sum(area(common(text, box)) for text in texts) / max(area(box), 1.0)


def _labelled(box: Rect, texts: Sequence[Rect], gap: float) -> Rect:
    """The box with the words that stand at its sides and do not run on: values first, then what they are."""
    for _ in range(2):
        x0, y0, x1, y1 = box
        reach = (x0 - 2 * gap, y0 - 2 * gap, x1 + 2 * gap, y1 + 2 * gap)
        box = around([box, *(text for text in texts if _is_label(text, box, reach, gap))])
    return box


def _is_label(text: Rect, box: Rect, reach: Rect, gap: float) -> bool:
    is_short = common(text, reach) == text or (is_inside(text, box) and width(text) < width(box))
    return is_short and is_near(text, box, gap)
