"""HTML and XHTML: pages, and snippets without a page around them."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._album import Album
from extractors._both_ends import both_ends
from extractors._charset import decode
from extractors._html import page_blocks
from extractors.budget import Budget
from extractors.content import Block, Detection, ExtractionWarning, Job, Kind, Picture, Status, Text, Warned
from extractors.format import Format, Unreadable


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The title, then the page as a reader meets it."""
    decoded = decode(job.data)
    if decoded.replaced:
        problem = f"{decoded.replaced} characters fit no text encoding"
        yield Warned(ExtractionWarning(problem=problem, consequence="they are shown as replacement characters"))
    album = Album(budget=budget)
    is_empty = True
    for block in both_ends(page_blocks(decoded.text, budget=budget, album=album), budget):
        is_empty &= not isinstance(block, Text | Picture)
        yield block
    yield from album.ended()
    if is_empty:
        raise Unreadable(Status.REJECTED, "the page has no text in it")


FORMAT = Format(
    name="HTML",
    kind=Kind.DOCUMENT,
    media_types=frozenset({"text/html"}),
    extensions=frozenset({"html", "htm", "xhtml"}),
    extract=extract,
    keeps=(
        "headings, lists, links with their address, tables with merged cells in place",
        "hidden text, marked as hidden",
        "pictures that stand in the page itself",
    ),
    libraries=("lxml", "chardet", "pillow"),
    limitations=(
        "Programs are not run: what a page builds by itself is not there.",
        "Nothing is fetched: pictures are shown when they stand in the page itself, else by their description.",
        "Of style sheets only simple rules that hide something are known.",
    ),
)
