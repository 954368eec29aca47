"""What is attached to a page and not printed in its text: comments, the addresses of links, values of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from extractors._pdf.lines import read_text
from extractors._pdf.turned import Rect, Turn
from extractors._reading_order import Piece

if TYPE_CHECKING:
    import pymupdf

MAX_LINKS = 40
MAX_QUOTED_CHARS = 150
#: Kinds by MuPDF's numbers: those that mark text, and those that say nothing of their own.
MARKS_TEXT = frozenset({8, 9, 10, 11})
SILENT = frozenset({1, 16, 17, 18, 19, 20, 21, 22, 24, 25})
MAX_READ_LINKS = 1_000
_OUTSIDE = re.compile(r"(?:https?|mailto|ftp|tel):", re.IGNORECASE)
_TICKED = frozenset({"CheckBox", "RadioButton"})
_OFF = frozenset({"", "Off", "/Off", "()"})
_FILLED_IN = frozenset({"Text", "ComboBox", "ListBox"})
_BLANKS = re.compile(r"\s+")


def annotated(page: pymupdf.Page, texts: Iterable[str]) -> Iterator[str]:
    """What hangs on a page, as paragraphs; nothing that already stands in its texts."""
    shown = squeezed(" ".join(texts))
    words = _Words(page)
    yield from _comments(page, words, shown)
    yield from filter(None, ("\n".join(found) for found in (_fields(page, shown), _links(page, words, shown))))


class _Words:
    """The words of a page and where they stand, found once something asks for them."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._page = page

    @cached_property
    def _all(self) -> list[tuple[Piece, str]]:
        turn = Turn.of(self._page)
        words = read_text(self._page, "words")
        return [(Piece(*turn.box(word[:4]), ""), word[4]) for word in words]

    def under(self, box: Rect) -> str:
        """What stands in the box."""
        bounds = Piece(*box, "")
        return " ".join(text for word, text in self._all if bounds.holds(word))[:MAX_QUOTED_CHARS]


def squeezed(text: str) -> str:
    """The text without its blanks, to compare it with what was broken over lines and cells."""
    return _BLANKS.sub("", text.replace("<br>", ""))


def _comments(page: pymupdf.Page, words: _Words, shown: str) -> Iterator[str]:
    annotation: Any = page.first_annot
    while annotation is not None:
        kind, info = annotation.type[0], annotation.info
        said = (info.get("content") or "").replace("\r", "\n").strip()
        if said and kind not in SILENT and squeezed(said) not in shown:
            author = " ".join((info.get("title") or "").split())
            yield f"Comment{f' ({author})' if author else ''}{_quoted(page, words, annotation)}: {said}"
        annotation = annotation.next


def _quoted(page: pymupdf.Page, words: _Words, annotation: Any) -> str:
    """The words that a comment marks."""
    if annotation.type[0] not in MARKS_TEXT:
        return ""
    marked = words.under(Turn.of(page).box(tuple(annotation.rect)))
    return f' on "{marked}"' if marked else ""


def _fields(page: pymupdf.Page, shown: str) -> Iterator[str]:
    """Boxes that are ticked, and values that are not drawn."""
    field: Any = page.first_widget
    while field is not None:
        kind = field.field_type_string
        name = " ".join((field.field_label or _last_name(field.field_name or "")).split())
        if kind in _TICKED:
            if _state(page, field.xref) not in _OFF:
                yield f"[x] {name}"
        elif kind in _FILLED_IN and squeezed(value := _shown_value(field)) not in shown:
            yield f"{name}: {value}"
        field = field.next


def _state(page: pymupdf.Page, number: int) -> str:
    """Which of its pictures a box shows; what is kept for its field, or for the group of boxes, where it has none."""
    keys = (page.parent.xref_get_key(number, key) for key in ("AS", "V", "Parent/V"))
    return next((value for kind, value in keys if kind != "null"), "")


def _shown_value(field: Any) -> str:
    """The value as its list shows it, where it is one of a list."""
    choices = field.choice_values or ()
    shown = {choice[0]: choice[1] for choice in choices if isinstance(choice, tuple | list) and len(choice) == 2}
    value = shown.get(field.field_value, field.field_value)
    return value.strip() if isinstance(value, str) else ""


def _last_name(name: str) -> str:
    return re.sub(r"\[\d+\]$", "", name.rpartition(".")[2])


def _links(page: pymupdf.Page, words: _Words, shown: str) -> Iterator[str]:
    """The addresses behind words, where the words are not the address."""
    found: dict[str, Rect] = {}
    for address, box in _addresses(page):
        bare = squeezed(re.sub(r"^(?:https?://|mailto:)", "", address)).rstrip("/")
        if bare not in shown:
            found.setdefault(address, box)
    for address, box in list(found.items())[:MAX_LINKS]:
        said = words.under(box)
        yield f"[{said}]({address})" if said else f"<{address}>"
    if len(found) > MAX_LINKS:
        yield f"and {len(found) - MAX_LINKS} more links"


def _addresses(page: pymupdf.Page) -> Iterator[tuple[str, Rect]]:
    """Where links lead outside the document. Not by `Page.get_links`, which never ends on some files."""
    from pymupdf import mupdf  # noqa: PLC0415 - a parser loads with the first file that needs it

    link: Any = mupdf.fz_load_links(page.this)
    for _ in range(MAX_READ_LINKS):
        if not link.m_internal:
            return
        address = "".join((link.m_internal.uri or "").split())
        if _OUTSIDE.match(address):
            box = link.m_internal.rect
            yield address, (box.x0, box.y0, box.x1, box.y1)
        link = link.next()
