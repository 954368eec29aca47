"""An old Word document from its first header to its last comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from extractors import markdown
from extractors._album import Album
from extractors._legacy.compound import Compound
from extractors._legacy.embedded import EmbeddedFile, members, wrapped_file
from extractors._legacy.numbers import u32
from extractors._legacy.pictures import Pictures
from extractors._legacy.word_document import NOTE_KINDS, WordDocument
from extractors._legacy.word_file import Part, read_word_file
from extractors._legacy.word_story import Story
from extractors._numerals import is_page_number
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Member, Text, Truncated, Warned
from extractors.format import Unreadable

_TRACKED_CHANGES = ExtractionWarning(
    problem="the file has tracked changes",
    consequence="insertions are read as accepted, and deletions are left out",
)
_CUT = ExtractionWarning(problem="the text of the document breaks off", consequence="the rest of it is left out")
#: Before the margins of the first section stand the lines around notes; then six stories for each section.
_FIRST_MARGIN, _MARGINS_A_SECTION = 6, 6
_HEADERS, _FOOTERS = frozenset({0, 1, 4}), frozenset({2, 3, 5})
_MAX_SECTIONS = 500
#: Documents in documents in documents.
_MAX_FOLDERS = 6


def word_blocks(compound: Compound, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a Word document: headers, body, footers, notes, comments, and the files in it."""
    pictures = Pictures(album=Album(budget=budget))
    yield from _document(compound, budget, pictures)
    yield from pictures.ended()


def _document(compound: Compound, budget: Budget, pictures: Pictures) -> Iterator[Block | Member]:
    file = read_word_file(compound)
    document = WordDocument(file=file, budget=budget, pictures=pictures)
    if not file.is_old:
        yield from _margins(document, "Header", _HEADERS)
    yield from Story(document, 0, file.stories.footnotes).blocks()
    for start, end in list(document.boxes.values()):
        yield from Story(document, start, end).blocks()
    if file.is_old:  # its table of text boxes is not read
        yield from Story(document, file.stories.text_boxes, file.stories.end).blocks()
    yield from _old_margins(document) if file.is_old else _margins(document, "Footer", _FOOTERS)
    for kind in NOTE_KINDS:
        yield from _notes(document, kind)
    yield from _embedded(document, compound.inside("ObjectPool"))
    if len(file.text) < file.stories.footnotes:
        yield Warned(_CUT, partial=True)
    if document.has_tracked_changes:
        yield Warned(_TRACKED_CHANGES)


def _embedded(document: WordDocument, pool: Compound) -> Iterator[Block | Member]:
    """The files inside the document: others of Word, workbooks, and what objects wrap."""
    files: list[EmbeddedFile | None] = []
    for number, folder in enumerate(document.objects, start=1):
        found, name = pool.inside(folder), f"object {number}"
        if found.read("WordDocument") is not None:
            yield from _inner(document, found, f"{name}.doc")
        elif workbook := found.read("Workbook") or found.read("Book"):
            files.append(EmbeddedFile(f"{name}.xls", workbook))
        else:
            files.append(wrapped_file(found, name))
    yield from members(files)


def _inner(document: WordDocument, folder: Compound, name: str) -> Iterator[Block | Member]:
    if len(folder.folder) > _MAX_FOLDERS:
        return
    is_begun = False
    try:
        for block in _document(folder, document.budget, document.pictures):
            if not is_begun and isinstance(block, Text):
                is_begun = True
                yield Text(markdown.file_mark(name))
            yield block
    except Unreadable as exc:
        warning = ExtractionWarning(problem=f"{name}: {exc.note}", consequence="it was not read")
        yield Warned(warning, partial=True)


def _margins(document: WordDocument, name: str, places: frozenset[int]) -> Iterator[Block]:
    """The headers or the footers, each text once."""
    table = document.file.part(Part.MARGINS)
    # The last position of the table means nothing.
    count = min(len(table) // 4 - 2, _FIRST_MARGIN + _MARGINS_A_SECTION * _MAX_SECTIONS)
    wanted = [index for index in range(_FIRST_MARGIN, count) if (index - _FIRST_MARGIN) % _MARGINS_A_SECTION in places]
    yield from _margins_at(document, name, wanted)


def _old_margins(document: WordDocument) -> Iterator[Block]:
    """Word 6 and 95 keep only those that there are, and tell by the section which ones: they are not told apart."""
    count = min(len(document.file.part(Part.MARGINS)) // 4 - 2, _MARGINS_A_SECTION * _MAX_SECTIONS)
    yield from _margins_at(document, "Header or footer", range(count))


def _margins_at(document: WordDocument, name: str, places: Iterable[int]) -> Iterator[Block]:
    table, base = document.file.part(Part.MARGINS), document.file.stories.margins
    seen = {""}
    for index in places:
        if document.budget.is_late:
            yield Truncated(f"{name.lower()}s, for lack of time")
            return
        start, end = base + u32(table, 4 * index), base + u32(table, 4 * index + 4)
        text = Story(document, start, min(end, document.file.stories.end)).plain()
        if text not in seen and not is_page_number(text):
            yield Text(f"{name}: {text}")
            yield from document.pictures.album.drain()
        seen.add(text)


def _notes(document: WordDocument, kind: str) -> Iterator[Block]:
    """The footnotes, the endnotes or the comments, each with the reference that stands in the text."""
    for note in document.notes[kind]:
        if document.budget.is_late:
            yield Truncated(f"{kind}s, for lack of time")
            return
        text = Story(document, note.start, note.end).plain()
        author = f" {note.author}" if note.author.strip() else ""
        if text:
            yield Text(f"{note.reference}{author}: {text}")
        yield from document.pictures.album.drain()
