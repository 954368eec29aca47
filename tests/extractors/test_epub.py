"""Books: chapters in reading order, with what the book says of itself and its pictures."""

from __future__ import annotations

import io
import zipfile

import pytest
from PIL import Image

from extractors import Status, extract_content
from extractors.content import ExtractedContent
from extractors.limits import ExtractLimits

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
    "{}</encryption>"
)
ENTRY = (
    '<e:EncryptedData><e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="{}"/></e:CipherData>'
    "</e:EncryptedData>"
)
AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
FONT = "http://www.idpf.org/2008/embedding"


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    return buffer.getvalue()


def xhtml(body: str, title: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title>'
        f"</head><body>{body}</body></html>"
    )


def opf(items: dict[str, str], spine: list[str], facts: str = "") -> str:
    manifest = "".join(f'<item id="{key}" {rest}/>' for key, rest in items.items())
    order = "".join(f'<itemref idref="{key}"/>' for key in spine)
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{facts}</metadata><manifest>{manifest}</manifest><spine>{order}</spine></package>"
    )


def chapters(*names: str) -> dict[str, str]:
    return {name: f'href="{name}.xhtml" media-type="application/xhtml+xml"' for name in names}


def book(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in {"META-INF/container.xml": CONTAINER, **files}.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read(data: bytes, **limits: int) -> ExtractedContent:
    return extract_content(data, media_type="", name="book.epub", limits=ExtractLimits(**limits))


def test_a_picture_book_gives_its_pages_and_the_words_on_them():
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><text y="20">文字</text></svg>'
    items = {"a": 'href="a%20b.svg" media-type="image/svg+xml"', "b": 'href="b.png" media-type="image/png"'}
    files = {"OEBPS/book.opf": opf(items, ["a", "b"]), "OEBPS/a b.svg": drawing, "OEBPS/b.png": png()}
    content = read(book(files))
    assert content.status is Status.OK
    assert "文字" in content.text
    assert len(content.images) == 2


def test_pictures_that_no_page_shows_are_no_chapters():
    files = {"OEBPS/book.opf": opf({"b": 'href="b.png" media-type="image/png"', **chapters("a")}, [])}
    content = read(book({**files, "OEBPS/a.xhtml": xhtml("<p>words</p>"), "OEBPS/b.png": png()}))
    assert (content.text, len(content.images)) == ("words", 0)


def test_chapters_come_in_the_order_of_the_spine():
    data = book(
        {
            "OEBPS/book.opf": opf(chapters("a", "b", "c"), ["c", "a"]),
            "OEBPS/a.xhtml": xhtml("<h1>第二章</h1><p>文</p>"),
            "OEBPS/b.xhtml": xhtml("<p>not in the book</p>"),
            "OEBPS/c.xhtml": xhtml("<h1>第一章</h1>"),
        }
    )
    assert read(data).text == "# 第一章\n\n# 第二章\n\n文"


def test_the_book_says_what_it_is():
    facts = "<dc:title>诗集</dc:title><dc:creator>李白</dc:creator><dc:creator>杜甫</dc:creator>"
    facts += "<dc:language>zh</dc:language>"
    data = book({"OEBPS/book.opf": opf(chapters("a"), ["a"], facts), "OEBPS/a.xhtml": xhtml("<p>文</p>", "诗集")})
    assert read(data).text == "Title: 诗集\nAuthor: 李白, 杜甫\nLanguage: zh\n\n文"


def test_a_chapter_that_does_not_say_its_title_gets_it_from_the_contents_or_its_page():
    items = {**chapters("a", "b", "c"), "nav": 'href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"'}
    nav = "<nav><ol><li><a href='a.xhtml#x'>One</a></li><li><a href='b.xhtml'>Two</a></li></ol></nav>"
    data = book(
        {
            "OEBPS/book.opf": opf(items, ["nav", "a", "b", "c"]),
            "OEBPS/nav.xhtml": xhtml(nav),
            "OEBPS/a.xhtml": xhtml("<p>first</p>"),
            "OEBPS/b.xhtml": xhtml("<h2>Two</h2><p>second</p>"),
            "OEBPS/c.xhtml": xhtml("<p>third</p>", "Three"),
        }
    )
    assert read(data).text == "# One\n\nfirst\n\n## Two\n\nsecond\n\n# Three\n\nthird"


@pytest.mark.parametrize("title", ["chapter_01.xhtml", "chapter_01", "诗_集", "SHIJI 诗集"])
def test_a_title_that_says_only_what_the_file_or_the_book_is_called_is_no_heading(title):
    items = {"a": 'href="chapter_01.xhtml" media-type="application/xhtml+xml"'}
    facts = f"<dc:title>{'shiji_诗集' if 'SHIJI' in title else '诗集'}</dc:title>"
    data = book({"OEBPS/book.opf": opf(items, ["a"], facts), "OEBPS/chapter_01.xhtml": xhtml("<p>文</p>", title)})
    assert (read(data).text or "").split("\n\n")[1:] == ["文"]


def test_the_older_table_of_contents_gives_titles_too():
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>序</text></navLabel>'
        '<content src="a.xhtml"/></navPoint></navMap></ncx>'
    )
    items = {**chapters("a"), "toc": 'href="toc.ncx" media-type="application/x-dtbncx+xml"'}
    data = book({"OEBPS/book.opf": opf(items, ["a"]), "OEBPS/toc.ncx": ncx, "OEBPS/a.xhtml": xhtml("<p>文</p>")})
    assert read(data).text == "# 序\n\n文"


