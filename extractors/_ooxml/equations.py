"""Office equations (OMML) as LaTeX, the notation a model reads best."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractors._ooxml.names import Element, M, W

_FUNCTION = re.compile(
    r"(?<![a-zA-Z])(sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|lg|exp|lim|max|min)(?![a-zA-Z])"
)
#: Marks that say "applied to" and "times" without being seen.
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_NEW_ROW = r" \ "
_OPERATORS = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
              "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge"}  # fmt: skip
_ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\overline", "\u0307": r"\dot",
            "\u0308": r"\ddot", "\u20d7": r"\vec", "\u030c": r"\check"}  # fmt: skip


def latex(equation: Element) -> str:
    """An `m:oMath` or `m:oMathPara` as LaTeX, without delimiters: a dollar sign in a text may be money."""
    return " ".join(_row(equation).split())


def _row(element: Element | None) -> str:
    if element is None:
        return ""
    return "".join(_piece(child) for child in element)


def _piece(element: Element) -> str:
    """One object of an equation. Parts we know no notation for are read through."""
    tag = element.tag
    if not isinstance(tag, str) or tag.endswith("Pr"):
        return ""
    if tag in {f"{M}t", f"{W}t"}:
        return _name(element.text or "")
    if tag.startswith(M) and (writer := _WRITERS.get(tag[len(M) :])) is not None:
        return writer(element)
    return _row(element)


def _name(text: str) -> str:
    return _FUNCTION.sub(r"\\\1 ", text.translate(_INVISIBLE))


def _part(element: Element, name: str) -> str:
    return _row(element.find(f"{M}{name}")).strip()


def _property(element: Element, name: str, default: str = "") -> str:
    """A property of an object: `m:naryPr/m:chr/@m:val` is `_property(nary, "chr")`."""
    found = element.find(f"./*/{M}{name}")
    return default if found is None else found.get(f"{M}val", default)


def _fraction(element: Element) -> str:
    return rf"\frac{{{_part(element, 'num')}}}{{{_part(element, 'den')}}}"


def _radical(element: Element) -> str:
    degree = _part(element, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _scripts(element: Element) -> str:
    return _part(element, "e") + _bounds(element)


def _bounds(element: Element) -> str:
    """What stands below and above a sign: `_i^{2n}`."""
    sub, sup = _part(element, "sub"), _part(element, "sup")
    return (f"_{_braced(sub)}" if sub else "") + (f"^{_braced(sup)}" if sup else "")


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _pre_scripts(element: Element) -> str:
    return f"{{}}{_bounds(element)}{_part(element, 'e')}"


def _nary(element: Element) -> str:
    operator = _property(element, "chr", "∫")
    return f"{_OPERATORS.get(operator, operator)}{_bounds(element)} {_part(element, 'e')}"


def _delimiters(element: Element) -> str:
    opening, closing = _property(element, "begChr", "("), _property(element, "endChr", ")")
    separator = _property(element, "sepChr", "|")
    return opening + separator.join(_row(part).strip() for part in element.iterchildren(f"{M}e")) + closing


def _matrix(element: Element) -> str:
    rows = (
        " & ".join(_row(cell).strip() for cell in row.iterchildren(f"{M}e")) for row in element.iterchildren(f"{M}mr")
    )
    return rf"\begin{{matrix}}{_NEW_ROW.join(rows)}\end{{matrix}}"


def _lines(element: Element) -> str:
    rows = (_row(line).strip() for line in element.iterchildren(f"{M}e"))
    return rf"\begin{{aligned}}{_NEW_ROW.join(rows)}\end{{aligned}}"


def _function(element: Element) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')}"


def _accent(element: Element) -> str:
    return f"{_ACCENTS.get(_property(element, 'chr'), chr(92) + 'hat')}{{{_part(element, 'e')}}}"


def _bar(element: Element) -> str:
    command = r"\overline" if _property(element, "pos") == "top" else r"\underline"
    return f"{command}{{{_part(element, 'e')}}}"


def _lower_limit(element: Element) -> str:
    return f"{_part(element, 'e')}_{{{_part(element, 'lim')}}}"


def _upper_limit(element: Element) -> str:
    return f"{_part(element, 'e')}^{{{_part(element, 'lim')}}}"


_WRITERS: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    "rad": _radical,
    "sSub": _scripts,
    "sSup": _scripts,
    "sSubSup": _scripts,
    "sPre": _pre_scripts,
    "nary": _nary,
    "d": _delimiters,
    "m": _matrix,
    "eqArr": _lines,
    "func": _function,
    "acc": _accent,
    "bar": _bar,
    "limLow": _lower_limit,
    "limUpp": _upper_limit,
}
