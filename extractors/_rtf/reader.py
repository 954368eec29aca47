"""The reading of an RTF file: groups, destinations, and the words that go to the paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractors._addresses import shown_address
from extractors._album import Album
from extractors._numerals import is_page_number
from extractors._ooxml.fields import drawn, field_address
from extractors._rtf.flow import BULLET, Flow
from extractors._rtf.fonts import Fonts
from extractors._rtf.lists import Lists
from extractors._rtf.pictures import RtfPicture
from extractors._rtf.state import Note, State
from extractors._rtf.styles import Styles
from extractors._rtf.tables import RowShape
from extractors._rtf.tokens import Token, tokens
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Text, Truncated, Warned

#: Deeper groups are passed over: no program nests like that.
MAX_DEPTH = 1_000
NOTE_FORMS = {"footnote": "[^{}]", "endnote": "[^e{}]", "comment": "[comment {}]"}
_TRACKED_CHANGES = ExtractionWarning(
    problem="the file has tracked changes", consequence="insertions are read as accepted, and deletions are left out"
)
_WHITE = (255, 255, 255)
#: Smaller letters than one point cannot be read.
_TINY_HALF_POINTS = 2


@dataclass(slots=True, kw_only=True)
class Reader:
    """Reads one file. What the control words do is told by `do`; this is where their effects meet."""

    data: bytes
    budget: Budget
    album: Album
    do: Callable[[Reader, Token], None]
    state: State = field(default_factory=State)
    flows: list[Flow] = field(init=False)
    shape: RowShape = field(default_factory=RowShape)
    label: str = ""
    fonts: Fonts = field(default_factory=Fonts)
    styles: Styles = field(default_factory=Styles)
    lists: Lists = field(default_factory=Lists)
    colours: list[tuple[int, int, int]] = field(default_factory=list)
    mixing: list[int] = field(default_factory=lambda: [0, 0, 0])
    #: Open fields: where their result began, and their instruction.
    fields: list[tuple[int | None, str]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    pictures: list[RtfPicture] = field(default_factory=list)
    #: Embedded files, as their programs have wrapped them.
    objects: list[bytes] = field(default_factory=list)
    property_name: str = ""
    comment_author: str = ""
    has_tracked_changes: bool = False
    pending: list[Block] = field(default_factory=list)
    last_blocks: list[str] = field(default_factory=list)
    _footers: list[str] = field(default_factory=list)
    _margins: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)
    _groups: list[tuple[State, Callable[[Reader, State], None] | None]] = field(default_factory=list)
    _closer: Callable[[Reader, State], None] | None = None
    _too_deep: int = 0
    #: The last token was a brace: only there an asterisk says that a group may be passed over.
    _has_just_opened: bool = False
    _bytes: bytearray = field(default_factory=bytearray)
    _to_pass: int = 0
    _high_half: int = 0

    def __post_init__(self) -> None:
        self.flows = [Flow(limits=self.budget.limits)]

    def blocks(self) -> Iterator[Block]:
        """The file as blocks, each as soon as it is complete."""
        for number, token in enumerate(tokens(self.data)):
            self._take(token)
            if len(self._groups) <= 1:
                yield from self._drained()
                if not self._groups and number:
                    break
            if number % 4096 == 0 and (self.budget.is_late or self.budget.text_is_spent):
                yield Truncated("the rest of the document")
                break
        self._flush()
        yield from self._ended()

    def _drained(self) -> Iterator[Block]:
        flow = self.flows[0]
        blocks = [*flow.drain()]
        if blocks or self.pending:
            yield from map(Text, blocks)
            yield from self.pending
            self.pending.clear()
            yield from self.album.drain()
        for what in flow.truncated:
            yield Truncated(what)
        flow.truncated.clear()

    def _ended(self) -> Iterator[Block]:
        while len(self.flows) > 1:  # the file ends inside a note
            self.flows[-2].after.append(self.flows.pop().text())
        flow = self.flows[0]
        yield from map(Text, flow.finish())
        yield from map(Text, [*self._footers, *self.last_blocks])
        yield from self._drained()
        yield from self.album.drain()
        if self.has_tracked_changes:
            yield Warned(_TRACKED_CHANGES)

    # --- tokens -------------------------------------------------------------------------------------------------------

    def _take(self, token: Token) -> None:
        word = token.word
        if word == "":
            self._has_just_opened = False
            if self.state.target != "skip":
                self._take_bytes(token)
            return
        self._flush()
        if word == "{":
            self._open()
        elif word == "}":
            self._close()
        elif self._to_pass and word not in {"bin", "u"}:
            self._to_pass -= 1
        elif self.state.target != "skip":
            self.do(self, token)
            self.state.is_starred = word == "*" and self._has_just_opened
        self._has_just_opened = word == "{"

    def _open(self) -> None:
        self._to_pass = 0
        if len(self._groups) >= MAX_DEPTH:
            self._too_deep += 1
            return
        self._groups.append((self.state, self._closer))
        self._closer = None
        self.state = self.state.inner()

    def _close(self) -> None:
        self._to_pass = 0
        if self._too_deep:
            self._too_deep -= 1
            return
        if not self._groups:
            return
        ended, closer = self.state, self._closer
        self.state, self._closer = self._groups.pop()
        if closer is not None:
            closer(self, ended)

    def when_closed(self, closer: Callable[[Reader, State], None]) -> None:
        """Sets what is done when the group that is open now ends; it is handed the group's last state."""
        self._closer = closer

    def _take_bytes(self, token: Token) -> None:
        data = token.data
        if self._to_pass:
            passed = min(self._to_pass, len(data))
            self._to_pass -= passed
            data = data[passed:]
        self._bytes += data

    def _flush(self) -> None:
        """Bytes that were gathered become words: characters may need several of them."""
        if not self._bytes:
            return
        data = bytes(self._bytes)
        self._bytes.clear()
        if self.state.target == "fonts":
            self.fonts.name(self.state.font, data)
        else:
            self.say(self.fonts.text(data, self.state.font))

    def say_code(self, number: int) -> None:
        """A character by its code in UTF-16, signed or not; what stands for it in older programs is passed over."""
        self._to_pass = self.state.bytes_per_unicode
        code = number & 0xFFFF if -0x8000 <= number <= 0xFFFF else number
        if 0xD800 <= code < 0xDC00:
            self._high_half = code
        elif 0xDC00 <= code < 0xE000:
            if self._high_half:
                self.say(chr(0x10000 + ((self._high_half - 0xD800) << 10) + (code - 0xDC00)))
            self._high_half = 0
        elif 0 < code < 0x110000:
            self.say(self.fonts.character(code, self.state.font))

    # --- words --------------------------------------------------------------------------------------------------------

    @property
    def flow(self) -> Flow:
        """Where the paragraphs go at present."""
        return self.flows[-1]

    def say(self, text: str) -> None:
        """Words for the paragraph, or for the value that is being read."""
        state = self.state
        if state.target == "capture":
            state.captured.append(text)
        elif state.target == "colours":
            self._count_colours(text)
        elif state.target == "flow" and not state.is_deleted:
            self.flow.say(text, is_hidden=self._is_hidden())

    def end_paragraph(self) -> None:
        """The paragraph is complete."""
        if self.state.target == "flow":
            self.flow.end_paragraph(self.state.look(self.styles, self.lists, self.label))
            self.label = ""

    def end_cell(self, level: int) -> None:
        """The cell is complete."""
        if self.state.target == "flow":
            self.flow.end_cell(self.state.look(self.styles, self.lists, self.label), level)
            self.label = ""

    def end_row(self, level: int) -> None:
        """The row is complete."""
        self.flow.end_row(level, self.shape)

    def _is_hidden(self) -> bool:
        state = self.state
        is_white = (
            state.colour < len(self.colours)
            and self.colours[state.colour] == _WHITE
            and state.colour > 0
            and not state.has_ground
            and state.level == 0  # cells have grounds of their own
        )
        return state.is_hidden or is_white or state.half_points <= _TINY_HALF_POINTS

    def _count_colours(self, text: str) -> None:
        for _ in range(min(text.count(";"), MAX_DEPTH)):
            red, green, blue = self.mixing
            self.colours.append((red, green, blue))
            self.mixing = [0, 0, 0]

    # --- what closes --------------------------------------------------------------------------------------------------

    def style_read(self, state: State) -> None:
        """One entry of the style sheet."""
        words = "".join(state.captured).strip()
        self.styles.add(state.style, words, outline=state.outline, base=state.base_style)

    def label_read(self, state: State) -> None:
        """What stands before an item: its number, or some bullet."""
        words = " ".join("".join(state.captured).split())
        self.label = words if any(char.isalnum() for char in words) else BULLET

    def field_read(self, _state: State) -> None:
        """A field: a link by its address, anything else by its result, or what its instruction draws."""
        start, instruction = self.fields.pop()
        if self.state.target == "flow" and (start is None or start >= len(self.flow.pieces)):
            self.say(drawn(instruction))
        elif start is not None:
            self.flow.link(start, shown_address(field_address(instruction).replace("\\\\", "\\"), ""))

    def note_read(self, _state: State) -> None:
        """A footnote, an endnote or a comment: its reference here, its text at the end."""
        note, text = self.notes.pop(), self.flows.pop().text()
        if not text:
            return
        number = self._counts[note.kind] = self._counts.get(note.kind, 0) + 1
        reference = NOTE_FORMS[note.kind].format(number)
        self.flow.say(reference)
        author = f" {note.author}" if note.author else ""
        self.last_blocks.append(f"{reference}{author}: {text}")

    def margin_read(self, kind: str) -> None:
        """A header or a footer, each text once."""
        text = self.flows.pop().text()
        if text and text not in self._margins and not is_page_number(text):
            self._margins.add(text)
            if kind == "Header":
                self.pending.append(Text(f"Header: {text}"))
            else:
                self._footers.append(f"Footer: {text}")

    def box_read(self, _state: State) -> None:
        """A text box: after the paragraph it hangs on."""
        text = self.flows.pop().text()
        self.flow.after.append(text)

    def picture_read(self, _state: State) -> None:
        """A picture: in the line."""
        picture = self.pictures.pop()
        if reference := picture.reference(self.album):
            self.flow.say(f" {reference} ")
