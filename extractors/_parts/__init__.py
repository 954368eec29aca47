"""A ZIP of parts (Office Open XML, OpenDocument, books): opened, checked, and each part read on demand."""

from extractors._parts.opening import open_archive
from extractors._parts.parts import READ_ERRORS, Parts, damaged, streamed

__all__ = ["READ_ERRORS", "Parts", "damaged", "open_archive", "streamed"]
