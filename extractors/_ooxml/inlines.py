"""What stands inside a paragraph of Word: runs, links, fields, notes, equations, drawings."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractors._ooxml.drawings import CX, DGM, chart_text, diagram_text, shape_lines
from extractors._ooxml.equations import latex
from extractors._ooxml.line import Line, texts
from extractors._ooxml.names import A, C, Element, M, R, V, W
from extractors._ooxml.word_styles import is_on

_SYMBOL_EXTENDED = "{http://schemas.microsoft.com/office/word/2015/wordml/symex}symEx"
_LINK_FIELD = re.compile(r'\bHYPERLINK\s+"([^"]+)"')
#: Symbols of the Wingdings fonts that carry meaning, by their code.
_WINGDINGS = {0x6C: "●", 0x6E: "■", 0x6F: "□", 0xA7: "▪", 0xA8: "☐", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
              0xE0: "→", 0xD8: "➢"}  # fmt: skip


def read_inlines(parent: Element, line: Line) -> None:
    """Adds everything that stands inside a paragraph, or a part of one, to the line."""
    for child in parent:
        reader = _INLINE.get(child.tag)
        if reader is not None:
            reader(child, line)
        elif (content := line.document.opened(child)) is not None:
            read_inlines(content, line)


def _run(run: Element, line: Line) -> None:
    properties = run.find(f"{W}rPr")
    hidden = is_on(properties, "vanish")
    if hidden is None and properties is not None and (named := properties.find(f"{W}rStyle")) is not None:
        hidden = line.document.styles.get(named.get(f"{W}val")).is_hidden
    line.hiding = bool(line.is_hidden if hidden is None else hidden)
    read_inlines(run, line)
    line.hiding = False


def _text(element: Element, line: Line) -> None:
    line.add(element.text or "")


def _tab(_: Element, line: Line) -> None:
    line.add("\t")


def _break(_: Element, line: Line) -> None:
    line.add("\n")


def _hyphen(_: Element, line: Line) -> None:
    line.add("-")


def _skip(_: Element, _line: Line) -> None:
    """Instructions of fields and deleted text are not read."""


def _symbol(element: Element, line: Line) -> None:
    line.add(_symbol_text(element))


def _hyperlink(element: Element, line: Line) -> None:
    start = len(line.pieces)
    read_inlines(element, line)
    line.link(start, line.document.package.address(line.part, element.get(f"{R}id")))


def _simple_field(element: Element, line: Line) -> None:
    start = len(line.pieces)
    read_inlines(element, line)
    line.link(start, _field_address(element.get(f"{W}instr", "")))


def _field_character(element: Element, line: Line) -> None:
    kind = element.get(f"{W}fldCharType")
    if kind == "begin":
        line.fields.append(([], None))
        line.add(_check_box(element))
    elif kind == "separate" and line.fields:
        line.fields[-1] = (line.fields[-1][0], len(line.pieces))
    elif kind == "end" and line.fields:
        instruction, start = line.fields.pop()
        if start is not None:
            line.link(start, _field_address("".join(instruction)))


def _field_instruction(element: Element, line: Line) -> None:
    if line.fields:
        line.fields[-1][0].append(element.text or "")


def _ruby(element: Element, line: Line) -> None:
    for name, form in (("rubyBase", "{}"), ("rt", "({})")):
        part = element.find(f"{W}{name}")
        inner = Line(part=line.part, document=line.document)
        if part is not None:
            read_inlines(part, inner)
        line.add(form.format(inner.text()) if inner.pieces else "")


def _note(element: Element, line: Line) -> None:
    kind = element.tag[len(W) :].removesuffix("Reference")
    line.add(line.document.note_reference(kind, element.get(f"{W}id", "")))


def _equation(element: Element, line: Line) -> None:
    line.add(latex(element))


def _graphic(element: Element, line: Line) -> None:
    """What a drawing shows: pictures in the line, the rest after it. Alternatives are opened once."""
    _drawn(element, line, "")


def _drawn(element: Element, line: Line, words: str) -> None:
    package, tag = line.document.package, element.tag
    words = _description(element) or words
    if tag == f"{W}txbxContent":
        line.after.append(element)
    elif tag == f"{A}txBody":
        line.after += texts("\n".join(shape_lines(element)))
    elif tag in {f"{A}blip", f"{V}imagedata"}:
        target = package.target(line.part, element.get(f"{R}embed") or element.get(f"{R}id"))
        line.add(f" {line.document.gallery.reference(target, words)} " if target else "")
    elif tag in {f"{C}chart", f"{CX}chart"}:
        root = package.optional(package.target(line.part, element.get(f"{R}id")))
        line.after += texts(chart_text(root)) if root is not None else ()
    elif tag == f"{DGM}relIds":
        root = package.optional(package.target(line.part, element.get(f"{R}dm")))
        line.after += texts(diagram_text(root)) if root is not None else ()
    elif tag == f"{V}textpath":
        line.add(element.get("string", ""))
    elif (content := line.document.opened(element)) is not None:
        for child in content:
            _drawn(child, line, words)


def _symbol_text(element: Element) -> str:
    """The character of a `w:sym`; those of symbol fonts as far as they mean something."""
    namespace = element.tag[: element.tag.index("}") + 1]  # the attributes share it with the element
    code = element.get(f"{namespace}char", "")
    if not re.fullmatch(r"[0-9A-Fa-f]{1,5}", code):
        return ""
    number = int(code, 16)
    if 0xF000 <= number <= 0xF0FF or element.get(f"{namespace}font", "").startswith("Wingdings"):
        return _WINGDINGS.get(number & 0xFF, "")
    return chr(number)


def _check_box(field_begin: Element) -> str:
    """A ticked or an empty box for the field of a form's check box, "" for other fields."""
    box = field_begin.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return ""
    ticked = is_on(box, "checked")
    return "☑" if (is_on(box, "default") if ticked is None else ticked) else "☐"


def _field_address(instruction: str) -> str:
    """The outside address of a HYPERLINK field, or ""."""
    match = _LINK_FIELD.search(instruction)
    return match[1] if match else ""


def _description(element: Element) -> str:
    """The alternative text that an author gave to a picture."""
    if element.tag == f"{V}shape":
        return element.get("alt", "")
    # The anchor of a drawing and the picture itself both may have it: `wp:docPr` and `pic:nvPicPr/pic:cNvPr`.
    for name in ("{*}docPr", "{*}nvPicPr/{*}cNvPr"):
        found = element.find(name)
        if found is not None and found.get("descr"):
            return found.get("descr", "")
    return ""


_INLINE: dict[object, Callable[[Element, Line], None]] = {
    f"{W}r": _run,
    f"{W}t": _text,
    f"{W}tab": _tab,
    f"{W}ptab": _tab,
    f"{W}br": _break,
    f"{W}cr": _break,
    f"{W}noBreakHyphen": _hyphen,
    f"{W}sym": _symbol,
    _SYMBOL_EXTENDED: _symbol,
    f"{W}delText": _skip,
    f"{W}hyperlink": _hyperlink,
    f"{W}fldSimple": _simple_field,
    f"{W}fldChar": _field_character,
    f"{W}instrText": _field_instruction,
    f"{W}ruby": _ruby,
    f"{W}footnoteReference": _note,
    f"{W}endnoteReference": _note,
    f"{W}commentReference": _note,
    f"{M}oMath": _equation,
    f"{M}oMathPara": _equation,
    f"{W}drawing": _graphic,
    f"{W}pict": _graphic,
    f"{W}object": _graphic,
}
