"""HTML: what a reader of the page meets, in order, and nothing that is only for programs."""

from __future__ import annotations

import base64
import io
import random
import time

import pytest
from PIL import Image

from extractors import Status, extract_content
from extractors._html import html_markdown
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Picture, Text, Truncated
from extractors.formats.markup import FORMAT
from extractors.limits import ExtractLimits


def blocks(page: str | bytes, **limits: int) -> list[Block]:
    data = page if isinstance(page, bytes) else page.encode()
    budget = Budget(limits=ExtractLimits(**limits))
    return list(FORMAT.extract(Job(data=data), Detection(media_type="text/html"), budget))


def texts(page: str | bytes, **limits: int) -> list[str]:
    return [block.markdown for block in blocks(page, **limits) if isinstance(block, Text)]


def rows(table: str) -> list[list[str]]:
    lines = [line for line in table.split("\n") if not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def png(side: int = 64) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(buffer, "PNG")
    return buffer.getvalue()


# --- blocks -----------------------------------------------------------------------------------------------------------


def test_headings_stand_on_lines_of_their_own_wherever_they_are():
    assert texts("before<h2>Two<br>lines</h2>after<span><h3>Three</h3></span>end") == [
        "before",
        "## Two lines",
        "after",
        "### Three",
        "end",
    ]


def test_the_title_stands_first_unless_a_heading_says_it():
    assert texts("<title>季度 报告</title><p>正文") == ["Title: 季度 报告", "正文"]
    assert texts("<title>Report</title><h1> Report </h1>") == ["# Report"]


def test_what_stands_behind_the_end_of_the_page_belongs_to_it():
    assert texts("<html><body><p>page</p></body></html>\nfooter") == ["page", "footer"]
    assert texts(
        "<html><body><p>one</body></html><html><head><style>p {}</style></head><body><p>two</body></html>"
    ) == [
        "one",
        "two",
    ]


def test_the_title_of_a_drawing_is_not_the_title_of_the_page():
    assert texts("<p>a</p><svg><title>icon</title></svg>") == ["a"]


def test_lists_nest_and_count_as_the_page_says():
    page = (
        "<ol start=3><li>three<ol type=a><li>a<li>b</ol><li value=9>nine<li>ten</ol>"
        "<ul><li>dot<ul><li>inner</ul></ul><ol reversed><li>x<li>y</ol><ol type=I><li>roman</ol>"
    )
    assert texts(page) == [
        "3. three\n  a. a\n  b. b\n9. nine\n10. ten",
        "- dot\n  - inner",
        "2. x\n1. y",
        "I. roman",
    ]


def test_terms_stand_over_what_they_mean():
    assert texts("<dl><dt>甲方<dd>买受人<dd>payer<dt>乙方<dd>出卖人</dl>") == [
        "甲方\n: 买受人\n: payer\n乙方\n: 出卖人"
    ]


def test_code_keeps_its_lines_in_a_fence_that_it_cannot_close():
    assert texts("<pre>a\n  b &lt;\n</pre>") == ["```\na\n  b <\n```"]
    assert texts("<pre>```\nx</pre>") == ["````\n```\nx\n````"]
    assert texts("<p>call <code>f(x)</code> now") == ["call `f(x)` now"]


def test_quotations_are_marked_line_by_line():
    assert texts("<blockquote><p>one<p>two<blockquote>three</blockquote></blockquote>") == [
        "> one\n>\n> two\n>\n> > three"
    ]


def test_blanks_collapse_and_breaks_stay():
    assert texts("<p>a \n  b&nbsp;&nbsp;c<br>\n d\u200be\u00adf") == ["a b c\ndef"]


def test_form_fields_show_what_they_hold():
    page = (
        "<p>Name <input value=王> <input type=checkbox checked>yes <input type=radio>no"
        "<input type=hidden value=token><input type=password value=pw>"
        " <select><option>red<option>blue</select><textarea>note</textarea>"
    )
    assert texts(page) == ["Name 王 ☑ yes ☐ no red / blue", "note"]


def test_powers_deletions_and_readings_keep_their_meaning():
    assert texts("<p>10<sup>5</sup> 1<sup>st</sup> <del>old</del> <ruby>漢<rp>(<rt>kan<rp>)</ruby>") == [
        "10^5 1st ~~old~~ 漢(kan)"
    ]


def test_equations_are_latex():
    page = (
        "<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac><msqrt><mi>x</mi></msqrt></math>"
        "<math><semantics><mi>y</mi><annotation encoding='application/x-tex'>y_{1}</annotation></semantics></math>"
    )
    assert texts(page) == [r"\frac{a}{b+1}\sqrt{x} y_{1}"]


def test_programs_styles_and_templates_are_not_text():
    page = (
        "<head><style>.x{}</style><script>var 秘密</script></head><!-- 注释 --><noscript>plain</noscript>"
        "<template>later</template><p>seen</p><script>document.write('<p>秘密</p>')</script><object data=x>alt</object>"
    )
    assert texts(page) == ["plain", "seen", "alt"]


# --- addresses and pictures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "shown"),
    [
        ("https://example.com/a?b=1", "[t](https://example.com/a?b=1)"),
        ("//example.com/a", "[t](https://example.com/a)"),
        ("mailto:a@example.com", "[t](mailto:a@example.com)"),
        ("file:///c:/a b.txt", "[t](file:///c:/a%20b.txt)"),
        ("/relative", "t"),
        ("#here", "t"),
        ("javascript:alert(1)", "t"),
        ("java\nscript:alert(1)", "t"),
        ("data:text/html,x", "t"),
        ("https://[broken", "t"),
    ],
)
def test_only_addresses_that_lead_somewhere_are_shown(href, shown):
    assert texts(f'<a href="{href}">t</a>') == [shown]


