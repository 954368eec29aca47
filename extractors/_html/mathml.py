"""MathML as LaTeX, the notation a model reads best."""

from __future__ import annotations

from collections.abc import Callable

from extractors._html.page import Element

#: Deeper ones are read for their text only.
MAX_DEPTH = 60
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_OPERATORS = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint", "∞": r"\infty"}
_TEX = "application/x-tex"


def latex(equation: Element) -> str:
    """A `math` element as LaTeX, without delimiters: a dollar sign in a text may be money."""
    for note in equation.iter("annotation"):
        if note.get("encoding") == _TEX and note.text:
            return " ".join(note.text.split())
    return " ".join(_row(equation, 0).split())


def local_name(element: Element) -> str:
    """The tag without its prefix, in small letters; "" for what is no element."""
    return element.tag.rpartition(":")[2].rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _row(element: Element, depth: int) -> str:
    return "".join(_piece(child, depth + 1) for child in element)


def _piece(element: Element, depth: int) -> str:
    name = local_name(element)
    if name in {"annotation", "annotation-xml", "none", "mprescripts"}:
        return ""
    if len(element) == 0 or depth > MAX_DEPTH:
        text = " ".join("".join(str(text) for text in element.itertext()).split()).translate(_INVISIBLE)
        return f"{_OPERATORS[text]} " if text in _OPERATORS else text
    writer = _WRITERS.get(name)
    return _row(element, depth) if writer is None else writer([_piece(child, depth + 1) for child in element])


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text.strip()}}}"


def _scripts(sub: int | None, sup: int | None) -> Callable[[list[str]], str]:
    def write(parts: list[str]) -> str:
        base, *rest = parts
        below = rest[sub] if sub is not None and sub < len(rest) else ""
        above = rest[sup] if sup is not None and sup < len(rest) else ""
        return base + (f"_{_braced(below)}" if below else "") + (f"^{_braced(above)}" if above else "")

    return write


def _fraction(parts: list[str]) -> str:
    return rf"\frac{{{parts[0]}}}{{{''.join(parts[1:])}}}"


def _root(parts: list[str]) -> str:
    return rf"\sqrt[{''.join(parts[1:])}]{{{parts[0]}}}"


def _matrix(rows: list[str]) -> str:
    return r"\begin{matrix}" + r" \\ ".join(rows) + r"\end{matrix}"


_WRITERS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": _fraction,
    "msqrt": lambda parts: rf"\sqrt{{{''.join(parts)}}}",
    "mroot": _root,
    "msub": _scripts(0, None),
    "msup": _scripts(None, 0),
    "msubsup": _scripts(0, 1),
    "munder": _scripts(0, None),
    "mover": _scripts(None, 0),
    "munderover": _scripts(0, 1),
    "mtable": _matrix,
    "mtr": " & ".join,
    "mfenced": lambda parts: f"({', '.join(parts)})",
}
