"""Bytes to text in whatever encoding they are, Chinese first. chardet is imported where it is asked."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple


class Decoded(NamedTuple):
    """`replaced` counts the characters that could not be decoded."""

    text: str
    encoding: str
    replaced: int = 0


#: UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
DECLARATION_WITHIN_BYTES = 2_048
_DECLARATION = re.compile(
    rb"""(?:<\?xml[^>]{0,200}?\bencoding\s*=\s*["']|<meta[^>]{0,200}?\bcharset\s*=\s*["']?|\bcoding[:=][ \t]*)"""
    rb"""([\w.-]{2,40})""",
    re.IGNORECASE,
)
#: A declaration may name any codec Python has, also those that are no charset (idna, unicode_escape).
_CHARSET = re.compile(r"(?:gb|hz|big5|cp\d|iso8859|iso2022|euc|shift_jis|koi8|utf-8)")
#: Systems write more than the standard they name: GBK under the name of GB2312.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
}
#: chardet's names for what our users send; offered all of its 80, it takes short Chinese for Croatian.
_GUESSES = ("gb18030", "big5hkscs", "cp932", "euc_jis_2004", "cp949", "cp1252", "cp1251", "koi8-r")
GUESS_SAMPLE_BYTES = 64 * 1024
#: Statistics say nothing on so few bytes (measured: 10 of 103 two-character words wrong).
STATISTICS_FROM_BYTES = 10
#: A valid multi-byte character is rarely an accident, so this many for each damaged one mean damaged UTF-8.
VALID_FOR_EACH_DAMAGED = 4
#: The longest sequence of any of these encodings, less one.
MAX_CUT_BYTES = 3


def decode(data: bytes) -> Decoded:
    """The text of `data` and its encoding. Never fails: what fits no encoding is replaced and counted.

    A character cut off at the very end is left out.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data, encoding)
    if unmarked := utf16_without_mark(data):
        return _lenient(data, unmarked)
    declared = _declared(data)
    if (decoded := _utf8(data, declared)) is not None:
        return decoded
    candidates = [name for name in (declared, _guess(data)) if name is not None]
    for name in candidates:
        if (text := _strict(data, name)) is not None:
            return Decoded(text, name)
    return min((_lenient(data, name) for name in [*candidates, "utf-8"]), key=lambda decoded: decoded.replaced)


def utf16_without_mark(data: bytes) -> str | None:
    """The byte order of UTF-16 that begins without a mark; None when it is something else."""
    sample = data[:GUESS_SAMPLE_BYTES]
    sample = sample[: len(sample) & ~1]
    for encoding, high_bytes in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        # Blanks, digits and line ends have a NUL for their high byte.
        if b"\0" in high_bytes and _is_plausible(_strict(sample, encoding) or ""):
            return encoding
    return None


def _is_plausible(text: str) -> bool:
    """True when nearly all is ASCII, Latin, CJK, kana, hangul or full width, and nothing is a control character."""
    if not text or any(char < " " and char not in "\t\n\r\f" for char in text):
        return False
    usual = sum(
        char < "\u0250" or "\u2000" <= char <= "\u206f" or "\u3000" <= char <= "\u9fff" or char >= "\uac00"
        for char in text
    )
    return usual >= len(text) * 0.9


def _utf8(data: bytes, declared: str | None) -> Decoded | None:
    """`data` as UTF-8, also damaged; None when it is rather something else."""
    text = _strict(data, "utf-8")
    if text is not None and text.isascii() == data.isascii():
        # Two-byte sequences are also pairs of GBK, so a declaration is believed before those.
        is_sure = declared in {None, "utf-8"} or text.isascii() or any(char > "\u07ff" for char in text)
        return Decoded(text, "utf-8") if is_sure else None
    damaged = _lenient(data, "utf-8")
    valid = sum(char > "\u007f" for char in damaged.text) - damaged.replaced
    return damaged if valid >= VALID_FOR_EACH_DAMAGED * damaged.replaced else None


def _declared(data: bytes) -> str | None:
    """The charset that an XML head, an HTML meta tag or a coding cookie names, if it is one."""
    found = _DECLARATION.search(data, 0, DECLARATION_WITHIN_BYTES)
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii", "replace")).name
    except LookupError:
        return None
    return _SUPERSETS.get(name, name) if _CHARSET.match(name) else None


def _guess(data: bytes) -> str:
    """The likeliest encoding, told by the lines that are not ASCII."""
    import chardet  # noqa: PLC0415 - a parser loads with the first file that needs it

    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:GUESS_SAMPLE_BYTES]
    beyond_ascii = sum(byte > 0x7F for byte in sample)
    if beyond_ascii < STATISTICS_FROM_BYTES and _is_everyday_chinese(_strict(sample, "gb18030") or ""):
        return "gb18030"
    found = chardet.detect(sample, include_encodings=_GUESSES, compat_names=False)["encoding"]
    return found if found in _GUESSES else "gb18030"


def _is_everyday_chinese(text: str) -> bool:
    """True when every character beyond ASCII is Chinese punctuation or among the 3,755 most used characters."""
    beyond = [char.encode("gb2312", "ignore") for char in text if char > "\u007f"]
    return bool(beyond) and all(pair and (pair[0] in {0xA1, 0xA3} or 0xB0 <= pair[0] <= 0xD7) for pair in beyond)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as exc:
        if exc.start > 0 and len(data) - exc.start <= MAX_CUT_BYTES and exc.end == len(data):
            return data[: exc.start].decode(encoding)
        return None


def _lenient(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    return Decoded(text, encoding, text.count("\ufffd"))
