"""Rich Text Format: an own reader, since no library keeps tables, notes, pictures and what is hidden."""

from extractors._rtf.reading import rtf_blocks, rtf_markdown

__all__ = ["rtf_blocks", "rtf_markdown"]
