"""Style sheets, as far as anyone here needs them: the outermost rules, in one pass."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BRACE = re.compile(r"[{}]")
#: Longer ones are not searched.
MAX_STYLE_CHARS = 200_000


def rules(style_sheet: str) -> list[tuple[str, str]]:
    """Selectors and declarations of the outermost rules; what stands inside @media and the like does not count."""
    style_sheet = _COMMENT.sub("", style_sheet[:MAX_STYLE_CHARS])
    found = []
    depth = begun = 0
    prelude = ""
    for brace in _BRACE.finditer(style_sheet):
        if brace[0] == "{":
            if depth == 0:
                prelude = style_sheet[begun : brace.start()].rpartition(";")[2].strip()
                begun = brace.end()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                if not prelude.startswith("@"):
                    found.append((prelude, style_sheet[begun : brace.start()]))
                begun = brace.end()
    return found
