"""The words of RTF: control words, bytes and text, in one pass over the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,40})(-?\d{1,10})?[ ]?"  # a control word with its number
    rb"|\\'([0-9a-fA-F]{2})"  # a byte
    rb"|\\([^a-zA-Z'])"  # a control sign
    rb"|([{}])"
    rb"|([^\\{}\r\n\0]+)"
)


class Token(NamedTuple):
    """`word` is a control word, a control sign, "{" or "}"; "" where `data` holds bytes of text."""

    word: str
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """What stands in the file, line ends left out; what follows `\\bin` comes as its data."""
    position, end = 0, len(data)
    while position < end:
        found = _TOKEN.match(data, position)
        if found is None:
            position += 1  # a line end, or something broken
            continue
        position = found.end()
        word, number, escaped, sign, brace, text = found.groups()
        if text is not None:
            yield Token("", None, text)
        elif word is not None:
            value = int(number) if number is not None else None
            if word == b"bin":
                size = max(0, min(value or 0, end - position))
                yield Token("bin", value, data[position : position + size])
                position += size
            else:
                yield Token(word.decode("ascii"), value)
        elif sign is not None and sign in b"{}\\":
            yield Token("", None, sign)
        elif escaped is not None:
            yield Token("", None, bytes((int(escaped, 16),)))
        else:
            yield Token((sign or brace).decode("latin-1"))
