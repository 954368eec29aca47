"""One paragraph of Word while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from extractors import markdown
from extractors._addresses import link
from extractors._ooxml.document import Document
from extractors._ooxml.names import Element
from extractors.content import Block, Text


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list; items that follow each other belong into one text."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A part in another format, which Word would merge into the document when it opens it (`w:altChunk`)."""

    part: str


Piece = Block | Item | Foreign


@dataclass(slots=True)
class OpenField:
    """A field that is being read: its instruction so far, where it began, and where its result did."""

    begun_at: int
    instruction: list[str] = field(default_factory=list)
    result_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Line:
    """A paragraph as it is read: its text, and the blocks that hang on it and come after it."""

    part: str
    document: Document
    is_hidden: bool | None = None  # what the paragraph's style says
    pieces: list[tuple[str, bool]] = field(default_factory=list)
    #: Charts and diagrams as text; text boxes as the element that holds their paragraphs.
    after: list[Text | Element] = field(default_factory=list)
    fields: list[OpenField] = field(default_factory=list)
    hiding: bool = False

    def add(self, text: str) -> None:
        """Takes the next words of the paragraph."""
        if text:
            self.pieces.append((text, self.hiding))

    def link(self, start: int, address: str) -> None:
        """Makes what was added since `start` a link."""
        link(self.pieces, start, address)

    def text(self) -> str:
        """The paragraph; hidden words stand on lines of their own."""
        runs = [
            (hidden, "".join(text for text, _ in run)) for hidden, run in groupby(self.pieces, lambda piece: piece[1])
        ]
        lines = [markdown.hidden(text.strip()) if hidden else text.strip() for hidden, text in runs if text.strip()]
        return "\n".join(lines)


def texts(*markdown_texts: str) -> Iterator[Text]:
    """A block for each text that holds something."""
    for text in markdown_texts:
        if text.strip():
            yield Text(text)
