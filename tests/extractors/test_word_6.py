"""Word 6 and 95: the charset of each font, Macintosh files, margins that are not told apart, hidden and deleted."""

from __future__ import annotations

from extractors import extract_content

from .legacy_files import doc6

FONTS = [("Times", 0), ("Times Cyr", 204), ("MingLiU", 136), ("Arial CE", 238)]


def text(data: bytes) -> str:
    return extract_content(data, media_type="", name="a.doc").text or ""


def in_font(number: int) -> bytes:
    return bytes([93, number, 0])


def test_text_is_read_in_the_charset_of_its_font_though_the_document_is_english() -> None:
    runs = [
        (b"caf\xe9 ", in_font(0)),
        ("Компания".encode("cp1251"), in_font(1)),
        (b" ", b""),
        ("合約".encode("cp950"), in_font(2)),
        (" před\r".encode("cp1250"), bytes([85, 1, 74, 3, 0, 0, 0]) + in_font(3)),  # behind others of other sizes
    ]
    assert text(doc6(runs, fonts=FONTS)) == "café Компания 合約 před"


def test_files_of_a_macintosh_are_in_its_charset() -> None:
    assert text(doc6([("l’été\r".encode("mac_roman"), b"")], charset=0x100)) == "l’été"


def test_headers_and_footers_are_read_though_the_file_does_not_say_which_is_which() -> None:
    margins = [b"11, rue Guilloud\r", b"page\r"]
    assert text(doc6([(b"body\r", b"")], margins=margins)) == (
        "body\n\nHeader or footer: 11, rue Guilloud\n\nHeader or footer: page"
    )


def test_deleted_words_are_out_and_hidden_ones_are_marked() -> None:
    runs = [(b"old", bytes([65, 1])), (b"new ", bytes([66, 1])), (b"secret", bytes([92, 1])), (b"\r", b"")]
    assert text(doc6(runs)) == "new\n[hidden text] secret"


def test_files_that_are_no_compound_files_are_unsupported_and_not_called_damaged() -> None:
    word_2 = bytes.fromhex("dba52d00314009040000000000000000") + bytes(range(256)) * 8
    content = extract_content(word_2, media_type="", name="a.doc")
    assert (content.status, content.text) == ("unsupported", None)
