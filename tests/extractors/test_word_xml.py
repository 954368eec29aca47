"""Word documents in one XML file: of Word 2003, as many systems export them by a template, and of later versions."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from extractors import ExtractedContent, extract_content
from extractors.content import Job
from extractors.detect import detect

from .test_word import NAMES

NAMES_2003 = (
    'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint" '
    'xmlns:aml="http://schemas.microsoft.com/aml/2001/core"'
)
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<?mso-application progid="Word.Document"?>\n'
PACKAGE = 'xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"'


def word_2003(body: str, before: str = "") -> bytes:
    return (
        f"{DECLARATION}<w:wordDocument {NAMES_2003}>{before}<w:body><wx:sect>{body}</wx:sect></w:body></w:wordDocument>"
    ).encode()


def read(data: bytes, name: str = "合同.doc") -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def row(merge: str, first: str, second: str) -> str:
    return f"<w:tr><w:tc><w:tcPr>{merge}</w:tcPr>{p(first)}</w:tc><w:tc>{p(second)}</w:tc></w:tr>"


def changed(kind: str, words: str) -> str:
    return f'<aml:annotation aml:id="0" w:type="Word.{kind}"><aml:content>{words}</aml:content></aml:annotation>'


def picture() -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def test_paragraphs_headings_and_tables_with_merged_cells() -> None:
    styles = '<w:styles><w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style></w:styles>'
    start, more = '<w:vmerge w:val="restart"/>', "<w:vmerge/>"
    table = f"<w:tbl>{row(start, '甲', '乙')}{row(more, '丙', '丁')}</w:tbl>"
    title = p("总则", '<w:pStyle w:val="1"/>')
    body = f"<wx:sub-section>{title}{p('正文')}{table}</wx:sub-section>{p('末')}"
    assert read(word_2003(body, styles)).text == "# 总则\n\n正文\n\n| 甲 | 乙 |\n| --- | --- |\n|  | 丁 |\n\n末"


def test_lists_have_their_numbers() -> None:
    levels = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:nfc w:val="37"/><w:lvlText w:val="第%1条"/></w:lvl>'
    levels += '<w:lvl w:ilvl="1"><w:start w:val="3"/><w:lvlText w:val="%1.%2"/></w:lvl>'
    lists = f'<w:listDef w:listDefId="4">{levels}</w:listDef><w:list w:ilfo="2"><w:ilst w:val="4"/></w:list>'

    def item(text: str, level: int) -> str:
        return p(text, f'<w:listPr><w:ilvl w:val="{level}"/><w:ilfo w:val="2"/></w:listPr>')

    text = read(word_2003(item("总则", 0) + item("范围", 1) + item("附则", 0), f"<w:lists>{lists}</w:lists>")).text
    assert text == "第一条 总则\n  一.3 范围\n第二条 附则"


def test_links_pictures_notes_comments_and_changes() -> None:
    body = (
        '<w:p><w:hlink w:dest="https://example.com/a" w:bookmark="b"><w:r><w:t>官网</w:t></w:r></w:hlink>'
        f'<w:r><w:pict><w:binData w:name="wordml://1.png">{picture()}</w:binData>'
        '<v:shape><v:imagedata src="wordml://1.png"/></v:shape></w:pict></w:r>'
        f"<w:r><w:footnote>{p('脚注')}</w:footnote></w:r>"
        f"{changed('Insertion', '<w:r><w:t>新</w:t></w:r>')}"
        f"{changed('Deletion', '<w:r><w:delText>旧</w:delText></w:r>')}"
        '<w:r><aml:annotation aml:id="2" w:type="Word.Comment" aml:author="王">'
        f"<aml:content>{p('请核对')}</aml:content></aml:annotation></w:r></w:p>"
    )
    content = read(word_2003(body))
    assert content.text == (
        "[官网](https://example.com/a#b) [image: image 1] [^1]新[comment 1]\n\n[^1]: 脚注\n\n[comment 1] 王: 请核对"
    )
    assert len(content.images) == 1
    assert "tracked changes" in (content.note or "")


def test_headers_and_footers_are_read_once() -> None:
    section = f'<w:sectPr><w:hdr w:type="odd">{p("页眉")}</w:hdr><w:ftr w:type="odd">{p("页脚")}</w:ftr></w:sectPr>'
    assert read(word_2003(p("正文") + section)).text == "Header: 页眉\n\n正文\n\nFooter: 页脚"


def test_a_flat_package_is_read_like_a_docx() -> None:
    document = (
        f'<w:document {NAMES}><w:body>{p("正文")}<w:p><w:r><w:pict><v:shape><v:imagedata r:id="r1"/></v:shape></w:pict>'
        "</w:r></w:p></w:body></w:document>"
    )
    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
    main = relations.format('<Relationship Id="r" Type="x/officeDocument" Target="word/document.xml"/>')
    image = relations.format('<Relationship Id="r1" Type="x/image" Target="media/1.png"/>')
    parts = {"/_rels/.rels": main, "/word/document.xml": document, "/word/_rels/document.xml.rels": image}
    flat = "".join(
        f'<pkg:part pkg:name="{name}"><pkg:xmlData>{content}</pkg:xmlData></pkg:part>'
        for name, content in parts.items()
    )
    flat += f'<pkg:part pkg:name="/word/media/1.png"><pkg:binaryData>{picture()}</pkg:binaryData></pkg:part>'
    content = read(f"{DECLARATION}<pkg:package {PACKAGE}>{flat}</pkg:package>".encode(), "a.xml")
    assert (content.text, len(content.images)) == ("正文\n\n[image: image 1]", 1)


@pytest.mark.parametrize("name", ["a.doc", "a.docx", "a.xml", "a.txt", None])
def test_it_is_known_by_its_content_whatever_its_name(name: str | None) -> None:
    assert detect(Job(data=word_2003(p("x")), name=name)).media_type == "application/vnd.ms-wordml"


@pytest.mark.parametrize(
    "root",
    [
        b'<w:wordDocument xmlns:w="http://example.com/other"/>',
        f"<pkg:package {PACKAGE}><pkg:part pkg:name='/ppt/presentation.xml'/></pkg:package>".encode(),
        b"<package xmlns='http://www.idpf.org/2007/opf'/>",
    ],
)
def test_other_xml_stays_xml(root: bytes) -> None:
    assert detect(Job(data=b"<?xml version='1.0'?>" + root, name="a.xml")).media_type != "application/vnd.ms-wordml"


def test_what_is_broken_is_rejected() -> None:
    content = read(word_2003("<w:p><w:r></w:p>"))
    assert (content.status, content.text) == ("rejected", None)