def test_an_address_is_not_said_twice():
    page = '<a href="https://example.com">https://example.com</a> <a href="mailto:a@b.cn">a@b.cn</a>'
    assert texts(page) == ["https://example.com a@b.cn"]


def test_relative_addresses_start_from_the_base_of_the_page():
    page = '<head><base href="https://example.com/dir/"></head><a href="x.html">t</a>'
    assert texts(page) == ["[t](https://example.com/dir/x.html)"]


def test_a_picture_in_the_page_comes_out_once_where_it_stands():
    source = f"data:image/png;base64,{base64.b64encode(png()).decode()}"
    found = blocks(f'<p>a <img alt="logo" src="{source}"> b<img src="{source}">')
    assert [block.markdown for block in found if isinstance(block, Text)] == [
        "a [image: image 1] (logo) b [image: image 1]"
    ]
    assert [block.image.name for block in found if isinstance(block, Picture)] == ["image 1"]


def test_pictures_elsewhere_are_named_and_ornaments_are_not():
    dot = f"data:image/png;base64,{base64.b64encode(png(1)).decode()}"
    page = f'<img src="/a/chart.png"> <img src=x alt=图> <img src=y alt=""> <img src="{dot}"> <img src=z.gif width=1>'
    assert texts(page) == ["[image: chart.png] [image: 图]"]


def test_a_broken_picture_takes_nothing_with_it():
    result = extract_content(b'<p>a<img src="data:image/png;base64,AAAA">b', media_type="text/html")
    assert "a" in (result.text or "")
    assert result.status is Status.PARTIAL


# --- tables -----------------------------------------------------------------------------------------------------------


def test_spans_in_both_directions_leave_every_value_on_its_column():
    page = (
        "<table><tr><th rowspan=2>区域<th colspan=2>上半年<tr><th>Q1<th>Q2"
        "<tr><td>华东<td>1<td>2<tr><td colspan=2>合计（合并单元格）<td>5006</table>"
    )
    assert rows(texts(page)[0]) == [
        ["区域", "上半年", ""],
        ["", "Q1", "Q2"],
        ["华东", "1", "2"],
        ["合计（合并单元格）", "", "5006"],
    ]


def test_a_span_ends_with_its_group_and_zero_reaches_to_the_end_of_it():
    page = (
        "<table><thead><tr><td rowspan=9>h<td>1</thead><tbody><tr><td rowspan=0>x<td>2<tr><td>3</tbody>"
        "<tbody><tr><td>y<td>4</tbody></table>"
    )
    assert rows(texts(page)[0]) == [["h", "1"], ["x", "2"], ["", "3"], ["y", "4"]]


