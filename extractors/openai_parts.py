"""Content as the parts of a Chat Completions message."""

from __future__ import annotations

import base64
from typing import Any

from extractors.content import ExtractedContent, ExtractedImage


def to_openai_content_parts(
    content: ExtractedContent, *, prompt: str | None = None, text_label: str = "Attachment text"
) -> list[dict[str, Any]]:
    """The prompt if there is one, one line of facts, the text under its label, then the images as data URLs."""
    parts = [_text_part(prompt)] if prompt else []
    parts.append(_text_part(_header(content)))
    if content.text:
        parts.append(_text_part(f"{text_label}:\n{content.text}"))
    return parts + [_image_part(image) for image in content.images]


def _header(content: ExtractedContent) -> str:
    facts = {
        "kind": content.kind,
        "media_type": content.media_type,
        "size_bytes": content.size_bytes,
        "total_pages": content.total_pages,
        "text_truncated": "true" if content.truncated else None,
        "note": content.note,
    }
    return "; ".join(f"{name}={' '.join(str(value).split())}" for name, value in facts.items() if value is not None)


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image_part(image: ExtractedImage) -> dict[str, Any]:
    encoded = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{encoded}"}}
