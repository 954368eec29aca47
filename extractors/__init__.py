"""Files become neutral text and images: `await SandboxedAttachmentExtractor().extract(data, file_metadata={...})`.

Importing this package loads no parser, and none of its modules before a name is asked for. Their types stand in the
stub beside this file.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "AttachmentExtractor": "extractors.content",
    "Detection": "extractors.content",
    "Document": "extractors.spool",
    "DocumentSource": "extractors.sources",
    "ExtractLimits": "extractors.limits",
    "ExtractedContent": "extractors.content",
    "ExtractedImage": "extractors.content",
    "ExtractionWarning": "extractors.content",
    "ImageHandler": "extractors.image_places",
    "Kind": "extractors.content",
    "SandboxedAttachmentExtractor": "extractors.sandbox.extractor",
    "SourceError": "extractors.spool",
    "Status": "extractors.content",
    "detect_media_type": "extractors.detect",
    "extract_content": "extractors.extract",
    "extract_source": "extractors.sources",
    "image_dimensions": "extractors._images",
    "media_type_from_metadata": "extractors.detect",
    "place_images": "extractors.image_places",
    "to_openai_content_parts": "extractors.openai_parts",
}

__all__ = [
    "AttachmentExtractor",
    "Detection",
    "Document",
    "DocumentSource",
    "ExtractLimits",
    "ExtractedContent",
    "ExtractedImage",
    "ExtractionWarning",
    "ImageHandler",
    "Kind",
    "SandboxedAttachmentExtractor",
    "SourceError",
    "Status",
    "detect_media_type",
    "extract_content",
    "extract_source",
    "image_dimensions",
    "media_type_from_metadata",
    "place_images",
    "to_openai_content_parts",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
