"""The types of the public names; `__init__.py` loads them lazily."""

from extractors._images import image_dimensions
from extractors.content import (
    AttachmentExtractor,
    Detection,
    ExtractedContent,
    ExtractedImage,
    ExtractionWarning,
    Kind,
    Status,
)
from extractors.detect import detect_media_type, media_type_from_metadata
from extractors.extract import extract_content
from extractors.limits import ExtractLimits
from extractors.openai_parts import to_openai_content_parts
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

__all__ = [
    "AttachmentExtractor",
    "Detection",
    "ExtractLimits",
    "ExtractedContent",
    "ExtractedImage",
    "ExtractionWarning",
    "Kind",
    "SandboxedAttachmentExtractor",
    "Status",
    "detect_media_type",
    "extract_content",
    "image_dimensions",
    "media_type_from_metadata",
    "to_openai_content_parts",
]

__version__: str
