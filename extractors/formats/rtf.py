"""RTF: paragraphs, lists, tables, notes, pictures, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._album import Album
from extractors._rtf import rtf_blocks
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Picture, Status, Text
from extractors.format import Format, Unreadable


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """Headers, body, footers, notes."""
    album = Album(budget=budget)
    is_empty = True
    for block in rtf_blocks(job.data, budget=budget, album=album):
        is_empty &= not isinstance(block, Text | Picture)
        yield block
    yield from album.ended()
    if is_empty:
        raise Unreadable(Status.REJECTED, "the document has no text in it")


FORMAT = Format(
    name="RTF",
    kind=Kind.DOCUMENT,
    media_types=frozenset({"application/rtf"}),
    extensions=frozenset({"rtf"}),
    extract=extract,
    keeps=(
        "headings, lists with their numbers, links with their address",
        "tables with merged cells in place, and tables inside tables",
        "footnotes, headers and footers, text in any code page",
        "hidden text, marked as hidden",
        "pictures, with their place in the text",
    ),
    libraries=("pillow",),
    limitations=(
        "Pages are not marked: the file does not say where they end.",
        "Embedded files (OLE objects) are shown by their picture only; EMF and WMF drawings are only mentioned.",
        "Equations are written in one line.",
    ),
)
