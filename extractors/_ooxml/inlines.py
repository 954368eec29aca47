"""What stands inside a paragraph of Word: runs, links, fields, notes, equations, drawings."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractors._ooxml.drawings import CX, DGM, chart_text, diagram_text, shape_lines
from extractors._ooxml.equations import latex
from extractors._ooxml.fields import drawn, field_address, with_anchor
from extractors._ooxml.line import Line, OpenField, texts
from extractors._ooxml.names import A, C, Element, M, R, V, W
from extractors._ooxml.numbering import int_or
from extractors._ooxml.word_styles import is_on
from extractors._symbol_fonts import IN_SYMBOL_AREA, readable, symbol

_SYMBOL_EXTENDED = "{http://schemas.microsoft.com/office/word/2015/wordml/symex}symEx"
_OBJECT = "{urn:schemas-microsoft-com:office:office}OLEObject"


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
    text = element.text or ""
    if IN_SYMBOL_AREA.search(text):
        fonts = None if (parent := element.getparent()) is None else parent.find(f"{W}rPr/{W}rFonts")
        font = None if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi")
        text = readable(text, font)
    line.add(text)


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
    address = line.document.package.address(line.part, element.get(f"{R}id"))
    line.link(start, with_anchor(address, element.get(f"{W}anchor")))


def _simple_field(element: Element, line: Line) -> None:
    start = len(line.pieces)
    read_inlines(element, line)
    line.link(start, field_address(element.get(f"{W}instr", "")))


def _field_character(element: Element, line: Line) -> None:
    kind = element.get(f"{W}fldCharType")
    if kind == "begin":
        line.add(_form_field(element))
        line.fields.append(OpenField(len(line.pieces)))
    elif kind == "separate" and line.fields:
        # What fields inside the instruction gave is no text of the document.
        del line.pieces[line.fields[-1].begun_at :]
        line.fields[-1].result_at = len(line.pieces)
    elif kind == "end" and line.fields:
        ended = line.fields.pop()
        instruction = "".join(ended.instruction)
        if ended.result_at is not None:
            line.link(ended.result_at, field_address(instruction))
        elif len(line.pieces) == ended.begun_at:
            line.add(drawn(instruction))


def _field_instruction(element: Element, line: Line) -> None:
    if line.fields:
        line.fields[-1].instruction.append(element.text or "")


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


def _block(element: Element, line: Line) -> None:
    """A table or a paragraph inside a paragraph, which some programs write."""
    line.after.append(element)


def _graphic(element: Element, line: Line) -> None:
    """What a drawing shows: pictures in the line, the rest after it. Alternatives are opened once."""
    _drawn(element, line, "")


def _drawn(element: Element, line: Line, words: str) -> None:
    package, tag = line.document.package, element.tag
    words = _description(element) or words
    if isinstance(tag, str) and tag.endswith("}txbxContent"):  # Word's strict files put it in another namespace
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
    elif tag == _OBJECT:
        target = package.target(line.part, element.get(f"{R}id"))
        line.document.objects |= {target: None} if target else {}
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
    return symbol(int(code, 16), element.get(f"{namespace}font"))


def _form_field(field_begin: Element) -> str:
    """A ticked or an empty box for the field of a form's check box, the choice of a list, "" for other fields."""
    data = field_begin.find(f"{W}ffData")
    box, choices = (None, None) if data is None else (data.find(f"{W}checkBox"), data.find(f"{W}ddList"))
    if box is not None:
        ticked = is_on(box, "checked")
        return "☑" if (is_on(box, "default") if ticked is None else ticked) else "☐"
    if choices is None:
        return ""
    entries = [entry.get(f"{W}val", "") for entry in choices.iterchildren(f"{W}listEntry")]
    chosen = choices.find(f"{W}result")
    if chosen is None:
        chosen = choices.find(f"{W}default")
    number = 0 if chosen is None else int_or(chosen.get(f"{W}val"), 0)
    return entries[number] if 0 <= number < len(entries) else ""


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
    f"{W}tbl": _block,
    f"{W}p": _block,
    f"{W}drawing": _graphic,
    f"{W}pict": _graphic,
    f"{W}object": _graphic,
}
