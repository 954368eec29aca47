"""The characters that symbol fonts draw in the place of letters, as far as they mean something."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Where programs put the characters of symbol fonts in Unicode: their codes on top of this.
_AREA = 0xF000
IN_SYMBOL_AREA = re.compile("[\uf020-\uf0ff]+")

_GREEK = {
    0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    0x60: "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    0xE0: "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
    0xF1: "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
}
_WINGDINGS = {
    0x28: "☎✆✉", 0x43: "👍👎☜☞☝", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■□", 0x71: "❑❒", 0x74: "◆◆❖",
    0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩", 0x8B: "⓿❶❷❸❹❺❻❼❽❾❿", 0x9E: "·•", 0xA1: "○", 0xA4: "◉", 0xA7: "▪☐",
    0xAB: "★", 0xD8: "➢", 0xDF: "←→↑↓↖↗↙↘", 0xE8: "➔", 0xEF: "⇦⇨⇧⇩", 0xFB: "✗✓☒☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗✓☒☑", 0x69: "⓪①②③④⑤⑥⑦⑧⑨⑩", 0x74: "⓿❶❷❸❹❺❻❼❽❾❿", 0x96: "·●", 0xA3: "☐"}
_WINGDINGS_3 = {0x66: "←→↑↓", 0x70: "▲▼△▽◀▶◁▷", 0x7D: "▶"}
_WEBDINGS = {0x33: "◀▶▲▼", 0x61: "✓", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✗"}


def _by_code(rows: dict[int, str]) -> dict[int, str]:
    return {start + index: sign for start, signs in rows.items() for index, sign in enumerate(signs)}


_FONTS = {
    "symbol": _by_code(_GREEK),
    "wingdings": _by_code(_WINGDINGS),
    "wingdings 2": _by_code(_WINGDINGS_2),
    "wingdings 3": _by_code(_WINGDINGS_3),
    "webdings": _by_code(_WEBDINGS),
}


def signs_of(font: str) -> Mapping[int, str] | None:
    """What a font draws by its codes; None for a font of letters."""
    return _FONTS.get(font.strip().lower())


def symbol(code: int, font: str | None) -> str:
    """What a font draws for a code, which may stand in Unicode's area for symbols; "" for mere ornaments.

    Other fonts draw a letter where they are given its code there; without a name the font is taken for Symbol.
    """
    code = code - _AREA if _AREA < code <= _AREA + 0xFF else code
    signs = signs_of(font or "symbol")
    if signs is not None:
        return signs.get(code, "")
    return chr(code) if 0x20 <= code < 0x11_0000 and not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000 else ""


def readable(text: str, font: str | None) -> str:
    """The text of a run with the codes of its symbol font as what they show."""
    return IN_SYMBOL_AREA.sub(lambda found: "".join(symbol(ord(char), font) for char in found[0]), text)
