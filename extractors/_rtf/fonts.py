"""What the bytes of a font mean: code pages by charset, and the signs of symbol fonts."""

from __future__ import annotations

import re

from extractors._charset import decode
from extractors._declared_charset import code_page

#: Code page by \\fcharset; 0 and 1 leave it to the document.
_CHARSET_PAGES = {
    77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253,
    162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
SYMBOL_CHARSET = 2
_DOUBLE_BYTE = frozenset({"gb18030", "cp950", "big5hkscs", "cp932", "cp949", "johab"})
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
#: Signs of Symbol and Wingdings, by their byte: bullets, ticks and arrows.
_SYMBOLS = {0xB7: "•", 0xA7: "▪", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x76: "❖", 0xD8: "➢", 0xE0: "→",
            0xFC: "✓", 0xFB: "✗", 0xFD: "☒", 0xFE: "☑", 0xA8: "☐", 0x77: "◆", 0x75: "◆", 0xF0: "⇨"}  # fmt: skip
_SYMBOL_AREA = range(0xF020, 0xF100)


def codec_of_charset(charset: int | None) -> str | None:
    """Python's codec for a font's charset; None where the document's code page holds."""
    page = _CHARSET_PAGES.get(charset if charset is not None else 1)
    return code_page(page) if page is not None else None


def codec_of_page(page: int | None) -> str:
    """Python's codec for the document's code page."""
    return (code_page(page) if page else None) or "cp1252"


def text_of_bytes(data: bytes, font_codec: str | None, document_codec: str) -> str:
    """Bytes as text: by the font's charset, where that fits, else by the document's, else by what they look like."""
    if data.isascii():
        return data.decode("ascii")
    if font_codec is None and document_codec in _DOUBLE_BYTE and not _come_in_pairs(data):
        # A Western font in a Chinese document: its accents stand alone.
        return data.decode("cp1252", "replace")
    for codec in filter(None, (font_codec, document_codec)):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            continue
    return decode(data).text


def symbol(byte_or_code: int) -> str:
    """A sign of a symbol font, given by its byte or by its place in Unicode's private area; "" for none we know."""
    code = byte_or_code - 0xF000 if byte_or_code in _SYMBOL_AREA else byte_or_code
    return _SYMBOLS.get(code, "")


def is_symbol_area(code: int) -> bool:
    """True for the private characters in which programs write the signs of symbol fonts."""
    return code in _SYMBOL_AREA


def _come_in_pairs(data: bytes) -> bool:
    return all(len(run) % 2 == 0 for run in _HIGH_BYTES.findall(data))
