"""The fonts that metafiles ask for: how large, which code page, and which signs a font of symbols means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extractors._declared_charset import codec_of_charset, decoded
from extractors._symbol_fonts import signs_of

#: Signs of the font for equations.
_EQUATION = {0x4B: "…", 0x4C: "⋯", 0x4D: "⋮", 0x4F: "⋱", 0x60: "ℓ", 0x68: "ℏ", 0x6C: "ℓ", 0x6D: "∓"}
_ORNAMENTS = ("zapf", "marlett")
_NARROW, _WIDE, _SQUARE_FROM = frozenset("iljtfrI.,:;'|!()[]/ "), frozenset("mwMW@%—…"), 0x2E80
_PRIVATE_USE = range(0xF000, 0xF100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Font:
    """What is known of a font; `em` in the units of records, `angle` in degrees against the clock."""

    em: float = 12.0
    angle: float = 0.0
    is_bold: bool = False
    charset: int = 0
    face: str = ""

    @property
    def signs(self) -> Mapping[int, str] | None:
        """What its codes show where they aren't letters; None for a font of letters."""
        face = self.face.lower()
        if face.startswith("mt extra"):
            return _EQUATION
        if face.startswith(_ORNAMENTS):
            return {}
        return signs_of("symbol" if face.startswith("symbol") else face)


def font_of(height: int, escapement: int, weight: int, charset: int, face: str) -> Font:
    """A font as records describe it; a height above 0 includes the room between lines."""
    em = abs(height) if height < 0 else height * 0.87
    is_bold = 550 <= weight <= 1000
    return Font(em=em or 12.0, angle=(escapement / 10) % 360, is_bold=is_bold, charset=charset, face=face)


def decoded_text(raw: bytes, font: Font) -> str:
    """Text kept in bytes."""
    if font.signs is not None:
        return raw.decode("latin-1")
    return decoded(raw, codec_of_charset(font.charset) or "cp1252")


def readable(text: str, font: Font) -> str:
    """The text as it is seen: signs of symbol fonts by their meaning, no marks of control."""
    signs = font.signs
    shown = []
    for char in text:
        code = ord(char) - 0xF000 if ord(char) in _PRIVATE_USE else ord(char)
        if signs is not None:
            shown.append(signs.get(code, "" if code > 0x20 else " "))
        elif code < 0x20 or 0xE000 <= code < 0xF900 or 0x7F <= code < 0xA0:
            shown.append(" " if code in {9, 10, 13} else "")
        else:
            shown.append(chr(code))
    return "".join(shown)


def reach(text: str, size: float) -> float:
    """About how far a text reaches, by the widths of common fonts."""
    return size * sum(map(_width, text))


def _width(char: str) -> float:
    if ord(char) >= _SQUARE_FROM:
        return 1.0
    if char in _NARROW:
        return 0.3
    return 0.86 if char in _WIDE else 0.68 if char.isupper() else 0.54
