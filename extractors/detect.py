"""What a file is: evidence from its name, its sender and its content. Content wins. Stdlib only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from extractors._containers import DAMAGED_OLE, ENCRYPTED_OFFICE, IWORK, type_inside_ole, type_inside_zip
from extractors._magic import GZIP, OLE, ZIP, is_text, type_of_signature
from extractors._media_types import (
    MARKUP_TYPES,
    TEXT_TOO,
    TEXT_TYPES,
    UNKNOWN,
    clean_type,
    is_source_name,
    suffix_of_name,
    type_of_name,
)
from extractors._text_shape import (
    MAIL,
    MAILBOX,
    MHTML,
    PLAIN,
    SHEET_XML,
    SVG,
    WORD_XML,
    XML,
    type_of_piece,
    type_of_text,
)
from extractors.content import Detection, Job

__all__ = ["ENCRYPTED_OFFICE", "detect", "detect_media_type", "media_type_from_metadata"]

#: Types that look alike from outside, so that a claim decides among them: by what is detected.
_ALIKE = {
    IWORK: {"application/vnd.apple.pages", "application/vnd.apple.numbers", "application/vnd.apple.keynote"},
    DAMAGED_OLE: {f"application/{name}" for name in ("msword", "vnd.ms-excel", "vnd.ms-powerpoint", "vnd.ms-outlook")},
    "video/mp4": {"audio/mp4", "video/quicktime", "video/3gpp"},
    "audio/ogg": {"video/ogg"},
    "video/x-ms-asf": {"audio/x-ms-wma", "video/x-ms-wmv"},
    "video/x-matroska": {"video/webm"},
    "video/webm": {"video/x-matroska"},
    "application/pkcs7-mime": {"application/pkcs7-signature"},
}
#: What a claim may say of another type without being wrong: a drawing as .svgz, Office's own XML of 2003.
_USUAL_NAMES = {
    (SVG, GZIP),
    ("application/msword", WORD_XML),
    ("application/vnd.ms-excel", SHEET_XML),
    (XML, WORD_XML),
    (XML, SHEET_XML),
}
#: Text on the outside, with a structure that only a reader of its own can undo.
_LETTERS = frozenset({MAIL, MAILBOX, MHTML})
_ALL_TEXT = TEXT_TYPES | MARKUP_TYPES | _LETTERS


def detect(job: Job) -> Detection:
    """All evidence for the type of a file, and the decision."""
    claims = [claim for claim in (type_of_name(job.name), clean_type(job.declared_type)) if claim is not None]
    detected, method = _by_content(job.data)
    if detected is None:
        media_type, method = _by_claim(job)
    elif method == "text":
        media_type = _kind_of_text(job, detected, claims)
    else:
        media_type = next((claim for claim in claims if claim in _ALIKE.get(detected, ())), detected)
    # A name is chosen by a person, a type by a program that knew no better: the name speaks first.
    conflict = detected is not None and any(_contradicts(claim, media_type, method) for claim in claims[:1])
    return Detection(
        media_type=media_type,
        extension_type=type_of_name(job.name),
        transport_type=clean_type(job.declared_type),
        detected_type=detected,
        method=method,
        conflict=conflict and not (method == "text" and suffix_of_name(job.name) in TEXT_TOO),
    )


def detect_media_type(data: bytes) -> str | None:
    """The media type by content alone; None where the content does not tell."""
    return _by_content(data)[0]


def media_type_from_metadata(metadata: Mapping[str, Any]) -> str:
    """What the sender says: `mime_type`, else the name's suffix, else `application/octet-stream`."""
    declared, name = metadata.get("mime_type"), metadata.get("name")
    return (
        clean_type(declared if isinstance(declared, str) else None)
        or type_of_name(name if isinstance(name, str) else None)
        or UNKNOWN
    )


def _by_content(data: bytes) -> tuple[str | None, str]:
    signature = type_of_signature(data)
    if signature == ZIP:
        return type_inside_zip(data), "container"
    if signature == OLE:
        return type_inside_ole(data), "container"
    if signature is not None:
        return signature, "magic"
    return (type_of_text(data), "text") if is_text(data) else (None, "none")


def _by_claim(job: Job) -> tuple[str, str]:
    if (claimed := type_of_name(job.name)) is not None:
        return claimed, "extension"
    if (claimed := clean_type(job.declared_type)) is not None:
        return claimed, "transport"
    return UNKNOWN, "none"


def _kind_of_text(job: Job, detected: str, claims: list[str]) -> str:
    """What stands at the beginning decides where it is plain; else a claim of some kind of text is believed."""
    told = [claim for claim in claims if claim in _ALL_TEXT]
    if is_source_name(job.name):
        return told[0]
    if detected in _LETTERS:
        return next((claim for claim in told if claim in _LETTERS), detected)
    if detected not in {PLAIN, XML}:
        return detected
    if not told:
        return type_of_piece(job.data) if claims and detected == PLAIN else detected
    return next((claim for claim in told if claim != PLAIN), detected)


def _contradicts(claim: str, media_type: str, method: str) -> bool:
    if media_type in {claim, ENCRYPTED_OFFICE} or (claim, media_type) in _USUAL_NAMES:
        return False
    if method == "text":
        is_text = claim.startswith("text/") or claim in _ALL_TEXT
        # A page, a letter or a drawing is no plain text; what a claim of XML says of them is true.
        return not is_text or (media_type in MARKUP_TYPES | _LETTERS and claim != XML)
    return not (method == "container" and claim in {ZIP, OLE})
