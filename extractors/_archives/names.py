"""Names that archives keep in whatever encoding the system had that packed them."""

from __future__ import annotations

from collections.abc import Sequence

from extractors._charset import CANDIDATES, decode, everyday_share

#: Latin with its combining marks, Greek, Cyrillic, Hebrew and Arabic: what UTF-8 writes as pairs of bytes.
_ALPHABETS = (
    ("\u00a0", "\u017f"),
    ("\u0300", "\u036f"),
    ("\u0384", "\u03ce"),
    ("\u0400", "\u052f"),
    ("\u0590", "\u06ff"),
)


def decoded_names(raw: Sequence[bytes]) -> list[str]:
    """The names as text. They are judged together: one archive was packed on one system."""
    joined = b"\n".join(raw)
    if joined.isascii():
        return [name.decode("ascii") for name in raw]
    encoding = _encoding(joined)
    return [name.decode(encoding, "replace") for name in raw]


def _encoding(names: bytes) -> str:
    """UTF-8 where it is valid; else the encoding in which most of the names is in everyday use."""
    if _is_utf8(names):
        return "utf-8"
    scores = [(everyday_share(names, encoding), encoding) for encoding in CANDIDATES]
    best = max(share for share, _ in scores)
    likely = [encoding for share, encoding in scores if share == best]
    # Chinese and Korean share the bytes of their everyday characters: statistics decide where there is enough.
    return likely[0] if len(likely) == 1 or best == 0 else _by_statistics(names, likely)


def _is_utf8(names: bytes) -> bool:
    """True for valid UTF-8, unless it is only pairs of bytes in a mixture of alphabets: Chinese can look like that."""
    try:
        beyond = {char for char in names.decode("utf-8") if char > "\u007f"}
    except UnicodeDecodeError:
        return False
    return any(char > "\u07ff" for char in beyond) or any(
        all(low <= char <= high for char in beyond) for low, high in _ALPHABETS
    )


def _by_statistics(names: bytes, likely: list[str]) -> str:
    guessed = decode(names).encoding
    return guessed if guessed in likely else likely[0]
