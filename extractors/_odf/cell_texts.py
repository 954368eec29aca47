"""What the cells of a sheet show."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors import markdown
from extractors._inflating import Element
from extractors._odf.cells import Placed
from extractors._odf.line import Item
from extractors._odf.names import OFFICE, TABLE, TEXT, whole
from extractors._odf.story import Story
from extractors.content import Text

_REFERENCE = re.compile(r"\[([^\[\]]{1,200})\]")
_NAMESPACE = re.compile(r"\s*(?:of|oooc|ooow|msoxl):")
_DURATION = re.compile(r"-?P(?:(\d{1,5})D)?T?(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})(?:[.,]\d+)?S)?")
TEXT_BLOCKS = frozenset({f"{TEXT}p", f"{TEXT}h", f"{TEXT}list"})


def cell_text(cell: Placed, story: Story) -> str:
    """The text that a cell shows, its value where it shows none, or the formula that was never calculated."""
    element = cell.element
    text = "\n".join(_lines(element, story)) or _value(element) or formula(element)
    return markdown.hidden(text) if cell.is_covered and text else text


def _lines(element: Element, story: Story) -> Iterator[str]:
    for block in element.iterchildren(*TEXT_BLOCKS):
        for piece in story.block(block):
            if isinstance(piece, Text | Item):
                yield piece.markdown


def _value(element: Element) -> str:
    """A stored value, in the plain form of its type, for files that come without the text that is shown."""
    kind, value = element.get(f"{OFFICE}value-type", ""), element.get(f"{OFFICE}value", "")
    if kind == "percentage":
        return _percent(value)
    if kind == "currency":
        return f"{value} {element.get(f'{OFFICE}currency', '')}".strip()
    if kind == "date":
        return element.get(f"{OFFICE}date-value", "").replace("T", " ")
    if kind == "time":
        return _clock(element.get(f"{OFFICE}time-value", ""))
    if kind == "boolean":
        return element.get(f"{OFFICE}boolean-value", "").upper()
    return element.get(f"{OFFICE}string-value", "") if kind == "string" else value


def _percent(value: str) -> str:
    try:
        return f"{float(value) * 100:.10g}%"
    except ValueError:
        return value


def _clock(duration: str) -> str:
    """PT09H05M00S as 09:05:00."""
    match = _DURATION.fullmatch(duration)
    if match is None:
        return duration
    days, hours, minutes, seconds = (whole(part, 0, most=1_000_000) for part in match.groups())
    return f"{'-' if duration.startswith('-') else ''}{days * 24 + hours:02d}:{minutes:02d}:{seconds:02d}"


def formula(element: Element) -> str:
    """The formula of a cell as people write it, or ""."""
    written = element.get(f"{TABLE}formula", "")
    return _REFERENCE.sub(_reference, _NAMESPACE.sub("", written, count=1))


def is_uncalculated(element: Element) -> bool:
    """True for a formula without a stored result."""
    return f"{TABLE}formula" in element.attrib and f"{OFFICE}value-type" not in element.attrib and len(element) == 0


def _reference(match: re.Match[str]) -> str:
    return ":".join(part.removeprefix(".") for part in match[1].split(":"))
