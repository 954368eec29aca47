"""The letters of a PDF's text layer: signs of symbol fonts, lost letters, doubled and scattered ones."""

from __future__ import annotations

import pymupdf
import pytest

from extractors import ExtractedContent, extract_content
from extractors._pdf.letters import (
    Letter,
    believable,
    in_order,
    in_unicode,
    is_garbled,
    told_once,
    unbelievable_fonts,
)
from extractors._pdf.line_ends import unbroken


def read(document: pymupdf.Document) -> ExtractedContent:
    return extract_content(document.tobytes(), media_type="application/pdf")


@pytest.mark.parametrize(
    ("text", "font", "meant"),
    [
        ("\uf0b7 item", "ABCDEF+SymbolMT", "• item"),
        ("\uf0fc done", "Wingdings-Regular", "✓ done"),
        ("\uf0a3", "Wingdings2", "☐"),
        ("\uf041\uf042", "ABCDEF+Arial", "AB"),
        ("\uf773\uf76d", "AdobeGaramond-Expert", "SM"),
        ("⽅⼤", "SimSun", "方大"),
        ("ﺳﻼم", "Arial", "سلام"),
        ("10\N{NO-BREAK SPACE}kg", "Arial", "10 kg"),
    ],
)
def test_what_a_font_keeps_in_a_private_place_is_given_as_what_it_shows(text: str, font: str, meant: str) -> None:
    assert in_unicode(text, font) == meant


def test_the_words_of_a_page_are_kept_where_one_of_its_fonts_is_lost() -> None:
    lines = [
        [("a good line of words", "Good")],
        [("\ufffd\ufffd\ufffd \ufffd\ufffd", "Lost")],
        [("sum ", "Good"), ("\ufffd\ufffd", "Lost")],
    ]

    assert is_garbled(lines)
    assert unbelievable_fonts(lines) == {"Lost"}
    assert [believable(line, {"Lost"}) for line in lines] == ["a good line of words", "", "sum \ufffd"]


def test_a_latin_gothic_with_leaders_is_not_taken_for_chinese() -> None:
    assert not is_garbled([[("Contents ........................................ 3", "CenturyGothic")]])
    assert is_garbled([[("!\"#$%&'()*+!\"#$%&'()*+,-./:;<=>?@", "MS-Gothic")]])


def test_a_line_drawn_over_itself_is_told_once() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for shift in (0, 0.4, 0.8):
        page.insert_text((72 + shift, 72), "Total amount due")

    assert (read(document).text or "").count("Total amount due") == 1


def test_the_same_words_at_another_place_are_told_again() -> None:
    document = pymupdf.open()
    page = document.new_page()
    for y in (72, 90):
        page.insert_text((72, y), "yes")

    assert (read(document).text or "").count("yes") == 2


def test_a_repeated_text_is_only_taken_for_one_where_there_is_no_room_for_both() -> None:
    spans = [("a sentence of words a sentence of words a sentence of words", "F")]

    assert told_once(spans, 9.0) == [("a sentence of words", "F")]
    assert told_once(spans, 27.0) == spans


def letters(text: str, starts: list[float], width: float = 5) -> list[Letter]:
    return [Letter(char, x, x + width, "F") for char, x in zip(text, starts, strict=True)]


def test_blanks_that_come_after_the_letter_they_stand_before_are_put_back() -> None:
    found = in_order(letters("ar e", [0, 10, 5, 15]))

    assert "".join(letter.text for letter in found) == "a re"


def test_two_arabic_letters_that_are_one_sign_are_in_the_order_of_the_language() -> None:
    word = [Letter("ا", 30, 33, "F"), Letter("إ", 30, 30, "F"), Letter("ل", 23, 30, "F"), Letter("ن", 19, 23, "F")]

    assert "".join(letter.text for letter in in_order(word)) == "الإن"


def test_a_word_that_is_broken_over_two_lines_is_whole() -> None:
    assert unbroken(["the infor-\nmation is\nhere"]) == ["the information\nis\nhere"]


@pytest.mark.parametrize(
    "text",
    ["see page-\n12", "the A-\nseries", "http://a.example/some-\nwhere", "COVID-\nRelated", "word -\nother", "x-\nray"],
)
def test_other_hyphens_at_the_end_of_a_line_stay(text: str) -> None:
    assert unbroken([text]) == [text]


def test_a_hyphen_that_the_page_has_elsewhere_is_kept() -> None:
    assert unbroken(["a type-\nsafe language", "is type-safe"]) == ["a type-safe\nlanguage", "is type-safe"]
