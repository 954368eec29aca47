"""A part of a ZIP as it inflates: paid for byte by byte, and weighed before it may become a tree."""

from __future__ import annotations

import io
from typing import IO

from lxml import etree

from extractors.budget import Budget
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import MIB

Element = etree._Element  # noqa: SLF001 - lxml publishes no other name for the type of its elements

#: What may become one tree: a part, or one child of a streamed part. A tag or an attribute costs up to 220 bytes there.
MAX_TREE_BYTES = 24 * MIB
MAX_TREE_MARKS = 1_200_000
TOO_LARGE = "one piece of the file is too large to be read"
_CHUNK_BYTES = 64 * 1024


class Inflating(io.RawIOBase):
    """A part as a file to read from: every byte is paid for.

    What a parser reads between two calls of `child_begins` may become one tree, and is bounded for that.
    """

    def __init__(self, source: IO[bytes], budget: Budget) -> None:
        super().__init__()
        self._source = source
        self._budget = budget
        self._child_bytes = 0
        self._child_marks = 0

    def whole(self, max_bytes: int) -> bytes:
        """All of it, or `max_bytes` and one more: in chunks, so that a lying directory costs one chunk at most."""
        pieces: list[bytes] = []
        left = max_bytes + 1
        while left > 0 and (piece := self._taken(min(left, _CHUNK_BYTES))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def read(self, size: int = -1) -> bytes:
        """The next piece for a parser."""
        piece = self._taken(size if 0 < size < _CHUNK_BYTES else _CHUNK_BYTES)
        self._child_bytes += len(piece)
        self._child_marks += marks(piece)
        if self._child_bytes > MAX_TREE_BYTES or self._child_marks > MAX_TREE_MARKS:
            raise Unreadable(Status.REJECTED, TOO_LARGE)
        return piece

    def child_begins(self) -> None:
        """Called between two children of a streamed part."""
        self._child_bytes = self._child_marks = 0

    def close(self) -> None:
        """Closes the part; the package stays open."""
        self._source.close()
        super().close()

    def _taken(self, size: int) -> bytes:
        piece = self._source.read(size)
        if not self._budget.take_inflated(len(piece)):
            max_mib = self._budget.limits.office_zip_max_uncompressed_bytes // MIB
            raise Unreadable(Status.REJECTED, f"the file inflates to more than {max_mib} MiB")
        return piece


def marks(data: bytes) -> int:
    """About how many tags and attributes there are."""
    return data.count(b"<") + data.count(b"=")


def ends(source: Inflating, tags: frozenset[str]) -> etree.iterparse[tuple[str, Element]]:
    """The ends of the elements of these tags as the parser reaches them."""
    return etree.iterparse(
        source,
        tag=tags,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )


def first_begun(source: Inflating, tags: frozenset[str]) -> str | None:
    """The tag of the first element of these that begins; None where there is none."""
    parser = etree.iterparse(
        source, events=("start",), tag=tags, resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False
    )
    return next((str(element.tag) for _, element in parser), None)


def drop_before(element: Element, parent: Element) -> None:
    """Drops what stands before an element. The element itself must stay: the parser may have just left it."""
    while (passed := element.getprevious()) is not None:
        parent.remove(passed)


def root_of(data: bytes) -> Element:
    """The tree of a whole part. Raises `Unreadable` where it is too large, lxml's error where it is broken."""
    if marks(data) > MAX_TREE_MARKS:
        raise Unreadable(Status.REJECTED, TOO_LARGE)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)
