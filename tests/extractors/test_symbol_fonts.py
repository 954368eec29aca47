"""What symbol fonts draw for a code: Greek, mathematics, ticks; in docx, doc and rtf alike."""

from __future__ import annotations

import struct

import pytest

from extractors import extract_content
from extractors._symbol_fonts import symbol

from .legacy_files import Para, WordParts, doc, sprm
from .test_word import read, word


@pytest.mark.parametrize(
    ("code", "font", "sign"),
    [
        (0xF062, "Symbol", "β"),
        (0xF06D, "Symbol", "μ"),
        (0x57, "Symbol", "Ω"),
        (0xF0B3, "Symbol", "≥"),
        (0xF0B9, "Symbol", "≠"),
        (0xF0E5, "Symbol", "∑"),
        (0xF0DE, "Symbol", "⇒"),
        (0xF0FE, "Wingdings", "☑"),
        (0xF0A8, "Wingdings", "☐"),
        (0x81, "Wingdings", "①"),
        (0x95, "wingdings", "❿"),
        (0xF050, "Wingdings 2", "✓"),
        (0xF0A3, "Wingdings 2", "☐"),
        (0xF061, "Webdings", "✓"),
        (0xF0B7, None, "•"),
        (0xF02A, "Code 39", "*"),
        (0x1F600, "Segoe UI Emoji", "😀"),
        (0xF081, "Some Ornaments", ""),
        (0xF021, "Wingdings", ""),
    ],
)
def test_a_code_is_shown_as_its_font_draws_it(code: int, font: str | None, sign: str) -> None:
    assert symbol(code, font) == sign


def test_signs_and_codes_in_docx() -> None:
    body = (
        '<w:p><w:r><w:t>5 </w:t><w:sym w:font="Symbol" w:char="F06D"/><w:t>m </w:t></w:r>'
        '<w:r><w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr><w:t>\uf0b3\uf020</w:t></w:r>'
        '<w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>\uf0fc</w:t></w:r><w:r><w:t>\uf0b7</w:t></w:r></w:p>'
    )
    assert read(word(body)).text == "5 μm ≥ ✓•"


def test_signs_and_codes_in_doc() -> None:
    signs = [
        ("(", sprm(0x6A09, 0, "<H") + struct.pack("<H", 0xF062)),
        ("\uf0a3", sprm(0x4A4F, 0, "<H")),
        ("\uf0fe", sprm(0x4A4F, 1, "<H")),
    ]
    data = doc([Para(signs)], WordParts(fonts=["Symbol", "Wingdings"]))
    assert extract_content(data, media_type="", name="a.doc").text == "β≤☑"


def test_signs_and_codes_in_rtf() -> None:
    names = ("Symbol", "Wingdings 2", "Wingdings")
    fonts = "".join(rf"{{\f{number}\fcharset2 {name};}}" for number, name in enumerate(names, start=1))
    body = r"5 {\f1 m\u-3917?}m {\f2 P} {\f3\'fe}" + r'{\field{\*\fldinst SYMBOL 98 \\f "Symbol" \\s 10}}'
    data = rf"{{\rtf1\ansi{{\fonttbl{fonts}}}{body}}}".encode()
    assert extract_content(data, media_type="", name="a.rtf").text == "5 μ≥m ✓ ☑β"
