"""The pictures and drawings of pages that have text: which of them are shown, under which names, and each once."""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from extractors import markdown
from extractors._pdf.drawings import drawn_figures, gathered_figures
from extractors._pdf.drawn import Drawn, Figure, area, around, common, drawn_on
from extractors._pdf.figure_drawing import FigureDrawing, Looks, Shown
from extractors._pdf.turned import Rect, Turn
from extractors._reading_order import Piece
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Picture, Warned

if TYPE_CHECKING:
    import pymupdf

#: Looking over the pages ahead takes 1 ms a page, and is no work lost. Afterwards what comes first is taken.
SURVEY_WITHIN_S = 1.0
#: Finding and drawing a figure takes 10 to 100 ms; after this long a document's other figures are left out.
DRAWING_WITHIN_S = 1.5
#: A page with more takes seconds to draw, and its figures longer to find than its text to read. With fewer shapes, of
#: which a large one counts two, there is no figure.
MAX_STROKES = 6_000
MIN_SHAPES = 2
#: A small picture at the same place of so many pages, and of half of them, is a logo or an ornament.
MIN_REPEATED = 3
MAX_REPEATED_SHARE = 0.05
#: What shares so much with a table, or with another figure, is no figure of its own.
SHARED = 0.5
#: So many of one page are given together, where little text is between them.
MANY_OF_A_PAGE = 6


