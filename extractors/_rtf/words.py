"""What the control words do. Those that are not here change only looks, and are passed over."""

from __future__ import annotations

from collections.abc import Callable

from extractors._rtf.captures import author, capture, embedded, label, open_picture, property_name, property_value
from extractors._rtf.flow import Flow
from extractors._rtf.fonts import codec_of_page
from extractors._rtf.lists import Lists
from extractors._rtf.pictures import KINDS
from extractors._rtf.reader import Reader
from extractors._rtf.state import Note, State
from extractors._rtf.tables import RowShape
from extractors._rtf.tokens import Token

#: What stands in these groups is for programs, or stands elsewhere too.
_SKIPPED = frozenset(
    {"filetbl", "info", "xe", "tc", "tcn", "rxe", "nonshppict", "shprslt", "nonesttables", "objclass",
     "objname", "private", "template", "themedata", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn",
     "pntxta", "pntxtb", "leveltext", "levelnumbers", "listname", "lfolevel", "listpicture", "revtbl", "rsidtbl",
     "generator", "passwordhash", "datastore", "latentstyles", "stextflow", "atnid", "atndate", "atntime", "atnref",
     "atrfstart", "atrfend", "formfield", "datafield", "mmathPict", "fontemb", "fontfile", "panose", "falt",
     "keywords", "comment"}
)  # fmt: skip
#: Destinations of which newer programs write that older ones may pass them over; we read them.
_READ_THOUGH_STARRED = frozenset(
    {"shppict", "picprop", "objdata", "shpinst", "nesttableprops", "do", "moMath", "moMathPara", "shpgrp",
     "listtable", "listoverridetable"}
)  # fmt: skip
_SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "bullet": "•", "endash": "–", "emdash": "—", "enspace": " ", "emspace": " ", "qmspace": " ", "~": " ",
    "_": "-",
}  # fmt: skip
_PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column", "\n", "\r"})
_MARGINS = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
#: Parts of equations, and the signs that stand around them.
_EQUATION_PARTS = {"mnum": ("(", ")"), "mden": ("/(", ")"), "msub": ("_(", ")"), "msup": ("^(", ")"),
                   "mdeg": ("√[", "]"), "mrad": ("√(", ")")}  # fmt: skip
_SCRIPTS = frozenset({"msSub", "msSup", "msSubSup"})


def do_word(reader: Reader, token: Token) -> None:
    """Carries out one control word."""
    word = token.word
    if (action := _ACTIONS.get(word)) is not None:
        action(reader, token.number)
    elif word in _SIGNS:
        reader.say(_SIGNS[word])
    elif word in _PARAGRAPH_ENDS:
        reader.end_paragraph()
    elif word in _MARGINS:
        _open_margin(reader, _MARGINS[word])
    elif word in _SKIPPED or (reader.state.is_starred and word not in _READ_THOUGH_STARRED):
        reader.state.target = "skip"
    elif word in KINDS and reader.pictures:
        reader.pictures[-1].kind = word
    elif word == "bin" and reader.pictures:
        reader.pictures[-1].binary = token.data
    else:
        _equation_part(reader, word)


def _is_on(number: int | None) -> bool:
    return number != 0


# --- destinations -----------------------------------------------------------------------------------------------------


def _open_flow(reader: Reader, closer: Callable[[Reader, State], None]) -> None:
    reader.flows.append(Flow(limits=reader.budget.limits))
    reader.state.target = "flow"
    reader.state.fresh_paragraph()
    reader.when_closed(closer)


def _open_margin(reader: Reader, kind: str) -> None:
    _open_flow(reader, lambda reader, _state: reader.margin_read(kind))


def _open_note(reader: Reader, kind: str) -> None:
    reader.notes.append(Note(kind=kind, author=reader.comment_author if kind == "comment" else ""))
    _open_flow(reader, Reader.note_read)


def _end_note(reader: Reader, _number: int | None) -> None:
    if reader.notes:
        reader.notes[-1].kind = "endnote"


def _open_field(reader: Reader, _number: int | None) -> None:
    reader.fields.append((None, ""))
    reader.when_closed(Reader.field_read)


def _instruction(reader: Reader, _number: int | None) -> None:
    def read(reader: Reader, state: State) -> None:
        if reader.fields:
            reader.fields[-1] = (reader.fields[-1][0], "".join(state.captured))

    capture(reader, read)


def _result(reader: Reader, _number: int | None) -> None:
    if reader.fields and reader.state.target == "flow":
        reader.fields[-1] = (len(reader.flow.pieces), reader.fields[-1][1])


def _text_box(reader: Reader, _number: int | None) -> None:
    _open_flow(reader, Reader.box_read)


def _open_table_of(target: str) -> Callable[[Reader, int | None], None]:
    def begin(reader: Reader, _number: int | None) -> None:
        reader.state.target = target

    return begin


def _twice(reader: Reader, _number: int | None) -> None:
    reader.state.outer_target, reader.state.target = reader.state.target, "upr"


def _in_unicode(reader: Reader, _number: int | None) -> None:
    if reader.state.target == "upr":
        reader.state.target = reader.state.outer_target


def _equation_part(reader: Reader, word: str) -> None:
    if word in _EQUATION_PARTS and reader.state.target == "flow":
        opening, closing = _EQUATION_PARTS[word]
        reader.say(opening)
        reader.when_closed(lambda reader, _state: reader.say(closing))
    elif word.startswith("m") and word.endswith("Pr"):
        reader.state.target = "skip"


