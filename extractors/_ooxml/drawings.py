"""What drawings say, wherever they stand: the text of shapes, charts and SmartArt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from extractors import markdown
from extractors._ooxml.equations import latex
from extractors._ooxml.names import MC, A, C, Element, M, R, chosen_branch
from extractors._ooxml.number_format import displayed
from extractors._symbol_fonts import IN_SYMBOL_AREA, readable

CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
#: Charts drawn from thousands of points say more by their head than by all of them.
MAX_CHART_POINTS = 200
_NUMBERS = frozenset({f"{C}numCache", f"{C}numLit"})
_LINES = frozenset({f"{A}r", f"{A}fld"})


def paragraph_text(paragraph: Element, links: dict[str, str] | None = None) -> str:
    """The text of an `a:p`, with line breaks, equations, and the addresses of `links` (by relation id)."""
    runs = groupby(_pieces(paragraph, links or {}), key=itemgetter(1))  # a link may be cut into several runs
    return "".join(_linked("".join(text for text, _ in pieces), address) for address, pieces in runs).strip()


def _linked(text: str, address: str) -> str:
    words = text.strip()
    return text.replace(words, f"[{words}]({address})", 1) if address and words else text


def _pieces(element: Element, links: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Texts in their order, each with the address it leads to, or ""."""
    for child in element:
        tag = child.tag
        if tag in _LINES:
            click = child.find(f"{A}rPr/{A}hlinkClick")
            text = "".join(t.text or "" for t in child.iterchildren(f"{A}t")).replace("\v", "\n")
            yield _readable(text, child), links.get(click.get(f"{R}id", ""), "") if click is not None else ""
        elif tag == f"{A}br":
            yield "\n", ""
        elif tag in {f"{M}oMath", f"{M}oMathPara"}:
            yield latex(child), ""
        elif tag == f"{MC}AlternateContent":
            branch = chosen_branch(child)
            if branch is not None:
                yield from _pieces(branch, links)
        elif isinstance(tag, str) and not tag.endswith("Pr"):
            yield from _pieces(child, links)


def _readable(text: str, run: Element) -> str:
    """The text with the codes of symbol fonts as what they show."""
    if IN_SYMBOL_AREA.search(text) is None:
        return text
    fonts = (run.find(f"{A}rPr/{A}{name}") for name in ("sym", "latin"))
    return readable(text, next((font.get("typeface") for font in fonts if font is not None), None))


def shape_lines(body: Element | None, links: dict[str, str] | None = None) -> list[str]:
    """The paragraphs of a text body that hold something."""
    paragraphs = () if body is None else body.iterchildren(f"{A}p")
    return [text for paragraph in paragraphs if (text := paragraph_text(paragraph, links))]


def table_rows(table: Element, links: dict[str, str] | None = None) -> list[list[str]]:
    """The cells of an `a:tbl`. A merged value stands in its first cell; the cells it covers are empty."""
    return [
        ["" if _is_covered(cell) else "\n".join(shape_lines(cell.find(f"{A}txBody"), links)) for cell in row]
        for row in (row.iterchildren(f"{A}tc") for row in table.iterchildren(f"{A}tr"))
    ]


def _is_covered(cell: Element) -> bool:
    return "1" in {cell.get("hMerge"), cell.get("vMerge")} or "true" in {cell.get("hMerge"), cell.get("vMerge")}


# --- charts -----------------------------------------------------------------------------------------------------------


def chart_text(root: Element) -> str:
    """A chart part as its title and one table: a row per category, a column per series."""
    if root.tag.startswith(CX):
        return _new_chart_text(root)
    series = [_series(item) for item in root.iter(f"{C}ser")]
    title = _rich_text(root.find(f"{C}chart/{C}title"))
    axes = [
        text
        for axis in root.iter(f"{C}catAx", f"{C}valAx", f"{C}dateAx")
        if (text := _rich_text(axis.find(f"{C}title")))
    ]
    head = f"Chart: {title}" if title else "Chart"
    if axes:
        head += f" (axes: {', '.join(axes)})"
    return f"{head}\n\n{series_table(series)}" if series else head


