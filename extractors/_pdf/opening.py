"""A PDF opened: with its password, and with its pages found again where their list is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extractors.content import Status
from extractors.format import Unreadable

if TYPE_CHECKING:
    import pymupdf

#: What a page takes from the branches of the tree that it hangs on.
INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
#: A list of more pages is made to break readers; so is a tree of more levels.
MAX_LISTED_PAGES = 100_000
MAX_TREE_DEPTH = 50
_REFERENCE = re.compile(r"(\d+) \d+ R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A document whose first pages can be loaded, and how many pages its own list has."""

    document: pymupdf.Document
    total_pages: int
    #: The list was broken: these are the pages that could be found.
    is_mended: bool = False


@contextmanager
def opened_pdf(data: bytes, password: str | None, *, max_pages: int) -> Iterator[Opened]:
    """Opens a PDF. Raises `Unreadable` where it is broken, or locked."""
    import pymupdf  # noqa: PLC0415 - a parser loads with the first file that needs it

    pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - the library's own signature
    pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003 - the library's own signature
    pymupdf.no_recommend_layout()  # it would print to stdout
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except (RuntimeError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the PDF is broken") from exc
    with document:
        if document.needs_pass and not (password and document.authenticate(password)):
            problem = "the password does not open this PDF" if password else "a password is needed to open this PDF"
            raise Unreadable(Status.ENCRYPTED, problem)
        if total := _page_count(document):
            yield Opened(document=document, total_pages=total)
            return
        data, total = _mended(document, max_pages)
        with pymupdf.open(stream=data, filetype="pdf") as mended:
            yield Opened(document=mended, total_pages=total, is_mended=True)


def _page_count(document: pymupdf.Document) -> int:
    """0 where the list of pages is broken."""
    try:
        return len(document)
    except RuntimeError:
        return 0


def _mended(document: pymupdf.Document, max_pages: int) -> tuple[bytes, int]:
    """The file with a list of the first of its pages, and how many there are."""
    try:
        pages = list(_listed(document)) or [(number, {}) for number in _loose(document)]
        if pages:
            return _relisted(document, pages[:max_pages]), len(pages)
    except Exception as exc:
        # MuPDF reports damage as RuntimeError and as errors of its own, its Python side as nearly anything.
        raise Unreadable(Status.REJECTED, "the PDF is broken") from exc
    raise Unreadable(Status.REJECTED, "the PDF is broken: none of its pages could be found")


def _listed(document: pymupdf.Document) -> Iterator[tuple[int, dict[str, str]]]:
    """The pages by their list, whatever it says of their count, each with what it inherits."""
    root = _REFERENCE.match(_value(document, document.pdf_catalog(), "Pages"))
    branches: list[tuple[int, dict[str, str], int]] = [(int(root[1]), {}, 0)] if root else []
    left = MAX_LISTED_PAGES
    while branches and left:
        left -= 1
        number, inherited, depth = branches.pop()
        kids = _REFERENCE.findall(_value(document, number, "Kids"))
        own = {key: value for key in INHERITED if (value := _value(document, number, key))}
        if kids and depth < MAX_TREE_DEPTH:
            branches += [(int(kid), inherited | own, depth + 1) for kid in reversed(kids)]
        elif not kids and _value(document, number, "Type") == "/Page":
            yield number, inherited


def _loose(document: pymupdf.Document) -> Iterator[int]:
    """Every object that says it is a page."""
    for number in range(1, min(document.xref_length(), MAX_LISTED_PAGES)):
        if _value(document, number, "Type") == "/Page":
            yield number


def _value(document: pymupdf.Document, number: int, key: str) -> str:
    try:
        kind, value = document.xref_get_key(number, key)
    except (RuntimeError, ValueError):
        return ""
    return "" if kind == "null" else value


def _relisted(document: pymupdf.Document, pages: list[tuple[int, dict[str, str]]]) -> bytes:
    """The file with a new list of these pages, each a page of its own."""
    catalog = document.pdf_catalog()
    root = document.get_new_xref()
    kids = []
    for number, inherited in pages:
        copy = document.get_new_xref()
        document.update_object(copy, document.xref_object(number, compressed=True))
        for key, value in inherited.items():
            if not _value(document, number, key):
                document.xref_set_key(copy, key, value)
        document.xref_set_key(copy, "Parent", f"{root} 0 R")
        kids.append(f"{copy} 0 R")
    document.update_object(root, f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>")
    document.xref_set_key(catalog, "Pages", f"{root} 0 R")
    return bytes(document.tobytes(garbage=0))
