"""The shapes of one slide in reading order: from top to bottom, then from left to right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._gallery import Gallery
from extractors._numerals import numeral
from extractors._ooxml.drawings import CX, DGM, chart_text, diagram_text, paragraph_text, table_rows
from extractors._ooxml.names import MC, A, C, Element, P, R, chosen_branch
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package

#: Top and left edge in EMU (360,000 to the centimetre).
Place = tuple[int, int]

_SHAPES = frozenset(f"{P}{name}" for name in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"))
_TITLES = frozenset({"title", "ctrTitle"})
#: Placeholders whose paragraphs are bulleted unless they say otherwise; one without a type is of kind "obj".
_BULLETED = frozenset({"", "body", "obj"})
_MARGINS = frozenset({"ftr", "hdr", "dt"})
#: Shapes whose tops differ by less than half a centimetre stand on one line.
_SAME_LINE = 180_000
_NUMERALS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
             "romanUc": "upperRoman", "circle": "decimalEnclosedCircle", "ea1": "chineseCounting"}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Deck:
    """What the slides of one file share: pictures, the places of layouts, and the footers that were already read."""

    package: Package
    gallery: Gallery
    margins: set[str] = field(default_factory=set)
    _places: dict[str, dict[str, Place]] = field(default_factory=dict)

    def inherited_places(self, slide: str) -> dict[str, Place]:
        """Where the layout, and behind it the master, puts the placeholders of a slide; by `kind` and by `#index`."""
        layout = next(iter(self.package.related(slide, "slideLayout")), "")
        if layout not in self._places:
            master = next(iter(self.package.related(layout, "slideMaster")), None) if layout else None
            self._places[layout] = self._own_places(master) | self._own_places(layout)
        return self._places[layout]

    def _own_places(self, part: str | None) -> dict[str, Place]:
        root = self.package.optional(part)
        places: dict[str, Place] = {}
        for shape in root.iter(f"{P}sp") if root is not None else ():
            place, holder = _own_place(shape), _placeholder(shape)
            if place is not None and holder is not None:
                places |= dict.fromkeys(_keys(holder), place)
        return places


@dataclass(slots=True, kw_only=True)
class Slide:
    """Reads one slide. `title` and `texts` are Markdown; pictures wait in the deck's gallery."""

    part: str
    deck: Deck
    root: Element
    _links: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        relations = self.deck.package.relations(self.part).items()
        self._links = {key: link.target for key, link in relations if link.is_external and link.kind == "hyperlink"}

    def texts(self) -> Iterator[str]:
        """The title as a heading, then every other shape that says or shows something."""
        tree = self.root.find(f"{P}cSld/{P}spTree")
        if tree is None:
            return
        shapes = list(_shapes(tree))
        titles = [shape for shape in shapes if _kind(shape) in _TITLES]
        for title in titles:
            words = " ".join(" ".join(self._paragraphs(title)).split())
            if words:
                yield f"## {words}"
        yield from self._ordered([shape for shape in shapes if _kind(shape) not in _TITLES])

    def _ordered(self, shapes: list[Element]) -> Iterator[str]:
        for shape in _in_reading_order(shapes, self.deck.inherited_places(self.part)):
            for text in self._shape(shape):
                if text.strip():
                    yield text

    def _shape(self, shape: Element) -> Iterator[str]:
        tag = shape.tag
        if tag == f"{P}grpSp":
            yield from self._ordered(list(_shapes(shape)))
        elif tag == f"{P}graphicFrame":
            yield from self._frame(shape)
        elif tag == f"{P}pic":
            yield self._picture(shape, shape.find(f"{P}blipFill/{A}blip"))
        else:
            yield self._text(shape)
            yield self._picture(shape, shape.find(f"{P}spPr/{A}blipFill/{A}blip"))

    def _text(self, shape: Element) -> str:
        kind = _kind(shape)
        if kind == "sldNum":
            return ""
        text = "\n".join(self._paragraphs(shape))
        if kind in _MARGINS:
            if text in self.deck.margins:
                return ""
            self.deck.margins.add(text)
        return text

    def _paragraphs(self, shape: Element) -> Iterator[str]:
        """The paragraphs of a shape with their bullets and numbers."""
        body = shape.find(f"{P}txBody")
        paragraphs = [] if body is None else list(body.iterchildren(f"{A}p"))
        is_list = _kind(shape) in _BULLETED and len(paragraphs) > 1
        counters: dict[int, int] = {}
        for paragraph in paragraphs:
            text = paragraph_text(paragraph, self._links)
            if text:
                yield _listed(paragraph, text, counters, is_list=is_list)

    def _picture(self, shape: Element, blip: Element | None) -> str:
        target = self.deck.package.target(self.part, blip.get(f"{R}embed")) if blip is not None else None
        if target is None:
            return ""
        named = shape.find(f"./*/{P}cNvPr")
        return self.deck.gallery.reference(target, named.get("descr", "") if named is not None else "")

    def _frame(self, frame: Element) -> Iterator[str]:
        """A table, a chart, a SmartArt diagram, or the picture of an embedded object."""
        package = self.deck.package
        for element in frame.iter(f"{A}tbl", f"{C}chart", f"{CX}chart", f"{DGM}relIds", f"{P}pic"):
            if element.tag == f"{A}tbl":
                yield markdown.table(table_rows(element, self._links))
            elif element.tag == f"{P}pic":
                yield self._picture(element, element.find(f"{P}blipFill/{A}blip"))
            else:
                is_diagram = element.tag == f"{DGM}relIds"
                part = package.target(self.part, element.get(f"{R}dm" if is_diagram else f"{R}id"))
                root = package.optional(part)
                if root is not None:
                    yield diagram_text(root) if is_diagram else chart_text(root)

    def notes(self) -> str:
        """What the speaker wrote under the slide."""
        lines: list[str] = []
        for part in self.deck.package.related(self.part, "notesSlide"):
            root = self.deck.package.optional(part)
            for shape in root.iter(f"{P}sp") if root is not None else ():
                if _kind(shape) == "body":
                    lines += self._paragraphs(shape)
        return "\n".join(lines)


