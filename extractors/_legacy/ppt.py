"""An old PowerPoint presentation, slide by slide."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from extractors import markdown
from extractors._album import Album
from extractors._legacy.compound import Compound
from extractors._legacy.embedded import EmbeddedFile, embedded_file, members
from extractors._legacy.numbers import u32
from extractors._legacy.pictures import Pictures
from extractors._legacy.ppt_file import read_presentation
from extractors._legacy.ppt_slide import Deck, Slide
from extractors._legacy.records import Record
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Member, PageCount, Text, Truncated, Warned
from extractors.limits import MIB

MAX_OBJECT_BYTES = 64 * MIB


def ppt_blocks(compound: Compound, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a presentation: title, shapes, notes and comments of each slide; then the files in it."""
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
    yield from _embedded(presentation.objects)


def _embedded(objects: list[Record]) -> Iterator[Block | Member]:
    """The files that somebody has put on the slides."""
    files: list[EmbeddedFile | None] = []
    for number, record in enumerate(objects, start=1):
        name = f"object {number}"
        try:
            files.append(embedded_file(_storage(record), name))
        except zlib.error:
            warning = ExtractionWarning(problem=f"{name} cannot be unpacked", consequence="it was not read")
            yield Warned(warning, partial=True)
    yield from members(files)


def _storage(record: Record) -> bytes:
    """The bytes of an object; packed ones say first how many they are."""
    if record.instance == 0:
        return record.content
    size = min(u32(record.data, record.start), MAX_OBJECT_BYTES)
    return zlib.decompressobj().decompress(record.content[4:], size or 1)


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
