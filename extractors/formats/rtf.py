"""RTF: paragraphs, lists, tables, notes, pictures, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._album import Album
from extractors._legacy.embedded import linked_or_embedded, members
from extractors._rtf import rtf_blocks
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Member, Picture, Status, Text
from extractors.format import Format, Unreadable


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block | Member]:
    """Headers, body, footers, notes, and the files in the document."""
    album = Album(budget=budget)
    objects: list[bytes] = []
    is_empty = True
    for block in rtf_blocks(job.data, budget=budget, album=album, objects=objects):
        is_empty &= not isinstance(block, Text | Picture)
        yield block
    yield from album.ended()
    yield from members(linked_or_embedded(data, f"object {number}") for number, data in enumerate(objects, start=1))
    if is_empty and not objects:
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
        "embedded files, each read as what it is, after the document",
    ),
    libraries=("olefile", "pillow"),
    limitations=(
        "Pages are not marked: the file does not say where they end.",
        "Embedded objects of programs that are not Office's (OLE) are shown by their picture only.",
        "Equations are written in one line.",
    ),
)
