"""The files inside a PDF: those of its list, those pinned to its pages, and the parts of a portfolio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from extractors.budget import Budget
from extractors.content import LeftOut, Member

if TYPE_CHECKING:
    import pymupdf

#: Under which of these names a file is kept; some give one per system.
_PLACES = ("UF", "F", "Unix", "Mac", "DOS")
_FILE_ATTACHMENT = 17
#: What made the PDF keeps its own settings in it.
_SETTINGS = ".joboptions"
MAX_LISTED = 1_000


def pinned(page: pymupdf.Page) -> Iterator[Any]:
    """The descriptions of the files that hang on a page."""
    from pymupdf import mupdf  # noqa: PLC0415 - a parser loads with the first file that needs it

    annotation: Any = page.first_annot
    while annotation is not None:
        if annotation.type[0] == _FILE_ATTACHMENT:
            yield mupdf.pdf_dict_gets(mupdf.pdf_annot_obj(annotation.this), "FS")
        annotation = annotation.next


def attachments(document: pymupdf.Document, on_pages: list[Any], budget: Budget) -> Iterator[Member | LeftOut]:
    """Every file once, to be read as one in a container."""
    from pymupdf import mupdf  # noqa: PLC0415 - see above

    seen: set[int] = set()
    for description in [*_listed(document), *on_pages]:
        kept = mupdf.pdf_dict_gets(description, "EF")
        name = _name(description)
        for place in _PLACES:
            stream = mupdf.pdf_dict_gets(kept, place)
            number = mupdf.pdf_to_num(stream)
            if mupdf.pdf_is_stream(stream) and number not in seen and not name.lower().endswith(_SETTINGS):
                seen.add(number)
                yield _member(document, stream, name, budget)


def _listed(document: pymupdf.Document) -> Iterator[Any]:
    from pymupdf import mupdf  # noqa: PLC0415 - see above

    pdf = mupdf.pdf_document_from_fz_document(document.this)
    tree = mupdf.pdf_load_name_tree(pdf, mupdf.pdf_new_name("EmbeddedFiles"))
    for number in range(min(mupdf.pdf_dict_len(tree), MAX_LISTED)):
        yield mupdf.pdf_dict_get_val(tree, number)


def _name(description: Any) -> str:
    from pymupdf import mupdf  # noqa: PLC0415 - see above

    names = (mupdf.pdf_dict_get_text_string(description, mupdf.pdf_new_name(place)) for place in _PLACES)
    return next(filter(None, names), "attachment")


def _member(document: pymupdf.Document, stream: Any, name: str, budget: Budget) -> Member | LeftOut:
    from pymupdf import mupdf  # noqa: PLC0415 - see above

    size = mupdf.pdf_to_int(mupdf.pdf_dict_getp(stream, "Params/Size"))
    if (why := budget.why_no_member(max(size, 0))) is not None:
        return LeftOut(name, why)
    try:
        data = document.xref_stream(mupdf.pdf_to_num(stream))
    except (RuntimeError, ValueError):
        return LeftOut(name, "it is broken")
    return Member(name, bytes(data)) if data else LeftOut(name, "the file is empty", is_loss=False)
