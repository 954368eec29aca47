from __future__ import annotations

import base64
import hashlib
import io
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from cryptography.hazmat.decrepit.ciphers import algorithms as old_algorithms
from cryptography.hazmat.decrepit.ciphers import modes as old_modes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from PIL import Image

from extractors import SandboxedAttachmentExtractor, extract_content
from extractors._inflating import root_of
from extractors._mathml import mathml_latex
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, PageCount, Picture, Status, Text, Truncated, Warned
from extractors.detect import detect
from extractors.format import Unreadable
from extractors.formats.opendocument import FORMATS, extract
from extractors.limits import ExtractLimits
from extractors.registry import format_for

ODF = "urn:oasis:names:tc:opendocument:xmlns"
PREFIXES = {"office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
            "svg": "svg-compatible", "presentation": "presentation", "chart": "chart", "form": "form",
            "meta": "meta", "fo": "xsl-fo-compatible"}  # fmt: skip
NAMES = " ".join(f'xmlns:{prefix}="{ODF}:{name}:1.0"' for prefix, name in PREFIXES.items()) + (
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:math="http://www.w3.org/1998/Math/MathML"'
)
TYPES = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation", "drawing": "graphics"}
PASSWORD = "密码 secret"


@dataclass(frozen=True, kw_only=True)
class Reading:
    text: str
    blocks: list[Block]

    def of(self, kind: type) -> list[Block]:
        return [block for block in self.blocks if isinstance(block, kind)]

    @property
    def truncated(self) -> list[str]:
        return [block.what for block in self.blocks if isinstance(block, Truncated)]

    @property
    def tables(self) -> list[list[list[str]]]:
        """Every Markdown table as rows of cells."""
        runs = [run for run in self.text.split("\n\n") if run.startswith("|")]
        return [
            [[cell.strip() for cell in line.strip("|").split("|")] for line in run.splitlines() if "---" not in line]
            for run in runs
        ]


def read(data: bytes, *, deadline: float | None = None, password: str = "", **limits: int) -> Reading:
    budget = Budget(limits=ExtractLimits(**limits), soft_deadline=deadline)
    job = Job(data=data, metadata={"password": password})
    blocks = list(extract(job, Detection(media_type=""), budget))
    return Reading(text="\n\n".join(b.markdown for b in blocks if isinstance(b, Text)), blocks=blocks)


def content(body: str, kind: str = "text", styles: str = "") -> str:
    return (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )


def zipped(body: str, kind: str = "text", *, styles: str = "", parts: Mapping[str, str | bytes] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{TYPES[kind]}", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content(body, kind, styles))
        for name, data in (parts or {}).items():
            archive.writestr(name, data)
    return buffer.getvalue()


def flat(body: str, kind: str = "text", *, styles: str = "", before: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {NAMES} office:version="1.3"'
        f' office:mimetype="application/vnd.oasis.opendocument.{TYPES[kind]}">{before}'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()


def styles_part(common: str = "", automatic: str = "", masters: str = "") -> str:
    return (
        f"<office:document-styles {NAMES}><office:styles>{common}</office:styles>"
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:master-styles>{masters}</office:master-styles></office:document-styles>"
    )


def png(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(buffer, "PNG")
    return buffer.getvalue()


def cell(text: str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {attributes}><text:p>{text}</text:p></table:table-cell>'


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def sheet(*rows: str, name: str = "S", attributes: str = "") -> str:
    return f'<table:table table:name="{name}" {attributes}>{"".join(rows)}</table:table>'


def framed(inner: str, attributes: str = "") -> str:
    return f"<draw:frame {attributes}>{inner}</draw:frame>"


def box(text: str, y: float, x: float = 1, kind: str = "") -> str:
    return framed(
        f"<draw:text-box><text:p>{text}</text:p></draw:text-box>",
        f'svg:x="{x}cm" svg:y="{y}cm" presentation:class="{kind}"',
    )


def embedded(folder: str) -> str:
    return framed(f'<draw:object xlink:href="{folder}"/>')


def image(href: str, words: str = "") -> str:
    described = f"<svg:desc>{words}</svg:desc>" if words else ""
    return framed(f'<draw:image xlink:href="{href}"/>{described}')


# --- merged cells -----------------------------------------------------------------------------------------------------

#: A letter is a cell; the same letter again is the same cell, merged.
PATTERNS = (
    ("AAB", "CDE"),
    ("ABC", "ADE", "AFG"),
    ("AAB", "AAC", "DEF"),
    ("ABBC", "ADDD", "EFGG"),
    ("AAAA", "BCDE", "BFFG", "HFFI"),
    ("ABCD", "EEFG", "HEEI".replace("E", "J"), "KLLM", "KLLN"),
)


def merged(pattern: tuple[str, ...], *, with_covered: bool = True) -> str:
    """The rows of a table with those merged cells."""
    rows = []
    for y, letters in enumerate(pattern):
        cells = ""
        for x, letter in enumerate(letters):
            if (x and letters[x - 1] == letter) or (y and pattern[y - 1][x : x + 1] == letter):
                cells += "<table:covered-table-cell/>" if with_covered else ""
                continue
            wide = len(letters[x:]) - len(letters[x:].lstrip(letter))
            tall = sum(1 for below in pattern[y:] if below[x] == letter)
            spans = f'table:number-columns-spanned="{wide}" table:number-rows-spanned="{tall}"'
            cells += cell(letter, spans if wide > 1 or tall > 1 else "")
        rows.append(row(cells))
    return "".join(rows)


def expected(pattern: tuple[str, ...]) -> list[list[str]]:
    letters = "".join(pattern)
    width = len(pattern[0])
    firsts = {letters.index(letter) for letter in letters}
    return [
        [letters[place] if place in firsts else "" for place in range(start, start + width)]
        for start in range(0, len(letters), width)
    ]


HOLDERS: dict[str, Callable[[str], bytes]] = {
    "odt": lambda rows: zipped(f"<table:table>{rows}</table:table>"),
    "fodt": lambda rows: flat(f"<table:table>{rows}</table:table>"),
    "ods": lambda rows: zipped(sheet(rows), "spreadsheet"),
    "fods": lambda rows: flat(sheet(rows), "spreadsheet"),
    "odp": lambda rows: zipped(
        f"<draw:page>{framed(f'<table:table>{rows}</table:table>')}</draw:page>", "presentation"
    ),
}


@pytest.mark.parametrize("kind", HOLDERS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_value_of_merged_cells_stands_in_its_column_and_row(kind: str, pattern: tuple[str, ...]) -> None:
    assert read(HOLDERS[kind](merged(pattern))).tables == [expected(pattern)]


@pytest.mark.parametrize("kind", ["odt", "ods"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_spans_count_even_where_a_program_left_the_covered_cells_out(kind: str, pattern: tuple[str, ...]) -> None:
    assert read(HOLDERS[kind](merged(pattern, with_covered=False))).tables == [expected(pattern)]


def test_repeated_covered_cells_and_header_rows_keep_the_columns() -> None:
    rows = (
        f"<table:table-header-rows>{row(cell('a'), cell('b'), cell('c'), cell('d'))}</table:table-header-rows>"
        + row(
            cell("合计", 'table:number-columns-spanned="3"'),
            '<table:covered-table-cell table:number-columns-repeated="2"/>',
            cell("5006"),
        )
    )
    for held in HOLDERS.values():
        assert read(held(rows)).tables == [[["a", "b", "c", "d"], ["合计", "", "", "5006"]]]


# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_text_is_read_in_its_order() -> None:
    body = (
        '<text:h text:outline-level="1">标题</text:h><text:p>一<text:span>二</text:span>'
        '<text:s text:c="2"/>三<text:tab/>四<text:line-break/>五</text:p>'
        '<text:h text:outline-level="9">deep</text:h>'
        '<text:p>see <text:a xlink:href="https://example.org/a">the page</text:a> and'
        ' <text:a xlink:href="#mark">below</text:a></text:p>'
    )
    for data in (zipped(body), flat(body)):
        assert read(data).text == (
            "# 标题\n\n一二  三\t四\n五\n\n###### deep\n\nsee [the page](https://example.org/a) and below"
        )


def test_blanks_of_the_markup_are_not_text() -> None:
    assert read(flat("<text:p>\n   one\n   <text:span>two</text:span>\n  three\n</text:p>")).text == "one two three"


def test_the_title_and_the_properties_are_read() -> None:
    meta = (
        f"<office:document-meta {NAMES}><office:meta><dc:description>About it</dc:description>"
        "<meta:keyword>x</meta:keyword><meta:keyword>y</meta:keyword></office:meta></office:document-meta>"
    )
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    common = '<style:style style:name="Title" style:family="paragraph"/>'
    parts = {"styles.xml": styles_part(common), "meta.xml": meta}
    reading = read(zipped('<text:p text:style-name="P1">Report</text:p>', styles=styles, parts=parts))
    assert reading.text == "Description: About it\nKeywords: x, y\n\n# Report"


def test_lists_have_their_numbers() -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"'
        ' style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="("'
        ' style:num-suffix=")"/></text:list-style><text:list-style style:name="C"><text:list-level-style-number'
        ' text:level="1" style:num-format="一, 二, 三, ..." style:num-suffix="、"'
        ' text:start-value="9"/></text:list-style>'
        '<text:list-style style:name="D"><text:list-level-style-number text:level="1" style:num-format="1"/>'
        '<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/></text:list-style>'
    )
    item = "<text:list-item><text:p>{}</text:p></text:list-item>".format
    nested = f"<text:list-item><text:p>b</text:p><text:list>{item('b1')}{item('b2')}</text:list></text:list-item>"
    body = (
        f'<text:list text:style-name="L">{item("a")}{nested}</text:list><text:p>between</text:p>'
        f'<text:list text:style-name="L" text:continue-numbering="true">{item("c")}</text:list><text:p>x</text:p>'
        f'<text:list text:style-name="L">{item("anew")}<text:list-item text:start-value="7"><text:p>seven</text:p>'
        "<text:p>more of it</text:p></text:list-item></text:list><text:p>x</text:p>"
        f'<text:list text:style-name="C">{item("九")}{item("十")}{item("十一")}</text:list><text:p>x</text:p>'
        f'<text:list text:style-name="D"><text:list-item><text:p>d</text:p><text:list>{item("e")}{item("f")}'
        "</text:list></text:list-item></text:list><text:p>x</text:p>"
        f'<text:list text:style-name="unknown">{item("plain")}<text:list-header><text:p>head</text:p>'
        "</text:list-header></text:list>"
    )
    assert read(zipped(body, styles=styles)).text == (
        "1. a\n2. b\n  (a) b1\n  (b) b2\n\nbetween\n\n3. c\n\nx\n\n1. anew\n7. seven\n  more of it\n\nx\n\n"
        "九、 九\n十、 十\n十一、 十一\n\nx\n\n1 d\n  1.1 e\n  1.2 f\n\nx\n\n- plain\n\nhead"
    )


def test_a_list_continues_another_by_its_id() -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="I"'
        ' style:num-suffix="."/></text:list-style>'
    )
    item = "<text:list-item><text:p>{}</text:p></text:list-item>".format
    body = (
        f'<text:list xml:id="one" text:style-name="L">{item("a")}</text:list>'
        f'<text:list text:style-name="L">{item("other")}</text:list>'
        f'<text:list text:continue-list="one" text:style-name="L">{item("b")}</text:list>'
    )
    assert read(zipped(body, styles=styles)).text == "I. a\nI. other\nII. b"


def test_headings_have_their_chapter_numbers() -> None:
    outline = (
        '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )
    heading = '<text:h text:outline-level="{}"{}>{}</text:h>'.format
    body = (
        heading(1, "", "A")
        + heading(2, "", "B")
        + heading(2, ' text:is-list-header="true"', "C")
        + heading(1, "", "D")
        + heading(2, "", "E")
    )
    reading = read(zipped(body, parts={"styles.xml": styles_part(outline)}))
    assert reading.text == "# 1 A\n\n## 1.1 B\n\n## C\n\n# 2 D\n\n## 2.1 E"


def test_hidden_text_is_kept_and_marked() -> None:
    styles = (
        '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="PH" style:family="paragraph"><style:text-properties text:display="none"/>'
        "</style:style>"
    )
    body = (
        '<text:p>seen <text:span text:style-name="H">unseen</text:span></text:p>'
        '<text:p text:style-name="PH">all</text:p>'
        '<text:section text:display="none"><text:p>inside</text:p></text:section>'
        '<text:p><text:hidden-text text:is-hidden="true" text:string-value="if"/></text:p>'
        '<text:p><text:hidden-paragraph text:is-hidden="true"/>gone</text:p>'
    )
    assert read(zipped(body, styles=styles)).text == (
        "seen\n[hidden text] unseen\n\n[hidden text] all\n\n[hidden text] inside\n\n[hidden text] if"
        "\n\n[hidden text] gone"
    )


def test_tracked_changes_are_read_as_accepted_and_said() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:insertion/></text:changed-region><text:changed-region>"
        "<text:deletion><text:p>removed</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        '<text:p>kept<text:change-start text:change-id="c"/> added<text:change-end text:change-id="c"/>'
        '<text:change text:change-id="d"/></text:p>'
    )
    for data in (zipped(body), flat(body)):
        reading = read(data)
        assert reading.text == "kept added"
        (warned,) = reading.of(Warned)
        assert isinstance(warned, Warned)
        assert "tracked changes" in warned.warning.problem


def test_deletions_that_a_program_left_in_the_text_are_out_though_they_span_paragraphs() -> None:
    regions = "".join(
        f'<text:changed-region text:id="{name}"><text:{kind}/></text:changed-region>'
        for name, kind in (("d", "deletion"), ("i", "insertion"))
    )
    note = '<text:note text:note-class="footnote"><text:note-body><text:p>gone</text:p></text:note-body></text:note>'
    body = (
        f"<text:tracked-changes>{regions}</text:tracked-changes>"
        f'<text:p>kept<text:change-start text:change-id="d"/> gone{note}{framed(image("a.png"))}</text:p>'
        '<text:p>gone</text:p><text:p>gone<text:change-end text:change-id="d"/>kept'
        '<text:change-start text:change-id="i"/> added<text:change-end text:change-id="i"/></text:p>'
    )
    for data in (zipped(body, parts={"a.png": png()}), flat(body)):
        reading = read(data)
        assert reading.text == "kept\n\nkept added"
        assert not reading.of(Picture)


def test_notes_and_comments_follow_with_their_references() -> None:
    note = (
        '<text:note text:note-class="{0}"><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>{1}</text:p></text:note-body></text:note>"
    ).format
    body = (
        f"<text:p>one{note('footnote', '脚注')} two{note('endnote', '尾注')} three<office:annotation>"
        "<dc:creator>Li</dc:creator><dc:date>2026-01-01</dc:date><text:p>really?</text:p></office:annotation>"
        " four</text:p>"
    )
    assert read(zipped(body)).text == (
        "one[^1] two[^e1] three[comment 1] four\n\n[^1]: 脚注\n\n[^e1]: 尾注\n\n[comment 1] (Li): really?"
    )


def test_marks_of_comments_without_words_are_left_out() -> None:
    empty = "<office:annotation><dc:creator>Li</dc:creator><text:p> </text:p></office:annotation>"
    full = "<office:annotation><text:list><text:list-item><text:p>yes</text:p></text:list-item></text:list>"
    assert read(zipped(f"<text:p>a{empty}b{full}</office:annotation></text:p>")).text == (
        "ab[comment 1]\n\n[comment 1]: - yes"
    )


def test_a_link_cut_into_pieces_is_one_link_and_places_in_the_document_are_none() -> None:
    pieces = "".join(
        f'<text:a xlink:href="http://a.example/x">{words}</text:a>' for words in ("http://", "a.example", "/x")
    )
    assert read(zipped(f"<text:p>see {pieces}</text:p>")).text == "see http://a.example/x"
    inside = f'<draw:a xlink:href="#top">{framed("<draw:text-box><text:p>up</text:p></draw:text-box>")}</draw:a>'
    assert read(zipped(f"<text:p>go {inside}</text:p>")).text == "go\n\nup"


def test_paragraphs_in_the_style_of_a_heading_are_headings() -> None:
    styles = (
        '<style:style style:name="Heading_20_2" style:family="paragraph"/>'
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading_20_2"/>'
        '<style:style style:name="P2" style:family="paragraph" style:default-outline-level=""'
        ' style:parent-style-name="P1"/>'
        '<style:style style:name="P3" style:family="paragraph" style:default-outline-level="3"/>'
        '<style:style style:name="Heading" style:family="paragraph"/>'
    )
    body = "".join(f'<text:p text:style-name="{name}">{name}</text:p>' for name in ("P1", "P2", "P3", "Heading"))
    assert read(zipped(body, styles=styles)).text == "## P1\n\nP2\n\n### P3\n\nHeading"


def test_tables_behind_the_limit_are_lines_and_nothing_is_lost() -> None:
    table = f"<table:table>{row(cell('区'), cell('额'))}{row(cell('东'), cell('3'))}</table:table>"
    reading = read(zipped(table + "<text:p>between</text:p>" + table), docx_max_tables=1)
    assert reading.text == "| 区 | 额 |\n| --- | --- |\n| 东 | 3 |\n\nbetween\n\n区 | 额\n东 | 3"
    assert not reading.truncated


def test_headers_and_footers_are_read_once() -> None:
    margin = "<style:{0}><text:p>{1}</text:p></style:{0}>".format
    masters = (
        f'<style:master-page style:name="Standard">{margin("header", "机密")}{margin("footer", "Page 1")}'
        "</style:master-page>"
        f'<style:master-page style:name="First">{margin("header", "机密")}'
        '<style:header-left style:display="false"><text:p>never</text:p></style:header-left></style:master-page>'
    )
    reading = read(zipped("<text:p>body</text:p>", parts={"styles.xml": styles_part(masters=masters)}))
    assert reading.text == "Header: 机密\n\nbody\n\nFooter: Page 1"
    before = f"<office:master-styles>{masters}</office:master-styles>"
    assert read(flat("<text:p>body</text:p>", before=before)).text == reading.text


def test_the_styles_of_headers_are_not_those_of_the_body() -> None:
    hiding = (
        '<style:style style:name="P1" style:family="paragraph"><style:text-properties text:display="none"/>'
        "</style:style>"
    )
    showing = '<style:style style:name="P1" style:family="paragraph"/>'
    masters = (
        '<style:master-page style:name="S"><style:header><text:p text:style-name="P1">top</text:p></style:header>'
        "</style:master-page>"
    )
    parts = {"styles.xml": styles_part(automatic=hiding, masters=masters)}
    reading = read(zipped('<text:p text:style-name="P1">body</text:p>', styles=showing, parts=parts))
    assert reading.text == "Header: [hidden text] top\n\nbody"


def test_what_floats_is_read_once_where_it_is_anchored() -> None:
    body = (
        f"<text:p>anchor{framed('<draw:text-box><text:p>boxed</text:p></draw:text-box>')}</text:p>"
        "<text:p>shapes<draw:g><draw:custom-shape><text:p>in group</text:p><draw:enhanced-geometry/>"
        "</draw:custom-shape>"
        "<draw:g><draw:rect><text:p>deeper</text:p></draw:rect></draw:g></draw:g></text:p>"
        f"{framed('<draw:text-box><text:p>on the page</text:p></draw:text-box>')}<text:p>end</text:p>"
    )
    assert read(zipped(body)).text == "anchor\n\nboxed\n\nshapes\n\nin group\n\ndeeper\n\non the page\n\nend"


def test_contents_indexes_rubies_and_fields_are_read_but_their_templates_are_not() -> None:
    body = (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>template"
        "</text:index-title-template></text:table-of-content-source><text:index-body><text:index-title><text:p>目录</text:p>"
        "</text:index-title><text:p>第一章<text:tab/>1</text:p></text:index-body></text:table-of-content>"
        "<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>"
        " on <text:page-number>3</text:page-number><text:script>alert(1)</text:script></text:p>"
    )
    assert read(zipped(body)).text == "目录\n\n第一章\t1\n\n漢字(かんじ) on 3"


def test_form_fields_show_what_was_filled_in() -> None:
    body = (
        '<office:forms><form:form><form:checkbox xml:id="c1" form:label="同意" form:current-state="checked"/>'
        '<form:text xml:id="c2" form:current-value="李雷"/><form:listbox form:id="c3"><form:option form:label="甲"/>'
        '<form:option form:label="乙" form:current-selected="true"/></form:listbox></form:form></office:forms>'
        '<text:p><draw:control draw:control="c1"/> <draw:control draw:control="c2"/>'
        ' <draw:control draw:control="c3"/></text:p>'
    )
    assert read(zipped(body)).text == "☑ 同意 李雷 乙"


def test_nested_tables_become_lines_of_their_cell() -> None:
    inner = f"<table:table>{row(cell('甲'), cell('乙'))}</table:table>"
    nested = f"<table:table-cell><text:p>before</text:p>{inner}</table:table-cell>"
    reading = read(zipped(f"<table:table>{row(cell('a'), nested)}</table:table>"))
    assert reading.text == "| a | before<br>甲 \\| 乙 |\n| --- | --- |"


def test_a_table_of_one_cell_is_a_frame_around_text() -> None:
    assert read(zipped(f"<table:table>{row(cell('just text'))}</table:table>")).text == "just text"


def test_long_tables_are_cut_between_rows() -> None:
    rows = "".join(row(cell(str(number)), cell("x")) for number in range(30))
    reading = read(zipped(f"<table:table>{rows}</table:table><text:p>after</text:p>"), docx_max_table_rows=5)
    assert [line[0] for line in reading.tables[0]] == ["0", "1", "2", "3", "4"]
    assert reading.truncated == ["rows of table 1 after the first 5"]
    assert reading.text.endswith("after")


# --- pictures, objects, equations -------------------------------------------------------------------------------------


def test_pictures_stand_where_they_stood_and_come_out_once() -> None:
    pictures = {"Pictures/a.png": png(), "Pictures/b c.png": png("blue")}
    body = (
        f"<text:p>one {image('Pictures/a.png', '红色')}</text:p><text:p>two {image('./Pictures/b%20c.png')}</text:p>"
        f"<text:p>again {image('Pictures/a.png')}{image('https://example.org/x.png')}{image('../../etc/passwd')}</text:p>"
    )
    reading = read(zipped(body, parts=pictures))
    assert reading.text == "one [image: image 1] (红色)\n\ntwo [image: image 2]\n\nagain [image: image 1]"
    assert [p.image.name for p in reading.of(Picture) if isinstance(p, Picture)] == ["image 1", "image 2"]


def test_pictures_of_flat_files_are_read_from_their_text() -> None:
    data = base64.encodebytes(png()).decode()
    body = (
        f"<text:p>{framed(f'<draw:image><office:binary-data>{data}</office:binary-data></draw:image>')}</text:p>"
        f"<text:p>{framed('<draw:image><office:binary-data>#7</office:binary-data></draw:image>')}</text:p>"
    )
    reading = read(flat(body))
    assert reading.text == "[image: image 1]\n\n[an image that is left out]"
    assert len(reading.of(Picture)) == 1


def test_of_two_forms_of_a_picture_the_one_we_can_read_is_taken() -> None:
    both = framed('<draw:image xlink:href="Pictures/a.svg"/><draw:image xlink:href="Pictures/a.png"/>')
    parts = {"Pictures/a.svg": b"<svg/>", "Pictures/a.png": png()}
    assert read(zipped(f"<text:p>{both}</text:p>", parts=parts)).of(Picture)


def chart() -> str:
    values = (
        f"<table:table-header-rows>{row('<table:table-cell/>', cell('销量'), cell('成本'))}</table:table-header-rows>"
        f"<table:table-rows>{row(cell('一季度'), cell('19.2'), cell('3'))}"
        f"{row(cell('二季度'), cell('21.4'), cell('4'))}</table:table-rows>"
    )
    return (
        '<chart:chart><chart:title><text:p>走势</text:p></chart:title><chart:plot-area><chart:axis chart:dimension="y">'
        "<chart:title><text:p>万元</text:p></chart:title></chart:axis></chart:plot-area>"
        f'<table:table table:name="local-table">{values}</table:table></chart:chart>'
    )


CHART_TEXT = (
    "Chart: 走势 (axes: 万元)\n\n|  | 销量 | 成本 |\n| --- | --- | --- |\n| 一季度 | 19.2 | 3 |\n| 二季度 | 21.4 | 4 |"
)


def test_charts_are_read_as_title_axes_and_values() -> None:
    parts = {"Object 1/content.xml": content(chart(), "chart")}
    frame = framed('<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>')
    assert read(zipped(f"<text:p>see {frame}</text:p>", parts=parts)).text == f"see\n\n{CHART_TEXT}"
    inline = framed(f"<draw:object>{flat(chart(), 'drawing').decode().partition('?>')[2]}</draw:object>")
    inline = inline.replace("office:drawing", "office:chart")
    assert read(flat(f"<text:p>see {inline}</text:p>")).text == f"see\n\n{CHART_TEXT}"
    for held in (f"<table:shapes>{inline}</table:shapes>", row(f"<table:table-cell>{inline}</table:table-cell>")):
        assert CHART_TEXT in read(flat(sheet(held, row(cell("v"))), "spreadsheet")).text


def test_values_of_charts_are_as_people_write_them() -> None:
    numbers = (
        chart().replace("19.2", "4.4000000000000004").replace("21.4", "NaN").replace(">3<", ">0.30000000000000004<")
    )
    parts = {"Object 1/content.xml": content(numbers, "chart")}
    text = read(
        zipped(
            f"<text:p>{framed('<draw:object xlink:href=' + chr(34) + './Object 1' + chr(34) + '/>')}</text:p>",
            parts=parts,
        )
    ).text
    assert text.endswith("| 一季度 | 4.4 | 0.3 |\n| 二季度 |  | 4 |")


def test_an_embedded_sheet_is_read_as_a_table_with_pictures_of_its_own() -> None:
    rows = row(cell("a"), f"<table:table-cell><text:p>{image('Pictures/x.png')}</text:p></table:table-cell>") + row(
        cell("b"),
        '<table:table-cell table:number-columns-repeated="16383"/>',
        attributes='table:number-rows-repeated="2"',
    )
    endless = row(
        '<table:table-cell table:number-columns-repeated="16384"/>', attributes='table:number-rows-repeated="1048000"'
    )
    parts = {
        "Object 1/content.xml": content(sheet(rows, endless), "spreadsheet"),
        "Object 1/Pictures/x.png": png(),
    }
    reading = read(zipped(f"<text:p>{embedded('./Object 1')}</text:p>", parts=parts))
    assert reading.tables == [[["a", "[image: image 1]"], ["b", ""], ["b", ""]]]


def test_an_object_inside_itself_ends() -> None:
    inner = content(f"<text:p>deep {embedded('.')}</text:p>")
    parts = {"Object 1/content.xml": inner, "Object 1/./content.xml": inner}
    reading = read(zipped(f"<text:p>top {embedded('Object 1')}</text:p>", parts=parts))
    assert reading.text.startswith("top\n\ndeep")


FRACTION = (
    "<math:math><math:semantics><math:mrow><math:mi>x</math:mi><math:mo>=</math:mo><math:mfrac><math:mrow>"
    "<math:mo>−</math:mo><math:mi>b</math:mi></math:mrow><math:mrow><math:mn>2</math:mn><math:mi>a</math:mi></math:mrow>"
    "</math:mfrac></math:mrow><math:annotation>x = -b over {2a}</math:annotation></math:semantics></math:math>"
)


def test_equations_are_read_as_latex() -> None:
    formula = FRACTION.replace("<math:math>", f"<math:math {NAMES}>")
    frame = embedded("./Object 1")
    reading = read(zipped(f"<text:p>so {frame}.</text:p>", parts={"Object 1/content.xml": formula}))
    assert reading.text == r"so x=\frac{−b}{2a}."
    assert read(flat(f"<text:p>so {framed(f'<draw:object>{FRACTION}</draw:object>')}</text:p>")).text == (
        r"so x=\frac{−b}{2a}"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.formula")
        archive.writestr("content.xml", formula)
    assert read(buffer.getvalue()).text == r"x=\frac{−b}{2a}"


@pytest.mark.parametrize(
    ("markup", "latex"),
    [
        ("<msup><mi>a</mi><mn>2</mn></msup>", "a^2"),
        ("<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "x_{i+1}"),
        ("<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", r"\sum_{k=1}^n"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>", r"\sqrt{x+1}\sqrt[3]{y}"),
        ("<mover accent='true'><mi>v</mi><mo>→</mo></mover>", r"\vec{v}"),
        ("<mi>sin</mi><mi>x</mi>", r"\sin x"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>", r"\begin{matrix}1 & 2\end{matrix}"),
        ("<mi>two</mi><mi>words</mi><mtext>if</mtext>", r"two words\text{if}"),
    ],
)
def test_mathml_as_latex(markup: str, latex: str) -> None:
    root = root_of(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{markup}</math>'.encode())
    assert mathml_latex(root) == latex


# --- spreadsheets -----------------------------------------------------------------------------------------------------


def value(kind: str, attributes: str, shown: str = "") -> str:
    inner = f"<text:p>{shown}</text:p>" if shown else ""
    return f'<table:table-cell office:value-type="{kind}" {attributes}>{inner}</table:table-cell>'


def test_cells_show_what_the_sheet_shows() -> None:
    cells = row(
        value("date", 'office:date-value="2024-01-31"', "2024年1月31日"),
        value("percentage", 'office:value="0.125"', "12.5%"),
        value("currency", 'office:value="1234.5" office:currency="CNY"', "¥1,234.50"),
        value("float", 'office:value="7"', "007"),
        cell("NA"),
        cell("a|b</text:p><text:p>c"),
        value("string", 'table:formula="of:=1/0" office:string-value=""', "#DIV/0!"),
    )
    for data in (zipped(sheet(cells), "spreadsheet"), flat(sheet(cells), "spreadsheet")):
        assert r"| 2024年1月31日 | 12.5% | ¥1,234.50 | 007 | NA | a\|b<br>c | #DIV/0! |" in read(data).text


def test_values_without_a_shown_text_are_written_by_their_type() -> None:
    cells = row(
        value("date", 'office:date-value="2024-03-15T14:30:00"'),
        value("percentage", 'office:value="0.125"'),
        value("currency", 'office:value="3.5" office:currency="EUR"'),
        value("time", 'office:time-value="PT09H05M00S"'),
        value("boolean", 'office:boolean-value="true"'),
        value("string", 'office:string-value="NULL"'),
        value("float", 'office:value="120"'),
    )
    assert (
        "| 2024-03-15 14:30:00 | 12.5% | 3.5 EUR | 09:05:00 | TRUE | NULL | 120 |"
        in read(zipped(sheet(cells), "spreadsheet")).text
    )


def test_a_formula_stands_where_it_was_never_calculated() -> None:
    cells = row(
        value("float", 'table:formula="of:=[.A1]" office:value="367.5"', "367.5"),
        '<table:table-cell table:formula="of:=SUM([.A1:.B2])*[$Data.C3]"/>',
    )
    reading = read(zipped(sheet(cells), "spreadsheet"))
    assert "| 367.5 | =SUM(A1:B2)*$Data.C3 |" in reading.text
    assert any("never calculated" in w.warning.problem for w in reading.of(Warned) if isinstance(w, Warned))


def test_hidden_sheets_rows_and_columns_are_kept_and_marked() -> None:
    styles = (
        '<style:style style:name="t" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>'
    rows = row(cell("a"), cell("b"), cell("c")) + row(cell("1"), cell("2"), attributes='table:visibility="filter"')
    body = sheet(columns, rows) + sheet(row(cell("x")), name="藏", attributes='table:style-name="t"')
    reading = read(zipped(body, "spreadsheet", styles=styles))
    assert "| a | [hidden text] b | c |" in reading.text
    assert "| [hidden text] 1 | 2 |  |" in reading.text
    assert "### 藏\n[hidden text] (the whole sheet)\n\n| x |" in reading.text
    assert reading.of(PageCount) == [PageCount(2)]


def test_far_cells_cost_nothing_and_keep_their_address() -> None:
    far = row('<table:table-cell table:number-columns-repeated="25"/>', cell("远"))
    gap = row('<table:table-cell table:number-columns-repeated="16384"/>', attributes='table:number-rows-repeated="98"')
    end = row(
        '<table:table-cell table:number-columns-repeated="16384"/>', attributes='table:number-rows-repeated="1048475"'
    )
    begun = time.perf_counter()
    reading = read(zipped(sheet(row(cell("near")), gap, far, end), "spreadsheet"))
    assert time.perf_counter() - begun < 1
    assert "Cell A1\n\n| near |" in reading.text
    assert "Cell Z100\n\n| 远 |" in reading.text


def test_repeated_values_are_bounded_and_the_cut_is_said() -> None:
    rows = row(cell("v", 'table:number-columns-repeated="16384"'), attributes='table:number-rows-repeated="1048576"')
    begun = time.perf_counter()
    reading = read(zipped(sheet(rows), "spreadsheet"), xlsx_max_columns=3, xlsx_max_rows_per_sheet=8)
    assert time.perf_counter() - begun < 1
    assert reading.tables == [[["v"] * 3] * 6, [["v"] * 3] * 2]
    assert reading.truncated == ['rows 7 to 1048574 of sheet "S"', 'columns of sheet "S" after the first 3']


def test_a_repeated_value_stands_in_every_column() -> None:
    rows = row(cell("a", 'table:number-columns-repeated="2"'), cell("b"), attributes='table:number-rows-repeated="2"')
    assert read(zipped(sheet(rows), "spreadsheet")).tables == [[["a", "a", "b"]] * 2]


def test_head_and_tail_of_a_long_sheet_are_read() -> None:
    rows = "".join(row(cell(str(number))) for number in range(1, 101))
    reading = read(zipped(sheet(rows), "spreadsheet"), xlsx_max_rows_per_sheet=8)
    assert [line[0] for table in reading.tables for line in table] == ["1", "2", "3", "4", "5", "6", "99", "100"]
    assert reading.truncated == ['rows 7 to 98 of sheet "S"']


def test_sheets_behind_the_limit_are_counted() -> None:
    body = "".join(sheet(row(cell("x")), name=f"S{number}") for number in range(5))
    reading = read(zipped(body, "spreadsheet"), xlsx_max_sheets=2)
    assert reading.of(PageCount) == [PageCount(5)]
    assert "sheets 3 to 5 of 5" in reading.truncated
    assert "### S2" not in reading.text


def test_what_lies_over_the_cells_follows_with_its_place() -> None:
    comment = "<office:annotation><dc:creator>Han</dc:creator><text:p>已审核</text:p></office:annotation>"
    body = sheet(
        f"<table:shapes>{framed('<draw:text-box><text:p>floating</text:p></draw:text-box>')}</table:shapes>",
        row(
            cell("a"), f'<table:table-cell office:value-type="string">{comment}<text:p>钢笔</text:p></table:table-cell>'
        ),
        row("<table:table-cell/>", f"<table:table-cell>{image('Pictures/a.png')}</table:table-cell>"),
    )
    reading = read(zipped(body, "spreadsheet", parts={"Pictures/a.png": png()}))
    assert reading.text == (
        "### S\n\n| a | 钢笔 |\n| --- | --- |\n\nfloating\n\nAt B2: [image: image 1]\n\nComment on B1 (Han): 已审核"
    )


def test_grouped_and_header_rows_of_sheets_are_rows() -> None:
    rows = (
        f"<table:table-header-rows>{row(cell('h'))}</table:table-header-rows>"
        f"<table:table-row-group>{row(cell('1'))}<table:table-row-group>{row(cell('2'))}</table:table-row-group>"
        f"</table:table-row-group>{row(cell('3'))}"
    )
    assert read(zipped(sheet(rows), "spreadsheet")).tables == [[["h"], ["1"], ["2"], ["3"]]]


def test_the_copies_of_other_files_are_no_sheets() -> None:
    cached = sheet(row(cell("theirs")), name="'file:///x.ods'#Sheet1", attributes='table:style-name="ta_extref"')
    assert "theirs" not in read(zipped(sheet(row(cell("ours"))) + cached, "spreadsheet")).text


# --- presentations and drawings ---------------------------------------------------------------------------------------


def test_slides_are_read_from_top_to_bottom_with_notes() -> None:
    styles = (
        '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties'
        ' presentation:visibility="hidden"/></style:style>'
    )
    notes = f"<presentation:notes><draw:page-thumbnail/>{box('先打招呼', 9)}</presentation:notes>"
    moved = framed(
        "<draw:text-box><text:p>rotated</text:p></draw:text-box>", 'draw:transform="rotate (0.5) translate (1cm 7cm)"'
    )
    first = (
        f"<draw:page>{box('bottom', 9)}{box('right', 5.1, 9)}{box('left', 5.2, 1)}{moved}"
        f"<draw:g>{box('grouped', 6)}<draw:g>{box('deeper', 6.6)}</draw:g></draw:g>"
        f"{box('标题', 8, kind='title')}{box('7', 20, kind='page-number')}"
        f"{box('foot', 21, kind='footer')}{notes}"
        "<office:annotation><dc:creator>Li</dc:creator><text:p>shorter!</text:p></office:annotation></draw:page>"
    )
    second = f'<draw:page draw:style-name="dp">{box("foot", 21, kind="footer")}</draw:page>'
    for data in (
        zipped(first + second, "presentation", styles=styles),
        flat(first + second, "presentation", styles=styles),
    ):
        reading = read(data)
        assert reading.text == (
            "--- Slide 1 ---\n\n## 标题\n\nleft\n\nright\n\ngrouped\n\ndeeper\n\nrotated\n\nbottom\n\nfoot\n\n"
            "Notes: 先打招呼\n\nComment (Li): shorter!\n\n--- Slide 2 ---\n[hidden text] (the whole slide)"
        )
        assert reading.of(PageCount) == [PageCount(2)]


def test_words_of_the_master_are_told_once_and_its_placeholders_not_at_all() -> None:
    number = framed("<draw:text-box><text:p>Page <text:page-number/></text:p></draw:text-box>")
    shapes = f"{box('内部', 1)}{box('Foot', 2, kind='footer')}{box('Click to edit', 3, kind='title')}{number}"
    masters = f'<style:master-page style:name="M">{shapes}</style:master-page><style:master-page style:name="N"/>'
    slides = "".join(f'<draw:page draw:master-page-name="{name}">{box("own", 5)}</draw:page>' for name in "MMN")
    reading = read(zipped(slides, "presentation", parts={"styles.xml": styles_part(masters=masters)}))
    assert reading.text == (
        "--- Slide 1 ---\n\nown\n\n内部\n\nFoot\n\n--- Slide 2 ---\n\nown\n\n--- Slide 3 ---\n\nown"
    )


def test_the_preview_of_a_table_is_not_shown_beside_it() -> None:
    frame = framed(f'<table:table>{row(cell("a"), cell("b"))}</table:table><draw:image xlink:href="Pictures/t.png"/>')
    reading = read(zipped(f"<draw:page>{frame}</draw:page>", "presentation", parts={"Pictures/t.png": png()}))
    assert reading.tables == [[["a", "b"]]]
    assert not reading.of(Picture)


def test_slides_behind_the_limit_are_counted() -> None:
    body = "".join(f"<draw:page>{box(f's{number}', 1)}</draw:page>" for number in range(5))
    reading = read(zipped(body, "presentation"), pptx_max_slides=3)
    assert reading.truncated == ["slides 4 to 5 of 5"]
    assert reading.of(PageCount) == [PageCount(5)]
    assert "s3" not in reading.text


def test_drawings_are_read_page_by_page() -> None:
    body = f"<draw:page>{box('Hello', 1)}<draw:connector><text:p>leads to</text:p></draw:connector></draw:page>"
    assert read(zipped(body, "drawing")).text == "--- Page 1 ---\n\nHello\n\nleads to"
    assert read(flat(body, "drawing")).text == "--- Page 1 ---\n\nHello\n\nleads to"


# --- limits and hostile files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<text:p>" + "<text:span>" * 240, "</text:span>" * 240 + "</text:p>"),
        ("<text:list><text:list-item>" * 120 + "<text:p>", "</text:p>" + "</text:list-item></text:list>" * 120),
        ("<text:section>" * 240 + "<text:p>", "</text:p>" + "</text:section>" * 240),
        (
            "<table:table><table:table-row><table:table-cell/><table:table-cell>" * 80 + "<text:p>",
            "</text:p>" + "</table:table-cell></table:table-row></table:table>" * 80,
        ),
        (
            "<text:p>" + "<draw:g>" * 240 + "<draw:rect><text:p>",
            "</text:p></draw:rect>" + "</draw:g>" * 240 + "</text:p>",
        ),
        (
            "<text:p><draw:frame><draw:text-box>" * 80 + "<text:p>",
            "</text:p>" + "</draw:text-box></draw:frame></text:p>" * 80,
        ),
    ],
    ids=["spans", "lists", "sections", "tables", "groups", "boxes"],
)
def test_what_is_nested_very_deep_is_still_read(opening: str, closing: str) -> None:
    assert "deep" in read(zipped(f"{opening}deep{closing}")).text


def test_xml_that_is_nested_deeper_than_a_parser_allows_is_rejected() -> None:
    with pytest.raises(Unreadable) as caught:
        read(zipped("<text:section>" * 5_000 + "</text:section>" * 5_000))
    assert caught.value.status is Status.REJECTED


def test_entities_are_neither_expanded_nor_fetched() -> None:
    dtd = b'<!DOCTYPE d [<!ENTITY i "inside"><!ENTITY x SYSTEM "file:///etc/hostname">]>'
    data = flat("<text:p>a&i;b&x;c</text:p>").replace(b"\n<office", b"\n" + dtd + b"<office", 1)
    assert read(data).text == "abc"


def test_a_bomb_of_entities_is_rejected() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    data = flat("<text:p>&l8;</text:p>").replace(
        b"\n<office", f'\n<!DOCTYPE d [<!ENTITY l0 "lol">{lol}]><office'.encode(), 1
    )
    with pytest.raises(Unreadable) as caught:
        read(data)
    assert caught.value.status is Status.REJECTED


def test_a_bomb_is_counted_as_it_inflates() -> None:
    with pytest.raises(Unreadable, match="inflates"):
        read(
            zipped("<text:section><text:p>" + "x" * 9_000_000 + "</text:p></text:section>"),
            office_zip_max_uncompressed_bytes=1_000_000,
        )


def test_a_document_that_breaks_half_way_keeps_what_came_before() -> None:
    for kind, body, wanted in (
        ("text", "<text:p>first</text:p><text:p>second</text:p><broken", "first"),
        ("spreadsheet", sheet(row(cell("first"))) + "<table:table", "first"),
        ("presentation", f"<draw:page>{box('first', 1)}</draw:page><draw:page><x", "first"),
    ):
        reading = read(zipped(body, kind))
        assert wanted in reading.text
        assert any(isinstance(b, Truncated) or (isinstance(b, Warned) and b.partial) for b in reading.blocks)


def test_no_time_left_is_said() -> None:
    late = time.monotonic() - 1
    assert read(zipped("<text:p>a</text:p>"), deadline=late).truncated == ["the rest of the document, for lack of time"]
    assert read(zipped("<draw:page/>", "presentation"), deadline=late).truncated
    rows = "".join(row(cell(str(number))) for number in range(600))
    truncated = read(zipped(sheet(rows), "spreadsheet"), deadline=late).truncated
    assert 'rows after 256 of sheet "S" (for lack of time)' in truncated


def test_other_kinds_are_unsupported_and_broken_files_rejected() -> None:
    with pytest.raises(Unreadable) as caught:
        read(stored({"content.xml": content("", "database").encode()}))
    assert caught.value.status is Status.UNSUPPORTED
    with pytest.raises(Unreadable) as caught:
        read(b"PK\x03\x04 nothing")
    assert caught.value.status is Status.REJECTED
    with pytest.raises(Unreadable):
        read(b"<?xml version='1.0'?><office:document")


# --- passwords --------------------------------------------------------------------------------------------------------


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def locked_by_part(cipher: str) -> bytes:
    """A document as LibreOffice (AES) or OpenOffice (Blowfish) encrypts it."""
    is_old = cipher == "Blowfish CFB"
    digest = hashlib.sha1 if is_old else hashlib.sha256
    plain = deflated(content("<text:p>机密内容</text:p>").encode())
    vector, salt = (b"v" * 8 if is_old else b"v" * 16), b"s" * 16
    key = hashlib.pbkdf2_hmac("sha1", digest(PASSWORD.encode()).digest(), salt, 1_000, 16 if is_old else 32)
    if is_old:
        encryptor = Cipher(old_algorithms.Blowfish(key), old_modes.CFB(vector)).encryptor()
        data = encryptor.update(plain)
    else:
        padding = 16 - len(plain) % 16
        encryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
        data = encryptor.update(plain + b"\0" * (padding - 1) + bytes([padding])) + encryptor.finalize()
    start = "" if is_old else '<manifest:start-key-generation manifest:start-key-generation-name="x#sha256"/>'
    manifest = (
        f'<manifest:manifest xmlns:manifest="{ODF}:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml">'
        f'<manifest:encryption-data manifest:checksum-type="{"SHA1/1K" if is_old else f"{ODF}:manifest:1.0#sha256-1k"}"'
        f' manifest:checksum="{b64(digest(plain[:1024]).digest())}"><manifest:algorithm'
        f' manifest:algorithm-name="{cipher}" manifest:initialisation-vector="{b64(vector)}"/>'
        f'<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="{len(key)}"'
        f' manifest:iteration-count="1000" manifest:salt="{b64(salt)}"/>{start}</manifest:encryption-data>'
        "</manifest:file-entry></manifest:manifest>"
    )
    return stored({"META-INF/manifest.xml": manifest.encode(), "content.xml": data})


def locked_as_a_whole(*, lanes: int = 4) -> bytes:
    """A document as LibreOffice encrypts it since 24.8."""
    salt, nonce = b"s" * 16, b"n" * 12
    start_key = hashlib.sha256(PASSWORD.encode()).digest()
    key = Argon2id(salt=salt, length=32, iterations=1, lanes=min(lanes, 4), memory_cost=1024).derive(start_key)
    data = nonce + AESGCM(key).encrypt(nonce, deflated(zipped("<text:p>机密内容</text:p>")), None)
    manifest = (
        f'<manifest:manifest xmlns:manifest="{ODF}:manifest:1.0"'
        ' xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0">'
        '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data><manifest:algorithm'
        ' manifest:algorithm-name="http://www.w3.org/2009/xmlenc11#aes256-gcm"'
        f' manifest:initialisation-vector="{b64(nonce)}"/><manifest:start-key-generation'
        ' manifest:start-key-generation-name="http://www.w3.org/2001/04/xmlenc#sha256"/><manifest:key-derivation'
        ' manifest:key-derivation-name="urn:org:documentfoundation:names:experimental:office:manifest:argon2id"'
        f' manifest:key-size="32" manifest:salt="{b64(salt)}" loext:argon2-iterations="1" loext:argon2-memory="1024"'
        f' loext:argon2-lanes="{lanes}"/></manifest:encryption-data></manifest:file-entry></manifest:manifest>'
    )
    return stored({"META-INF/manifest.xml": manifest.encode(), "encrypted-package": data})


def stored(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


LOCKED = {
    "AES": lambda: locked_by_part("http://www.w3.org/2001/04/xmlenc#aes256-cbc"),
    "Blowfish": lambda: locked_by_part("Blowfish CFB"),
    "whole": lambda: locked_as_a_whole(lanes=4),
}


@pytest.mark.parametrize("way", LOCKED)
def test_encrypted_documents_open_with_their_password_and_say_so_without_it(way: str) -> None:
    data = LOCKED[way]()
    assert read(data, password=PASSWORD).text == "机密内容"
    for password, note in (("", "a password is needed"), ("wrong", "the password does not open")):
        with pytest.raises(Unreadable, match=note) as caught:
            read(data, password=password)
        assert caught.value.status is Status.ENCRYPTED


def test_a_key_that_would_cost_too_much_is_not_made() -> None:
    begun = time.perf_counter()
    with pytest.raises(Unreadable) as caught:
        read(locked_as_a_whole(lanes=4_000), password=PASSWORD)
    assert caught.value.status is Status.ENCRYPTED
    assert time.perf_counter() - begun < 1


# --- the way in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
def test_zipped_and_flat_files_are_known_by_their_content(kind: str) -> None:
    for data in (zipped("", kind), flat("", kind)):
        reader = format_for(detect(Job(data=data, name="file.txt")))
        assert reader in FORMATS
        assert extract_content(data, media_type="application/octet-stream").status is Status.OK


async def test_confined_children_read_zipped_flat_and_encrypted_files() -> None:
    picture = f"<text:p>看 {image('Pictures/a.png')}</text:p>"
    async with SandboxedAttachmentExtractor(max_concurrency=1) as extractor:
        told = await extractor.extract(
            zipped(picture, parts={"Pictures/a.png": png()}), file_metadata={"name": "a.odt"}
        )
        assert (told.text, len(told.images)) == ("看 [image: image 1]", 1)
        flat_told = await extractor.extract(
            flat(sheet(row(cell("格"))), "spreadsheet"), file_metadata={"name": "a.fods"}
        )
        assert (flat_told.status, flat_told.kind) == (Status.OK, "spreadsheet")
        for way, locked in LOCKED.items():
            metadata = {"name": "a.odt", "password": PASSWORD}
            assert (await extractor.extract(locked(), file_metadata=metadata)).text == "机密内容", way
        closed = await extractor.extract(LOCKED["AES"](), file_metadata={"name": "a.odt"})
        assert closed.status is Status.ENCRYPTED
