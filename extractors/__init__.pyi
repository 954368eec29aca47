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
from extractors.image_places import ImageHandler, place_images
from extractors.limits import ExtractLimits
from extractors.openai_parts import to_openai_content_parts
from extractors.sandbox.extractor import SandboxedAttachmentExtractor
from extractors.sources import DocumentSource, extract_source
from extractors.spool import Document, SourceError

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

__version__: str
