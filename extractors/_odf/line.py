"""One paragraph of OpenDocument while it is read, and what the reader of its surroundings offers to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from extractors import markdown
from extractors._addresses import link
from extractors._inflating import Element
from extractors._odf.document import Document
from extractors.content import Block, Text

#: Blanks, tabs and line ends in the XML are one blank; those that are meant are elements.
_BLANKS = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list; items that follow each other belong into one text."""

    markdown: str


Piece = Block | Item


class Surroundings(Protocol):
    """Reads the blocks that a frame or a shape inside a paragraph holds."""

    @property
    def document(self) -> Document:
        """What all parts of the document share."""

    @property
    def folder(self) -> str:
        """Where the part lies, for the references in it: "" or "Object 1/"."""

    def blocks(self, parent: Element) -> Iterator[Piece]:
        """The blocks under an element."""

    def embedded(self, root: Element, folder: str) -> Iterator[Piece]:
        """The blocks of an object that lies in that folder."""


@dataclass(slots=True, kw_only=True)
class Line:
    """A paragraph as it is read: its text, and the blocks that hang on it and come after it."""

    around: Surroundings
    pieces: list[tuple[str, bool]] = field(default_factory=list)
    after: list[Piece] = field(default_factory=list)
    is_hiding: bool = False

    @property
    def document(self) -> Document:
        """What all parts of the document share."""
        return self.around.document

    def add(self, text: str) -> None:
        """Takes the next words of the paragraph as they are."""
        if text and not self.document.deleting:
            self.pieces.append((text, self.is_hiding))

    def add_from_markup(self, text: str | None) -> None:
        """Takes words as they stand in the XML, where blanks mean little."""
        if text:
            words = _BLANKS.sub(" ", text)
            self.add(words.removeprefix(" ") if self._ends_blank() else words)

    def add_apart(self, text: str) -> None:
        """Takes something that is no word, with blanks around it."""
        self.add(f"{text} " if self._ends_blank() else f" {text} ")

    def _ends_blank(self) -> bool:
        return not self.pieces or self.pieces[-1][0].endswith((" ", "\n"))

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
