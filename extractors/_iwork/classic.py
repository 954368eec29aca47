"""Pages, Numbers and Keynote of 2009: one XML file with the text, the tables and the places of the pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors import markdown
from extractors._album import Album
from extractors._inflating import Element
from extractors._iwork.classic_table import SF, SFA, ClassicTables
from extractors._iwork.story import heading_level
from extractors._parts import Parts
from extractors.budget import Budget
from extractors.content import Block, PageCount, Text, Truncated
from extractors.format import Unreadable
from extractors.limits import MIB

_STORAGE, _MODEL, _CHART, _DRAWABLES = f"{SF}text-storage", f"{SF}tabular-model", f"{SF}chart-info", f"{SF}drawables"
_BREAKS = {"br": "\n", "lnbr": "\n", "crbr": "\n", "pgbr": "\n", "sectbr": "\n", "footnotebr": "\f", "tab": "\t"}
_UNREAD = frozenset({"page-start", "container-hint", "footnote-mark", "selection-start", "selection-end"})
_PICTURES = frozenset({"media", "image", "drawable-media"})
_MAX_PICTURE_BYTES = 64 * MIB
_MAX_ANCESTORS = 20
_Reader = Callable[[Element], Iterator[Block]]


@dataclass(slots=True, kw_only=True)
class ClassicDocument:
    """Reads a whole document from the root of its XML."""

    root: Element
    parts: Parts
    budget: Budget
    album: Album
    _tables: ClassicTables = field(init=False)
    _styles: dict[str, tuple[str, str]] = field(default_factory=dict)
    _notes: int = 0

    def __post_init__(self) -> None:
        self._tables = ClassicTables(root=self.root, text_of=self._plain)
        for style in self.root.iter(f"{SF}paragraphstyle"):
            described = style.get(f"{SF}name", ""), style.get(f"{SF}parent-ident", "")
            for identity in (style.get(f"{SFA}ID"), style.get(f"{SF}ident")):
                if identity:
                    self._styles.setdefault(identity, described)

    def blocks(self) -> Iterator[Block]:
        """Everything in the document, in reading order."""
        kind = etree.QName(self.root).localname
        if kind == "presentation":
            yield from self._slides()
        elif self.root.find("{*}workspace-array") is not None:
            yield from self._sheets()
        else:
            yield from self._pages()
        yield from self.album.ended()

    def _pages(self) -> Iterator[Block]:
        yield from self._margins("headers", "Header")
        for storage in self.root.iterchildren(_STORAGE):
            yield from self._storage(storage)
        for group in self.root.iterfind("{*}drawables/{*}page-group"):
            yield from self._drawables(group)
        yield from self._margins("footers", "Footer")
        for storage in self.root.iterchildren(_STORAGE):
            for notes in storage.iterfind(f"{SF}footnotes/{_STORAGE}"):
                yield from self._footnotes(notes)

    def _margins(self, name: str, label: str) -> Iterator[Block]:
        storages = self.root.iterfind(f"{{*}}{name}/*/{_STORAGE}")
        for text in dict.fromkeys(text for storage in storages if (text := self._plain(storage))):
            yield Text(f"{label}: {text}")

    def _sheets(self) -> Iterator[Block]:
        sheets = list(self.root.iterfind("{*}workspace-array/{*}workspace"))
        yield PageCount(len(sheets))
        limit = self.budget.limits.xlsx_max_sheets
        for sheet in sheets[:limit]:
            name = next((value for key, value in sheet.attrib.items() if str(key).endswith("workspace-name")), "")
            yield Text(markdown.sheet_heading(str(name)))
            for drawables in sheet.iterfind(f"{{*}}page-info/{{*}}layers/{{*}}layer/{_DRAWABLES}"):
                yield from self._drawables(drawables)
        if len(sheets) > limit:
            yield Truncated(f"sheets {limit + 1} to {len(sheets)} of {len(sheets)}")

    def _slides(self) -> Iterator[Block]:
        slides = list(self.root.iterfind("{*}slide-list/{*}slide"))
        yield PageCount(len(slides))
        limit = self.budget.limits.pptx_max_slides
        told: set[str] = set()
        for number, slide in enumerate(slides[:limit], start=1):
            if self.budget.is_late:
                yield Truncated(f"slides {number} to {len(slides)} of {len(slides)}, for lack of time")
                return
            yield Text(markdown.slide_mark(number))
            for title in slide.iterfind(f"{{*}}title-placeholder//{_STORAGE}"):
                if text := " ".join(self._plain(title).split()):
                    yield Text(f"## {text}")
            for body in slide.iterfind(f"{{*}}body-placeholder//{_STORAGE}"):
                yield from self._storage(body)
            for drawables in slide.iterfind(f"{{*}}page/{SF}layers/{SF}layer/{_DRAWABLES}"):
                yield from self._drawables(drawables)
            yield from self._behind(slide, told)
            for notes in slide.iterfind(f"{{*}}notes/{_STORAGE}"):
                if text := self._plain(notes):
                    yield Text(f"Notes: {text}")
        if len(slides) > limit:
            yield Truncated(f"slides {limit + 1} to {len(slides)} of {len(slides)}")

    def _behind(self, slide: Element, told: set[str]) -> Iterator[Block]:
        """What the master of a slide shows on it, once in the presentation."""
        reference = slide.find("{*}master-ref")
        name = reference.get(f"{SFA}IDREF", "") if reference is not None else ""
        if name in told:
            return
        told.add(name)
        for master in self.root.iterfind("{*}theme-list/{*}theme/{*}master-slides/{*}master-slide"):
            if master.get(f"{SFA}ID") == name:
                for drawables in master.iterfind(f"{{*}}page/{SF}layers/{SF}layer/{_DRAWABLES}"):
                    shown = (item for item in drawables if etree.QName(item).localname not in _PICTURES)
                    yield from self._drawables(shown)

    # --- drawings -----------------------------------------------------------------------------------------------------

    def _drawables(self, container: Iterable[Element]) -> Iterator[Block]:
        """The drawings in a container, from top to bottom and from left to right."""
        for drawing in sorted(container, key=_place):
            if self.budget.is_late or self.budget.text_is_spent:
                yield Truncated("the rest of the drawings")
                return
            yield from self._drawing(drawing)

    def _drawing(self, drawing: Element) -> Iterator[Block]:
        name = etree.QName(drawing).localname
        if name == "group":
            yield from self._drawables(drawing)
        elif name == "tabular-info":
            for model in drawing.iterchildren(_MODEL):
                yield from self._tables.blocks(model, self.budget)
        elif name == "chart-info":
            yield from _chart(drawing)
        elif name in _PICTURES:
            yield from self._picture(drawing)
        elif not name.endswith(("-ref", "placeholder")):
            for storage in drawing.iterfind(f".//{_STORAGE}"):
                yield from self._storage(storage)

    def _picture(self, drawing: Element) -> Iterator[Block]:
        part = next((path for data in drawing.iter(f"{SF}data") if (path := data.get(f"{SF}path", ""))), "")
        if not self.parts.has(part):
            return
        try:
            data = self.parts.read(part, max_bytes=_MAX_PICTURE_BYTES)
        except Unreadable:
            self.parts.lost.append(part)
            return
        if reference := self.album.reference(data, drawing.get(f"{SF}description", "")):
            yield Text(reference)
        yield from self.album.drain()

    # --- text ---------------------------------------------------------------------------------------------------------

    def _storage(self, storage: Element) -> Iterator[Block]:
        """The paragraphs of a storage; lists stay together, attachments follow the paragraph they hang in."""
        attached = {item.get(f"{SFA}ID"): item for item in storage.iterfind(f"{SF}attachments/{SF}attachment")}
        items: list[str] = []
        for paragraph in storage.iterfind(f"{SF}text-body//{SF}p"):
            if self.budget.is_late or self.budget.text_is_spent:
                yield Truncated("the rest of the text")
                break
            text = self._words(paragraph).strip()
            level = paragraph.get(f"{SF}list-level", "")
            if text and level.isdigit() and int(level[:2]) > 0:
                items.append(f"{'  ' * (min(int(level[:2]), 9) - 1)}- {text}")
                continue
            if items:
                yield Text("\n".join(items))
                items = []
            if text:
                heading = self._heading(paragraph.get(f"{SF}style", ""))
                yield Text(f"{'#' * heading} {' '.join(text.split())}" if heading else text)
            for reference in paragraph.iter(f"{SF}attachment-ref"):
                attachment = attached.get(reference.get(f"{SFA}IDREF"))
                for drawing in attachment if attachment is not None else ():
                    yield from self._drawing(drawing)
        if items:
            yield Text("\n".join(items))

    def _plain(self, storage: Element) -> str:
        paragraphs = (self._words(paragraph).strip() for paragraph in storage.iterfind(f"{SF}text-body//{SF}p"))
        return "\n".join(filter(None, paragraphs))

    def _words(self, element: Element) -> str:
        pieces = [element.text or ""]
        for child in element:
            name = etree.QName(child).localname
            if name in _BREAKS:
                pieces.append(_BREAKS[name])
            elif name == "footnote":
                self._notes += 1
                pieces.append(f"[^{child.get(f'{SF}autonumber') or self._notes}]")
            elif name == "link":
                words, address = self._words(child), child.get("href", "")
                pieces.append(f"[{words}]({address})" if address and words.strip() not in {"", address} else words)
            elif name not in _UNREAD and name != "attachment-ref":
                pieces.append(self._words(child))
            pieces.append(child.tail or "")
        return "".join(pieces)

    def _footnotes(self, storage: Element) -> Iterator[Block]:
        """The notes one by one: each ends with a break of its own."""
        paragraphs = (self._words(paragraph) for paragraph in storage.iterfind(f"{SF}text-body//{SF}p"))
        notes = (note.strip() for note in re.split(r"\f", "\n".join(paragraphs)))
        for number, note in enumerate(filter(None, notes), start=1):
            yield Text(f"[^{number}]: {note}")

    def _heading(self, style: str) -> int:
        for _ in range(_MAX_ANCESTORS):
            name, parent = self._styles.get(style, ("", ""))
            if name or not parent:
                return heading_level(name)
            style = parent
        return 0


def _place(drawing: Element) -> tuple[float, float]:
    position = drawing.find(f"{SF}geometry/{SF}position")
    if position is None:
        return 0.0, 0.0
    try:
        return float(position.get(f"{SFA}y", "0")), float(position.get(f"{SFA}x", "0"))
    except ValueError:
        return 0.0, 0.0


def _chart(chart: Element) -> Iterator[Block]:
    """The title of a chart and the names of its rows and columns; its values stand in a table."""
    title = next((name.get(f"{SFA}string", "") for name in chart.iter(f"{SF}chart-name")), "")
    names = [
        name.get(f"{SFA}string", "")
        for kind in ("chart-row_names", "chart-column_names")
        for group in chart.iter(f"{SF}{kind}")
        for name in group.iterchildren(f"{SF}string")
    ]
    if title or names:
        yield Text(f"Chart: {title}\n{', '.join(dict.fromkeys(filter(None, names)))}".strip())
