"""iWork: Pages, Numbers and Keynote, in the XML of 2009 and in the archives since 2013."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from lxml import etree

from extractors._album import Album
from extractors._inflating import MAX_TREE_BYTES, Element, Inflating, root_of
from extractors._iwork.archive import read_archive
from extractors._iwork.classic import ClassicDocument
from extractors._iwork.document import Document
from extractors._iwork.drawings import Drawings
from extractors._parts import Parts, open_archive
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Status, Text
from extractors.format import Format, Unreadable
from extractors.limits import MIB

_CLASSIC_PARTS = ("index.xml", "index.apxl")
_MAIN_PARTS = ("index.zip", "index/document.iwa", *_CLASSIC_PARTS, *(f"{name}.gz" for name in _CLASSIC_PARTS))
_PASSWORD_PARTS = frozenset({".iwpv2", ".iwph"})
_MAX_PREVIEW_BYTES = 64 * MIB
_MAX_INDEX_BYTES = 200 * MIB
_PREVIEWS = ("preview.jpg", "quicklook/thumbnail.jpg", "quicklook/preview.jpg", "preview-web.jpg", "thumbs/st0.jpg")
#: With fewer characters than this a picture of the first page says more.
_POOR_CHARS = 40
_ZIP_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_READ_ERRORS = (OSError, EOFError, zlib.error, etree.XMLSyntaxError)


def extract(job: Job, _detection: Detection, budget: Budget) -> Iterator[Block]:
    """The text, the tables and the pictures of a document, in reading order."""
    parts = _opened(job.data, budget)
    chars = 0
    for block in _content(parts, budget):
        chars += len(block.markdown) if isinstance(block, Text) else 0
        yield block
    yield from parts.warnings()
    if chars < _POOR_CHARS:
        yield from _preview(parts, budget)


def _content(parts: Parts, budget: Budget) -> Iterator[Block]:
    album = Album(budget=budget)
    if (root := _classic_root(parts)) is not None:
        yield from ClassicDocument(root=root, parts=parts, budget=budget, album=album).blocks()
        return
    archive = read_archive(_index(parts, budget), budget)
    for name in archive.lost:
        parts.lost.append(name)
    if not archive.records:
        raise Unreadable(Status.REJECTED, "the file is damaged: there is no document in it")
    yield from Document(drawings=Drawings(archive=archive, parts=parts, budget=budget, album=album)).blocks()


def _opened(data: bytes, budget: Budget) -> Parts:
    """The parts of the package. A document that was saved as a folder is packed with the folder's name before each."""
    try:
        archive, entries = open_archive(data, budget)
    except Unreadable:
        if _is_encrypted(data):
            raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file") from None
        raise
    if any(name.rpartition("/")[2] in _PASSWORD_PARTS for name in entries):
        raise Unreadable(Status.ENCRYPTED, "a password is needed to open this file")
    folder = next(
        (name.removesuffix(main) for name in entries for main in _MAIN_PARTS if name.endswith(f"/{main}")), ""
    )
    return Parts(archive=archive, budget=budget, entries={name.removeprefix(folder): e for name, e in entries.items()})


def _is_encrypted(data: bytes) -> bool:
    """Until 2009 a password shows in methods of packing that no other program knows."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(info.compress_type not in _ZIP_METHODS for info in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        return False


def _classic_root(parts: Parts) -> Element | None:
    """The XML of a document of 2009; None where the document is of another time."""
    for name in _CLASSIC_PARTS:
        if parts.has(name):
            return parts.tree(name)
        if parts.has(f"{name}.gz"):
            unpacking = cast("IO[bytes]", gzip.GzipFile(fileobj=io.BytesIO(parts.read(f"{name}.gz"))))
            try:
                with Inflating(unpacking, parts.budget) as source:
                    return root_of(source.whole(MAX_TREE_BYTES))
            except _READ_ERRORS as exc:
                raise Unreadable(Status.REJECTED, f"the file is damaged: {name}.gz cannot be read") from exc
    return None


def _index(parts: Parts, budget: Budget) -> Parts:
    """Where the archives lie: in the package itself, or in a package within it."""
    if not parts.has("index.zip"):
        return parts
    archive, entries = open_archive(parts.read("index.zip", max_bytes=_MAX_INDEX_BYTES), budget)
    return Parts(archive=archive, budget=budget, entries=entries)


def _preview(parts: Parts, budget: Budget) -> Iterator[Block]:
    """The picture of the first page that the program left in the file."""
    name = next((name for name in _PREVIEWS if parts.has(name)), None)
    if name is not None:
        album = Album(budget=budget)
        yield Text(f"Preview of the first page: {album.reference(parts.read(name, max_bytes=_MAX_PREVIEW_BYTES))}")
        yield from album.drain()


_NO_PASSWORDS = "Documents with a password are not opened."

PAGES = Format(
    name="Pages",
    kind=Kind.DOCUMENT,
    # Without a name the three kinds look alike from outside.
    media_types=frozenset({"application/vnd.apple.pages", "application/x-iwork"}),
    extensions=frozenset({"pages"}),
    extract=extract,
    keeps=(
        "headings, lists, links, footnotes, comments, headers and footers",
        "tables, text boxes, pictures and equations where they stand",
        "tracked changes as if accepted",
    ),
    libraries=("cramjam", "lxml", "pillow"),
    limitations=("Which page a text stands on is not stored, so there are no page marks.", _NO_PASSWORDS),
)
NUMBERS = Format(
    name="Numbers",
    kind=Kind.SPREADSHEET,
    media_types=frozenset({"application/vnd.apple.numbers"}),
    extensions=frozenset({"numbers"}),
    extract=extract,
    keeps=(
        "every sheet and table, each value at its row and column",
        "numbers, dates, currencies and percentages as they are shown, and the words of menus",
        "hidden rows, columns and sheets, marked as hidden",
        "charts as the table of their values, text boxes, pictures, comments",
    ),
    libraries=("cramjam", "lxml", "pillow"),
    limitations=(
        "Formulas are not calculated: their stored results are read.",
        "Number formats that people made themselves are not applied.",
        _NO_PASSWORDS,
    ),
)
KEYNOTE = Format(
    name="Keynote",
    kind=Kind.PRESENTATION,
    media_types=frozenset({"application/vnd.apple.keynote"}),
    extensions=frozenset({"key"}),
    extract=extract,
    keeps=(
        "slides in their order, skipped ones marked as hidden, texts from top to bottom",
        "presenter notes, comments, lists, links",
        "tables, charts as the table of their values, pictures, grouped shapes",
    ),
    libraries=("cramjam", "lxml", "pillow"),
    limitations=("What only the layouts of slides hold is not read.", "Animations are not read.", _NO_PASSWORDS),
)
