"""An Office Open XML package opened from hostile bytes: what it may cost is checked before and while it is read.

Parts are named as in the ZIP directory ("word/document.xml"). XML is parsed without entities, network or huge nodes;
the ISO strict namespaces are folded to the transitional ones, so that the readers know one vocabulary.
"""

from __future__ import annotations

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from lxml import etree

from extractors._ooxml.inflating import MAX_TREE_BYTES, Inflating, drop_before, ends, root_of
from extractors._ooxml.names import Element
from extractors.budget import Budget
from extractors.content import ExtractionWarning, Status, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

MAX_PICTURE_BYTES = 64 * MIB

_ENTRY_SIGNATURE = b"PK\x01\x02"
_ENTRY_HEADER_BYTES = 30
_STRICT_NAMESPACE = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_READ_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, etree.XMLSyntaxError)


@dataclass(frozen=True, slots=True)
class Relation:
    """A link from one part: its kind (the last word of its type) and the part or address it leads to."""

    kind: str
    target: str
    is_external: bool


@dataclass(slots=True, kw_only=True)
class Package:
    """The parts of one file, each read on demand and paid for from the budget as it inflates."""

    archive: zipfile.ZipFile
    budget: Budget
    #: Lower-cased part name to ZIP entry: part names are case-insensitive.
    entries: dict[str, zipfile.ZipInfo]
    is_strict: bool = False
    #: Parts that are there and could not be read.
    lost: list[str] = field(default_factory=list)
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

    def has(self, part: str) -> bool:
        """True when the package holds that part."""
        return part.lower() in self.entries

    def main_part(self, fallback: str) -> str:
        """The part that the package is about; `fallback` where the package does not say."""
        named = self.related("", "officeDocument")
        return named[0] if named else fallback

    def relations(self, part: str) -> dict[str, Relation]:
        """The links from a part by their id; none where its list is missing or broken."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            root = self.optional(posixpath.join(folder, "_rels", f"{name}.rels"))
            links = () if root is None else root.iterchildren("{*}Relationship")
            self._relations[part] = {link.get("Id", ""): self._relation(folder, link) for link in links}
        return self._relations[part]

    def _relation(self, folder: str, link: Element) -> Relation:
        kind = link.get("Type", "").rpartition("/")[2]
        target = link.get("Target", "")
        if link.get("TargetMode") == "External":
            return Relation(kind, target, is_external=True)
        path = posixpath.normpath(posixpath.join("/", folder, target.replace("\\", "/"))).lstrip("/")
        return Relation(kind, path if self.has(path) else unquote(path), is_external=False)

    def related(self, part: str, *kinds: str) -> list[str]:
        """The existing parts that `part` links to by one of these kinds, each once, in the order of the links."""
        links = self.relations(part).values()
        return list(
            dict.fromkeys(
                link.target for link in links if link.kind in kinds and not link.is_external and self.has(link.target)
            )
        )

    def target(self, part: str, relation_id: str | None) -> str | None:
        """The existing part behind a link's id."""
        link = self.relations(part).get(relation_id or "")
        return link.target if link is not None and not link.is_external and self.has(link.target) else None

    def address(self, part: str, relation_id: str | None) -> str:
        """The outside address behind a link's id, or ""."""
        link = self.relations(part).get(relation_id or "")
        return link.target if link is not None and link.is_external else ""

    def read(self, part: str, *, max_bytes: int = MAX_TREE_BYTES) -> bytes:
        """The bytes of a part. Raises `Unreadable` where it is broken or larger than `max_bytes`."""
        try:
            with self._open(part) as source:
                data = source.whole(max_bytes)
        except _READ_ERRORS as exc:
            raise _damaged(part) from exc
        if len(data) > max_bytes:
            raise Unreadable(Status.REJECTED, f"{part} inflates to more than {max_bytes // MIB} MiB")
        return data

    def tree(self, part: str) -> Element:
        """The root element of a part. Raises `Unreadable` where it is broken or too large."""
        try:
            return root_of(self._folded(self.read(part)))
        except etree.XMLSyntaxError as exc:
            raise _damaged(part) from exc

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
        thin_tag, kept = thin or (None, 0)
        try:
            with self._folded_source(part) as source:
                for _, element in ends(source, tags if thin_tag is None else tags | {thin_tag}):
                    parent = element.getparent()
                    if parent is None:
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
        except _READ_ERRORS as exc:
            raise _damaged(part) from exc

    def warnings(self) -> Iterator[Warned]:
        """One warning for each part that was lost."""
        for part in dict.fromkeys(self.lost):
            yield Warned(
                ExtractionWarning(
                    problem=f"{part} could not be read to its end", consequence="what is missing of it is left out"
                ),
                partial=True,
            )

    def _open(self, part: str) -> Inflating:
        entry = self.entries.get(part.lower())
        if entry is None:
            raise Unreadable(Status.REJECTED, f"the file is damaged: {part} is missing")
        return Inflating(self.archive.open(entry), self.budget)

    def _folded_source(self, part: str) -> Inflating:
        # A strict part is read whole, and paid for twice: a namespace may lie across two chunks.
        return Inflating(io.BytesIO(self._folded(self.read(part))), self.budget) if self.is_strict else self._open(part)

    def _folded(self, data: bytes) -> bytes:
        return _STRICT_NAMESPACE.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data) if self.is_strict else data


def open_package(data: bytes, budget: Budget) -> Package:
    """The package in these bytes. Raises `Unreadable` where its directory is broken, hostile or encrypted."""
    max_entries = budget.limits.office_zip_max_entries
    if data.count(_ENTRY_SIGNATURE) > max_entries:
        raise Unreadable(Status.REJECTED, f"the file has more than {max_entries:,} parts")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as exc:
        raise Unreadable(Status.REJECTED, "the file is damaged: its directory cannot be read") from exc
    infos = archive.infolist()
    _check_directory(infos)
    entries = {info.filename.replace("\\", "/").lstrip("/").lower(): info for info in infos}
    package = Package(archive=archive, budget=budget, entries=entries)
    package.is_strict = package.has("_rels/.rels") and b"purl.oclc.org/ooxml" in package.read("_rels/.rels")
    return package


def _check_directory(infos: list[zipfile.ZipInfo]) -> None:
    if any(info.flag_bits & 0x1 for info in infos):
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
    # bzip2 and lzma members inflate without a bound per read, and no office program writes them.
    if any(info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for info in infos):
        raise Unreadable(Status.REJECTED, "the file is damaged: it is packed in a way no office program uses")
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise Unreadable(Status.REJECTED, "the file is damaged: its parts overlap")
        end = info.header_offset + _ENTRY_HEADER_BYTES + info.compress_size


def _damaged(part: str) -> Unreadable:
    return Unreadable(Status.REJECTED, f"the file is damaged: {part} cannot be read")
