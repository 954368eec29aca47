"""What holds inside one pair of braces, and ends with it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

from extractors._rtf.flow import BULLET, ParagraphLook
from extractors._rtf.lists import Lists
from extractors._rtf.styles import Styles

_BODY_LEVEL = 9


@dataclass(slots=True)
class State:
    """Where words go and how they look. A group begins with the state around it."""

    #: "flow" for the paragraphs, "capture" for a value, "skip" and "upr" for nothing, or the table that is being read.
    target: str = "flow"
    #: The target around `\\upr`, which says the same twice, the second time in Unicode.
    outer_target: str = "flow"
    captured: list[str] = field(default_factory=list)
    font: int | None = None
    bytes_per_unicode: int = 1
    is_hidden: bool = False
    is_deleted: bool = False
    colour: int = 0
    has_ground: bool = False
    half_points: int = 24
    is_starred: bool = False
    #: Of the paragraph.
    is_in_table: bool = False
    table_level: int = 0
    style: int = 0
    base_style: int | None = None
    outline: int | None = None
    list_number: int = 0
    list_depth: int = 0

    def inner(self) -> State:
        """The state of a group that begins here."""
        state = copy(self)
        state.is_starred = False
        return state

    @property
    def level(self) -> int:
        """How deep in tables the paragraph stands; 0 for outside."""
        return max(self.table_level, 1) if self.is_in_table else max(0, self.table_level)

    def look(self, styles: Styles, lists: Lists, label: str) -> ParagraphLook:
        """The paragraph as it stands, with the label that was read before it."""
        if self.outline is None:
            heading = styles.heading(self.style)
        else:
            heading = self.outline + 1 if self.outline < _BODY_LEVEL else 0
        if label and lists.is_bullet(self.list_number, self.list_depth):
            label = BULLET
        return ParagraphLook(table_level=self.level, heading=heading, label=label, depth=self.list_depth)

    def plain(self) -> None:
        """Characters look as the document's usual ones again."""
        self.is_hidden = self.is_deleted = self.has_ground = False
        self.colour, self.half_points, self.font = 0, 24, None

    def fresh_paragraph(self) -> None:
        """A paragraph without any look."""
        self.is_in_table, self.table_level, self.style, self.outline = False, 0, 0, None
        self.list_number = self.list_depth = 0


@dataclass(slots=True, kw_only=True)
class Note:
    """A note while it is read."""

    kind: str
    author: str = ""
