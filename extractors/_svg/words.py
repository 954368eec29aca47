"""The words of a drawing, row by row as they are seen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from extractors import markdown
from extractors._svg.tree import Element, local_name

_UNSEEN = frozenset(
    {"defs", "symbol", "style", "script", "title", "desc", "metadata", "clippath", "mask", "pattern", "marker"}
)
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$))")
_TRANSFORM = re.compile(r"(translate|scale|rotate|matrix)\s*\(([^()]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: Words whose lines lie closer than this share of their size stand in one row.
_ROW_SHARE = 0.6
_USUAL_SIZE = 16.0

#: The matrix (a, b, c, d, e, f) of a transform, as SVG writes it.
Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def drawing_text(root: Element) -> str:
    """The drawing's title and description, then its words."""
    about = [_inner(child) for child in root if local_name(child) in {"title", "desc"}]
    found = [(place, text) for place, text in _placed_words(root) if text]
    found.sort(key=lambda entry: entry[0][1])
    rows: list[list[tuple[float, str]]] = []
    row_y = -math.inf
    for (x, y, size), text in found:
        if y - row_y > size * _ROW_SHARE or not rows:
            rows.append([])
            row_y = y
        rows[-1].append((x, text))
    lines = ["  ".join(text for _, text in sorted(row, key=lambda entry: entry[0])) for row in rows]
    return "\n".join(filter(None, [*about, *lines]))


def _placed_words(root: Element) -> Iterator[tuple[tuple[float, float, float], str]]:
    """Each text with where it begins and how large it is, all in the units of the page."""
    # Depth first, with the transform and the size that hold there; the parser bounds the depth.
    pending: list[tuple[Element, Matrix, float, bool]] = [(root, _IDENTITY, _USUAL_SIZE, False)]
    while pending:
        element, matrix, size, is_hidden = pending.pop()
        name = local_name(element)
        if name in _UNSEEN or not name:
            continue
        matrix = _times(matrix, _matrix(element.get("transform", "")))
        size = _font_size(element, size)
        is_hidden = is_hidden or _is_hidden(element)
        if name in {"text", "foreignobject"}:
            yield from _lines(element, matrix, size, is_hidden=is_hidden)
            continue
        children = list(element)
        if name == "switch":  # the first branch is for whoever understands more
            children = children[:1]
        pending += [(child, matrix, size, is_hidden) for child in reversed(children)]


def _lines(
    element: Element, matrix: Matrix, size: float, *, is_hidden: bool
) -> Iterator[tuple[tuple[float, float, float], str]]:
    """A text as its lines: a span with a place of its own begins a new one."""
    x, y = _first(element, "x", 0.0), _first(element, "y", 0.0)
    words = [element.text or ""]
    for span in element if local_name(element) == "text" else ():
        moved = _first(span, "dy", 0.0) or (_first(span, "y", y) - y)
        if "x" in span.attrib and "".join(words).strip():
            yield _at(matrix, x, y, size), _said("".join(words), is_hidden=is_hidden)
            words = []
        x, y = _first(span, "x", x), y + (moved * size if "em" in span.get("dy", "") else moved)
        words += [_inner(span, is_tidy=False), span.tail or ""]
    text = "".join(words) if local_name(element) == "text" else _inner(element)
    yield _at(matrix, x, y, size), _said(text, is_hidden=is_hidden)


def _said(text: str, *, is_hidden: bool) -> str:
    tidy = " ".join(text.split())
    return markdown.hidden(tidy) if tidy and is_hidden else tidy


def _inner(element: Element, *, is_tidy: bool = True) -> str:
    texts = map(str, element.itertext())
    return " ".join(" ".join(texts).split()) if is_tidy else "".join(texts)


def _at(matrix: Matrix, x: float, y: float, size: float) -> tuple[float, float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f, size * math.sqrt(abs(a * d - b * c))


def _is_hidden(element: Element) -> bool:
    style = (
        f"{element.get('style', '')};display:{element.get('display', '')};visibility:{element.get('visibility', '')}"
    )
    return bool(_HIDING.search(f"{style};opacity:{element.get('opacity', '1')};"))


def _font_size(element: Element, inherited: float) -> float:
    styled = re.search(r"font-size\s*:\s*([\d.]+)", element.get("style", ""))
    found = _NUMBER.match(styled[1] if styled else element.get("font-size", ""))
    return float(found[0]) if found else inherited


def _first(element: Element, name: str, default: float) -> float:
    found = _NUMBER.match(element.get(name, "").strip())
    return float(found[0]) if found else default


def _matrix(transform: str) -> Matrix:
    total = _IDENTITY
    for name, arguments in _TRANSFORM.findall(transform):
        numbers = [float(number) for number in _NUMBER.findall(arguments)[:6]]
        total = _times(total, _single(name, numbers))
    return total


def _single(name: str, numbers: list[float]) -> Matrix:
    match name, numbers:
        case "translate", [x, *rest]:
            return (1, 0, 0, 1, x, rest[0] if rest else 0)
        case "scale", [x, *rest]:
            return (x, 0, 0, rest[0] if rest else x, 0, 0)
        case "matrix", [a, b, c, d, e, f]:
            return (a, b, c, d, e, f)
        case "rotate", [angle, *centre]:
            cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            x, y = centre if len(centre) == 2 else (0.0, 0.0)
            return (cos, sin, -sin, cos, x - x * cos + y * sin, y - x * sin - y * cos)
    return _IDENTITY


def _times(left: Matrix, right: Matrix) -> Matrix:
    a, b, c, d, e, f = left
    g, h, i, j, k, m = right
    return (a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * m + e, b * k + d * m + f)
