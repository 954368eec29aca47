"""An old PowerPoint presentation, slide by slide."""

from __future__ import annotations

from collections.abc import Iterator

from extractors import markdown
from extractors._album import Album
from extractors._legacy.compound import Compound
from extractors._legacy.pictures import Pictures
from extractors._legacy.ppt_file import read_presentation
from extractors._legacy.ppt_slide import Deck, Slide
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, PageCount, Text, Truncated, Warned


def ppt_blocks(compound: Compound, budget: Budget) -> Iterator[Block]:
    """The blocks of a presentation: title, shapes, notes and comments of each slide."""
    presentation = read_presentation(compound)
    slides = presentation.slides
    yield PageCount(len(slides))
    deck = Deck(presentation=presentation, pictures=Pictures(album=Album(budget=budget)))
    limit = budget.limits.pptx_max_slides
    for number, entry in enumerate(slides[:limit], start=1):
        if budget.is_late:
            yield Truncated(f"slides {number} to {len(slides)} of {len(slides)}, for lack of time")
            break
        if entry.record is None:
            warning = ExtractionWarning(problem=f"slide {number} cannot be found", consequence="the slide is left out")
            yield Warned(warning, partial=True)
        yield from _slide_blocks(number, Slide(deck, entry))
    else:
        if len(slides) > limit:
            yield Truncated(f"slides {limit + 1} to {len(slides)} of {len(slides)}")
    yield from deck.pictures.ended()


def _slide_blocks(number: int, slide: Slide) -> Iterator[Block]:
    mark = markdown.slide_mark(number)
    yield Text(f"{mark}\n{markdown.hidden('(the whole slide)')}" if slide.is_hidden else mark)
    for text in slide.texts():
        yield Text(text)
        yield from slide.deck.pictures.album.drain()
    notes = slide.notes()
    if notes:
        yield Text(f"Notes: {notes}")
    yield from (Text(comment) for comment in slide.comments())
