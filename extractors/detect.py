"""What a file is: evidence from its name, its sender and its content. Content wins. Stdlib only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from extractors._containers import ENCRYPTED_OFFICE, IWORK, type_inside_ole, type_inside_zip
from extractors._magic import OLE, ZIP, is_text, type_of_signature, type_of_text
from extractors._media_types import TEXT_TYPES, UNKNOWN, clean_type, type_of_name
from extractors.content import Detection, Job

__all__ = ["ENCRYPTED_OFFICE", "detect", "detect_media_type", "media_type_from_metadata"]

#: Pages, Numbers and Keynote look alike from outside, so the name decides among them.
_IWORK_TYPES = frozenset(
    {"application/vnd.apple.pages", "application/vnd.apple.numbers", "application/vnd.apple.keynote"}
)
#: Text on the outside, with a structure that only a reader of its own can undo.
_MAIL_TYPES = frozenset({"message/rfc822", "multipart/related"})


def detect(job: Job) -> Detection:
    """All evidence for the type of a file, and the decision."""
    claims = [claim for claim in (type_of_name(job.name), clean_type(job.declared_type)) if claim is not None]
    detected, method = _by_content(job.data)
    if detected is None:
        media_type, method = _by_claim(job)
    elif method == "text":
        media_type = _kind_of_text(detected, claims)
    elif detected == IWORK:
        media_type = next((claim for claim in claims if claim in _IWORK_TYPES), detected)
    else:
        media_type = detected
    return Detection(
        media_type=media_type,
        extension_type=type_of_name(job.name),
        transport_type=clean_type(job.declared_type),
        detected_type=detected,
        method=method,
        # A name is chosen by a person, a type by a program that knew no better: the name speaks first.
        conflict=detected is not None and any(_contradicts(claim, media_type, method) for claim in claims[:1]),
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


def _kind_of_text(detected: str, claims: list[str]) -> str:
    """Text of every kind looks alike, so a claim of some kind of text is believed, the most telling first."""
    told = [claim for claim in claims if claim in TEXT_TYPES | _MAIL_TYPES]
    return next((claim for claim in told if claim != "text/plain"), told[0] if told else detected)


def _contradicts(claim: str, media_type: str, method: str) -> bool:
    if method == "text":
        return not (claim.startswith("text/") or claim in TEXT_TYPES | _MAIL_TYPES)
    if method == "container" and (claim in {ZIP, OLE} or media_type == ENCRYPTED_OFFICE):
        return False
    return claim != media_type
