"""Drawings, SVG and metafiles: their words as text, and a picture."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._images import fit_raster
from extractors._media_types import METAFILE_TYPES
from extractors._metafile.drawing import read_drawing
from extractors._svg.picture import draw
from extractors._svg.tree import parse_drawing
from extractors._svg.words import drawing_text
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Picture, Text, Truncated, Warned
from extractors.format import Format, Unreadable
from extractors.markdown import image_reference


def extract_svg(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The words first: they stand, whatever becomes of the picture."""
    if text := drawing_text(parse_drawing(job.data)):
        yield Text(text)
    if budget.is_late or not budget.take_image():
        yield Truncated("the picture of the drawing")
        return
    try:
        image = draw(job.data, budget.limits, name="image")
    except Unreadable as exc:
        if not text:
            raise
        yield Warned(ExtractionWarning(problem=exc.note, consequence="only its words are read"), partial=True)
        return
    yield Text(image_reference("image"))
    yield Picture(image)


def extract_metafile(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The words line by line, then the picture."""
    drawing = read_drawing(job.data)
    if drawing.words:
        yield Text("\n".join(drawing.words))
    if not drawing.has_more and drawing.words:
        return
    if budget.is_late or not budget.take_image():
        yield Truncated("the picture of the drawing")
        return
    picture = drawing.image()
    if picture is not None:
        yield Text(image_reference("image"))
        yield Picture(fit_raster(picture, budget.limits, name="image"))


SVG = Format(
    name="SVG",
    kind=Kind.IMAGE,
    media_types=frozenset({"image/svg+xml"}),
    extensions=frozenset({"svg", "svgz"}),
    extract=extract_svg,
    keeps=(
        "the drawing as a picture",
        "its title, its description and its text",
    ),
    libraries=("lxml", "resvg-py", "pymupdf", "pillow"),
    limitations=(
        "Text is drawn in one font, whatever the drawing asks for; text along a path is read, not drawn.",
        "Pictures that lie outside the drawing are not fetched; animations are shown as they begin.",
    ),
)
METAFILE = Format(
    name="metafile",
    kind=Kind.IMAGE,
    media_types=frozenset(METAFILE_TYPES.values()),
    extensions=frozenset(METAFILE_TYPES),
    extract=extract_metafile,
    keeps=(
        "the drawing as a picture",
        "its text, line by line",
    ),
    libraries=("pymupdf", "pillow"),
    limitations=(
        "Text is drawn in one font, dashes and patterns are drawn through, and clipping is by rectangles.",
        "Text kept as the numbers of a font's glyphs is not read; EMF+ is not drawn where no EMF stands beside it.",
    ),
)
FORMATS = (SVG, METAFILE)
