"""What stands inside a paragraph: spans, links, fields, notes, frames, shapes, equations."""

from __future__ import annotations

from collections.abc import Callable

from extractors._inflating import Element
from extractors._mathml import mathml_latex
from extractors._odf.line import Line
from extractors._odf.names import (
    DR3D,
    DRAW,
    HREF,
    MATH,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    whole,
)

_MAX_BLANKS = 1_000
_TEXT_BLOCKS = frozenset(f"{TEXT}{name}" for name in ("p", "h", "list"))
#: Pictures that we cannot decode, or that a better one stands beside.
_SECOND_CHOICE = (".svg", ".svm", ".emf", ".wmf", ".pdf", ".eps")


def read_inlines(parent: Element, line: Line) -> None:
    """Adds everything that stands inside a paragraph, or a part of one, to the line."""
    line.add_from_markup(parent.text)
    for child in parent:
        read_inline(child, line)
        line.add_from_markup(child.tail)


def read_inline(element: Element, line: Line) -> None:
    """Adds one element of a paragraph, or a frame or shape that stands among paragraphs."""
    tag = element.tag
    reader = _INLINE.get(tag)
    if reader is not None:
        reader(element, line)
    elif isinstance(tag, str) and tag.startswith((DRAW, DR3D)):
        _shape(element, line)
    elif isinstance(tag, str):  # an entity is not
        read_inlines(element, line)


def _blanks(element: Element, line: Line) -> None:
    line.add(" " * whole(element.get(f"{TEXT}c"), 1, most=_MAX_BLANKS))


def _tab(_: Element, line: Line) -> None:
    line.add("\t")


def _break(_: Element, line: Line) -> None:
    line.add("\n")


def _skip(_: Element, _line: Line) -> None:
    """Numbers that programs left for others, scripts, templates: not text."""


def _span(element: Element, line: Line) -> None:
    hidden = line.document.styles.get("text", element.get(f"{TEXT}style-name")).is_hidden
    before, line.is_hiding = line.is_hiding, line.is_hiding if hidden is None else hidden
    read_inlines(element, line)
    line.is_hiding = before


def _hidden_text(element: Element, line: Line) -> None:
    is_hidden = element.get(f"{TEXT}is-hidden") == "true"
    before, line.is_hiding = line.is_hiding, line.is_hiding or is_hidden
    line.add(element.get(f"{TEXT}string-value", "") if is_hidden else "".join(map(str, element.itertext())))
    line.is_hiding = before


def _link(element: Element, line: Line) -> None:
    start = len(line.pieces)
    read_inlines(element, line)
    line.link(start, _address(element))


def _address(element: Element) -> str:
    """The outside address of a link, or ""."""
    address = element.get(HREF, "")
    return "" if address.startswith("#") else address


def _ruby(element: Element, line: Line) -> None:
    for name, form in (("ruby-base", "{}"), ("ruby-text", "({})")):
        part = element.find(f"{TEXT}{name}")
        inner = Line(around=line.around)
        if part is not None:
            read_inlines(part, inner)
        line.add(form.format(inner.text()) if inner.pieces else "")


def _note(element: Element, line: Line) -> None:
    if not line.document.deleting:
        line.add(line.document.note_reference(element))


def _change_start(element: Element, line: Line) -> None:
    document = line.document
    document.deleting |= {element.get(f"{TEXT}change-id", "")} & document.deletions


def _change_end(element: Element, line: Line) -> None:
    line.document.deleting.discard(element.get(f"{TEXT}change-id", ""))


def _equation(element: Element, line: Line) -> None:
    line.add(mathml_latex(element))


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _frame(frame: Element, line: Line) -> None:
    """One of the forms in which a frame holds its content; the picture of an object only where that cannot be read."""
    if line.document.deleting:
        return
    for item in frame.iterchildren(f"{DRAW}object"):
        found = line.document.source.embedded(item, line.around.folder)
        if found is not None and _object(*found, line):
            return
    for item in frame.iterchildren(f"{DRAW}text-box"):
        line.after += line.around.blocks(item)
    tables = list(frame.iterchildren(f"{TABLE}table"))
    if tables:
        line.after += line.around.blocks(frame)
    else:
        _picture(frame, line)


def _object(root: Element, folder: str, line: Line) -> bool:
    """Adds an embedded object; False where it says nothing."""
    if root.tag == f"{MATH}math":
        latex = mathml_latex(root)
        line.add(latex)
        return bool(latex)
    pieces = list(line.around.embedded(root, folder))
    line.after += pieces
    return bool(pieces)


def _picture(frame: Element, line: Line) -> None:
    names = [line.document.source.picture(image, line.around.folder) for image in frame.iterchildren(f"{DRAW}image")]
    known = sorted(filter(None, names), key=lambda name: name.lower().endswith(_SECOND_CHOICE))
    if known:
        words = frame.findtext(f"{SVG}desc") or frame.findtext(f"{SVG}title") or ""
        line.add_apart(line.document.gallery.reference(known[0], words))
    for image in frame.iterchildren(f"{DRAW}image"):
        if any(child.tag in _TEXT_BLOCKS for child in image):
            line.after += line.around.blocks(image)


def _shape(shape: Element, line: Line) -> None:
    """The text of a shape, then what is grouped inside it."""
    if any(child.tag in _TEXT_BLOCKS for child in shape):
        line.after += line.around.blocks(shape)
        return
    for child in shape:
        if isinstance(child.tag, str) and child.tag.startswith((DRAW, DR3D)):
            read_inline(child, line)
        elif child.tag == f"{OFFICE}annotation":
            _note(child, line)


def _control(element: Element, line: Line) -> None:
    line.add(line.document.controls.get(element.get(f"{DRAW}control", ""), ""))


def _linked_shape(element: Element, line: Line) -> None:
    inner = Line(around=line.around, is_hiding=line.is_hiding)
    read_inlines(element, inner)
    start = len(line.pieces)
    line.pieces += inner.pieces
    line.link(start, _address(element))
    line.after += inner.after


_INLINE: dict[object, Callable[[Element, Line], None]] = {
    f"{TEXT}s": _blanks,
    f"{TEXT}tab": _tab,
    f"{TEXT}line-break": _break,
    f"{TEXT}span": _span,
    f"{TEXT}a": _link,
    f"{TEXT}ruby": _ruby,
    f"{TEXT}note": _note,
    f"{OFFICE}annotation": _note,
    f"{TEXT}hidden-text": _hidden_text,
    f"{TEXT}change-start": _change_start,
    f"{TEXT}change-end": _change_end,
    f"{TEXT}number": _skip,
    f"{TEXT}script": _skip,
    f"{OFFICE}event-listeners": _skip,
    f"{SVG}title": _skip,
    f"{SVG}desc": _skip,
    f"{STYLE}map": _skip,
    f"{DRAW}enhanced-geometry": _skip,
    f"{DRAW}frame": _frame,
    f"{DRAW}a": _linked_shape,
    f"{DRAW}control": _control,
    f"{MATH}math": _equation,
}