# --- tables of the document -------------------------------------------------------------------------------------------


def _font(reader: Reader, number: int | None) -> None:
    reader.state.font = number


def _charset(reader: Reader, number: int | None) -> None:
    if reader.state.target == "fonts" and reader.state.font is not None and number is not None:
        reader.fonts.charsets[reader.state.font] = number


def _style(reader: Reader, number: int | None) -> None:
    reader.state.style = number or 0
    if reader.state.target == "styles":
        capture(reader, Reader.style_read)


def _in_lists(take: Callable[[Lists, int], None]) -> Callable[[Reader, int | None], None]:
    def act(reader: Reader, number: int | None) -> None:
        if reader.state.target == "lists":
            take(reader.lists, number or 0)

    return act


def _list_number(reader: Reader, number: int | None) -> None:
    reader.state.list_number = number or 0
    if reader.state.target == "lists":
        reader.lists.number(number or 0)


def _colour_part(place: int) -> Callable[[Reader, int | None], None]:
    def mix(reader: Reader, number: int | None) -> None:
        if reader.state.target == "colours":
            reader.mixing[place] = number or 0

    return mix


def _code_page(reader: Reader, number: int | None) -> None:
    reader.fonts.codec = codec_of_page(number)


# --- looks ------------------------------------------------------------------------------------------------------------


def _set(name: str, value: Callable[[int | None], object]) -> Callable[[Reader, int | None], None]:
    def change(reader: Reader, number: int | None) -> None:
        setattr(reader.state, name, value(number))

    return change


def _deleted(reader: Reader, number: int | None) -> None:
    reader.state.is_deleted = _is_on(number)
    reader.has_tracked_changes = reader.has_tracked_changes or _is_on(number)


def _revised(reader: Reader, number: int | None) -> None:
    reader.has_tracked_changes = reader.has_tracked_changes or _is_on(number)


# --- rows -------------------------------------------------------------------------------------------------------------


def _new_row_shape(reader: Reader, _number: int | None) -> None:
    reader.shape = RowShape()


def _left_edge(reader: Reader, number: int | None) -> None:
    reader.shape.left_twips = number or 0


def _cell_edge(reader: Reader, number: int | None) -> None:
    reader.shape.end_cell(number or 0)


def _continued(reader: Reader, _number: int | None) -> None:
    reader.shape.is_continued_next = True


def _nested_level(reader: Reader) -> int:
    return max(2, reader.state.level)


_ACTIONS: dict[str, Callable[[Reader, int | None], None]] = {
    "*": lambda _reader, _number: None,
    "u": lambda reader, number: reader.say_code(number or 0),
    "uc": _set("bytes_per_unicode", lambda number: max(0, min(number if number is not None else 1, 100))),
    "plain": lambda reader, _number: reader.state.plain(),
    "pard": lambda reader, _number: reader.state.fresh_paragraph(),
    "f": _font,
    "fcharset": _charset,
    "ansicpg": _code_page,
    "mac": lambda reader, _number: _code_page(reader, 10000),
    "pc": lambda reader, _number: _code_page(reader, 437),
    "pca": lambda reader, _number: _code_page(reader, 850),
    "fonttbl": _open_table_of("fonts"),
    "colortbl": _open_table_of("colours"),
    "stylesheet": _open_table_of("styles"),
    "sbasedon": _set("base_style", lambda number: number),
    **dict.fromkeys(("listtable", "listoverridetable"), _open_table_of("lists")),
    "list": _in_lists(lambda lists, _number: lists.begin()),
    "levelnfc": _in_lists(Lists.level),
    "listid": _in_lists(Lists.name),
    "ls": _list_number,
    "red": _colour_part(0),
    "green": _colour_part(1),
    "blue": _colour_part(2),
    "s": _style,
    "v": _set("is_hidden", _is_on),
    "deleted": _deleted,
    "revised": _revised,
    "cf": _set("colour", lambda number: number or 0),
    "fs": _set("half_points", lambda number: number if number is not None else 24),
    **dict.fromkeys(("cb", "chcbpat", "highlight", "cbpat"), _set("has_ground", bool)),
    "outlinelevel": _set("outline", lambda number: number or 0),
    "ilvl": _set("list_depth", lambda number: max(0, min(number or 0, 8))),
    "intbl": _set("is_in_table", _is_on),
    "itap": _set("table_level", lambda number: max(0, number if number is not None else 1)),
    "cell": lambda reader, _number: reader.end_cell(1),
    "nestcell": lambda reader, _number: reader.end_cell(_nested_level(reader)),
    "row": lambda reader, _number: reader.end_row(1),
    "nestrow": lambda reader, _number: reader.end_row(_nested_level(reader)),
    "trowd": _new_row_shape,
    "trleft": _left_edge,
    "cellx": _cell_edge,
    "clmrg": _continued,
    "clvmrg": _continued,
    "field": _open_field,
    "fldinst": _instruction,
    "fldrslt": _result,
    "listtext": label,
    "pntext": label,
    "pict": open_picture,
    "objdata": embedded,
    "sn": property_name,
    "sv": property_value,
    "footnote": lambda reader, _number: _open_note(reader, "footnote"),
    "annotation": lambda reader, _number: _open_note(reader, "comment"),
    "ftnalt": _end_note,
    "atnauthor": author,
    "shptxt": _text_box,
    "dptxbxtext": _text_box,
    "upr": _twice,
    "ud": _in_unicode,
}
