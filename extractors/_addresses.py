"""Addresses: which of them a reader may be shown, links in a line, the pictures that stand in a page itself."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote, unquote_to_bytes, urljoin, urlsplit

SHOWN_SCHEMES = frozenset({"http", "https", "file", "mailto"})
#: Longer ones are tracking codes and programs, not something to cite.
MAX_ADDRESS_CHARS = 2_000
_IGNORED = re.compile(r"[\t\n\r]")
_DATA = re.compile(r"data:(image/[\w.+-]+)?[^,]{0,200},", re.IGNORECASE)


def shown_address(href: str, base: str) -> str:
    """The full address behind a link, or "" where it is none that should be shown."""
    address = _IGNORED.sub("", href).strip()
    if not address or address.startswith("#") or len(address) > MAX_ADDRESS_CHARS:
        return ""
    if address.startswith("//"):
        address = f"https:{address}"
    try:
        joined = urljoin(base, address) if base else address
        scheme = urlsplit(joined).scheme.lower()
    except ValueError:
        return ""
    return joined.replace(" ", "%20").replace(")", "%29") if scheme in SHOWN_SCHEMES else ""


def link(pieces: list[tuple[str, bool]], start: int, address: str) -> None:
    """Makes the pieces since `start` (words, and whether they are hidden) one link, which has one piece.

    It is joined with a link to the same address right before it; where the words are the address, they say it once.
    """
    words = "".join(text for text, _ in pieces[start:])
    if not address or not words.strip():
        return
    is_hidden = all(hidden for text, hidden in pieces[start:] if text.strip())
    if start and pieces[start - 1][1] == is_hidden and (before := _words(pieces[start - 1][0], address)):
        start, words = start - 1, before + words
    shown = words.strip()
    if shown.rstrip("/") != address.rstrip("/"):
        words = words.replace(shown, f"[{shown}]({address})", 1)
    pieces[start:] = [(words, is_hidden)]


def _words(piece: str, address: str) -> str:
    """The words of a piece that is a link to that address; "" where it is none, or too long to go on with."""
    if len(piece) > 2 * MAX_ADDRESS_CHARS:
        return ""
    shown, tail = piece.strip(), f"]({address})"
    if shown.rstrip("/") == address.rstrip("/"):
        return piece
    return piece.replace(shown, shown[1 : -len(tail)], 1) if shown.startswith("[") and shown.endswith(tail) else ""


def data_picture(source: str) -> bytes | None:
    """The bytes of a picture given as a data address; None for anything else, and for drawings."""
    found = _DATA.match(source)
    if found is None or (found[1] or "").lower() == "image/svg+xml":
        return None
    payload = source[found.end() :]
    try:
        if found[0][:-1].rstrip().lower().endswith("base64"):
            return base64.b64decode(unquote(payload) if "%" in payload else payload, validate=False)
    except (binascii.Error, ValueError):
        return None
    return unquote_to_bytes(payload)


def file_name(source: str) -> str:
    """The last part of an address, as a name for what lies there."""
    if source.lower().startswith(("data:", "blob:", "cid:", "javascript:")):
        return ""
    return unquote(re.split(r"[?#]", source, maxsplit=1)[0].replace("\\", "/").rstrip("/").rpartition("/")[2])[:200]
