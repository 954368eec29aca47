"""A ZIP of parts (Office Open XML, OpenDocument) from hostile bytes: its cost is checked before and while it is read.

Parts are named as in the ZIP directory ("word/document.xml"). XML is parsed without entities, network or huge nodes.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors._inflating import MAX_TREE_BYTES, Element, Inflating, drop_before, ends, root_of
from extractors._parts.salvage import Salvaged
from extractors.budget import Budget
from extractors.content import ExtractionWarning, Status, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

_CUT_OFF = ExtractionWarning(problem="the file is cut off or damaged", consequence="what could be recovered is shown")
READ_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    UnicodeDecodeError,  # a name in front of the part
    etree.XMLSyntaxError,
)


@dataclass(slots=True, kw_only=True)
class Parts:
    """The parts of one file, each read on demand and paid for from the budget as it inflates."""

    archive: zipfile.ZipFile
    budget: Budget
    #: Lower-cased part name to ZIP entry: part names are case-insensitive.
    entries: dict[str, zipfile.ZipInfo]
    #: Parts that are there and could not be read.
    lost: list[str] = field(default_factory=list)

    def has(self, part: str) -> bool:
        """True when the file holds that part."""
        return part.lower() in self.entries

    def read(self, part: str, *, max_bytes: int = MAX_TREE_BYTES) -> bytes:
        """The bytes of a part. Raises `Unreadable` where it is broken or larger than `max_bytes`."""
        try:
            with self.opened(part) as source:
                data = source.whole(max_bytes)
        except READ_ERRORS as exc:
            raise damaged(part) from exc
        if len(data) > max_bytes:
            raise Unreadable(Status.REJECTED, f"{part} inflates to more than {max_bytes // MIB} MiB")
        return data

    def tree(self, part: str) -> Element:
        """The root element of a part. Raises `Unreadable` where it is broken or too large."""
        try:
            return root_of(self.markup(part))
        except etree.XMLSyntaxError as exc:
            raise damaged(part) from exc

    def optional(self, part: str | None) -> Element | None:
        """The root element of a part that the file can do without; a broken one is noted in `lost`."""
        if part is None or not self.has(part):
            return None
        try:
            return self.tree(part)
        except Unreadable:
            self.lost.append(part)
            return None

    def stream(
        self, part: str, tags: frozenset[str], parents: frozenset[str], *, thin: tuple[str, int] | None = None
    ) -> Iterator[Element]:
        """The elements of these tags directly under these parents, one by one; what was passed is forgotten.

        `thin` names a tag inside them of which each parent keeps only so many: what follows is dropped as it is read.
        Raises `Unreadable` where the part breaks or the budget ends; what came before then stands.
        """
        try:
            with self.markup_source(part) as source:
                yield from streamed(source, tags, parents, thin=thin)
        except READ_ERRORS as exc:
            raise damaged(part) from exc

    def warnings(self) -> Iterator[Warned]:
        """What of the file is missing: a warning for the whole of it, and one for each part that was lost."""
        if isinstance(self.archive, Salvaged):
            yield Warned(_CUT_OFF, partial=True)
        for part in dict.fromkeys(self.lost):
            yield Warned(
                ExtractionWarning(
                    problem=f"{part} could not be read to its end", consequence="what is missing of it is left out"
                ),
                partial=True,
            )

    def opened(self, part: str) -> Inflating:
        """A part to read from; a kind of file that hides its parts opens them here."""
        return Inflating(self.archive.open(self.entry(part)), self.budget)

    def entry(self, part: str) -> zipfile.ZipInfo:
        """The ZIP entry of a part. Raises `Unreadable` where there is none."""
        found = self.entries.get(part.lower())
        if found is None:
            raise Unreadable(Status.REJECTED, f"the file is damaged: {part or 'a part'} is missing")
        return found

    def markup(self, part: str) -> bytes:
        """The XML of a part; a kind of file that has dialects turns them into one here."""
        return self.read(part)

    def markup_source(self, part: str) -> Inflating:
        """The XML of a part to read from, the same as in `markup`."""
        return self.opened(part)


def streamed(
    source: Inflating,
    tags: frozenset[str],
    parents: frozenset[str],
    *,
    thin: tuple[str, int] | None = None,
    beyond: str | None = None,
) -> Iterator[Element]:
    """The elements of an open part, as `Parts.stream` gives them, but none inside an element `beyond`.

    Errors of lxml and of the source pass through.
    """
    thin_tag, kept = thin or (None, 0)
    for _, element in ends(source, tags if thin_tag is None else tags | {thin_tag}):
        parent = element.getparent()
        if parent is None or (beyond is not None and next(element.iterancestors(beyond), None) is not None):
            continue
        if element.tag == thin_tag:
            # The parser is ahead of us: what follows the element may stand there already.
            if parent.index(element) > kept:
                source.child_begins()
                parent.remove(parent[kept])
        elif element.tag in tags and parent.tag in parents:
            source.child_begins()
            yield element
            drop_before(element, parent)


def damaged(part: str) -> Unreadable:
    """What is raised for a part that breaks while it is read."""
    return Unreadable(Status.REJECTED, f"the file is damaged: {part} cannot be read")
