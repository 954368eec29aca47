"""What all parts of one Word document share while they are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors._gallery import Gallery
from extractors._ooxml.names import MC, Element, W, chosen_branch
from extractors._ooxml.numbering import Numbering
from extractors._ooxml.package import Package
from extractors._ooxml.word_styles import Styles

#: The kinds of notes, and how a reference to one looks.
NOTE_KINDS = {"footnote": "[^{}]", "endnote": "[^e{}]", "comment": "[comment {}]"}


@dataclass(slots=True, kw_only=True)
class Document:
    """What all parts of one document share: styles, running list numbers, pictures, and the notes met so far."""

    package: Package
    styles: Styles
    numbering: Numbering
    gallery: Gallery
    #: The numbers of the notes by their id, given in the order in which they are met.
    note_numbers: dict[str, dict[str, int]] = field(default_factory=lambda: {kind: {} for kind in NOTE_KINDS})
    #: The ids of the comments that say something; the marks of others would lead nowhere.
    comments: set[str] = field(default_factory=set)
    has_tracked_changes: bool = False
    tables: int = 0
    #: The parts of embedded files, in the order in which they stand in the text.
    objects: dict[str, None] = field(default_factory=dict)

    def note_reference(self, kind: str, note_id: str) -> str:
        """The reference to a note, the same wherever it is asked for; "" for a comment that says nothing."""
        if kind == "comment" and note_id not in self.comments:
            return ""
        numbers = self.note_numbers[kind]
        return NOTE_KINDS[kind].format(numbers.setdefault(note_id, len(numbers) + 1))

    def opened(self, element: Element) -> Element | None:
        """What to read inside a wrapper: nothing for deletions and properties, one branch of alternatives."""
        tag = element.tag
        if tag in {f"{W}del", f"{W}moveFrom"}:
            self.has_tracked_changes = True
            return None
        if tag in {f"{W}ins", f"{W}moveTo"}:
            self.has_tracked_changes = True
            return element
        if tag == f"{W}sdt":
            return element.find(f"{W}sdtContent")
        if tag == f"{MC}AlternateContent":
            return chosen_branch(element)
        return element if isinstance(tag, str) and not tag.endswith("Pr") else None
