"""What lies over the cells of a sheet: pictures, charts, text boxes and comments, each with its cell."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._gallery import Gallery
from extractors._grid import column_letters
from extractors._ooxml.drawings import CX, DGM, chart_text, diagram_text, shape_lines
from extractors._ooxml.names import MC, A, C, Element, R, S, chosen_branch
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package
from extractors._ooxml.sheet import string_text

XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_THREADED = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


def drawn(package: Package, gallery: Gallery, sheet: str) -> Iterator[str]:
    """Everything that is drawn over a sheet, as Markdown in the order of the file."""
    for part in package.related(sheet, "drawing"):
        root = package.optional(part)
        for anchor in root if root is not None else ():
            place = _place(anchor)
            for text in _shown(package, gallery, part, anchor):
                yield f"At {place}: {text}" if place else text


def _place(anchor: Element) -> str:
    column, row = (anchor.findtext(f"{XDR}from/{XDR}{name}") for name in ("col", "row"))
    return f"{column_letters(int_or(column, 0) + 1)}{int_or(row, 0) + 1}" if column and row else ""


def _shown(package: Package, gallery: Gallery, part: str, element: Element) -> Iterator[str]:
    tag = element.tag
    if tag == f"{MC}AlternateContent":
        branch = chosen_branch(element)
        yield from _children(package, gallery, part, branch) if branch is not None else ()
    elif tag == f"{XDR}pic":
        yield from _picture(package, gallery, part, element)
    elif tag == f"{XDR}txBody":
        yield from filter(None, ["\n".join(shape_lines(element))])
    elif tag in {f"{C}chart", f"{CX}chart"}:
        root = package.optional(package.target(part, element.get(f"{R}id")))
        yield from () if root is None else [chart_text(root)]
    elif tag == f"{DGM}relIds":
        root = package.optional(package.target(part, element.get(f"{R}dm")))
        yield from () if root is None else [diagram_text(root)]
    else:
        yield from _children(package, gallery, part, element)


def _children(package: Package, gallery: Gallery, part: str, element: Element) -> Iterator[str]:
    for child in element:
        yield from _shown(package, gallery, part, child)


def _picture(package: Package, gallery: Gallery, part: str, picture: Element) -> Iterator[str]:
    blip = picture.find(f"{XDR}blipFill/{A}blip")
    named = picture.find(f"{XDR}nvPicPr/{XDR}cNvPr")
    target = package.target(part, blip.get(f"{R}embed")) if blip is not None else None
    if target is not None:
        yield gallery.reference(target, named.get("descr", "") if named is not None else "")


def pictures_in_cells(package: Package, workbook: str) -> dict[str, str]:
    """The pictures that WPS puts into cells: the id that `=DISPIMG("ID_...")` names to the picture's part."""
    pictures: dict[str, str] = {}
    for part in package.related(workbook, "cellImage"):
        root = package.optional(part)
        for picture in root.iter(f"{XDR}pic") if root is not None else ():
            named, blip = picture.find(f"{XDR}nvPicPr/{XDR}cNvPr"), picture.find(f"{XDR}blipFill/{A}blip")
            target = package.target(part, blip.get(f"{R}embed")) if blip is not None else None
            if named is not None and target is not None:
                pictures[named.get("name", "")] = target
    return pictures


def comments(package: Package, sheet: str, people: dict[str, str]) -> Iterator[str]:
    """The notes and the threaded comments of a sheet, each with its cell and its author."""
    threaded = package.related(sheet, "threadedComment")
    for part in threaded:
        root = package.optional(part)
        for comment in root.iterchildren(f"{_THREADED}threadedComment") if root is not None else ():
            author = people.get(comment.get("personId", ""), "")
            yield _comment(comment.get("ref", ""), author, comment.findtext(f"{_THREADED}text") or "")
    for part in package.related(sheet, "comments"):
        root = package.optional(part)
        if root is None:
            continue
        authors = [author.text or "" for author in root.iterfind(f"{S}authors/{S}author")]
        for comment in root.iterfind(f"{S}commentList/{S}comment"):
            index = int_or(comment.get("authorId"), -1)
            author = authors[index] if 0 <= index < len(authors) else ""
            if not (threaded and author.startswith("tc=")):  # the copy of a threaded comment for old programs
                yield _comment(comment.get("ref", ""), author, string_text(comment.find(f"{S}text")))


def people(package: Package, workbook: str) -> dict[str, str]:
    """The names of those who wrote threaded comments by their id."""
    roots = (package.optional(part) for part in package.related(workbook, "person"))
    return {
        person.get("id", ""): person.get("displayName", "") for root in roots if root is not None for person in root
    }


def _comment(cell: str, author: str, text: str) -> str:
    return f"Comment on {cell}{f' ({author})' if author.strip() else ''}: {text.strip()}"
