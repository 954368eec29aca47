from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import docx
import pytest
from docx.shared import Mm
from PIL import Image

from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Picture, Status, Text, Truncated, Warned
from extractors.format import Unreadable
from extractors.formats.word import FORMAT
from extractors.limits import ExtractLimits

NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"


@dataclass(frozen=True, kw_only=True)
class Reading:
    text: str
    blocks: list[Block]

    def of(self, kind: type) -> list[Block]:
        return [block for block in self.blocks if isinstance(block, kind)]


def read(data: bytes, *, deadline: float | None = None, **limits: int) -> Reading:
    budget = Budget(limits=ExtractLimits(**limits), soft_deadline=deadline)
    detection = Detection(media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document")
    blocks = list(FORMAT.extract(Job(data=data), detection, budget))
    return Reading(text="\n\n".join(b.markdown for b in blocks if isinstance(b, Text)), blocks=blocks)


def links(items: Mapping[str, tuple[str, str]]) -> str:
    entries = (
        f'<Relationship Id="{key}" Type="{KINDS}/{kind}" Target="{target}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if target.startswith('http') else ''}/>"
        for key, (kind, target) in items.items()
    )
    return f'<Relationships xmlns="{LINKS}">{"".join(entries)}</Relationships>'


def word(
    body: str, parts: Mapping[str, str | bytes] | None = None, related: Mapping[str, tuple[str, str]] | None = None
) -> bytes:
    """A package with that body, further parts under `word/`, and the links of the document to them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", links({"r1": ("officeDocument", "word/document.xml")}))
        archive.writestr("word/document.xml", f"<w:document {NAMES}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/_rels/document.xml.rels", links(related or {}))
        for name, content in (parts or {}).items():
            archive.writestr(f"word/{name}", content)
    return buffer.getvalue()


def r(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def png(color: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), color).save(buffer, "PNG")
    return buffer.getvalue()


def saved(document: docx.document.Document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


# --- ordinary documents -----------------------------------------------------------------------------------------------


def test_headings_lists_tables_and_pictures_stand_in_document_order() -> None:
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("Part", 2)
    document.add_paragraph("before")
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for index, text in enumerate(["name", "price", "pen|ink", "3"]):
        table.cell(index // 2, index % 2).text = text
    document.add_picture(io.BytesIO(png("red")), width=Mm(10))
    document.add_paragraph("after")
    reading = read(saved(document))
    assert reading.text == (
        "# Report\n\n## Part\n\nbefore\n\n- one\n- two\n\n"
        "| name | price |\n| --- | --- |\n| pen\\|ink | 3 |\n\n[image: image 1]\n\nafter"
    )
    (picture,) = reading.of(Picture)
    assert isinstance(picture, Picture)
    assert picture.image.name == "image 1"


def test_same_picture_is_shown_once_and_referred_to_twice() -> None:
    document = docx.Document()
    for color in ("red", "red", "blue"):
        document.add_picture(io.BytesIO(png(color)), width=Mm(10))
    reading = read(saved(document))
    assert reading.text == "[image: image 1]\n\n[image: image 1]\n\n[image: image 2]"
    assert len(reading.of(Picture)) == 2


def test_pictures_over_the_limit_are_counted_and_broken_ones_are_warned_of() -> None:
    document = docx.Document()
    for color in ("red", "green", "blue"):
        document.add_picture(io.BytesIO(png(color)), width=Mm(10))
    reading = read(saved(document), images_max_count=1)
    assert len(reading.of(Picture)) == 1
    assert Truncated("2 more images") in reading.blocks

    drawing = '<w:p><w:r><w:drawing><a:blip r:embed="i"/></w:drawing></w:r></w:p>'
    broken = read(word(drawing + p("text"), {"media/a.png": b"no picture"}, {"i": ("image", "media/a.png")}))
    assert not broken.of(Picture)
    assert "text" in broken.text
    assert any(isinstance(b, Warned) and b.partial for b in broken.blocks)


def test_headers_and_footers_are_read_once_each() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "confidential"
    document.add_section().header.is_linked_to_previous = False
    document.sections[1].header.paragraphs[0].text = "confidential"
    document.sections[0].footer.paragraphs[0].text = "page foot"
    document.add_paragraph("body")
    text = read(saved(document)).text
    assert text.startswith("Header: confidential\n\n")
    assert text.count("confidential") == 1
    assert text.endswith("Footer: page foot")


# --- tables -----------------------------------------------------------------------------------------------------------


def test_merged_cells_keep_every_value_once_and_in_its_column() -> None:
    span, start, goes_on = '<w:gridSpan w:val="3"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        row(cell("a"), cell("b"), cell("c"), cell("d"))
        + row(cell("total", span), cell("5006"))
        + row(cell("tall", start), cell("x"), cell("y"), cell("z"))
        + row(cell("", goes_on), cell("x2"), cell("y2"), cell("z2"))
        + row(cell("m"), cell("n"), properties='<w:gridBefore w:val="1"/><w:gridAfter w:val="1"/>')
    )
    assert read(word(f"<w:tbl>{body}</w:tbl>")).text.splitlines()[2:] == [
        "| total |  |  | 5006 |",
        "| tall | x | y | z |",
        "|  | x2 | y2 | z2 |",
        "|  | m | n |  |",
    ]


def test_nested_table_stays_inside_its_cell() -> None:
    inner = f"<w:tbl>{row(cell('in 1'), cell('in 2'))}</w:tbl>"
    right = f"<w:tc>{p('above')}{inner}{p('')}</w:tc>"
    assert (
        read(word(f"<w:tbl>{row(cell('left'), right)}</w:tbl>")).text.splitlines()[0]
        == r"| left | above<br>in 1 \| in 2 |"
    )


def test_frame_of_one_cell_is_no_table() -> None:
    inner = f"<w:tbl>{row(cell('a'), cell('b'))}</w:tbl>"
    assert read(word(f"<w:tbl><w:tr><w:tc>{p('framed')}{inner}</w:tc></w:tr></w:tbl>")).text == (
        "framed\n\n| a | b |\n| --- | --- |"
    )


def test_table_used_for_the_layout_is_read_as_text() -> None:
    long = "word " * 100
    text = read(word(f"<w:tbl>{row(cell('side'), cell(long))}</w:tbl>"), table_cell_max_chars=100).text
    assert text == f"side\n\n{long.strip()}"


def test_rows_and_cells_inside_content_controls_and_insertions_are_read() -> None:
    wrapped = f"<w:sdt><w:sdtContent>{row(cell('a'), cell('b'))}</w:sdtContent></w:sdt>"
    in_row = f"<w:tr><w:sdt><w:sdtContent>{cell('c')}</w:sdtContent></w:sdt>{cell('d')}</w:tr>"
    deleted = row(cell("gone"), cell("gone"), properties='<w:del w:id="1"/>')
    assert read(word(f"<w:tbl>{wrapped}{in_row}{deleted}</w:tbl>")).text == "| a | b |\n| --- | --- |\n| c | d |"


def test_limits_on_tables_and_rows_are_said() -> None:
    table = f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(row(cell(f'r{n}'), cell('x')) for n in range(30))}</w:tbl>"
    reading = read(word(table * 3), docx_max_tables=2, docx_max_table_rows=10)
    assert reading.text.count("| r9 |") == 2
    assert "| r10 |" not in reading.text
    assert Truncated("rows of table 1 after the first 10") in reading.blocks


def test_a_table_without_any_words_is_not_shown() -> None:
    empty = f"<w:tbl>{row(cell(''), cell(' '))}{row(cell(''), cell(''))}</w:tbl>"
    assert read(word(p("a") + empty + p("b"))).text == "a\n\nb"


def test_tables_behind_the_limit_are_lines_and_nothing_is_lost() -> None:
    table = f"<w:tbl>{row(cell('区'), cell(''), cell('额'))}{row(cell(''), cell('x'), cell('3'))}</w:tbl>"
    reading = read(word(table + p("between") + table), docx_max_tables=1)
    assert reading.text == "| 区 |  | 额 |\n| --- | --- | --- |\n|  | x | 3 |\n\nbetween\n\n区 |  | 额\n | x | 3"
    assert not reading.of(Truncated)


# --- lists ------------------------------------------------------------------------------------------------------------


def numbering(levels: str, nums: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> str:
    return f'<w:numbering {NAMES}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{nums}</w:numbering>'


def level(place: int, kind: str, text: str) -> str:
    return f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'


def item(text: str, place: int = 0, list_id: int = 1) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{list_id}"/></w:numPr>')


def numbered(body: str, levels: str, **kinds: str) -> str:
    return read(word(body, {"numbering.xml": numbering(levels, **kinds)}, {"n": ("numbering", "numbering.xml")})).text


def test_list_numbers_are_those_that_word_shows() -> None:
    levels = level(0, "chineseCounting", "第%1条") + level(1, "decimal", "%1.%2") + level(2, "bullet", "")
    body = item("a") + item("b", 1) + item("c", 1) + item("dot", 2) + item("d") + item("e", 1)
    assert numbered(body, levels) == ("第一条 a\n  一.1 b\n  一.2 c\n    - dot\n第二条 d\n  二.1 e")


def test_lists_share_their_count_unless_one_starts_anew() -> None:
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    nums = "".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="0"/>{extra}</w:num>'
        for n, extra in ((1, ""), (2, ""), (3, override))
    )
    body = item("a") + item("b", list_id=2) + item("c", list_id=3) + item("none", list_id=0)
    assert numbered(body, level(0, "decimal", "%1."), nums=nums) == "1. a\n2. b\n1. c\n\nnone"


def test_numbered_headings_carry_their_number() -> None:
    styles = (
        f'<w:styles {NAMES}><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/>'
        '</w:numPr></w:pPr></w:style><w:style w:styleId="Mine"><w:name w:val="mine"/><w:basedOn w:val="H1"/></w:style>'
        "</w:styles>"
    )
    body = p("first", '<w:pStyle w:val="H1"/>') + p("second", '<w:pStyle w:val="Mine"/>')
    data = word(
        body,
        {"numbering.xml": numbering(level(0, "decimal", "%1")), "styles.xml": styles},
        {"n": ("numbering", "numbering.xml"), "s": ("styles", "styles.xml")},
    )
    assert read(data).text == "# 1 first\n\n# 2 second"


# --- inside paragraphs ------------------------------------------------------------------------------------------------


BOXED = f"<w:txbxContent><w:p>{r('boxed')}</w:p></w:txbxContent>"
RUBY = f"<w:ruby><w:rt>{r('hàn')}</w:rt><w:rubyBase>{r('汉')}</w:rubyBase></w:ruby>"
HALF = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f'<w:ins w:id="1">{r("new")}</w:ins><w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>', "new"),
        (f'<w:fldSimple w:instr="AUTHOR">{r("Li")}</w:fldSimple>', "Li"),
        (f"<w:smartTag>{r('tagged')}</w:smartTag>", "tagged"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{r('filled in')}</w:sdtContent></w:sdt>", "filled in"),
        (f"<w:r>{RUBY}</w:r>", "汉(hàn)"),
        (f'<w:hyperlink r:id="web">{r("site")}</w:hyperlink>', "[site](https://example.com/a)"),
        (f'<w:hyperlink w:anchor="x">{r("inside")}</w:hyperlink>', "inside"),
        (
            '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> HYPERLINK "https://example.com/f" </w:instrText>'
            '<w:fldChar w:fldCharType="separate"/><w:t>field</w:t><w:fldChar w:fldCharType="end"/></w:r>',
            "[field](https://example.com/f)",
        ),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a\tb\nc"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t>done</w:t></w:r>', "☑done"),
        (r("secret", "<w:vanish/>") + r("seen"), "[hidden text] secret\nseen"),
        (r("seen", '<w:vanish w:val="0"/>'), "seen"),
        (f"<m:oMath>{HALF}</m:oMath>", r"\frac{1}{2}"),
        (
            f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>{BOXED}</w:drawing></mc:Choice>'
            f"<mc:Fallback><w:pict>{BOXED}</w:pict></mc:Fallback></mc:AlternateContent></w:r>",
            "boxed",
        ),
        ('<w:r><w:pict><v:shape><v:textpath string="WORDART"/></v:shape></w:pict></w:r>', "WORDART"),
    ],
)
def test_what_stands_inside_a_paragraph_is_read_once(inner: str, text: str) -> None:
    data = word(f"<w:p>{inner}</w:p>", related={"web": ("hyperlink", "https://example.com/a")})
    assert read(data).text == text


def test_tracked_changes_are_said() -> None:
    reading = read(word('<w:p><w:del w:id="1"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>' + p("kept")))
    assert reading.text == "kept"
    (warned,) = reading.of(Warned)
    assert isinstance(warned, Warned)
    assert "tracked changes" in warned.warning.problem
    assert not warned.partial


def test_notes_and_comments_are_gathered_at_the_end_under_their_reference() -> None:
    body = (
        '<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id="7"/></w:r><w:r><w:t>b</w:t><w:endnoteReference w:id="2"/>'
        '</w:r><w:r><w:t>c</w:t><w:commentReference w:id="0"/></w:r></w:p>'
    )
    separator = '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
    parts = {
        "footnotes.xml": f'<w:footnotes {NAMES}>{separator}<w:footnote w:id="7">{p("foot")}</w:footnote></w:footnotes>',
        "endnotes.xml": f'<w:endnotes {NAMES}><w:endnote w:id="2">{p("end")}</w:endnote></w:endnotes>',
        "comments.xml": f'<w:comments {NAMES}><w:comment w:id="0" w:author="Li">{p("check")}</w:comment></w:comments>',
    }
    related = {name: (name, f"{name}.xml") for name in ("footnotes", "endnotes", "comments")}
    assert read(word(body, parts, related)).text == (
        "a[^1]b[^e1]c[comment 1]\n\n[^1]: foot\n\n[^e1]: end\n\n[comment 1] Li: check"
    )


def test_marks_of_comments_without_words_are_left_out() -> None:
    marks = "".join(f'<w:commentReference w:id="{number}"/>' for number in range(4))
    comments = (
        f'<w:comment w:id="0">{p(" ")}</w:comment><w:comment w:id="1"><w:p><w:pPr/></w:p></w:comment>'
        f'<w:comment w:id="2" w:author="Li">{p("check")}</w:comment>'
    )
    body = f"<w:p><w:r><w:t>a</w:t>{marks}</w:r></w:p>"
    parts = {"comments.xml": f"<w:comments {NAMES}>{comments}</w:comments>"}
    data = word(body, parts, {"c": ("comments", "comments.xml")})
    assert read(data).text == "a[comment 1]\n\n[comment 1] Li: check"
    assert read(word(body)).text == "a"


def test_charts_and_diagrams_are_read_where_they_stand() -> None:
    point = '<c:pt idx="{}"><c:v>{}</c:v></c:pt>'
    chart = (
        f"<c:chartSpace {NAMES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx>"
        "</c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>"
        f"{point.format(0, '2024')}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>"
        f"{point.format(0, 'Q1')}{point.format(1, 'Q2')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>"
        f"{point.format(0, '10')}{point.format(1, '12')}</c:numCache></c:numRef></c:val></c:ser></c:barChart>"
        "</c:plotArea></c:chart></c:chartSpace>"
    )
    node = '<dgm:pt modelId="{0}"><dgm:t><a:p><a:r><a:t>{0}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    diagram = (
        f"<dgm:dataModel {NAMES}><dgm:ptLst>{''.join(map(node.format, ('boss', 'second', 'first')))}</dgm:ptLst>"
        '<dgm:cxnLst><dgm:cxn srcId="boss" destId="second" srcOrd="1"/>'
        '<dgm:cxn srcId="boss" destId="first" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>'
    )
    drawings = '<w:drawing><c:chart r:id="c"/></w:drawing><w:drawing><dgm:relIds r:dm="d"/></w:drawing>'
    data = word(
        f"{p('before')}<w:p><w:r>{drawings}</w:r></w:p>{p('after')}",
        {"charts/c.xml": chart, "diagrams/d.xml": diagram},
        {"c": ("chart", "charts/c.xml"), "d": ("diagramData", "diagrams/d.xml")},
    )
    assert read(data).text == (
        "before\n\nChart: Sales\n\n|  | 2024 |\n| --- | --- |\n| Q1 | 10 |\n| Q2 | 12 |\n\n"
        "- boss\n  - first\n  - second\n\nafter"
    )


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        (
            "c.html",
            "<html><head><style>p{}</style></head><body><p>网页</p><table><tr><td>a</td><td>b</td></tr></table></body>",
            "网页\n\n| a | b |\n| --- | --- |",
        ),
        ("c.txt", "这份合同自双方签字之日起生效。".encode("gb18030"), "这份合同自双方签字之日起生效。"),
    ],
)
def test_chunks_of_html_and_text_are_read(name: str, content: str | bytes, text: str) -> None:
    assert read(word('<w:altChunk r:id="x"/>', {name: content}, {"x": ("aFChunk", name)})).text == text


def test_headers_that_only_count_pages_are_left_out() -> None:
    parts = {"h.xml": f"<w:hdr {NAMES}>{p('3/10')}</w:hdr>", "f.xml": f"<w:ftr {NAMES}>{p('第3页')}</w:ftr>"}
    related = {"h": ("header", "h.xml"), "f": ("footer", "f.xml")}
    assert read(word(p("body"), parts, related)).text == "body\n\nFooter: 第3页"


# --- fields -----------------------------------------------------------------------------------------------------------


def part(kind: str, data: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{data}</w:fldChar></w:r>'


def field(instruction: str, result: str | None = None, data: str = "") -> str:
    """A field with or without a result; the instruction may hold other fields."""
    texts = instruction if instruction.startswith("<") else f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    return part("begin", data) + texts + ("" if result is None else part("separate") + r(result)) + part("end")


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        (" MACROBUTTON NoMacro [单击此处键入] ", "[单击此处键入]"),
        (" eq \\o\\ac(○,3) ", "③"),
        (' EQ \\* jc2 \\* "Font:MS Mincho" \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)', "東京(とうきょう)"),
        ("EQ \\f(1,2)", "1/2"),
        ("EQ \\r(3,8)", "√[3](8)"),
        ("SYMBOL 97 \\f Symbol \\s 10", "α"),
        ("TC &quot;entry&quot;", ""),
    ],
)
def test_what_a_field_without_a_result_shows(instruction: str, text: str) -> None:
    assert read(word(f"<w:p>{field(instruction)}</w:p>")).text == text


def test_the_result_of_a_field_inside_an_instruction_is_no_text() -> None:
    outer = f"<w:r><w:instrText>IF </w:instrText></w:r>{field('PAGE', '7')}<w:r><w:instrText> = 1</w:instrText></w:r>"
    assert read(word(f"<w:p>{r('a')}{field(outer, 'shown')}{r('b')}</w:p>")).text == "ashownb"


@pytest.mark.parametrize(("choice", "text"), [('<w:result w:val="1"/>', "b"), ("", "a"), ('<w:result w:val="9"/>', "")])
def test_a_list_to_choose_from_shows_its_choice(choice: str, text: str) -> None:
    data = f'<w:ffData><w:ddList>{choice}<w:listEntry w:val="a"/><w:listEntry w:val="b"/></w:ddList></w:ffData>'
    assert read(word(f"<w:p>{field('FORMDROPDOWN', None, data)}</w:p>")).text == text


@pytest.mark.parametrize(
    ("instruction", "address"),
    [
        ('HYPERLINK "https://a.example/x" \\l "sec" \\o "tip"', "https://a.example/x#sec"),
        ("HYPERLINK https://a.example/x", "https://a.example/x"),
        ('HYPERLINK \\l "sec"', None),
    ],
)
def test_links_of_fields(instruction: str, address: str | None) -> None:
    text = read(word(f"<w:p>{field(instruction, 'here')}</w:p>")).text
    assert text == (f"[here]({address})" if address else "here")


def test_a_link_cut_into_pieces_is_one_link() -> None:
    def piece(text: str, target: str = "a") -> str:
        return f'<w:hyperlink r:id="{target}">{r(text)}</w:hyperlink>'

    related = {name: ("hyperlink", f"https://{name}.example") for name in ("a", "b")}

    def said(*pieces: str) -> str:
        return read(word(f"<w:p>{''.join(pieces)}</w:p>", related=related)).text

    assert said(piece("th"), piece("is "), piece("one")) == "[this one](https://a.example)"
    assert said(piece("https://"), piece("a.example")) == "https://a.example"
    assert said(piece("https://a.example"), piece(" (home)")) == "[https://a.example (home)](https://a.example)"
    assert said(piece("https://a.example/")) == "https://a.example/"
    assert said(piece("x"), piece("y", "b")) == "[x](https://a.example)[y](https://b.example)"
    assert said(piece("x"), r(" and "), piece("y")) == "[x](https://a.example) and [y](https://a.example)"
    hidden = f'<w:hyperlink r:id="a">{r("secret", "<w:vanish/>")}</w:hyperlink>'
    assert said(piece("seen"), hidden) == "[seen](https://a.example)\n[hidden text] [secret](https://a.example)"


def test_a_link_of_very_many_pieces_costs_little() -> None:
    body = f"<w:p>{'<w:hyperlink r:id=' + chr(34) + 'a' + chr(34) + '>' + r('0123456789') + '</w:hyperlink>'}</w:p>"
    many = body.replace("<w:p>", "<w:p>" + body[5:-6] * 20_000)
    began = time.monotonic()
    reading = read(word(many, related={"a": ("hyperlink", "https://a.example")}))
    assert reading.text.count("0123456789") == 20_001
    assert time.monotonic() - began < 5


def test_a_link_leads_to_the_place_in_the_page() -> None:
    body = f'<w:p><w:hyperlink r:id="l" w:anchor="part2">{r("here")}</w:hyperlink></w:p>'
    assert read(word(body, {}, {"l": ("hyperlink", "https://a.example/x")})).text == "[here](https://a.example/x#part2)"


def test_a_table_inside_a_paragraph_is_a_table() -> None:
    rows = "".join(f"<w:tr>{cell(a)}{cell(b)}</w:tr>" for a, b in (("a", "b"), ("c", "d")))
    assert read(word(f"<w:p>{r('before')}<w:tbl>{rows}</w:tbl></w:p>")).text == (
        "before\n\n| a | b |\n| --- | --- |\n| c | d |"
    )


def test_text_boxes_of_strict_files_are_read_though_they_have_a_namespace_of_their_own() -> None:
    box = '<x:txbxContent xmlns:x="http://schemas.microsoft.com/office/word/2006/wordml">{}</x:txbxContent>'
    assert (
        read(word(f"<w:p><w:r><w:drawing>{box.format(p('in the box'))}</w:drawing></w:r></w:p>")).text == "in the box"
    )


# --- templates, strict files, hostile files ---------------------------------------------------------------------------


def test_strict_documents_are_read_like_others() -> None:
    strict = word(p("strictly"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(strict)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode()
            content = content.replace(
                "http://schemas.openxmlformats.org/wordprocessingml/2006/",
                "http://purl.oclc.org/ooxml/wordprocessingml/",
            )
            content = content.replace(
                "http://schemas.openxmlformats.org/officeDocument/2006/", "http://purl.oclc.org/ooxml/officeDocument/"
            )
            new.writestr(name, content)
    assert read(buffer.getvalue()).text == "strictly"


def test_document_without_a_body_is_empty_and_no_error() -> None:
    assert read(word("")).text == ""


def test_broken_end_leaves_what_came_before_and_says_so() -> None:
    data = word(p("kept") + "<w:x/>" * 20_000 + "</broken>")
    reading = read(data)
    assert reading.text == "kept"
    assert any(isinstance(b, Warned) and b.partial for b in reading.blocks)


def test_document_that_is_broken_from_the_start_is_rejected() -> None:
    with pytest.raises(Unreadable) as caught:
        read(word("</broken>"))
    assert caught.value.status is Status.REJECTED


def test_reading_stops_at_the_soft_deadline_and_says_what_is_missing() -> None:
    reading = read(word(p("text") * 1_000), deadline=time.monotonic())
    assert Truncated("the rest of the document, for lack of time") in reading.blocks


def test_paragraphs_come_out_while_the_rest_is_not_yet_read() -> None:
    budget = Budget(limits=ExtractLimits())
    blocks = FORMAT.extract(Job(data=word(p("line") * 300_000)), Detection(media_type=""), budget)
    assert next(blocks) == Text("line")
    assert budget.limits.office_zip_max_uncompressed_bytes - budget.inflated_bytes_left < 1_000_000
