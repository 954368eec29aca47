"""Text that must fit its encoding to the last byte, but for a character that a cut left unfinished."""

from __future__ import annotations

#: The longest sequence of any of these encodings, less one.
MAX_CUT_BYTES = 3


def strict(data: bytes, encoding: str) -> str | None:
    """`data` as text; None where it does not fit. A character cut off at the very end is left out."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as exc:
        if exc.start > 0 and len(data) - exc.start <= MAX_CUT_BYTES and exc.end == len(data):
            return data[: exc.start].decode(encoding)
        return None
