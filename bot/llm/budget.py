"""What fits into the model's context: estimates without a vocabulary, fair shares, and cuts that say what they cut."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

_RUN = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<digit>[0-9]+)|(?P<blank>[ \t\r\n]+)|(?P<punctuation>[!-/:-@\[-`{-~]+)"
    r"|(?P<cjk>[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+)|(?P<astral>[^\x00-\uffff]+)"
    r"|(?P<other>[^\x00-\x7f])"
)
#: Where a text may be cut without breaking a thought: marks of pages and slides, headings of sheets and sections.
_EDGE = re.compile(r"^(?:--- (?P<unit>Page|Slide) (?P<number>\d+) ---|#{1,3} (?P<title>\S[^\n]*))$", re.MULTILINE)
_TITLE_MAX_CHARS = 20
#: Titles come from the document and are shown to the user: words only, no markup.
_NOT_PLAIN = re.compile(r"[^\w .,\-]|_")
_HEAD_SHARE = 0.7
#: The most that a marker itself weighs, with two section titles of rare Han.
_MARKER_WEIGHT = 130
#: Measured on the other side of the wall: an image whose size is not known is taken for the largest we send.
_UNKNOWN_SIDE_PX = 1568


def estimate_tokens(text: str) -> int:
    """Tokens of `text`: no less than seven vocabularies count on 24 of 25 corpora, on prose 1.2 to 1.6 times that."""
    return math.ceil(_weight(text) * 1.15) + 4


def image_tokens(width: int | None, height: int | None) -> int:
    """Tokens of an image by the most expensive rule in use (28-pixel patches), with a tenth on top."""
    patches = math.ceil((width or _UNKNOWN_SIDE_PX) / 28) * math.ceil((height or _UNKNOWN_SIDE_PX) / 28)
    return math.ceil(patches * 1.1) + 16


def share(wants: Sequence[int], total: int) -> tuple[int, ...]:
    """Splits `total` like water over vessels: small wants in full, the large ones get equal parts of the rest."""
    granted = [0] * len(wants)
    left = max(0, total)
    by_size = sorted(range(len(wants)), key=lambda index: wants[index])
    for place, index in enumerate(by_size):
        granted[index] = max(0, min(wants[index], left // (len(wants) - place)))
        left -= granted[index]
    return tuple(granted)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What a cut took away. `first` and `last` name the sections it touches, when the text has marks."""

    chars: int
    total_chars: int
    unit: str = ""  # "page", "slide", "section", or "" for a text without marks
    first: str = ""
    last: str = ""

    def __str__(self) -> str:
        where = ""
        if self.unit:
            quote = '"' if self.unit == "section" else ""
            first, last = f"{quote}{self.first}{quote}", f"{quote}{self.last}{quote}"
            where = f": {self.unit} {first}" if first == last else f": {self.unit}s {first} to {last}"
        return f"[... {self.chars:,} of {self.total_chars:,} characters left out{where} ...]"


def cut(text: str, max_tokens: int) -> tuple[str, LeftOut | None]:
    """`text` in at most `max_tokens`: head (70 %) and tail around a marker, cut at pages, sheets or lines if it can."""
    if estimate_tokens(text) <= max_tokens:
        return text, None
    room = max(0.0, (max_tokens - 4) / 1.15 - _MARKER_WEIGHT)
    head_end = _prefix_end(text, room * _HEAD_SHARE)
    tail_start = max(head_end, _suffix_start(text, room * (1 - _HEAD_SHARE)))
    left_out = _describe(text, head_end, tail_start)
    pieces = (text[:head_end].rstrip(), str(left_out), text[tail_start:].lstrip("\n"))
    return "\n\n".join(piece for piece in pieces if piece), left_out


def _weight(text: str) -> float:
    return sum(_run_weight(str(match.lastgroup), match.group()) for match in _RUN.finditer(text))


def _run_weight(kind: str, run: str) -> float:
    """The rates are measured, see facts on tokens per character: digits cost one each, rare Han two, emoji four."""
    length = len(run)
    if kind == "word":
        return _word_weight(run)
    if kind == "blank":
        return 0.0 if run == " " else 1.0
    if kind == "punctuation":
        return _punctuation_weight(run)
    if kind == "cjk":
        common = len(run.encode("gb2312", "ignore").decode("gb2312"))
        return common + (length == 1) + (length - common) * 2.1
    return length * {"digit": 1.0, "astral": 4.0}.get(kind, 1.05)


def _word_weight(run: str) -> float:
    length = len(run)
    if length <= 4:
        return 1.0
    if length <= 16 and run[1:].islower():
        return 1 + (length - 4) * 0.15
    return length * 0.78


def _punctuation_weight(run: str) -> float:
    length = len(run)
    if length < 3:
        return float(length)
    return 1 + length * 0.75 if len(set(run)) > 2 else 1 + length / 6


def _prefix_end(text: str, room: float) -> int:
    """The furthest good place to stop with `text[:place]` weighing at most `room`."""
    lines = text.splitlines(keepends=True)
    ends = [0, *accumulate(map(len, lines))]
    weights = [0.0, *accumulate(map(_weight, lines))]
    index = bisect_right(weights, room) - 1
    if index >= len(lines):
        return len(text)
    edges = [match.start() for match in _EDGE.finditer(text, 0, ends[index])]
    if edges and edges[-1] * 2 > ends[index]:
        return edges[-1]
    if ends[index] and weights[index] * 2 > room:
        return ends[index]
    line, left = lines[index], room - weights[index]
    return ends[index] + _largest(len(line), lambda size: _weight(line[:size]) <= left)


def _suffix_start(text: str, room: float) -> int:
    """The earliest good place to start with `text[place:]` weighing at most `room`."""
    lines = text.splitlines(keepends=True)
    starts = [len(text) - size for size in (0, *accumulate(map(len, reversed(lines))))]
    weights = [0.0, *accumulate(map(_weight, reversed(lines)))]
    index = bisect_right(weights, room) - 1
    if index >= len(lines):
        return 0
    edge = _EDGE.search(text, starts[index])
    if edge and (len(text) - edge.start()) * 2 > len(text) - starts[index]:
        return edge.start()
    if index and weights[index] * 2 > room:
        return starts[index]
    line, left = lines[-1 - index], room - weights[index]
    return starts[index] - _largest(len(line), lambda size: _weight(line[len(line) - size :]) <= left)


def _largest(limit: int, fits: Callable[[int], bool]) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _describe(text: str, start: int, end: int) -> LeftOut:
    """Names the sections between two places, counting the one that `start` is in the middle of."""
    marks = list(_EDGE.finditer(text))
    touched = [mark for mark in marks if start <= mark.start() < end]
    before = [mark for mark in marks if mark.start() < start]
    if before and not (touched and touched[0].start() == start):
        touched.insert(0, before[-1])
    chars = end - start
    numbered = [mark for mark in touched if mark["unit"]]
    if numbered:
        unit = numbered[0]["unit"].lower()
        return LeftOut(
            chars=chars,
            total_chars=len(text),
            unit=unit,
            first=numbered[0]["number"],
            last=numbered[-1]["number"],
        )
    if touched:
        first, last = (
            _NOT_PLAIN.sub("", mark["title"]).strip()[:_TITLE_MAX_CHARS] for mark in (touched[0], touched[-1])
        )
        return LeftOut(chars=chars, total_chars=len(text), unit="section", first=first, last=last)
    return LeftOut(chars=chars, total_chars=len(text))
