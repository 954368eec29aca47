"""MathML as LaTeX, the notation a model reads best, without delimiters: a dollar sign in a text may be money."""

from __future__ import annotations

from collections.abc import Callable

from extractors._inflating import Element

_NEW_ROW = r" \\ "
#: Marks that say "applied to" and "times" without being seen.
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim max min det gcd".split()  # noqa: SIM905 - a list of words
)
_OPERATORS = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
              "⋃": r"\bigcup", "⋂": r"\bigcap"}  # fmt: skip
_ACCENTS = {"^": r"\hat", "\u0302": r"\hat", "ˆ": r"\hat", "~": r"\tilde", "˜": r"\tilde", "\u0303": r"\tilde",
            "¯": r"\overline", "\u0305": r"\overline", "‾": r"\overline", "_": r"\overline",
            "→": r"\vec", "⃗": r"\vec", "˙": r"\dot", "\u0307": r"\dot", "¨": r"\ddot"}  # fmt: skip
_SKIPPED = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark"})


def mathml_latex(root: Element) -> str:
    """A `math` element as LaTeX."""
    return " ".join(_row(root).split())


def _row(element: Element) -> str:
    row = ""
    for child in element:
        piece = _piece(child)
        # Words, unlike letters that are multiplied, need a blank between them.
        is_word = piece[:2].isalpha() and len(piece) > 1
        row += f" {piece}" if is_word and row[-1:].isalpha() else piece
    return row


def _piece(element: Element) -> str:
    """One object of an equation. Parts we know no notation for are read through."""
    tag = element.tag
    name = tag.rpartition("}")[2] if isinstance(tag, str) else "annotation"
    if name in _SKIPPED:
        return ""
    writer = _WRITERS.get(name)
    return writer(element) if writer is not None else _row(element)


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext())).strip().translate(_INVISIBLE)


def _identifier(element: Element) -> str:
    text = _text(element)
    return f"\\{text} " if text in _FUNCTIONS else text


def _operator(element: Element) -> str:
    text = _text(element)
    return f"{_OPERATORS[text]} " if text in _OPERATORS else text


def _words(element: Element) -> str:
    text = _text(element)
    return rf"\text{{{text}}}" if text else ""


def _parts(element: Element, count: int) -> list[str]:
    """The first children of an object, each as LaTeX; what is missing is empty."""
    parts = [_piece(child).strip() for child in element][:count]
    return parts + [""] * (count - len(parts))


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _fraction(element: Element) -> str:
    above, below = _parts(element, 2)
    return rf"\frac{{{above}}}{{{below}}}"


def _square_root(element: Element) -> str:
    return rf"\sqrt{{{_row(element).strip()}}}"


def _root(element: Element) -> str:
    base, degree = _parts(element, 2)
    return rf"\sqrt[{degree}]{{{base}}}"


def _sub(element: Element) -> str:
    base, sub = _parts(element, 2)
    return f"{base}_{_braced(sub)}"


def _sup(element: Element) -> str:
    base, sup = _parts(element, 2)
    return f"{base}^{_braced(sup)}"


def _sub_sup(element: Element) -> str:
    base, sub, sup = _parts(element, 3)
    return f"{base}_{_braced(sub)}^{_braced(sup)}"


def _over(element: Element) -> str:
    base, over = _parts(element, 2)
    return f"{_ACCENTS[over]}{{{base}}}" if over in _ACCENTS else f"{base}^{_braced(over)}"


def _under(element: Element) -> str:
    base, under = _parts(element, 2)
    return rf"\underline{{{base}}}" if under in {"_", "¯", "\u0332"} else f"{base}_{_braced(under)}"


def _table(element: Element) -> str:
    rows = (
        " & ".join(_row(cell).strip() for cell in row)
        for row in element
        if isinstance(row.tag, str) and row.tag.endswith("tr")
    )
    return rf"\begin{{matrix}}{_NEW_ROW.join(rows)}\end{{matrix}}"


def _fenced(element: Element) -> str:
    separators = element.get("separators", ",").strip() or " "
    inner = f"{separators[0]}".join(_piece(child).strip() for child in element)
    return f"{element.get('open', '(')}{inner}{element.get('close', ')')}"


def _space(_: Element) -> str:
    return " "


_WRITERS: dict[str, Callable[[Element], str]] = {
    "mi": _identifier,
    "mn": _text,
    "mo": _operator,
    "mtext": _words,
    "ms": _words,
    "mspace": _space,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "msub": _sub,
    "msup": _sup,
    "msubsup": _sub_sup,
    "munder": _under,
    "mover": _over,
    "munderover": _sub_sup,
    "mtable": _table,
    "mfenced": _fenced,
}