def _shapes(parent: Element) -> Iterator[Element]:
    for child in parent:
        if child.tag in _SHAPES:
            yield child
        elif child.tag == f"{MC}AlternateContent":
            branch = chosen_branch(child)
            if branch is not None:
                yield from _shapes(branch)


def _in_reading_order(shapes: list[Element], inherited: dict[str, Place]) -> Iterator[Element]:
    """Line by line. A shape without any place follows the one before it in the file."""
    placed: list[tuple[Place, Element]] = []
    place = (0, 0)
    for shape in shapes:
        place = _place(shape, inherited) or place
        placed.append((place, shape))
    placed.sort(key=lambda item: item[0][0])
    line: list[tuple[Place, Element]] = []
    for item in placed:
        if line and item[0][0] - line[0][0][0] > _SAME_LINE:
            yield from _from_left(line)
            line = []
        line.append(item)
    yield from _from_left(line)


def _from_left(line: list[tuple[Place, Element]]) -> Iterator[Element]:
    for _, shape in sorted(line, key=lambda item: item[0][1]):
        yield shape


def _place(shape: Element, inherited: dict[str, Place]) -> Place | None:
    place = _own_place(shape)
    holder = _placeholder(shape)
    if place is not None or holder is None:
        return place
    return next((inherited[key] for key in _keys(holder) if key in inherited), None)


def _own_place(shape: Element) -> Place | None:
    offset = shape.find(f"{P}xfrm/{A}off")
    if offset is None:
        offset = shape.find(f"./*/{A}xfrm/{A}off")
    return None if offset is None else (int_or(offset.get("y"), 0), int_or(offset.get("x"), 0))


def _placeholder(shape: Element) -> Element | None:
    return shape.find(f"./*/{P}nvPr/{P}ph")


def _keys(holder: Element) -> list[str]:
    return [f"#{holder.get('idx', '')}", "title" if holder.get("type") in _TITLES else holder.get("type", "body")]


def _kind(shape: Element) -> str | None:
    """The type of a placeholder, "" where it has none; None for what is no placeholder."""
    holder = _placeholder(shape)
    return None if holder is None else holder.get("type", "")


def _listed(paragraph: Element, text: str, counters: dict[int, int], *, is_list: bool) -> str:
    properties = paragraph.find(f"{A}pPr")
    level = max(0, min(int_or(properties.get("lvl"), 0), 8)) if properties is not None else 0
    label = _label(properties, counters, level, is_list=is_list)
    indent = "  " * level
    return f"{indent}{label} {text}".replace("\n", f"\n{indent}  ") if label else text


def _label(properties: Element | None, counters: dict[int, int], level: int, *, is_list: bool) -> str:
    for deeper in [deeper for deeper in counters if deeper > level]:
        del counters[deeper]
    numbered = properties.find(f"{A}buAutoNum") if properties is not None else None
    if numbered is not None:
        counters[level] = counters.get(level, int_or(numbered.get("startAt"), 1) - 1) + 1
        scheme = numbered.get("type", "")
        name = next((name for prefix, name in _NUMERALS.items() if scheme.startswith(prefix)), "decimal")
        return f"{numeral(counters[level], name)}."
    counters.pop(level, None)
    if properties is not None and properties.find(f"{A}buNone") is not None:
        return ""
    has_bullet = properties is not None and properties.find(f"{A}buChar") is not None
    return "-" if is_list or has_bullet else ""
