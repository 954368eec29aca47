"""Where the characters run out: text is let through while some are left, and cut at the end of a line."""

from __future__ import annotations

from collections.abc import Iterator

from extractors.assembly import SEPARATOR
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated


def charged(budget: Budget, block: Block) -> Iterator[Block]:
    """The block, paid for where it is text; when it does not fit, as much as fits, and that the rest is missing."""
    if not isinstance(block, Text):
        yield block
        return
    cost = len(block.markdown) + len(SEPARATOR)
    granted = budget.take_chars(cost)
    if granted == cost:
        yield Text(_speakable(block.markdown))
        return
    yield Text(_speakable(_cut_at_line(block.markdown, max(0, granted - len(SEPARATOR)))))
    yield Truncated(f"text after the first {budget.limits.extract_text_max_chars:,} characters")


def _cut_at_line(text: str, max_chars: int) -> str:
    """The beginning of `text`, whole lines unless that would lose more than half of what is allowed."""
    line_end = text.rfind("\n", 0, max_chars + 1)
    return text[:line_end] if line_end > max_chars // 2 else text[:max_chars]


def _speakable(text: str) -> str:
    """`text` that any JSON, database or wire can carry: no NUL, no lone surrogate."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
