"""Pictures: one line of facts, and the picture made fit for a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractors._images import facts, fit_frames, fit_image, fit_parts
from extractors._media_types import IMAGE_TYPES
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractedImage, Job, Kind, PageCount, Picture, Text, Truncated
from extractors.format import Format
from extractors.markdown import image_reference

_HEIC = "image/heic"


def extract_image(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:  # noqa: ARG001 - the protocol of a format
    """A line of facts, then the picture; of an animation or a file of several pages, some of its frames."""
    limits = budget.limits
    picture = facts(job.data, limits)
    heading = f"Image: {picture.width} x {picture.height} px, {picture.format_name}"
    if picture.format_name == "TIFF" and picture.frames > 1:
        yield PageCount(picture.frames)
        heading += f", {picture.frames} pages"
        yield from _series(heading, fit_frames(job.data, limits, name="page"), budget, of=picture.frames)
    elif picture.format_name == "HEIF":
        yield from _series(heading, [fit_image(job.data, limits, name="image")], budget)
        if picture.frames > 1:
            yield Truncated(f"{picture.frames - 1} of {picture.frames} pictures, which are not the primary one")
    elif picture.frames > 1:
        heading += f", animation of {picture.frames} frames, some of which follow"
        yield from _series(heading, fit_frames(job.data, limits, name="frame"), budget)
    elif picture.is_long(limits):
        yield from _series(f"{heading}, in parts that overlap a little", fit_parts(job.data, limits), budget)
    else:
        yield from _series(heading, [fit_image(job.data, limits, name="image")], budget)


def _series(
    heading: str, images: Sequence[ExtractedImage], budget: Budget, *, of: int | None = None
) -> Iterator[Block]:
    """Pictures that belong together, each after its reference; `of` says how many there would be."""
    yield Text(heading)
    for number, image in enumerate(images):
        if not budget.take_image():
            yield Truncated(f"pictures after the first {number}")
            return
        yield Text(image_reference(image.name or "image"))
        yield Picture(image)
    if of is not None and len(images) < of:
        yield Truncated(f"pages {len(images) + 1} to {of} of {of}")


FORMAT = Format(
    name="image",
    kind=Kind.IMAGE,
    media_types=frozenset(IMAGE_TYPES.values()) - {_HEIC},
    extensions=frozenset(name for name, media_type in IMAGE_TYPES.items() if media_type != _HEIC),
    extract=extract_image,
    keeps=(
        "the picture, upright, converted and scaled down as models take it",
        "frames of animations, pages of TIFF, parts of long screenshots",
        "JPEG 2000, Targa, portable maps, and of Photoshop files the merged picture",
    ),
    libraries=("pillow",),
    limitations=(
        "Text in pictures is left to the model; OCR is optional (duwen[ocr]).",
        "Of an animation a few frames are shown, of a TIFF its first pages; long screenshots are cut into parts.",
    ),
)
#: The decoder starts a thread, so it has a zygote of its own.
HEIC_FORMAT = Format(
    name="heic",
    kind=Kind.IMAGE,
    media_types=frozenset({_HEIC}),
    extensions=frozenset(name for name, media_type in IMAGE_TYPES.items() if media_type == _HEIC),
    extract=extract_image,
    keeps=("the picture, upright, converted and scaled down as models take it",),
    limitations=(
        "Of a file with several pictures the primary one is shown.",
        "Read as a file of its own, not inside an archive or a document.",
    ),
    libraries=("pi-heif",),
    zygote="heic",
)
