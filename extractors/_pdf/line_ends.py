"""Words that were broken at the end of a line are whole again."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: A hyphen between two small letters, and what of the next line belongs to the word. Not in what has signs in it,
#: such as an address.
_BROKEN = re.compile(r"(?<![^\s(\[“‘\"'«-])([^\W\d_]{2,})(?:-|\u00ad)\n([^\W\d_]{2,}[^\s]*)[ ]?")
_HYPHENATED = re.compile(r"[^\W\d_]{2,}-[^\W\d_]{2,}")
_SOFT_HYPHEN = "\u00ad"


def unbroken(texts: Sequence[str]) -> list[str]:
    """The texts of a page with their broken words joined; a hyphen that the page has elsewhere too is kept."""
    kept = {word.lower() for text in texts for word in _HYPHENATED.findall(text)}

    def whole(found: re.Match[str]) -> str:
        first, rest = found[1], found[2]
        if not (first[-1].islower() and rest[0].islower()):
            return found[0]
        second = re.match(r"[^\W\d_]+", rest)
        is_compound = second is not None and f"{first}-{second[0]}".lower() in kept
        return f"{first}{'-' if is_compound else ''}{rest}\n"

    return [_BROKEN.sub(whole, text).rstrip("\n").replace(_SOFT_HYPHEN, "") for text in texts]
