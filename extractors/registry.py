"""Every format that can be read, in the order in which they are asked."""

from __future__ import annotations

from extractors.content import Detection
from extractors.format import Format
from extractors.formats import image, pdf, slides, spreadsheet, text, word

FORMATS: tuple[Format, ...] = (
    image.FORMAT,
    pdf.FORMAT,
    word.FORMAT,
    spreadsheet.FORMAT,
    slides.FORMAT,
    text.FORMAT,
)


def format_for(detection: Detection) -> Format | None:
    """The first format that reads this type; None when there is none."""
    return next((fmt for fmt in FORMATS if detection.media_type in fmt.media_types), None)
