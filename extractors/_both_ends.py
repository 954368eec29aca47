"""A text that is too long keeps its beginning and its end, and says what is missing between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from extractors.assembly import SEPARATOR
from extractors.budget import Budget
from extractors.content import Block, Picture, Text, Truncated

#: Of the characters that may be given, this share is kept for the end.
TAIL_SHARE = 0.25
_MARK_CHARS = 100


def both_ends(blocks: Iterator[Block], budget: Budget) -> Iterator[Block]:
    """Lets blocks through; once only the share of the end is left, holds them back and gives the last of them."""
    reserve = int(budget.chars_left * TAIL_SHARE)
    held: deque[Block] = deque()
    held_chars = left_out = 0
    for block in blocks:
        size = _cost(block)
        if not isinstance(block, Text | Picture) or (not held and budget.chars_left - size > reserve):
            yield block
            continue
        if size > budget.chars_left:
            break  # one piece longer than both ends: it is cut where it is given
        held.append(block)
        held_chars += size
        while held_chars > budget.chars_left - (_MARK_CHARS if left_out else 0):
            passed = _cost(held.popleft())
            held_chars -= passed
            left_out += passed
    else:
        block = None
    if left_out:
        yield Text(f"(about {left_out:,} characters are left out here)")
        yield Truncated(f"about {left_out:,} characters before the end")
    yield from held
    if block is not None:
        yield block


def _cost(block: Block) -> int:
    return len(block.markdown) + len(SEPARATOR) if isinstance(block, Text) else 0
