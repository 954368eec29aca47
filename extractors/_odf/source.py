"""Where a document's XML, pictures and embedded objects come from: a ZIP of parts, or one flat XML file."""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from extractors._inflating import Element, Inflating, first_begun
from extractors._odf.names import DRAW, HREF, MATH, OFFICE
from extractors._parts import READ_ERRORS, Parts, damaged, streamed
from extractors.budget import Budget
from extractors.content import Status, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

CONTENT = "content.xml"
_OBJECT = f"{DRAW}object"
_BODIES = frozenset(
    {f"{OFFICE}{name}" for name in ("text", "spreadsheet", "presentation", "drawing", "chart", "image", "database")}
    | {f"{MATH}math"}
)
#: Pictures of a flat file stand in its XML; they are cut out of it before it is parsed.
_BINARY = re.compile(rb"(<(?:[\w.-]{1,40}:)?binary-data\b[^<>]{0,200}>)([^<]+)(?=</)")
_CUT_OUT = re.compile(r"#(\d{1,6})")
_OUTSIDE = re.compile(r"[a-zA-Z][\w+.-]*:")


class Source(Protocol):
    """What a document is read from."""

    @property
    def budget(self) -> Budget:
        """What is left of the limits."""

    def body(self) -> str | None:
        """The tag of what the document is about, such as `office:text` or `math:math`; None where it has nothing."""

    def properties(self) -> Element | None:
        """The root of the document's properties where they stand in a part of their own."""

    def styles(self) -> Element | None:
        """The root of the styles where they stand in a part of their own."""

    def content(
        self, tags: frozenset[str], parents: frozenset[str], *, thin: tuple[str, int] | None = None
    ) -> Iterator[Element]:
        """The elements of these tags directly under these parents, as `Parts.stream` gives them."""

    def formula(self) -> Element:
        """The root of a document that is one equation."""

    def picture(self, image: Element, folder: str) -> str | None:
        """The name by which `read` gives the picture of a `draw:image`; None where the file does not hold it."""

    def read(self, part: str, *, max_bytes: int) -> bytes:
        """The bytes of a picture. Raises `Unreadable` where it is broken or larger than `max_bytes`."""

    def embedded(self, item: Element, folder: str) -> tuple[Element, str] | None:
        """The root of the object behind a `draw:object`, and the folder it lies in."""

    def warnings(self) -> Iterator[Warned]:
        """What could not be read."""


@dataclass(slots=True, kw_only=True)
class ZippedSource(Parts):
    """A document whose XML and pictures are parts of a ZIP."""

    def body(self) -> str | None:
        """See `Source`."""
        try:
            with self.opened(CONTENT) as source:
                return first_begun(source, _BODIES)
        except READ_ERRORS as exc:
            raise damaged(CONTENT) from exc

    def properties(self) -> Element | None:
        """See `Source`."""
        return self.optional("meta.xml")

    def styles(self) -> Element | None:
        """See `Source`."""
        return self.optional("styles.xml")

    def content(
        self, tags: frozenset[str], parents: frozenset[str], *, thin: tuple[str, int] | None = None
    ) -> Iterator[Element]:
        """See `Source`."""
        return self.stream(CONTENT, tags, parents, thin=thin)

    def formula(self) -> Element:
        """See `Source`."""
        return self.tree(CONTENT)

    def picture(self, image: Element, folder: str) -> str | None:
        """See `Source`."""
        return self._part(image.get(HREF, ""), folder)

    def embedded(self, item: Element, folder: str) -> tuple[Element, str] | None:
        """See `Source`."""
        part = self._part(f"{item.get(HREF, '')}/{CONTENT}", folder)
        root = self.optional(part)
        return (root, part.removesuffix(CONTENT)) if root is not None and part is not None else None

    def _part(self, reference: str, folder: str) -> str | None:
        """The existing part that a reference leads to; nothing outside of the file is ever followed."""
        if _OUTSIDE.match(reference) or reference.startswith("/"):
            return None
        path = folder + reference.removeprefix("./")
        return next((name for name in (path, unquote(path)) if self.has(name)), None)


@dataclass(slots=True, kw_only=True)
class FlatSource:
    """A document in one XML file."""

    budget: Budget
    data: bytes
    _cut_out: list[bytes] = field(default_factory=list)
    _pictures: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.data = _BINARY.sub(self._cut, self.data)

    def _cut(self, match: re.Match[bytes]) -> bytes:
        self._cut_out.append(match[2])
        return match[1] + b"#%d" % (len(self._cut_out) - 1)

    def body(self) -> str | None:
        """See `Source`."""
        try:
            return first_begun(self._opened(), _BODIES)
        except READ_ERRORS as exc:
            raise damaged("the XML") from exc

    def properties(self) -> Element | None:
        """See `Source`."""
        return None

    def styles(self) -> Element | None:
        """See `Source`."""
        return None

    def content(
        self, tags: frozenset[str], parents: frozenset[str], *, thin: tuple[str, int] | None = None
    ) -> Iterator[Element]:
        """See `Source`."""
        try:
            yield from streamed(self._opened(), tags, parents, thin=thin, beyond=_OBJECT)
        except READ_ERRORS as exc:
            raise damaged("the XML") from exc

    def formula(self) -> Element:
        """See `Source`."""
        for element in self.content(frozenset({f"{MATH}math"}), frozenset({f"{OFFICE}body", f"{OFFICE}formula"})):
            return element
        raise damaged("the XML")

    def picture(self, image: Element, folder: str) -> str | None:  # noqa: ARG002 - the same question for both sources
        """See `Source`."""
        data = image.findtext(f"{OFFICE}binary-data")
        if not data or not data.strip():
            return None
        name = f"picture {len(self._pictures) + 1}"
        self._pictures[name] = data.strip()
        return name

    def read(self, part: str, *, max_bytes: int) -> bytes:
        """See `Source`."""
        text = self._pictures.get(part, "")
        place = _CUT_OUT.fullmatch(text)
        encoded = self._cut_out[int(place[1])] if place and int(place[1]) < len(self._cut_out) else text.encode()
        if len(encoded) * 3 // 4 > max_bytes or not self.budget.take_inflated(len(encoded)):
            raise Unreadable(Status.REJECTED, f"it is larger than {max_bytes // MIB} MiB")
        try:
            return base64.b64decode(encoded)
        except (binascii.Error, ValueError) as exc:
            raise Unreadable(Status.REJECTED, "it is damaged") from exc

    def embedded(self, item: Element, folder: str) -> tuple[Element, str] | None:
        """See `Source`."""
        root = next(item.iterchildren(f"{OFFICE}document", f"{MATH}math"), None)
        return None if root is None else (root, folder)

    def warnings(self) -> Iterator[Warned]:
        """See `Source`."""
        return iter(())

    def _opened(self) -> Inflating:
        return Inflating(io.BytesIO(self.data), self.budget)
