"""What all parts of one document share while they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from extractors._gallery import Gallery
from extractors._inflating import Element
from extractors._odf.names import FORM, OFFICE, TEXT, XML_ID, author
from extractors._odf.numbering import Numbering
from extractors._odf.source import Source
from extractors._odf.styles import Styles
from extractors.budget import Budget

#: The kinds of notes, and how a reference to one looks.
NOTE_KINDS = {"footnote": "[^{}]", "endnote": "[^e{}]", "comment": "[comment {}]"}

_SHARED = frozenset(f"{OFFICE}{name}" for name in ("styles", "automatic-styles", "master-styles", "meta"))
_ROOTS = frozenset({f"{OFFICE}document", f"{OFFICE}document-content"})


@dataclass(frozen=True, slots=True)
class Note:
    """A note that was met in the text: its reference there, who wrote it, and the element that holds its blocks."""

    reference: str
    author: str
    body: Element


@dataclass(slots=True, kw_only=True)
class Document:
    """Styles, running numbers, pictures, form fields, and the notes met so far."""

    source: Source
    gallery: Gallery
    styles: Styles = field(default_factory=Styles)
    numbering: Numbering = field(default_factory=Numbering)
    notes: dict[str, list[Note]] = field(default_factory=lambda: {kind: [] for kind in NOTE_KINDS})
    controls: dict[str, str] = field(default_factory=dict)
    #: The styles of headers and footers, the master pages that hold these, and what is said about the document.
    margin_styles: Styles | None = None
    masters: Element | None = None
    properties: Element | None = None
    has_tracked_changes: bool = False
    #: The deletions by their id, and those that are open where the text is read: some programs leave them in it.
    deletions: set[str] = field(default_factory=set)
    deleting: set[str] = field(default_factory=set)
    tables: int = 0

    @property
    def budget(self) -> Budget:
        """What is left of the limits."""
        return self.source.budget

    def open_parts(self) -> None:
        """Takes what a zipped document keeps in parts of their own."""
        meta, root = self.source.properties(), self.source.styles()
        if meta is not None:
            self.properties = meta.find(f"{OFFICE}meta")
        if root is None:
            return
        for common in root.iterchildren(f"{OFFICE}styles"):
            self.styles.add(common)
        self.margin_styles = self.styles.copy()
        for own in root.iterchildren(f"{OFFICE}automatic-styles"):
            self.margin_styles.add(own)
        self.masters = root.find(f"{OFFICE}master-styles")

    def content(
        self, tags: frozenset[str], parents: frozenset[str], *, thin: tuple[str, int] | None = None
    ) -> Iterator[Element]:
        """The elements of these tags directly under these parents; styles are taken on the way."""
        for element in self.source.content(tags | _SHARED, parents | _ROOTS, thin=thin):
            if element.tag == f"{OFFICE}meta":
                self.properties = element
            elif element.tag == f"{OFFICE}master-styles":
                self.masters = element
            elif element.tag in _SHARED:
                self.styles.add(element)
            else:
                yield element

    def note_reference(self, element: Element) -> str:
        """Keeps a `text:note` or an `office:annotation`, and gives the reference that stands for it in the text.

        A comment without words has none: it would lead nowhere.
        """
        kind, body = "comment", element
        if element.tag == f"{TEXT}note":
            kind = "endnote" if element.get(f"{TEXT}note-class") == "endnote" else "footnote"
            found = element.find(f"{TEXT}note-body")
            body = element if found is None else found
        if kind == "comment" and not _has_words(element):
            return ""
        reference = NOTE_KINDS[kind].format(len(self.notes[kind]) + 1)
        self.notes[kind].append(Note(reference, author(element) if kind == "comment" else "", body))
        return reference

    def note_changes(self, changes: Element) -> None:
        """Keeps what a `text:tracked-changes` says of the marks in the text."""
        for region in changes.iterchildren(f"{TEXT}changed-region"):
            kinds = {change.tag for change in region}
            self.has_tracked_changes |= bool(kinds & {f"{TEXT}insertion", f"{TEXT}deletion"})
            if f"{TEXT}deletion" in kinds:
                self.deletions |= {region.get(f"{TEXT}id", ""), region.get(XML_ID, "")} - {""}

    def inside(self, root: Element) -> Document:
        """The same for a document embedded in this one, which has styles and numbers of its own."""
        styles = Styles()
        for container in root.iterchildren(f"{OFFICE}styles", f"{OFFICE}automatic-styles"):
            styles.add(container)
        return replace(self, styles=styles, numbering=Numbering())

    def note_forms(self, forms: Element) -> None:
        """Keeps what the fields of an `office:forms` show, for the places where they are drawn."""
        for control in forms.iter(f"{FORM}*"):
            control_id = control.get(XML_ID) or control.get(f"{FORM}id")
            if control_id:
                self.controls[control_id] = _shown(control)


def _has_words(annotation: Element) -> bool:
    blocks = (block for block in annotation if str(block.tag).startswith(TEXT))
    return any(str(words).strip() for block in blocks for words in block.itertext())


def _shown(control: Element) -> str:
    label = control.get(f"{FORM}label", "")
    if control.tag in {f"{FORM}checkbox", f"{FORM}radio"}:
        state = control.get(f"{FORM}current-state") or control.get(f"{FORM}state") or ""
        is_on = state == "checked" or control.get(f"{FORM}current-selected") == "true"
        return f"{'☑' if is_on else '☐'} {label}".strip()
    chosen = [
        option.get(f"{FORM}label", "")
        for option in control.iterchildren(f"{FORM}option")
        if option.get(f"{FORM}current-selected") == "true"
    ]
    value = control.get(f"{FORM}current-value") or control.get(f"{FORM}value") or ", ".join(chosen)
    return " ".join(filter(None, (label, value)))