@dataclass(slots=True, kw_only=True)
class Figures:
    """Names the figures page by page. `drain` hands out those of the last page; call it after the page's text."""

    budget: Budget
    #: Beyond the numbers that an earlier reader of the same file may have given.
    first_number: int = 1
    left_out: int = 0
    #: Drawings were not looked for any more.
    _is_cut_short: bool = False
    _given: int = 0
    _named: int = 0
    _seconds: float = 0.0
    _is_surveyed: bool = False
    _least_weight: float = 0.0
    _repeated: set[tuple[int, ...]] = field(default_factory=set)
    #: What was drawn on pages that are not read yet.
    _ahead: dict[int, Drawn] = field(default_factory=dict)
    _drawing: FigureDrawing | None = None
    _pending: list[tuple[Shown, Figure]] = field(default_factory=list)
    _shown: dict[Looks, list[tuple[Shown, Figure]]] = field(default_factory=lambda: defaultdict(list))

    def drawn_on(self, page: pymupdf.Page) -> Drawn:
        """What is drawn on the page, looked at once."""
        return self._ahead.pop(page.number, None) or drawn_on(page)

    def pieces(self, page: pymupdf.Page, drawn: Drawn, tables: Sequence[Piece], direction: str) -> list[Piece]:
        """Where the figures of this page stand in its text, each with its reference."""
        started = time.monotonic()
        self._pending.clear()
        turn = Turn.of(page, direction)
        found = self._found(page, drawn, turn, tables)
        if found and not self._is_surveyed and self.first_number == 1:
            self._survey(page, found)
            found = [figure for figure in found if _place(figure.box) not in self._repeated]
        self._drawing = FigureDrawing(page, self.budget.limits)
        if drawn.strokes > MAX_STROKES:
            self.left_out += sum(not figure.is_scan for figure in found)
            found = []
        chosen = self._chosen(self._drawing, found)
        self._seconds += time.monotonic() - started
        return [_piece(turn.turned(figure.box), shown.name) for shown, figure in chosen]

    def drain(self) -> Iterator[Block]:
        """The figures that are named and not handed out yet."""
        for shown, figure in self._pending:
            started = time.monotonic()
            if self._drawing is not None:
                self._drawing.draw(shown, figure)
            self._seconds += time.monotonic() - started
            image = shown.named_image()
            if image is None:
                warning = ExtractionWarning(problem=f"{shown.name} could not be drawn", consequence="it is left out")
                yield Warned(warning, partial=True)
            elif self.budget.take_image():
                yield Picture(image)
        self._pending.clear()

    def ended(self) -> Iterator[Block]:
        """That there was no time for all of them, where it is not known how many there are."""
        if self._is_cut_short:
            problem = "there was no time to look for drawings on all pages"
            yield Warned(ExtractionWarning(problem=problem, consequence="some may be missing"))

    def _found(self, page: pymupdf.Page, drawn: Drawn, turn: Turn, tables: Sequence[Piece]) -> list[Figure]:
        found = [figure for figure in drawn.pictures if _place(figure.box) not in self._repeated]
        may_have_drawings = drawn.shapes >= MIN_SHAPES and drawn.strokes <= MAX_STROKES
        self._is_cut_short |= may_have_drawings and self._is_over
        if may_have_drawings and not self._is_over:
            for box in drawn_figures(page, drawn.texts):
                if not any(_share(turn.turned(box), (t.x0, t.y0, t.x1, t.y1)) > SHARED for t in tables):
                    found = _with_drawing(found, box)
        if len(found) < MANY_OF_A_PAGE or any(figure.is_scan for figure in found):
            return found
        return [Figure(box=box) for box in gathered_figures([figure.box for figure in found], drawn.texts)]

    def _chosen(self, drawing: FigureDrawing, found: Sequence[Figure]) -> list[tuple[Shown, Figure]]:
        """The largest figures that there is room for, and those that were shown before, in their order."""
        chosen: list[tuple[Shown, Figure]] = []
        for figure in sorted(found, key=lambda figure: -figure.weight):
            looks = drawing.looks(figure)
            shown = self._shown_before(drawing, looks, figure)
            if shown is not None:
                chosen.append((shown, figure))
            elif self._room and figure.weight >= self._least_weight:
                chosen.append((self._new(looks, figure), figure))
            else:
                self.left_out += not figure.is_scan
        for pairs in (chosen, self._pending):
            pairs.sort(key=lambda pair: (pair[1].box[1], pair[1].box[0]))
        for shown, _ in chosen:
            if not shown.name:
                self._named += 1
                shown.name = f"image {self.first_number + self._named - 1}"
        return chosen

    def _new(self, looks: Looks, figure: Figure) -> Shown:
        shown = Shown()
        self._given += 1
        self._pending.append((shown, figure))
        self._shown[looks].append((shown, figure))
        return shown

    def _shown_before(self, drawing: FigureDrawing, looks: Looks, figure: Figure) -> Shown | None:
        """The same picture under its first name. Only one that looks the same is drawn to know it."""
        before = self._shown.get(looks)
        if not before or self._is_over:
            return None
        drawn = Shown()
        drawing.draw(drawn, figure)
        for shown, other in before:
            drawing.draw(shown, other)  # of this page, for those of the others are drawn
            if drawn.digest and shown.digest == drawn.digest:
                return shown
        return None

    def _survey(self, page: pymupdf.Page, found: Sequence[Figure]) -> None:
        """How large the figures of the pages ahead are, so that the largest are shown."""
        self._is_surveyed = True
        limits, document = self.budget.limits, page.parent
        until = time.monotonic() + SURVEY_WITHIN_S
        figures = [(page.number, figure) for figure in found]
        for number in range(page.number + 1, min(len(document), limits.pdf_extract_max_pages)):
            if time.monotonic() > until or self.budget.is_late:
                break
            try:
                drawn = drawn_on(document[number])
            except Exception:  # noqa: S112 - told when the page is read
                continue
            self._ahead[number] = drawn
            figures += [(number, figure) for figure in drawn.pictures]
        self._repeated = set(self._ornaments(document, figures))
        weights = [figure.weight for _, figure in figures if _place(figure.box) not in self._repeated]
        if len(weights) > limits.pdf_max_figures > 0:
            self._least_weight = heapq.nlargest(limits.pdf_max_figures, weights)[-1]

    def _ornaments(
        self, document: pymupdf.Document, figures: Sequence[tuple[int, Figure]]
    ) -> Iterator[tuple[int, ...]]:
        """Where the same picture stands on page after page."""
        places: dict[tuple[int, ...], list[tuple[int, Figure]]] = defaultdict(list)
        for number, figure in figures:
            if area(figure.box) < MAX_REPEATED_SHARE * area(tuple(document[number].rect)):
                places[_place(figure.box)].append((number, figure))
        for place, found in places.items():
            if len(found) < MIN_REPEATED or 2 * len(found) < len(self._ahead) + 1:
                continue
            looks = {
                FigureDrawing(document[number], self.budget.limits).looks(figure)
                for number, figure in found[:MIN_REPEATED]
            }
            if len(looks) == 1:
                yield place

    @property
    def _room(self) -> int:
        limits = self.budget.limits
        left = min(limits.pdf_max_figures - self._given, self.budget.images_left - len(self._pending))
        return 0 if self._is_over else max(left, 0)

    @property
    def _is_over(self) -> bool:
        return self.budget.is_late or self._seconds > DRAWING_WITHIN_S


def _with_drawing(figures: Sequence[Figure], box: Rect) -> list[Figure]:
    """The figures with this drawing, which is one with the pictures that it is drawn over."""
    parts = [figure for figure in figures if not figure.is_scan and _share(figure.box, box) > SHARED]
    others = [figure for figure in figures if figure not in parts]
    return [*others, Figure(box=around([box, *(figure.box for figure in parts)]))]


def _share(one: Rect, other: Rect) -> float:
    """How much of the smaller one of two boxes lies in the other."""
    return area(common(one, other)) / max(min(area(one), area(other)), 1.0)


def _place(box: Rect) -> tuple[int, ...]:
    return tuple(round(side) for side in box)


def _piece(box: Rect, name: str) -> Piece:
    """A reference where the figure begins."""
    return Piece(box[0], box[1], box[2], box[1] + 1, markdown.image_reference(name), is_block=True, is_picture=True)
