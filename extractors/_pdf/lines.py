"""The lines of a PDF page with their fonts, as they are seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from extractors._pdf.drawn import Drawn, around, is_outside
from extractors._pdf.ink import Ink, is_wordless
from extractors._pdf.letters import (
    Letter,
    Spans,
    believable,
    in_order,
    in_unicode,
    is_shifted,
    may_be_out_of_order,
    told_once,
    unbelievable_fonts,
)
from extractors._pdf.turned import LEVEL, Rect, Turn, to_the_right
from extractors._reading_order import Piece

if TYPE_CHECKING:
    import pymupdf

#: TEXT_PRESERVE_WHITESPACE | TEXT_MEDIABOX_CLIP. Without CID_FOR_UNKNOWN_UNICODE, so that a letter without a map to
#: Unicode shows as U+FFFD and not as some other letter; without ligatures, so that "fi" is two letters.
TEXT_FLAGS = 2 | 64
CLIPPED_TEXT = 64
#: TEXT_IGNORE_ACTUALTEXT, and what MuPDF says where the file gives a text for nothing that is drawn.
IGNORE_ACTUAL_TEXT = 2048
_TEXT_LOST = "Text may be lost"
#: The same text so near in points is one text that was drawn twice, to look bold or with a shadow.
TWICE_SHIFT = 2.5

#: Of its block, and within it.
LineNumber = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line in pieces of one font each; its box as if it ran to the right."""

    number: LineNumber
    direction: str
    box: Rect
    spans: Spans
    #: Nobody sees it on the page.
    is_hidden: bool = False

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(text for text, _ in self.spans)


def read_text(page: pymupdf.Page, form: str, *, is_everywhere: bool = False) -> Any:
    """The text of a page in one of MuPDF's forms, without what stands in for text where that would replace it all.

    That beyond the sides of the page comes with it only where it `is_everywhere`.
    """
    import pymupdf  # noqa: PLC0415 - a parser loads with the first file that needs it

    pymupdf.TOOLS.reset_mupdf_warnings()
    clip = pymupdf.INFINITE_RECT() if is_everywhere else None
    flags = TEXT_FLAGS & ~CLIPPED_TEXT if is_everywhere else TEXT_FLAGS
    found = page.get_text(form, clip=clip, flags=flags)
    if _TEXT_LOST in pymupdf.TOOLS.mupdf_warnings():
        found = page.get_text(form, clip=clip, flags=flags | IGNORE_ACTUAL_TEXT)
    return found


def page_lines(page: pymupdf.Page, drawn: Drawn) -> Iterator[Line]:
    """The lines of a page in the order in which they were written, none that is drawn a second time."""
    turn, blocks = Turn.of(page), _blocks(page)
    ink = Ink(page, drawn, blocks)
    boxes: dict[tuple[str, bool], list[Rect]] = defaultdict(list)
    for block_number, block in enumerate(blocks):
        for number, line in enumerate(block.get("lines", ())):
            for is_hidden, spans in _by_sight(line["spans"], ink):
                written = around([span["bbox"] for span in spans]) if len(spans) < len(line["spans"]) else line["bbox"]
                found = _line(turn, (block_number, number), line["dir"], written, spans, is_hidden=is_hidden)
                before = boxes[found.text, is_hidden]
                if found.text.strip() and not any(_is_near(found.box, other) for other in before):
                    before.append(found.box)
                    yield found


def outside_lines(page: pymupdf.Page) -> Iterator[Line]:
    """The lines that lie beyond the sides of the page."""
    turn, bounds = Turn.of(page), tuple(page.rect)
    for block_number, block in enumerate(read_text(page, "dict", is_everywhere=True)["blocks"]):
        for number, line in enumerate(block.get("lines", ())):
            if is_outside(turn.box(line["bbox"]), bounds) and any(span["text"].strip() for span in line["spans"]):
                yield _line(turn, (block_number, number), line["dir"], line["bbox"], line["spans"], is_hidden=True)


def _line(
    turn: Turn,
    number: LineNumber,
    way: tuple[float, float],
    written: Rect,
    spans: Sequence[Mapping[str, Any]],
    *,
    is_hidden: bool,
) -> Line:
    direction, box = to_the_right(turn.box(written), turn.way(way))
    texts = [(in_unicode(text, font), font) for text, font in _spans(spans)]
    once = told_once(texts, (box[2] - box[0]) / max(box[3] - box[1], 0.1))
    return Line(number=number, direction=direction, box=box, spans=once, is_hidden=is_hidden)


def _by_sight(spans: Sequence[Any], ink: Ink) -> list[tuple[bool, Sequence[Any]]]:
    """The spans of a line that are seen, and those that are not; blanks and signs belong to what is before them."""
    parts: dict[bool, list[Any]] = {False: [], True: []}
    is_hidden = False
    for span in spans:
        is_hidden = is_hidden if is_wordless(span) else ink.hides(span)
        parts[is_hidden].append(span)
    return [(way, found) for way, found in parts.items() if found]


def believable_lines(lines: Sequence[Line]) -> list[Line]:
    """What can be read where a part of the letters is lost."""
    letters = "".join("".join(line.text.split()) for line in lines)
    if is_shifted(letters, {font for line in lines for _, font in line.spans}):
        return []
    fonts = unbelievable_fonts(line.spans for line in lines)
    texts = [believable(line.spans, fonts) for line in lines]
    return [replace(line, spans=[(text, "")]) for line, text in zip(lines, texts, strict=True) if text]


def main_direction(lines: Iterable[Line]) -> str:
    """The direction in which most of the text runs."""
    counts = Counter({LEVEL: 0})
    for line in lines:
        counts[line.direction] += len(line.text)
    return counts.most_common(1)[0][0]


def in_directions(lines: Iterable[Line], more: Iterable[Piece], direction: str) -> list[list[Piece]]:
    """The lines by the direction they run in, most text first; and more pieces, all of one direction."""
    groups: dict[str, list[Piece]] = defaultdict(list)
    for piece in more:
        groups[direction].append(piece)
    for line in lines:
        groups[line.direction].append(Piece(*line.box, line.text))
    return sorted(groups.values(), key=lambda group: -sum(len(piece.text) for piece in group))


def _blocks(page: pymupdf.Page) -> Sequence[Any]:
    """The text as MuPDF gives it; letter by letter, which takes longer, where letters may have changed places."""
    blocks: list[Any] = read_text(page, "dict")["blocks"]
    lines = (line["spans"] for block in blocks for line in block.get("lines", ()))
    if may_be_out_of_order("".join(span["text"] for span in spans) for spans in lines):
        blocks = read_text(page, "rawdict")["blocks"]
    return blocks


def _spans(spans: Sequence[Mapping[str, Any]]) -> Spans:
    """What the spans of a line say, and in which font."""
    if "chars" not in spans[0]:
        return [(span["text"], span["font"]) for span in spans]
    letters = [
        Letter(char["c"], char["bbox"][0], char["bbox"][2], span["font"]) for span in spans for char in span["chars"]
    ]
    by_font = groupby(in_order(letters), key=lambda letter: letter.font)
    return [("".join(letter.text for letter in group), font) for font, group in by_font]


def _is_near(one: Rect, other: Rect) -> bool:
    return all(abs(a - b) <= TWICE_SHIFT for a, b in zip(one, other, strict=True))
