"""An Office Open XML package: its parts, and the links between them.

The ISO strict namespaces are folded to the transitional ones, so that the readers know one vocabulary.
"""

from __future__ import annotations

import io
import posixpath
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from extractors._inflating import Element, Inflating
from extractors._parts import Parts, open_archive
from extractors.budget import Budget

_STRICT_NAMESPACE = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")


@dataclass(frozen=True, slots=True)
class Relation:
    """A link from one part: its kind (the last word of its type) and the part or address it leads to."""

    kind: str
    target: str
    is_external: bool


@dataclass(slots=True, kw_only=True)
class Package(Parts):
    """The parts of one package by their links."""

    is_strict: bool = False
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

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

    def markup(self, part: str) -> bytes:
        """The XML of a part in the transitional namespaces."""
        data = self.read(part)
        return _STRICT_NAMESPACE.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data) if self.is_strict else data

    def markup_source(self, part: str) -> Inflating:
        """The XML of a part to read from, in the transitional namespaces."""
        # A strict part is read whole, and paid for twice: a namespace may lie across two chunks.
        return Inflating(io.BytesIO(self.markup(part)), self.budget) if self.is_strict else self.opened(part)


def open_package(data: bytes, budget: Budget) -> Package:
    """The package in these bytes. Raises `Unreadable` where its directory is broken, hostile or encrypted."""
    archive, entries = open_archive(data, budget)
    package = Package(archive=archive, budget=budget, entries=entries)
    package.is_strict = package.has("_rels/.rels") and b"purl.oclc.org/ooxml" in package.read("_rels/.rels")
    return package
