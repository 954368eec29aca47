"""Names that archives keep in whatever encoding the system had that packed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from extractors._charset import decode

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
    scores = [(_everyday_share(names, encoding, is_everyday), encoding) for encoding, is_everyday in _CANDIDATES]
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


def _everyday_share(names: bytes, encoding: str, is_everyday: Callable[[str, bytes], bool]) -> float:
    """The share of the characters beyond ASCII that people use every day; none where the bytes do not fit."""
    try:
        beyond = [char for char in names.decode(encoding) if char > "\u007f"]
    except UnicodeDecodeError:
        return 0.0
    return sum(is_everyday(char, char.encode(encoding)) for char in beyond) / max(1, len(beyond))


def _in_gb2312_first_level(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and raw[1] >= 0xA1 and (0xB0 <= raw[0] <= 0xD7 or raw[0] in {0xA1, 0xA3})


def _in_big5_first_level(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and (0xA4 <= raw[0] <= 0xC6 or raw[0] == 0xA1)


def _in_japanese_use(char: str, raw: bytes) -> bool:
    is_kana = "\u3040" <= char <= "\u30ff"
    return is_kana or (len(raw) == 2 and (b"\x88\x9f" <= raw <= b"\x98\x72" or raw[0] == 0x81))


def _in_korean_use(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and 0xB0 <= raw[0] <= 0xC8 and raw[1] >= 0xA1


def _is_western_letter(char: str, _raw: bytes) -> bool:
    return char.isalpha() and char < "\u0180"


#: Asked in this order; the first of two that fit alike is taken.
_CANDIDATES: tuple[tuple[str, Callable[[str, bytes], bool]], ...] = (
    ("gb18030", _in_gb2312_first_level),
    ("big5hkscs", _in_big5_first_level),
    ("cp932", _in_japanese_use),
    ("cp949", _in_korean_use),
    ("cp437", _is_western_letter),
)