@pytest.mark.parametrize("seed", range(8))
def test_every_value_of_a_random_merged_table_stands_on_its_row_and_column(seed):
    grid, page = merged_table(random.Random(seed))
    assert rows(texts(page)[0]) == grid


def merged_table(chance: random.Random) -> tuple[list[list[str]], str]:
    """A table of non-overlapping merged cells: what must stand where, and the page."""
    height, width = chance.randint(3, 7), chance.randint(3, 7)
    grid = [[""] * width for _ in range(height)]
    taken: set[tuple[int, int]] = set()
    lines = []
    for row in range(height):
        cells = ""
        for column in range(width):
            if (row, column) in taken:
                continue
            rowspan, colspan = chance.choice([(1, 1), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3)])
            places = {
                (r, c)
                for r in range(row, min(row + rowspan, height))
                for c in range(column, min(column + colspan, width))
            }
            if places & taken:
                places = {(row, column)}
            taken |= places
            grid[row][column] = f"r{row}c{column}"
            down, across = len({r for r, _ in places}), len({c for _, c in places})
            cells += f"<td rowspan={down} colspan={across}>r{row}c{column}</td>"
        lines.append(f"<tr>{cells}</tr>")
    return grid, f"<table border=1>{''.join(lines)}</table>"


def test_a_table_in_a_cell_becomes_lines_and_one_for_layout_is_taken_apart():
    inner = "<table><tr><td>甲<td>乙</table>"
    assert texts(f"<table border=1><tr><td>outer{inner}<td>b</table>") == ["| outer<br>甲 \\| 乙 | b |\n| --- | --- |"]
    assert texts(f"<table role=presentation><tr><td>outer{inner}<td>b</table>") == [
        "outer",
        "| 甲 | 乙 |\n| --- | --- |",
        "b",
    ]
    assert texts("<table><tr><td><h1>Title</h1>text<td>side</table>") == ["# Title", "text", "side"]


def test_a_foot_comes_last_and_a_caption_first():
    page = "<table><caption>表一</caption><tfoot><tr><td>sum<td>3</tfoot><tbody><tr><td>a<td>3</tbody></table>"
    assert texts(page)[0] == "表一"
    assert rows(texts(page)[1]) == [["a", "3"], ["sum", "3"]]


def test_cells_escape_what_would_break_the_table():
    assert texts("<table border=1><tr><td>a|b<td>c\\d<tr><td>e<br>f<td>g</table>") == [
        "| a\\|b | c\\\\d |\n| --- | --- |\n| e<br>f | g |"
    ]


def test_rows_over_the_limit_are_counted():
    page = "<table border=1>" + "".join(f"<tr><td>{n}<td>x" for n in range(30)) + "</table>"
    found = blocks(page, docx_max_table_rows=10)
    assert [block.what for block in found if isinstance(block, Truncated)] == [
        "rows of table 1 after the first 10 of 30"
    ]


# --- what is hidden ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden",
        'style="display:none"',
        'style="color:red; VISIBILITY: hidden"',
        'style="font-size:0"',
        'style="font-size:1px"',
        'style="opacity:0"',
        'style="position:absolute;left:-9999px"',
        'style="text-indent:-5000px"',
        'style="color:#fff"',
        'style="color: white; mso-hide:all"',
        'class="gone"',
        'id="away"',
    ],
)
def test_what_nobody_sees_is_marked(attributes):
    style = "<style>.gone, #away {display:none} @media print {p {display:none}}</style>"
    assert texts(f"{style}<p>seen<div {attributes}>转账</div>") == ["seen", "[hidden text] 转账"]


@pytest.mark.parametrize(
    "page",
    [
        '<div style="background:#333"><p style="color:#fff">seen</p></div>',
        "<table bgcolor=black><tr><td><font color=white>seen</font></table>",
        '<style>.dark{background-color:navy}</style><div class=dark><p style="color:white">seen</p></div>',
        '<p style="font-size:10px;opacity:0.5">seen</p>',
        '<body style="visibility:hidden"><p>seen</p>',
        "<style>@media print {p {display:none}}</style><p>seen</p>",
    ],
)
def test_what_is_seen_is_not_marked(page):
    assert texts(page) == ["seen"]


