"""Web archives: the page, its pictures and its frames, under whatever name they come."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from extractors import Status, extract_content
from extractors.content import ExtractedContent


def png(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(buffer, "PNG")
    return buffer.getvalue()


def part(body: bytes, *headers: str) -> bytes:
    head = "".join(f"{header}\r\n" for header in headers)
    return f"{head}Content-Transfer-Encoding: base64\r\n\r\n".encode() + base64.encodebytes(body)


def archive(*parts: bytes, subject: str = "", extra: str = "") -> bytes:
    head = f"From: <Saved by Blink>\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n"
    head += f'Content-Type: multipart/related; type="text/html"; boundary="MB"{extra}\r\n\r\n'
    return head.encode() + b"".join(b"--MB\r\n" + one + b"\r\n" for one in parts) + b"--MB--\r\n"


def page(html: str, *headers: str, codec: str = "utf-8") -> bytes:
    return part(html.encode(codec), "Content-Type: text/html", *headers)


def read(data: bytes, name: str = "page.mhtml") -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


def test_a_page_in_gbk_that_only_says_so_itself_is_read():
    html = '<html><head><meta charset="gbk"></head><body><h2>归档标题</h2><p>正文</p></body></html>'
    assert read(archive(page(html, codec="gbk"))).text == "## 归档标题\n\n正文"


def test_the_charset_of_the_part_is_believed():
    data = archive(part("合約條款".encode("big5"), 'Content-Type: text/html; charset="big5"'))
    assert read(data).text == "合約條款"


@pytest.mark.parametrize("name", ["report.doc", "export.xls", "page.mht", "page", "page.html"])
def test_a_web_archive_is_read_as_one_under_any_name(name):
    result = read(archive(page("<p>Confluence 导出</p>")), name)
    assert (result.media_type, result.text) == ("multipart/related", "Confluence 导出")


def test_pictures_are_found_by_location_and_by_id():
    html = '<base href="https://example.com/a/"><p>x <img src="p.png" alt="one"> '
    html += '<img src="cid:two@x"> <img src="gone.png">'
    data = archive(
        page(html, "Content-Location: https://example.com/a/index.html"),
        part(png("red"), "Content-Type: image/png", "Content-Location: https://example.com/a/p.png"),
        part(png("blue"), "Content-Type: image/png", "Content-ID: <two@x>"),
    )
    result = read(data)
    assert result.text == "x [image: image 1] (one) [image: image 2] [image: gone.png]"
    assert [image.name for image in result.images] == ["image 1", "image 2"]


def test_relative_links_start_where_the_page_was_saved():
    data = archive(page("<a href='b.html'>next</a>", "Content-Location: https://example.com/dir/a.html"))
    assert read(data).text == "[next](https://example.com/dir/b.html)"


def test_the_sheets_of_a_workbook_saved_as_a_web_archive_are_read_after_the_frame():
    data = archive(
        page("<html><frameset><frame src='sheet1.htm'></frameset></html>", "Content-Location: file:///C:/book.htm"),
        page("<table border=1><tr><td>金额<td>98</table>", "Content-Location: file:///C:/book_files/sheet1.htm"),
    )
    text = read(data).text or ""
    assert "| 金额 | 98 |" in text
    assert text.index("--- sheet1.htm ---") < text.index("金额")


def test_the_part_named_as_the_start_comes_first():
    data = archive(page("<p>second", "Content-ID: <b>"), page("<p>first", "Content-ID: <a>"), extra='; start="<a>"')
    text = read(data).text or ""
    assert text.index("first") < text.index("second")


def test_the_subject_is_told_where_the_page_does_not_say_it():
    assert read(archive(page("<p>text"), subject="=?utf-8?B?5ZGo5oql?=")).text == "Subject: 周报\n\ntext"
    assert read(archive(page("<title>Weekly</title><p>text"), subject="Weekly")).text == "Title: Weekly\n\ntext"


def test_an_archive_without_a_page_is_rejected_with_a_sentence():
    result = read(archive(part(png(), "Content-Type: image/png")))
    assert result.status is not Status.FAILED


def test_an_archive_of_endless_parts_is_stopped():
    result = read(archive(page("<p>x") + b"\r\n--MB\r\n\r\n" * 30_000))
    assert result.status is not Status.FAILED
    assert "parts" in (result.note or "")


def test_an_archive_nested_without_end_is_stopped():
    data = b"MIME-Version: 1.0\r\n" + b"".join(
        f'Content-Type: multipart/related; boundary="b{n}"\r\n\r\n--b{n}\r\n'.encode() for n in range(3_000)
    )
    assert read(data).status is not Status.FAILED
