"""Letters one after another in one file, as mail programs keep a folder (mbox, RFC 4155)."""

from __future__ import annotations

import re

#: The line before each letter. In the midst of the file it needs a blank line before it and a time of day in it.
_BEGINNING = re.compile(
    rb"(?:\A\s*From |(?:(?<=\n\n)|(?<=\n\r\n))From (?=[^\r\n]{0,300}\d:\d\d))[^\r\n]{1,300}\r?\n"
    rb"(?=>?[!-~]{1,70}[ :]|\r?\n)"
)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def letters(data: bytes) -> list[bytes]:
    """The letters of a mailbox as they travelled; all of `data` where nothing tells them apart."""
    begun = [(found.start(), found.end()) for found in _BEGINNING.finditer(data)]
    if not begun:
        return [data]
    ends = [start for start, _ in begun[1:]] + [len(data)]
    return [_ESCAPED.sub(rb"\1", data[start:end]) for (_, start), end in zip(begun, ends, strict=True)]