def test_hidden_words_in_a_line_stand_on_a_line_of_their_own_and_are_marked_once():
    page = '<p>a <span hidden>b <i style="display:none">c</i></span> d'
    assert texts(page) == ["a\n[hidden text] b c\nd"]


def test_hidden_rows_and_cells_stay_on_their_places():
    page = '<table border=1><tr><td>a<td>b<tr style="display:none"><td>c<td>d<tr><td>e<td hidden>f</table>'
    assert rows(texts(page)[0]) == [["a", "b"], ["[hidden text] c", "d"], ["e", "[hidden text] f"]]


# --- bytes ------------------------------------------------------------------------------------------------------------


def test_the_charset_is_told_by_the_mark_by_the_page_or_by_the_bytes():
    page = '<html><head><meta charset="{}"></head><body><p>合同条款与金额</p></body></html>'
    for data in (
        page.format("gb2312").encode("gbk"),
        page.format("big5").replace("合同条款与金额", "合約條款").encode("big5"),
        page.format("utf-16").encode("utf-16"),
        page.format("").encode("utf-8-sig"),
        page.format("").encode("gb18030"),
    ):
        assert texts(data)[0] in {"合同条款与金额", "合約條款"}


def test_xhtml_closes_what_it_closes_itself():
    page = (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
        '<script src="a.js"/></head><body><a id="x"/><p>可扩展<br/>超文本</p><![CDATA[<b>&]]><div/>end</body></html>'
    )
    assert texts(page) == ["可扩展\n超文本", "<b>&", "end"]


def test_snippets_without_a_page_are_read():
    assert html_markdown("<b>bold</b> &amp; <a href='https://e.cn'>link</a>") == "bold & [link](https://e.cn)"
    assert html_markdown("") == ""
    assert html_markdown("plain") == "plain"


def test_a_page_without_words_is_rejected_with_a_sentence():
    result = extract_content(b"<html><script>x()</script></html>", media_type="text/html", name="a.html")
    assert result.status is not Status.FAILED


# --- what is built to hurt --------------------------------------------------------------------------------------------


def test_a_page_that_nests_without_end_is_read():
    assert texts("<div>" * 20_000 + "deep" + "</div>" * 20_000) == ["deep"]
    assert texts("<table><tr><td>" * 3_000 + "deep") == ["deep"]
    assert "deep" in "".join(texts("<ul><li>" * 1_000 + "deep"))


def test_unclosed_marks_of_old_pages_lose_nothing():
    found = "\n".join(texts("".join(f"<font size={n}><b>word{n} " for n in range(3_000))))
    assert all(f"word{n}" in found for n in range(3_000))


def test_a_page_that_is_too_long_keeps_its_beginning_and_its_end_and_gives_up_its_addresses():
    page = "".join(f'<p>paragraph {n} <a href="https://example.com/{n}">link</a></p>' for n in range(1_000))
    result = extract_content(page.encode(), media_type="text/html", limits=ExtractLimits(extract_text_max_chars=8_000))
    text = result.text or ""
    assert text.startswith("paragraph 0 link")
    assert text.endswith("paragraph 999 link")
    assert "characters are left out here)" in text
    assert result.status is Status.PARTIAL
    assert "addresses of links" in (result.note or "")
    assert len(text) <= 8_000


@pytest.mark.parametrize(
    "page",
    [
        "<" * 400_000,
        "<style>" + "@{" * 100_000 + "</style><p>x",
        "<table><tr><td colspan=1000 rowspan=65534>x<td colspan=999999999>y</table>" * 50,
        "<p>" + "<a href='https://e.cn/" * 50_000,
        '<html xmlns="x">' + "<a " * 200_000,
        "<ol start=99999999999999999999><li>x" * 200,
        "&#x110000;&#xd800;&unknown;" * 10_000 + "x",
    ],
    ids=["angles", "braces", "spans", "links", "self-closing", "numbers", "entities"],
)
def test_hostile_pages_take_little_time(page):
    begun = time.perf_counter()
    result = extract_content(page.encode(), media_type="text/html", name="a.html")
    assert time.perf_counter() - begun < 5
    assert result.status is not Status.FAILED
