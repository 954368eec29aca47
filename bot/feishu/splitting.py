"""A long Markdown text in parts that fit a card each, cut where a reader would cut it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from bot.feishu.cards import wire_bytes

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"^ {0,3}(`{3,16}|~{3,16})(?!`|~)([^`\n]{0,40})$")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s")


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading with its paragraph, a paragraph, or fenced code with `fence` as its opening line."""

    lines: tuple[str, ...]
    fence: str = ""


def split_markdown(text: str, max_bytes: int = 28_000) -> tuple[str, ...]:
    """The text in parts of at most `max_bytes` on the wire (at least 200), none of them empty.

    Cut before headings and between paragraphs, else between lines, else within one. Fenced code that is cut is closed
    at the end of a part and opened again in the next.
    """
    if wire_bytes(text) <= max_bytes:
        return (text,) if text.strip() else ()
    parts: list[str] = []
    current = ""
    for block in _blocks(text):
        for piece in _pieces(block, max_bytes):
            if wire_bytes(current + piece) > max_bytes:
                parts.append(current)
                current = ""
            current += piece
    parts.append(current)
    return tuple(part.strip("\n") for part in parts if part.strip())


def _blocks(text: str) -> Iterator[_Block]:
    lines: list[str] = []
    fence: str = ""
    for line in _LINE.findall(text):
        if fence:
            lines.append(line)
            if _closes(line, fence):
                yield _Block(tuple(lines), fence)
                lines, fence = [], ""
            continue
        opens = _FENCE.match(line.rstrip("\n"))
        if (lines and (opens or _HEADING.match(line))) or _ends_paragraph(lines):
            yield _Block(tuple(lines))
            lines = []
        lines.append(line)
        fence = line.rstrip("\n") if opens else ""
    if lines:
        yield _Block(tuple(lines), fence)


def _ends_paragraph(lines: list[str]) -> bool:
    """A blank line ends a paragraph, but leaves a heading with what follows it."""
    has_text = any(line.strip() and not _HEADING.match(line) for line in lines)
    return has_text and not lines[-1].strip()


def _marker(fence: str) -> str:
    match = _FENCE.match(fence)
    return match[1] if match else ""


def _closes(line: str, fence: str) -> bool:
    marker, stripped = _marker(fence), line.strip()
    return stripped.startswith(marker) and not stripped.strip(marker[0])


def _pieces(block: _Block, max_bytes: int) -> Iterator[str]:
    whole = "".join(block.lines)
    if wire_bytes(whole) <= max_bytes:
        yield whole
    elif block.fence:
        yield from _fenced_pieces(block, max_bytes)
    else:
        yield from _filled(block.lines, max_bytes)


def _fenced_pieces(block: _Block, max_bytes: int) -> Iterator[str]:
    opening, closing = f"{block.fence}\n", f"{_marker(block.fence)}\n"
    inner = block.lines[1:-1] if _closes(block.lines[-1], block.fence) else block.lines[1:]
    room = max_bytes - wire_bytes(opening) - wire_bytes(closing) - wire_bytes("\n")
    for code in _filled(inner, room):
        yield f"{opening}{code}{'' if code.endswith(chr(10)) else chr(10)}{closing}"


def _filled(lines: tuple[str, ...], max_bytes: int) -> Iterator[str]:
    """As many lines in each piece as fit; a line that is too long for one is cut."""
    current, size = "", 0
    for line in lines:
        for piece in _cut(line, max_bytes):
            if current and size + wire_bytes(piece) > max_bytes:
                yield current
                current, size = "", 0
            current += piece
            size += wire_bytes(piece)
    if current:
        yield current


def _cut(line: str, max_bytes: int) -> Iterator[str]:
    while wire_bytes(line) > max_bytes:
        end = longest_prefix(line, max_bytes)
        space = line.rfind(" ", end // 2, end)
        end = space + 1 if space > 0 else end
        yield line[:end]
        line = line[end:]
    yield line


def longest_prefix(text: str, max_bytes: int) -> int:
    """How many characters from the start fit into `max_bytes` on the wire."""
    return bisect_right(range(1, len(text) + 1), max_bytes, key=lambda end: wire_bytes(text[:end]))
