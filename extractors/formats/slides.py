"""PowerPoint: pptx, pptm, ppsx, ppsm, potx, potm. Slides in the order of the presentation, read from the parts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from extractors import markdown
from extractors._gallery import Gallery
from extractors._legacy.embedded import EmbeddedFile, embedded_file, members
from extractors._ooxml.drawings import shape_lines
from extractors._ooxml.names import Element, P, R
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package, open_package
from extractors._ooxml.shapes import Deck, Slide
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    ExtractionWarning,
    Job,
    Kind,
    Member,
    PageCount,
    Text,
    Truncated,
    Warned,
)
from extractors.format import Format, Unreadable

_OFF = frozenset({"0", "false"})


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """The blocks of a presentation, slide by slide: title, shapes, notes, comments; then the files in it."""
    package = open_package(job.data, budget)
    main = package.main_part("ppt/presentation.xml")
    root = package.tree(main)
    # In the order of the presentation; None for one that is missing.
    slides = [package.target(main, entry.get(f"{R}id")) for entry in root.iterfind(f"{P}sldIdLst/{P}sldId")]
    yield PageCount(len(slides))
    deck = Deck(package=package, gallery=Gallery(source=package), size=_size(root))
    authors = _authors(package, main)
    limit = budget.limits.pptx_max_slides
    for number, part in enumerate(slides[:limit], start=1):
        if budget.is_late:
            yield Truncated(f"slides {number} to {len(slides)} of {len(slides)}, for lack of time")
            break
        yield from _slide(deck, number, part)
        yield from _comments(package, part, authors)
    else:
        if len(slides) > limit:
            yield Truncated(f"slides {limit + 1} to {len(slides)} of {len(slides)}")
    yield from deck.gallery.ended()
    yield from _embedded(deck)
    yield from package.warnings()


def _slide(deck: Deck, number: int, part: str | None) -> Iterator[Block]:
    try:
        root = deck.package.tree(part or "")
    except Unreadable as exc:
        warning = ExtractionWarning(problem=f"slide {number}: {exc.note}", consequence="the slide is left out")
        yield Warned(warning, partial=True)
        return
    is_hidden = root.get("show") in _OFF
    mark = markdown.slide_mark(number)
    yield Text(f"{mark}\n{markdown.hidden('(the whole slide)')}" if is_hidden else mark)
    slide = Slide(part=part or "", deck=deck, root=root)
    for text in slide.texts():
        if deck.package.budget.is_late:
            yield Truncated(f"the rest of slide {number}, for lack of time")
            return
        yield Text(text)
        yield from deck.gallery.drain()
    yield from deck.gallery.drain()
    notes = slide.notes()
    if notes:
        yield Text(f"Notes: {notes}")
        yield from deck.gallery.drain()


def _embedded(deck: Deck) -> Iterator[Member]:
    """The files that somebody has put on the slides."""
    yield from members(_object(deck.package, part) for part in deck.objects)


def _object(package: Package, part: str) -> EmbeddedFile | None:
    try:
        return embedded_file(package.read(part), posixpath.basename(part))
    except Unreadable:
        package.lost.append(part)
        return None


def _size(presentation: Element) -> tuple[int, int]:
    """Height and width of a slide."""
    size = presentation.find(f"{P}sldSz")
    return (int_or(size.get("cy"), 0), int_or(size.get("cx"), 0)) if size is not None else (0, 0)


def _authors(package: Package, main: str) -> dict[str, str]:
    """The names of those who wrote comments by their id."""
    roots = (package.optional(part) for part in package.related(main, "commentAuthors", "authors"))
    return {author.get("id", ""): author.get("name", "") for root in roots if root is not None for author in root}


def _comments(package: Package, slide: str | None, authors: dict[str, str]) -> Iterator[Block]:
    for part in package.related(slide, "comments") if slide else ():
        root = package.optional(part)
        for comment in root.iter("{*}cm", "{*}reply") if root is not None else ():
            text = comment.findtext("{*}text") or "\n".join(shape_lines(comment.find("{*}txBody")))
            author = authors.get(comment.get("authorId", ""), "")
            if text.strip():
                yield Text(f"Comment{f' ({author})' if author else ''}: {text.strip()}")


FORMAT = Format(
    name="PowerPoint",
    kind=Kind.PRESENTATION,
    media_types=frozenset(
        {
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.template",
            "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
            "application/vnd.ms-powerpoint.presentation.macroenabled.12",
            "application/vnd.ms-powerpoint.template.macroenabled.12",
            "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
        }
    ),
    extensions=frozenset({"pptx", "pptm", "ppsx", "ppsm", "potx", "potm"}),
    extract=extract,
    keeps=(
        "slides in their order, each under its mark, and shapes by their place",
        "titles as headings, lists with their numbers",
        "text in groups, tables with merged cells in place, charts as tables, the text of diagrams",
        "notes, comments, hidden slides marked as hidden",
        "equations as LaTeX",
        "pictures, with their place in the text",
        "embedded files, each read as what it is, after the slides",
    ),
    libraries=("lxml", "olefile", "pillow"),
    limitations=(
        "Of layouts and masters the words are read, once; logos and backgrounds are not.",
        "Embedded objects of programs that are not Office's (OLE), audio and video are shown by their picture only.",
        "Animations are not read: everything that may appear on a slide stands there at once.",
    ),
)
