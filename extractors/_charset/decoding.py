"""Which encoding it is: a mark, its shape, a declaration, valid UTF-8, and statistics at last."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from extractors._charset.guessing import likeliest
from extractors._charset.strict import strict
from extractors._charset.unmarked import seven_bit, wide_without_mark


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
#: A valid multi-byte character is rarely an accident, so this many for each damaged one mean damaged UTF-8.
VALID_FOR_EACH_DAMAGED = 4


def decode(data: bytes) -> Decoded:
    """The text of `data` and its encoding. Never fails: what fits no encoding is replaced and counted.

    A character cut off at the very end is left out.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data, encoding)
    if shaped := wide_without_mark(data) or seven_bit(data):
        return _lenient(data, shaped)
    declared = _declared(data)
    if (decoded := _utf8(data, declared)) is not None:
        return decoded
    candidates = [name for name in (declared, likeliest(data)) if name is not None]
    for name in candidates:
        if (text := strict(data, name)) is not None:
            return Decoded(text, name)
    return min((_lenient(data, name) for name in [*candidates, "utf-8"]), key=lambda decoded: decoded.replaced)


def _utf8(data: bytes, declared: str | None) -> Decoded | None:
    """`data` as UTF-8, also damaged; None when it is rather something else."""
    text = strict(data, "utf-8")
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


def _lenient(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    return Decoded(text, encoding, text.count("\ufffd"))