def _series(item: Element) -> tuple[str, dict[int, str], dict[int, str]]:
    """The name, the categories and the values of one series, both by point."""
    name = " ".join(v.text or "" for v in item.iterfind(f"{C}tx//{C}v")).strip()
    categories = _points(item, "cat") or _points(item, "xVal")
    return name, categories, _points(item, "val") or _points(item, "yVal")


def _points(item: Element, name: str) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in item.iterfind(f"{C}{name}//{C}pt"):
        index, value = point.get("idx", ""), (point.findtext(f"{C}v") or "").strip()
        cache = point.getparent()
        if value and cache is not None and cache.tag in _NUMBERS:
            value = displayed(value, point.get("formatCode") or cache.findtext(f"{C}formatCode") or "")
        if index.isdecimal() and value:
            # Categories of several levels share an index: the inner one comes first.
            points[int(index)] = f"{value}, {points[int(index)]}" if int(index) in points else value
    return points


def series_table(series: list[tuple[str, dict[int, str], dict[int, str]]]) -> str:
    """A row per category, a column per series: of each its name, its categories and its values, by point."""
    categories: dict[int, str] = {}
    for _, names, values in series:
        categories |= {index: names.get(index, "") for index in {*names, *values} - categories.keys()}
    rows = [["", *(name or f"Series {number}" for number, (name, _, _) in enumerate(series, start=1))]]
    rows += [
        [categories[index], *(values.get(index, "") for _, _, values in series)]
        for index in sorted(categories)[:MAX_CHART_POINTS]
    ]
    left_out = len(categories) - MAX_CHART_POINTS
    return markdown.table(rows) + (f"\n\n({left_out} more points of the chart are left out)" if left_out > 0 else "")


def _new_chart_text(root: Element) -> str:
    """A chart of the kinds added in 2016 (waterfall, treemap, funnel ...)."""
    title = _rich_text(root.find(f"{CX}chart/{CX}title"))
    rows = [
        [_new_point(point, level) for point in level.iterchildren(f"{CX}pt")][:MAX_CHART_POINTS]
        for level in root.iter(f"{CX}lvl")
    ]
    columns = [list(column) for column in zip(*rows, strict=False)] if rows else []
    head = f"Chart: {title}" if title else "Chart"
    return f"{head}\n\n{markdown.table([[''] * len(rows), *columns])}" if columns else head


def _new_point(point: Element, level: Element) -> str:
    text, dimension = (point.text or "").strip(), level.getparent()
    is_number = dimension is not None and dimension.tag == f"{CX}numDim"
    return displayed(text, level.get("formatCode", "")) if is_number else text


def _rich_text(element: Element | None) -> str:
    if element is None:
        return ""
    lines = (paragraph_text(paragraph) for paragraph in element.iter(f"{A}p"))
    cached = (v.text or "" for v in element.iter(f"{C}v"))
    return " ".join(" ".join(text for text in (*lines, *cached) if text).split())


# --- SmartArt ---------------------------------------------------------------------------------------------------------


def diagram_text(root: Element) -> str:
    """A SmartArt data part as a bulleted outline."""
    texts: dict[str, str] = {}
    for point in root.iter(f"{DGM}pt"):
        if point.get("type", "node") in {"node", "asst", "doc"}:
            texts[point.get("modelId", "")] = " ".join(shape_lines(point.find(f"{DGM}t")))
    children: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in root.iter(f"{DGM}cxn"):
        if link.get("type", "parOf") == "parOf" and link.get("destId", "") in texts:
            order = link.get("srcOrd", "0")
            children[link.get("srcId", "")].append((int(order) if order.isdecimal() else 0, link.get("destId", "")))
    linked = {child for links in children.values() for _, child in links}
    lines: list[str] = []
    stack = [(0, top) for top in reversed(texts) if top not in linked]
    seen: set[str] = set()
    while stack:
        depth, point_id = stack.pop()
        if point_id in seen:
            continue
        seen.add(point_id)
        text = texts[point_id]
        if text:
            lines.append(f"{'  ' * min(depth, 6)}- {text}")
        stack += [(depth + bool(text), child) for _, child in sorted(children[point_id], reverse=True)]
    lines += [f"- {text}" for point_id, text in texts.items() if text and point_id not in seen]
    return "\n".join(lines)
