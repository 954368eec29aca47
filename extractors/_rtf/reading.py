"""One RTF file as blocks or as one Markdown text."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._album import Album
from extractors._rtf.reader import Reader
from extractors._rtf.words import do_word
from extractors.budget import Budget
from extractors.content import Block, Text
from extractors.limits import ExtractLimits


def rtf_blocks(data: bytes, *, budget: Budget, album: Album, objects: list[bytes] | None = None) -> Iterator[Block]:
    """The document as blocks: headers, body, footers, notes. Embedded files go to `objects`, still wrapped."""
    reader = Reader(data=data, budget=budget, album=album, do=do_word, objects=[] if objects is None else objects)
    yield from reader.blocks()


def rtf_markdown(data: bytes, limits: ExtractLimits | None = None) -> str:
    """The document as one Markdown text, without its pictures."""
    budget = Budget(limits=limits or ExtractLimits())
    budget.images_left = 0
    blocks = rtf_blocks(data, budget=budget, album=Album(budget=budget))
    return "\n\n".join(block.markdown for block in blocks if isinstance(block, Text))
