"""The Markdown that every format writes: tables, escapes, and the marks a model can cite."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")


def escape_cell(text: str) -> str:
    """`text` as one table cell: backslash and pipe escaped, line breaks as `<br>`, no blanks around."""
    escaped = text.strip().replace("\\", "\\\\").replace("|", "\\|")
    return _LINE_BREAK.sub("<br>", escaped)


def table(rows: Sequence[Sequence[str]]) -> str:
    """`rows` as a Markdown table whose head is the first row; short rows are filled up. No rows give ""."""
    width = max((len(row) for row in rows), default=0)
    if width == 0:
        return ""
    lines = [_line([*map(escape_cell, row), *[""] * (width - len(row))]) for row in rows]
    lines.insert(1, _line(["---"] * width))
    return "\n".join(lines)


def table_lines(rows: Sequence[Sequence[str]]) -> str:
    """`rows` as plain lines, for a table that is not shown as one: every cell in its place between bars."""
    lines = (" | ".join(" ".join(cell.split()) for cell in row).rstrip(" |") for row in rows)
    return "\n".join(filter(None, lines))


def page_mark(number: int) -> str:
    """The line before a page's text."""
    return f"--- Page {number} ---"


def slide_mark(number: int) -> str:
    """The line before a slide's text."""
    return f"--- Slide {number} ---"


def sheet_heading(name: str) -> str:
    """The heading before a sheet's cells."""
    return f"### {_one_line(name)}"


def file_mark(path: str) -> str:
    """The line before the text of a file inside a container."""
    return f"--- File: {_one_line(path)} ---"


def note(text: str) -> str:
    """A remark of the reader's own, apart from what the file says."""
    return f"[note: {_one_line(text)}]"


def image_reference(name: str) -> str:
    """What stands in the text where the image of that name stood, such as `[image: page 3]`."""
    return f"[image: {_one_line(name)}]"


def recognised_words_mark(name: str) -> str:
    """The line before words that were recognised in the image of that name."""
    return f"[words recognised in {_one_line(name)}, not exact]"


def hidden(text: str) -> str:
    """Text that the file's reader would not see."""
    return f"[hidden text] {text}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _one_line(text: str) -> str:
    return " ".join(text.split())
