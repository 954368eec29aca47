"""Every format that can be read, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.candidates import in_turn
from extractors.content import Detection
from extractors.custom_formats import custom_formats
from extractors.format import Format
from extractors.formats import (
    archive,
    audio,
    drawing,
    email,
    epub,
    image,
    iwork,
    legacy_office,
    markup,
    mhtml,
    notebook,
    opendocument,
    pdf,
    rtf,
    slides,
    spreadsheet,
    text,
    video,
    word,
)

FORMATS: tuple[Format, ...] = (
    image.FORMAT,
    image.HEIC_FORMAT,
    pdf.FORMAT,
    word.FORMAT,
    spreadsheet.FORMAT,
    slides.FORMAT,
    *legacy_office.FORMATS,
    *drawing.FORMATS,
    *opendocument.FORMATS,
    markup.FORMAT,
    mhtml.FORMAT,
    epub.FORMAT,
    rtf.FORMAT,
    notebook.FORMAT,
    text.FORMAT,
    email.FORMAT,
    iwork.PAGES,
    iwork.NUMBERS,
    iwork.KEYNOTE,
    archive.FORMAT,
    audio.FORMAT,
    video.FORMAT,
)


def format_for(detection: Detection, name: str | None = None, formats: Sequence[Format] = ()) -> Format | None:
    """What reads this file: of ours, of installed packages and of `formats`; None when nothing does.

    Content decides. Only a suffix that we know nothing of may lead to a format by the name.
    """
    suffix = (name or "").lower().rpartition(".")[2] if detection.extension_type is None else None
    return in_turn(
        [
            fmt
            for fmt in (*FORMATS, *custom_formats(), *formats)
            if detection.media_type in fmt.media_types or suffix in fmt.extensions
        ]
    )
