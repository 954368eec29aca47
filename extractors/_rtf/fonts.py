"""What the bytes of a font mean: code pages by charset, and the signs of symbol fonts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractors._charset import decode
from extractors._declared_charset import code_page, codec_of_charset
from extractors._symbol_fonts import readable, symbol

_SYMBOL_CHARSET = 2
_DOUBLE_BYTE = frozenset({"gb18030", "cp950", "big5hkscs", "cp932", "cp949", "johab"})
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")


@dataclass(slots=True)
class Fonts:
    """The fonts of a document by their number, and the code page of the text that they leave open."""

    codec: str = "cp1252"
    charsets: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def name(self, number: int | None, data: bytes) -> None:
        """Takes the name of a font, which ends with a semicolon."""
        if number is not None:
            self.names.setdefault(number, data.partition(b";")[0].decode("latin-1").strip())

    def text(self, data: bytes, number: int | None) -> str:
        """What bytes say in a font."""
        charset = None if number is None else self.charsets.get(number)
        if charset == _SYMBOL_CHARSET:
            return "".join(symbol(byte, self._name(number)) for byte in data)
        return _text_of_bytes(data, codec_of_charset(charset), self.codec)

    def character(self, code: int, number: int | None) -> str:
        """What a code of Unicode shows in a font."""
        return readable(chr(code), self._name(number))

    def _name(self, number: int | None) -> str | None:
        return None if number is None else self.names.get(number)


def codec_of_page(page: int | None) -> str:
    """Python's codec for the document's code page."""
    return (code_page(page) if page else None) or "cp1252"


def _text_of_bytes(data: bytes, font_codec: str | None, document_codec: str) -> str:
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


def _come_in_pairs(data: bytes) -> bool:
    return all(len(run) % 2 == 0 for run in _HIGH_BYTES.findall(data))
