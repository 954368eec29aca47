"""Header fields as senders really write them: encoded words, split characters, raw bytes, folded lines."""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator

from extractors._charset import decode
from extractors._declared_charset import decoded, named

_FOLD = re.compile(r"\r?\n[ \t]*|\r")
_WORD = re.compile(r"=\?([\w.:+-]+)(?:\*[\w-]*)?\?([bBqQ])\?([^?]*)\?=")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


def header_text(raw: str) -> str:
    """A field's value for people, on one line. Never fails."""
    pieces: list[str] = []
    pending, charset = b"", ""
    for text, word_charset, data in _pieces(_FOLD.sub(" ", raw)):
        if word_charset and (not pending or word_charset == charset):
            # Some programs split a character over two words: they are joined before they are decoded.
            pending, charset = pending + data, word_charset
            continue
        if pending:
            pieces.append(decoded(pending, named(charset)))
        pending, charset = (data, word_charset) if word_charset else (b"", "")
        pieces.append(_unescaped(text))
    if pending:
        pieces.append(decoded(pending, named(charset)))
    return " ".join("".join(pieces).split())


def parameter_text(value: str | tuple[str | None, str | None, str] | None) -> str:
    """A parameter such as a file name, plain or as (charset, language, text whose characters are bytes)."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        charset, _, text = value
        return " ".join(decoded(text.encode("latin-1", "replace"), named(charset)).split())
    return header_text(value)


def _pieces(value: str) -> Iterator[tuple[str, str, bytes]]:
    """(text, "", b"") or ("", charset, bytes); blanks between two encoded words are not text."""
    at = 0
    for word in _WORD.finditer(value):
        between = value[at : word.start()]
        if between.strip() or (between and at == 0):
            yield between, "", b""
        at = word.end()
        yield "", word[1].lower(), _bytes_of(word[2], word[3])
    if at < len(value):
        yield value[at:], "", b""


def _bytes_of(encoding: str, text: str) -> bytes:
    if encoding in "qQ":
        return quopri.decodestring(text.encode("utf-8", "surrogateescape"), header=True)
    cleaned = _NOT_BASE64.sub("", text)
    cleaned = cleaned[:-1] if len(cleaned) % 4 == 1 else cleaned
    try:
        return base64.b64decode(cleaned + "=" * (-len(cleaned) % 4))
    except binascii.Error:
        return b""


def _unescaped(text: str) -> str:
    """Bytes that stand raw in a field come as lone surrogates."""
    if text.isascii():
        return text
    return decode(text.encode("utf-8", "surrogateescape")).text