def test_pictures_tables_and_notes_stand_in_their_chapter():
    body = (
        '<p>图<img src="../Images/%E5%9B%BE.png" alt="cover"/></p><table><tr><th colspan="2">合计</th><th>额</th></tr>'
        '<tr><td>a</td><td>b</td><td>5006</td></tr></table><aside epub:type="footnote">注：一</aside>'
    )
    items = {"a": 'href="Text/a.xhtml" media-type="application/xhtml+xml"'}
    data = book({"OEBPS/book.opf": opf(items, ["a"]), "OEBPS/Text/a.xhtml": xhtml(body), "OEBPS/Images/图.png": png()})
    result = read(data)
    assert result.text == (
        "图 [image: image 1] (cover)\n\n| 合计 |  | 额 |\n| --- | --- | --- |\n| a | b | 5006 |\n\n注：一"
    )
    assert len(result.images) == 1


def test_a_drawing_in_a_book_comes_out_as_a_picture():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="120pt" height="60pt"><rect width="50" height="40"/></svg>'
    data = book(
        {"OEBPS/book.opf": opf(chapters("a"), ["a"]), "OEBPS/a.xhtml": xhtml('<img src="d.svg"/>'), "OEBPS/d.svg": svg}
    )
    result = read(data)
    assert (result.status, len(result.images)) == (Status.OK, 1)


def test_a_protected_book_says_that_a_password_is_needed():
    locked = ENCRYPTED.format(ENTRY.format(AES, "OEBPS/a.xhtml"))
    data = book(
        {
            "META-INF/encryption.xml": locked,
            "OEBPS/book.opf": opf(chapters("a"), ["a"]),
            "OEBPS/a.xhtml": b"\x8a\x17\xff" * 50,
        }
    )
    result = read(data)
    assert result.status is Status.ENCRYPTED
    assert "password" in (result.note or "")


def test_scrambled_fonts_do_not_make_a_book_protected_and_one_locked_chapter_is_named():
    locked = ENCRYPTED.format(ENTRY.format(FONT, "OEBPS/f.otf") + ENTRY.format(AES, "OEBPS/b.xhtml"))
    data = book(
        {
            "META-INF/encryption.xml": locked,
            "OEBPS/book.opf": opf(chapters("a", "b"), ["a", "b"]),
            "OEBPS/a.xhtml": xhtml("<p>free</p>"),
            "OEBPS/b.xhtml": b"\x8a\x17",
        }
    )
    result = read(data)
    assert (result.text, result.status) == ("free", Status.PARTIAL)
    assert "OEBPS/b.xhtml is protected" in (result.note or "")


def test_a_book_without_its_package_file_is_read_by_names():
    data = book({"META-INF/container.xml": "<broken", "c2.html": xhtml("<p>two</p>"), "c1.html": xhtml("<p>one</p>")})
    result = read(data)
    assert (result.text, result.status) == ("one\n\ntwo", Status.PARTIAL)


def test_addresses_that_leave_the_book_lead_nowhere():
    body = '<p>x<img src="file:///etc/passwd"/><img src="http://127.0.0.1/a.png"/><img src="../../../etc/passwd"/></p>'
    data = book({"OEBPS/book.opf": opf(chapters("a"), ["a"]), "OEBPS/a.xhtml": xhtml(body)})
    result = read(data)
    assert (result.text, result.images) == ("x [image: passwd] [image: a.png] [image: passwd]", ())


@pytest.mark.parametrize("limit", [1_000])
def test_sections_that_are_left_out_are_counted(limit):
    names = [f"c{number}" for number in range(10)]
    files: dict[str, str | bytes] = {f"OEBPS/{name}.xhtml": xhtml("<p>" + "字" * 400 + "</p>") for name in names}
    result = read(book({"OEBPS/book.opf": opf(chapters(*names), names), **files}), extract_text_max_chars=limit)
    assert result.status is Status.PARTIAL
    assert result.truncated


def test_a_chapter_that_inflates_without_end_is_stopped():
    data = book({"OEBPS/book.opf": opf(chapters("a"), ["a"]), "OEBPS/a.xhtml": xhtml("<p>" + " " * 40_000_000)})
    assert len(data) < 200_000
    result = read(data)
    assert result.status in {Status.REJECTED, Status.PARTIAL}
