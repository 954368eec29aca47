"""The shapes of one slide in reading order: from top to bottom, then from left to right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._gallery import Gallery
from extractors._numerals import numeral
from extractors._ooxml.drawings import CX, DGM, chart_text, diagram_text, paragraph_text, table_rows
from extractors._ooxml.names import A, C, Element, P, R
from extractors._ooxml.numbering import int_or
from extractors._ooxml.package import Package
from extractors._ooxml.shape_places import (
    TITLES,
    Place,
    in_reading_order,
    is_outside,
    kind_of,
    own_place,
    place_keys,
    placeholder,
    shapes_of,
)

#: Placeholders whose paragraphs are bulleted unless they say otherwise; one without a type is of kind "obj".
_BULLETED = frozenset({"", "body", "obj"})
_OFF = frozenset({"0", "false"})
_FILLED_IN = frozenset({"sldImg", "sldNum"})
_MARGINS = frozenset({"ftr", "hdr", "dt"})
_OBJECT = f"{P}oleObj"
_NUMERALS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
             "romanUc": "upperRoman", "circle": "decimalEnclosedCircle", "ea1": "chineseCounting"}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Deck:
    """What the slides of one file share: pictures, the places of layouts, and the footers that were already read."""

    package: Package
    gallery: Gallery
    #: Height and width of a slide in EMU; 0 where the file does not say.
    size: Place = (0, 0)
    margins: set[str] = field(default_factory=set)
    #: The parts of embedded objects, in the order they were met.
    objects: dict[str, None] = field(default_factory=dict)
    _behind: set[str] = field(default_factory=set)
    _places: dict[str, dict[str, Place]] = field(default_factory=dict)

    def inherited_places(self, slide: str) -> dict[str, Place]:
        """Where the layout, and behind it the master, puts the placeholders of a slide; by `kind` and by `#index`."""
        layout, master = self._layout(slide)
        if layout not in self._places:
            self._places[layout] = self._own_places(master) | self._own_places(layout)
        return self._places[layout]

    def _layout(self, slide: str) -> tuple[str, str]:
        """The layout of a slide, and the master behind it; "" for none."""
        layout = next(iter(self.package.related(slide, "slideLayout")), "")
        return layout, next(iter(self.package.related(layout, "slideMaster")), "") if layout else ""

    def behind(self, slide: str, root: Element) -> Iterator[Slide]:
        """What lies behind a slide and shows through, each layout and master once in the file."""
        for part in self._layout(slide):
            if not part or root.get("showMasterSp") in _OFF:
                return
            behind = self.package.optional(part)
            if behind is None:
                return
            root = behind
            if part not in self._behind:
                self._behind.add(part)
                yield Slide(part=part, deck=self, root=root)

    def _own_places(self, part: str | None) -> dict[str, Place]:
        root = self.package.optional(part)
        places: dict[str, Place] = {}
        for shape in root.iter(f"{P}sp") if root is not None else ():
            place, holder = own_place(shape), placeholder(shape)
            if place is not None and holder is not None:
                places |= dict.fromkeys(place_keys(holder), place)
        return places


@dataclass(slots=True, kw_only=True)
class Slide:
    """Reads one slide. `title` and `texts` are Markdown; pictures wait in the deck's gallery."""

    part: str
    deck: Deck
    root: Element
    #: On a page of notes paragraphs are plain unless they say otherwise.
    is_notes: bool = False
    _links: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        relations = self.deck.package.relations(self.part).items()
        self._links = {key: link.target for key, link in relations if link.is_external and link.kind == "hyperlink"}

    def texts(self) -> Iterator[str]:
        """The title as a heading, then every other shape that says or shows something."""
        tree = self.root.find(f"{P}cSld/{P}spTree")
        if tree is None:
            return
        shapes = list(shapes_of(tree))
        titles = [shape for shape in shapes if kind_of(shape) in TITLES]
        for title in titles:
            words = " ".join(" ".join(self._paragraphs(title)).split())
            if words:
                yield f"## {words}"
        yield from self._ordered([shape for shape in shapes if kind_of(shape) not in TITLES])
        for behind in self.deck.behind(self.part, self.root):
            yield from behind.own_words()

    def own_words(self) -> Iterator[str]:
        """The words of a layout or a master that show on its slides, and are no mere place for theirs."""
        tree = self.root.find(f"{P}cSld/{P}spTree")
        for outer in shapes_of(tree) if tree is not None else ():
            if is_outside(outer, self.deck.size):
                continue
            for shape in outer.iter(f"{P}sp"):
                if kind_of(shape) is None and (text := self._once("\n".join(self._paragraphs(shape)))):
                    yield text

    def _ordered(self, shapes: list[Element]) -> Iterator[str]:
        for shape in in_reading_order(shapes, self.deck.inherited_places(self.part)):
            for text in self._shape(shape):
                if text.strip():
                    yield text

    def _shape(self, shape: Element) -> Iterator[str]:
        tag = shape.tag
        if tag == f"{P}grpSp":
            yield from self._ordered(list(shapes_of(shape)))
        elif tag == f"{P}graphicFrame":
            yield from self._frame(shape)
        elif tag == f"{P}pic":
            yield self._picture(shape, shape.find(f"{P}blipFill/{A}blip"))
        else:
            yield self._text(shape)
            yield self._picture(shape, shape.find(f"{P}spPr/{A}blipFill/{A}blip"))

    def _text(self, shape: Element) -> str:
        kind = kind_of(shape)
        if kind == "sldNum":
            return ""
        text = "\n".join(self._paragraphs(shape))
        return self._once(text) if kind in _MARGINS else text

    def _once(self, text: str) -> str:
        """The text, or nothing where the file has said it before."""
        if text in self.deck.margins:
            return ""
        self.deck.margins.add(text)
        return text

    def _paragraphs(self, shape: Element) -> Iterator[str]:
        """The paragraphs of a shape with their bullets and numbers."""
        body = shape.find(f"{P}txBody")
        paragraphs = [] if body is None else list(body.iterchildren(f"{A}p"))
        is_list = kind_of(shape) in _BULLETED and len(paragraphs) > 1 and not self.is_notes
        counters: dict[int, int] = {}
        for paragraph in paragraphs:
            text = paragraph_text(paragraph, self._links)
            if text and not _is_slide_number(paragraph):
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
        for element in frame.iter(f"{A}tbl", f"{C}chart", f"{CX}chart", f"{DGM}relIds", f"{P}pic", _OBJECT):
            if element.tag == f"{A}tbl":
                yield markdown.table(table_rows(element, self._links))
            elif element.tag == _OBJECT:
                self._note_object(element)
            elif element.tag == f"{P}pic":
                yield self._picture(element, element.find(f"{P}blipFill/{A}blip"))
            else:
                is_diagram = element.tag == f"{DGM}relIds"
                part = package.target(self.part, element.get(f"{R}dm" if is_diagram else f"{R}id"))
                root = package.optional(part)
                if root is not None:
                    yield diagram_text(root) if is_diagram else chart_text(root)

    def _note_object(self, element: Element) -> None:
        target = self.deck.package.target(self.part, element.get(f"{R}id"))
        if target is not None:
            self.deck.objects[target] = None

    def notes(self) -> str:
        """What the speaker wrote under the slide, and what else stands on its page of notes."""
        lines: list[str] = []
        for part in self.deck.package.related(self.part, "notesSlide"):
            root = self.deck.package.optional(part)
            tree = root.find(f"{P}cSld/{P}spTree") if root is not None else None
            if root is None or tree is None:
                continue
            page = Slide(part=part, deck=self.deck, root=root, is_notes=True)
            shapes = [shape for shape in shapes_of(tree) if not _is_filled_in(shape)]
            for is_body in (True, False):
                lines += page._ordered([shape for shape in shapes if (kind_of(shape) == "body") == is_body])
        return "\n".join(lines)


def _is_slide_number(paragraph: Element) -> bool:
    runs = [run for run in paragraph.iter(f"{A}r", f"{A}fld") if "".join(map(str, run.itertext())).strip()]
    return bool(runs) and all(run.get("type") == "slidenum" for run in runs)


def _is_filled_in(shape: Element) -> bool:
    """True for what a program writes on each page of notes: the slide, its number, the date of the day."""
    kind = kind_of(shape)
    return kind in _FILLED_IN or (kind == "dt" and shape.find(f".//{A}fld") is not None)


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
