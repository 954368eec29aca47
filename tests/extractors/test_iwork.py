from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
from collections.abc import Mapping

import cramjam
import pytest
from PIL import Image

from extractors._iwork import cells, values
from extractors._iwork.protobuf import Message
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, PageCount, Picture, Status, Text, Truncated, Warned
from extractors.extract import extract_content
from extractors.format import Unreadable
from extractors.formats import iwork
from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

Value = int | float | str | bytes
#: Numbers of types, as in the files.
NUMBERS_ROOT, SHEET, SHOW, NODE, SLIDE, PLACEHOLDER, NOTE = 1, 2, 2, 4, 5, 7, 15
STORAGE, IN_TEXT, FOOTNOTE, SHAPE, PARAGRAPH_STYLE, LIST_STYLE, LINK = 2001, 2003, 2008, 2011, 2022, 2023, 2032
IMAGE, GROUP, COMMENT, CHART, TABLE, MODEL, TILE, LIST = 3005, 3008, 3056, 5021, 6000, 6001, 6002, 6005
BUCKET, PAGES_ROOT, FLOATING, MARGINS, PACKAGE = 6006, 10000, 10010, 10143, 11006


# --- files made by code ----------------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes((value & 0x7F | 0x80,)), value >> 7
    return out + bytes((value,))


def message(*fields: tuple[int, Value]) -> bytes:
    """A protobuf message; a float takes eight bytes, a text is UTF-8."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            data = value.encode("utf-8") if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def ref(identity: int) -> bytes:
    return message((1, identity))


def refs(name: int, *identities: int) -> list[tuple[int, Value]]:
    return [(name, ref(identity)) for identity in identities]


def iwa(objects: Mapping[int, tuple[int, bytes]]) -> bytes:
    stream = b""
    for identity, (kind, body) in objects.items():
        info = message((1, identity), (2, message((1, kind), (3, len(body)))))
        stream += varint(len(info)) + info + body
    chunks = (stream[at : at + 65536] for at in range(0, len(stream), 65536))
    packed = (bytes(cramjam.snappy.compress_raw(chunk)) for chunk in chunks)
    return b"".join(b"\0" + len(chunk).to_bytes(3, "little") + chunk for chunk in packed)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def package(objects: Mapping[int, tuple[int, bytes]], parts: Mapping[str, bytes] | None = None) -> bytes:
    return zipped({"Index/Document.iwa": iwa(objects), **(parts or {})})


def marks(*entries: tuple[int, int]) -> bytes:
    """A table of a storage: which object holds from which place on; 0 for none."""
    return message(*((1, message((1, at), *([(2, ref(target))] if target else []))) for at, target in entries))


def storage(text: str, *fields: tuple[int, Value], kind: int = 3) -> tuple[int, bytes]:
    return STORAGE, message((1, kind), (3, text), *fields)


def pages(body: str, *fields: tuple[int, Value], **more: tuple[int, bytes]) -> dict[int, tuple[int, bytes]]:
    """A Pages document with that body; further objects are named o12=..."""
    objects = {1: (PAGES_ROOT, message(*refs(4, 2), *refs(3, 3))), 2: storage(body, *fields, kind=0)}
    return objects | {int(name[1:]): content for name, content in more.items()}


def text_box(storage_id: int, x: float = 0, y: float = 0) -> tuple[int, bytes]:
    geometry = message((1, message((1, message((1, float(x)), (2, float(y)))))))
    return SHAPE, message((1, message((1, geometry))), *refs(4, storage_id))


def cell(kind: int, mask: int, *fields: bytes) -> bytes:
    return bytes((5, kind)) + bytes(6) + struct.pack("<L", mask) + b"".join(fields)


def string_cell(key: int) -> bytes:
    return cell(3, 0x8, struct.pack("<L", key))


def number_cell(value: int, exponent: int = 0, format_key: int = 0, bit: int = 0x2000) -> bytes:
    bits = abs(value) | (0x1820 + exponent) << 113 | (1 << 127 if value < 0 else 0)
    packed = bits.to_bytes(16, "little")
    return cell(2, 0x1 | (bit if format_key else 0), packed, struct.pack("<L", format_key) if format_key else b"")


def date_cell(seconds: float, format_key: int = 0) -> bytes:
    extra = struct.pack("<L", format_key) if format_key else b""
    return cell(5, 0x4 | (0x8000 if format_key else 0), struct.pack("<d", seconds), extra)


def row_info(number: int, cells: Mapping[int, bytes], *, wide: bool = False, old: bool = False) -> bytes:
    packed, offsets = b"", [-1] * (max(cells, default=0) + 1)
    for column, content in cells.items():
        offsets[column] = len(packed) // 4 if wide else len(packed)
        packed += content + bytes(-len(content) % 4)
    places = struct.pack(f"<{len(offsets)}h", *offsets)
    fields: list[tuple[int, Value]] = [(1, number), (3, packed if old else b""), (4, places if old else b"")]
    return message(*fields, *([] if old else [(6, packed), (7, places), (8, int(wide))]))


def data_list(entries: Mapping[int, bytes]) -> tuple[int, bytes]:
    return LIST, message((1, 1), *((3, message((1, key), (2, 1)) + content) for key, content in entries.items()))


def table(
    first: int,
    rows: list[bytes],
    *,
    name: str = "Table 1",
    shown: bool = True,
    strings: Mapping[int, str] | None = None,
    formats: Mapping[int, bytes] | None = None,
    hidden_row: int = -1,
) -> dict[int, tuple[int, bytes]]:
    """A table whose drawing has the id `first`."""
    model, tile, string_list, format_list, row_heads = range(first + 1, first + 6)
    store = message(
        (1, message(*refs(2, row_heads))),
        (3, message((1, message((1, 0), *refs(2, tile))))),
        *refs(4, string_list),
        *refs(22, format_list),
    )
    return {
        first: (TABLE, message(*refs(2, model))),
        model: (MODEL, message((4, store), (6, 10), (7, 5), (8, name), (22, int(shown)))),
        tile: (TILE, message(*((5, row) for row in rows))),
        string_list: data_list({key: message((3, text)) for key, text in (strings or {}).items()}),
        format_list: data_list({key: message((6, content)) for key, content in (formats or {}).items()}),
        row_heads: (BUCKET, message((2, message((1, hidden_row), (3, 1)))) if hidden_row >= 0 else b""),
    }


def workbook(sheets: Mapping[str, list[int]], objects: Mapping[int, tuple[int, bytes]]) -> dict[int, tuple[int, bytes]]:
    ids = range(900, 900 + len(sheets))
    root = {1: (NUMBERS_ROOT, message(*refs(1, *ids)))}
    named = {
        i: (SHEET, message((1, name), *refs(2, *inside))) for i, (name, inside) in zip(ids, sheets.items(), strict=True)
    }
    return {**root, **named, **objects}


def png() -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((64, 48), 50).save(buffer, "PNG")
    return buffer.getvalue()


# --- reading ----------------------------------------------------------------------------------------------------------


def blocks(data: bytes, **limits: int) -> list[Block]:
    budget = Budget(limits=ExtractLimits(**limits))
    return list(iwork.extract(Job(data=data), Detection(media_type=""), budget))


def texts(data: bytes, **limits: int) -> list[str]:
    return [block.markdown for block in blocks(data, **limits) if isinstance(block, Text)]


# --- Pages ------------------------------------------------------------------------------------------------------------


def test_paragraphs_headings_and_lists_are_read_in_order():
    data = package(
        pages(
            "Report\nIntro 😀 text\nFirst\nInner\nSecond\nThe end",
            (5, marks((0, 10), (7, 11), (21, 0))),
            (6, message(*((1, message((1, at), (2, level), (3, 0))) for at, level in ((0, 0), (27, 1), (33, 0))))),
            (7, marks((0, 0), (21, 12), (40, 13))),
            o10=(PARAGRAPH_STYLE, message((1, message(*refs(3, 14))))),
            o14=(PARAGRAPH_STYLE, message((1, message((1, "Heading 2"))))),
            o11=(PARAGRAPH_STYLE, message((1, message((1, "Body"))))),
            o12=(LIST_STYLE, message((11, 3), (11, 2), (15, 0), (15, 0))),
            o13=(LIST_STYLE, message((11, 0))),
        )
    )
    assert texts(data) == ["## Report", "Intro 😀 text", "1. First\n  - Inner\n2. Second", "The end"]


def test_links_notes_and_what_hangs_in_the_text_stand_in_their_place():
    data = package(
        pages(
            "See our page\ufffc now.\nTable:\ufffc\nAfter",
            (9, marks((24, 20))),
            (11, marks((4, 21), (12, 0))),
            (16, marks((12, 22))),
            o20=(IN_TEXT, message(*refs(1, 30))),
            o21=(LINK, message((2, "https://example.com"))),
            o22=(FOOTNOTE, message(*refs(2, 23))),
            o23=storage("The note", kind=2),
            **{
                f"o{i}": o
                for i, o in table(30, [row_info(0, {0: string_cell(1)})], shown=False, strings={1: "甲"}).items()
            },
        )
    )
    assert texts(data) == [
        "See [our page](https://example.com)[^1] now.",
        "Table:",
        "| 甲 |\n| --- |",
        "After",
        "[^1]: The note",
    ]


def test_headers_and_footers_stand_once_and_text_boxes_from_top_to_bottom():
    data = package(
        pages(
            "Body",
            o3=(FLOATING, message((1, message(*((4, message(*refs(1, box))) for box in (40, 41)))))),
            o40=text_box(42, x=5, y=90),
            o41=text_box(43, x=50, y=10),
            o42=storage("Lower"),
            o43=storage("Upper"),
            o50=(MARGINS, message(*refs(1, 52, 53), *refs(2, 54))),
            o51=(MARGINS, message(*refs(1, 55))),
            o52=storage("Contract 7", kind=1),
            o53=storage("", kind=1),
            o54=storage("Confidential", kind=1),
            o55=storage("Contract 7", kind=1),
        )
    )
    assert texts(data) == ["Header: Contract 7", "Body", "Upper", "Lower", "Footer: Confidential"]


def test_deleted_text_is_left_out_and_that_is_said():
    data = package(pages("Keep this gone.", (22, marks((4, 20), (9, 0))), o20=(2060, message((1, 2)))))
    assert texts(data)[0] == "Keep gone."
    assert any("tracked changes" in block.warning.problem for block in blocks(data) if isinstance(block, Warned))


def test_pictures_stand_where_they_are_with_their_description():
    data = package(
        pages(
            "Before\ufffc\nAfter the picture there is a long enough text.",
            (9, marks((6, 20))),
            o20=(IN_TEXT, message(*refs(1, 21))),
            o21=(IMAGE, message((1, message((8, "A chart"))), *refs(11, 7))),
            o22=(PACKAGE, message((4, message((1, 7), (3, "chart.png"), (4, "chart-7.png"))))),
        ),
        {"Data/chart-7.png": png()},
    )
    assert texts(data)[:2] == ["Before", "[image: image 1] (A chart)"]
    assert sum(isinstance(block, Picture) for block in blocks(data)) == 1


def test_texts_that_no_page_names_are_read_too():
    data = package(pages("Body", o60=storage("Left over", (10, 1)), o61=storage("From a template")))
    assert texts(data)[:2] == ["Body", "Left over"]


# --- Numbers ----------------------------------------------------------------------------------------------------------

FORMATS = {
    1: message((1, 257), (2, 2), (3, "CNY"), (5, 1)),
    2: message((1, 258), (2, 1)),
    3: message((1, 261), (14, "yyyy'年'M'月'd'日'")),
    4: message((1, 256), (2, 0), (5, 1)),
    5: message((1, 257), (2, 2), (3, "EUR"), (4, 2)),
    6: message((1, 261), (14, "EEE, d MMM yyyy HH:mm")),
}


def test_each_value_stands_at_its_row_and_column_as_it_is_shown():
    rows = [
        row_info(0, {0: string_cell(1), 2: string_cell(2)}),
        row_info(1, {0: number_cell(123450, -2, 1), 1: number_cell(75, -3, 2), 2: date_cell(738_979_200.0, 3)}),
        row_info(3, {1: number_cell(1234567, 0, 4), 2: number_cell(-5, -1, 5, bit=0x4000), 3: date_cell(3_660.0, 6)}),
        row_info(4, {0: cell(6, 0x2, struct.pack("<d", 1.0)), 3: cell(7, 0x2, struct.pack("<d", 93_784.5))}, wide=True),
    ]
    objects = table(30, rows, strings={1: "名称", 2: "a|b"}, formats=FORMATS)
    assert texts(package(workbook({"表一": [30]}, objects))) == [
        "### 表一",
        "#### Table 1",
        "| 名称 |  | a\\|b |  |\n"
        "| --- | --- | --- | --- |\n"
        "| ¥1,234.50 | 7.5% | 2024年6月2日 |  |\n"
        "|  |  |  |  |\n"
        "|  | 1,234,567 | (€0.50) | Mon, 1 Jan 2001 01:01 |\n"
        "| TRUE |  |  | 1d 2h 3m 4s 500ms |",
    ]


def test_cells_of_2013_are_read():
    def old(kind: int, mask: int, *fields: bytes) -> bytes:
        return bytes((4, kind, 0, 0)) + struct.pack("<HHL", mask, 0, 0) + b"".join(fields)

    word = old(3, 0x94, *(struct.pack("<L", number) for number in (2, 1, 7)))
    number = old(2, 0x26, struct.pack("<LL", 2, 4), struct.pack("<d", 4650.0))
    version_3 = bytes((3, 0, 3, 0)) + struct.pack("<HHL", 0x10, 0, 0) + struct.pack("<L", 7)
    objects = table(
        30,
        [row_info(0, {0: word, 1: number, 2: version_3}, old=True)],
        shown=False,
        strings={7: "Old"},
        formats=FORMATS,
    )
    assert texts(package(workbook({"S": [30]}, objects)))[1] == "| Old | 4,650 | Old |\n| --- | --- | --- |"


def test_literal_names_of_nothing_stay_words():
    objects = table(
        30, [row_info(0, {0: string_cell(1), 1: string_cell(2)})], shown=False, strings={1: "NA", 2: "NULL"}
    )
    assert texts(package(workbook({"S": [30]}, objects)))[1] == "| NA | NULL |\n| --- | --- |"


def test_a_menu_shows_its_words():
    objects = table(30, [row_info(0, {0: number_cell(2, 0, 1)})], shown=False, formats={1: message((1, 266), (39, 1))})
    store = message((3, message((1, message((1, 0), *refs(2, 32))))), *refs(22, 34), *refs(16, 60))
    menu = message(*((2, message((1, 5), (5, message((1, word))))) for word in ("-", "Deposit", "Rent")))
    objects |= {31: (MODEL, message((4, store)))}
    objects |= {60: data_list({1: message((4, ref(61)))}), 61: (6206, menu)}
    assert texts(package(workbook({"S": [30]}, objects)))[1] == "| Rent |\n| --- |"


def test_hidden_rows_and_sheets_are_marked_and_kept():
    rows = [row_info(0, {0: string_cell(1)}), row_info(1, {0: string_cell(2)})]
    objects = table(30, rows, shown=False, strings={1: "A", 2: "B"}, hidden_row=1)
    book = workbook({"S": [30]}, objects)
    kind, sheet = book[900]
    book[900] = kind, sheet + message((25, 1))
    assert texts(package(book)) == [
        "### S\n[hidden text] (the whole sheet)",
        "| A |\n| --- |\n| [hidden text] B |",
    ]


def test_where_rows_and_sheets_are_cut_is_said():
    rows = [row_info(number, {0: string_cell(1)}) for number in range(30)]
    objects = table(30, rows, name="Sales", strings={1: "x"})
    data = package(workbook({"A": [30], "B": [], "C": []}, objects))
    cut = [
        block.what
        for block in blocks(data, xlsx_max_rows_per_sheet=10, xlsx_max_sheets=1)
        if isinstance(block, Truncated)
    ]
    assert cut == ['rows of table "Sales" after the first 10', "sheets 2 to 3 of 3 (B, C)"]
    assert PageCount(3) in blocks(data)


def test_a_far_cell_costs_nothing_and_is_kept():
    rows = [row_info(4_000_000_000, {0: string_cell(1)}), row_info(0, {30_000: string_cell(2)})]
    objects = table(30, rows, shown=False, strings={1: "low", 2: "far"})
    assert texts(package(workbook({"S": [30]}, objects)))[1] == (
        "Cells A1 to ARIW4000000001, without blank rows and columns\n\n|  | far |\n| --- | --- |\n| low |  |"
    )


def test_a_hidden_caption_is_not_read():
    def box(storage_id: int, *, hidden: int) -> bytes:
        drawing = message(*refs(11, 50 + storage_id), (13, hidden))
        return message((1, message((1, drawing))), *refs(4, storage_id))

    def caption(storage_id: int) -> tuple[int, bytes]:
        return 633, message((1, message(*refs(4, storage_id))))

    objects = pages(
        "Body",
        o3=(FLOATING, message((1, message((4, message(*refs(1, 10))), (4, message(*refs(1, 11))))))),
        o10=(SHAPE, box(20, hidden=0)),
        o11=(SHAPE, box(21, hidden=1)),
        o20=storage("Box one"),
        o21=storage("Box two"),
        o70=caption(30),
        o71=caption(31),
        o30=storage("Caption one", (10, 1)),
        o31=storage("Caption two", (10, 1)),
    )
    assert texts(package(objects)) == ["Body", "Box one", "Caption one", "Box two"]


def test_a_chart_is_read_as_the_table_of_its_values_and_comments_follow():
    grid = message((1, "Home"), (2, "Amount"), (3, message((1, message((1, -872.4))))))
    objects = {
        40: (CHART, message((10_000, message((7, grid))))),
        50: (COMMENT, message((1, "Check this"), *refs(3, 51))),
        51: (212, message((1, "王小明"))),
    }
    assert texts(package(workbook({"S": [40]}, objects)))[1:] == [
        "Chart:\n\n|  | Amount |\n| --- | --- |\n| Home | -872.4 |",
        "Comment (王小明): Check this",
    ]


# --- Keynote ----------------------------------------------------------------------------------------------------------


def deck() -> dict[int, tuple[int, bytes]]:
    def placeholder(storage_id: int) -> tuple[int, bytes]:
        return PLACEHOLDER, message((1, message(*refs(4, storage_id))))

    return {
        1: (1, message(*refs(2, 2))),
        2: (SHOW, message((3, message(*refs(2, 11, 10))))),
        10: (NODE, message(*refs(2, 20), (4, 1))),
        11: (NODE, message(*refs(2, 30), (4, 0))),
        20: (SLIDE, message(*refs(5, 21), (19, 1))),
        21: placeholder(22),
        22: storage("Second slide"),
        30: (SLIDE, message(*refs(5, 31), *refs(6, 33), *refs(42, 31, 35, 33, 36), *refs(27, 38), *refs(20, 39))),
        31: placeholder(32),
        32: storage("发布会"),
        33: placeholder(34),
        34: storage("One\nTwo", (7, marks((0, 50)))),
        35: text_box(40, y=200),
        36: (GROUP, message(*refs(2, 37))),
        37: text_box(41, y=10),
        38: (NOTE, message(*refs(1, 42))),
        39: placeholder(43),
        40: storage("Below"),
        41: storage("In a group"),
        42: storage("Say hello"),
        43: storage("7"),
        50: (LIST_STYLE, message((11, 2))),
        60: (6, message(*refs(5, 61))),
        61: placeholder(62),
        62: storage("Text of a layout", (10, 1)),
    }


def test_slides_come_in_the_order_of_the_show_with_their_notes():
    assert texts(package(deck())) == [
        "--- Slide 1 ---",
        "## 发布会",
        "- One\n- Two",
        "In a group",
        "Below",
        "Notes: Say hello",
        "--- Slide 2 ---\n[hidden text] (the whole slide)",
        "## Second slide",
    ]


@pytest.mark.parametrize("folder", ["", "Talk.key/"])
def test_a_document_saved_as_a_folder_is_read(folder):
    inner = package(deck())
    assert texts(zipped({f"{folder}Index.zip": inner, f"{folder}preview.jpg": b"x"})) == texts(inner)


# --- 2009 -------------------------------------------------------------------------------------------------------------

NAMESPACES = " ".join(
    f'xmlns:{short}="http://developer.apple.com/namespaces/{name}"'
    for short, name in (("sf", "sf"), ("sfa", "sfa"), ("sl", "sl"), ("ls", "ls"), ("key", "keynote2"))
)


def body(*paragraphs: str, extra: str = "", kind: str = "body") -> str:
    return (
        f'<sf:text-storage sf:kind="{kind}">{extra}<sf:text-body>{"".join(paragraphs)}</sf:text-body></sf:text-storage>'
    )


GRID = """<sf:tabular-info><sf:tabular-model sf:name="Sales" sf:name-is-visible="true"><sf:grid><sf:datasource>
<sf:t sf:ct="0"><sf:ct sfa:s="名称"/></sf:t><sf:t><sf:ct sfa:s="Sum"/></sf:t>
<sf:g sf:ct="255"/><sf:n sf:v="0.5"/>
<sf:d sf:ct="256" sf:cell-date="276048000"/><sf:f sf:s="money"><sf:r><sf:rn sf:v="-872.4"/></sf:r></sf:f>
<sf:pm><sf:menu-choices><sf:t sfa:ID="c1"><sf:ct sfa:s="Home"/></sf:t></sf:menu-choices>
<sf:proxied-cell-ref sfa:IDREF="c1"/></sf:pm><sf:du sf:ct="253" sf:du="3600"/><sf:cb sf:v="1"/>
</sf:datasource></sf:grid></sf:tabular-model></sf:tabular-info>"""
MONEY = """<sf:cell-style sfa:ID="money"><sf:property-map><sf:SFTCellStylePropertyNumberFormat><sf:number-format
sf:format-string="¤#,##0.00;-¤#,##0.00" sf:format-currency-code="EUR"/></sf:SFTCellStylePropertyNumberFormat>
</sf:property-map></sf:cell-style>"""
GRID_SHOWN = [
    "| 名称 | Sum |  |  |",
    "| --- | --- | --- | --- |",
    "|  | 0.5 |  |  |",
    "|  | 2009-10-01 | -€872.40 | Home |",
    "| 1h | TRUE |  |  |",
]


def pages_of_2009() -> bytes:
    note = body("<sf:p><sf:footnote-mark/> A note<sf:footnotebr/></sf:p>", kind="footnote")
    notes = f"<sf:footnotes>{note}</sf:footnotes>"
    attached = f'<sf:attachments><sf:attachment sfa:ID="a1">{GRID}</sf:attachment></sf:attachments>'
    style = (
        '<sf:paragraphstyle sfa:ID="p1" sf:parent-ident="h1"/><sf:paragraphstyle sf:ident="h1" sf:name="Heading 1"/>'
    )
    storage_xml = body(
        '<sf:p sf:style="p1">Title<sf:br/></sf:p>',
        '<sf:section><sf:layout><sf:p>Text<sf:footnote sf:autonumber="1"/> and '
        '<sf:link href="https://example.com">a link</sf:link><sf:br/></sf:p></sf:layout></sf:section>',
        '<sf:p sf:list-level="1">One</sf:p><sf:p sf:list-level="2">Two</sf:p>',
        '<sf:p><sf:attachment-ref sfa:IDREF="a1"/></sf:p>',
        extra=notes + attached,
    )
    box = (
        "<sf:drawable-shape><sf:text>"
        + body("<sf:p>In a box</sf:p>", kind="textbox")
        + "</sf:text></sf:drawable-shape>"
    )
    return (
        f"<sl:document {NAMESPACES}>{style}{MONEY}<sl:drawables><sf:page-group>{box}</sf:page-group></sl:drawables>"
        f"<sf:headers><sf:header>{body('<sf:p>Head</sf:p>', kind='header')}</sf:header></sf:headers>"
        f"<sf:footers><sf:footer>{body('<sf:p>Foot</sf:p>', kind='header')}</sf:footer></sf:footers>{storage_xml}"
        "</sl:document>"
    ).encode()


@pytest.mark.parametrize("packed", [False, True])
def test_pages_of_2009_is_read(packed):
    xml = pages_of_2009()
    data = zipped({"index.xml.gz": gzip.compress(xml)} if packed else {"index.xml": xml})
    lines = texts(data)
    assert lines[0:4] == ["Header: Head", "# Title", "Text[^1] and [a link](https://example.com)", "- One\n  - Two"]
    assert [lines[4], *lines[5].split("\n")] == ["#### Sales", *GRID_SHOWN]
    assert lines[6:] == ["In a box", "Footer: Foot", "[^1]: A note"]


def test_a_table_of_2009_keeps_its_columns():
    sheet = (
        f'<ls:document {NAMESPACES}>{MONEY}<ls:workspace-array><ls:workspace ls:workspace-name="Q1"><ls:page-info>'
        f"<sf:layers><sf:layer><sf:drawables>{GRID}</sf:drawables></sf:layer></sf:layers></ls:page-info></ls:workspace>"
        "</ls:workspace-array></ls:document>"
    )
    lines = texts(zipped({"index.xml": sheet.encode()}))
    assert lines[:2] == ["### Q1", "#### Sales"]
    assert lines[2].split("\n") == GRID_SHOWN


def test_keynote_of_2009_is_read():
    title = body("<sf:p>Hello</sf:p>", kind="textbox")
    points = '<sf:p sf:list-level="1">point 1<sf:br/></sf:p><sf:p sf:list-level="1">point 2</sf:p>'
    slide = (
        f"<key:slide><key:title-placeholder><sf:text>{title}</sf:text></key:title-placeholder>"
        f"<key:body-placeholder><sf:text>{body(points, kind='textbox')}</sf:text></key:body-placeholder>"
        f"<key:notes>{body('<sf:p>Speak up</sf:p>', kind='note')}</key:notes></key:slide>"
    )
    xml = f"<key:presentation {NAMESPACES}><key:slide-list>{slide}</key:slide-list></key:presentation>"
    assert texts(zipped({"index.apxl": xml.encode()})) == [
        "--- Slide 1 ---",
        "## Hello",
        "- point 1\n- point 2",
        "Notes: Speak up",
    ]


def test_pages_of_2009_laid_out_freely_is_read_whatever_names_its_groups():
    box = f"<sf:drawable-shape><sf:text>{body('<sf:p>In a box</sf:p>', kind='textbox')}</sf:text></sf:drawable-shape>"
    xml = f"<sl:document {NAMESPACES}><sl:drawables><sl:page-group>{box}</sl:page-group></sl:drawables></sl:document>"
    assert texts(zipped({"index.xml": xml.encode()})) == ["In a box"]


def test_what_a_master_of_2009_shows_is_told_once():
    layers = f"<key:page><sf:layers><sf:layer><sf:drawables>{GRID}</sf:drawables></sf:layer></sf:layers></key:page>"
    master = f'<key:master-slide sfa:ID="m1">{layers}</key:master-slide>'
    theme = f"<key:theme-list><key:theme><key:master-slides>{master}</key:master-slides></key:theme></key:theme-list>"
    slides = '<key:slide><key:master-ref sfa:IDREF="m1"/></key:slide>' * 2
    xml = f"<key:presentation {NAMESPACES}>{MONEY}{theme}<key:slide-list>{slides}</key:slide-list></key:presentation>"
    lines = texts(zipped({"index.apxl": xml.encode()}))
    assert [lines[0], lines[1], lines[3]] == ["--- Slide 1 ---", "#### Sales", "--- Slide 2 ---"]


# --- what is wrong with a file ---------------------------------------------------------------------------------------


def test_a_document_without_text_shows_its_preview():
    found = blocks(package(pages(""), {"preview.jpg": png()}))
    assert [block.markdown for block in found if isinstance(block, Text)] == [
        "Preview of the first page: [image: image 1]"
    ]
    assert sum(isinstance(block, Picture) for block in found) == 1


def password_of_2009() -> bytes:
    data = bytearray(zipped({"index.xml": b"x" * 50, "buildVersionHistory.plist": b"x"}))
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        struct.pack_into("<H", data, data.find(mark) + offset, 25_452)
    return bytes(data)


def password_of_today() -> bytes:
    return zipped({"Index.zip": b"x", ".iwpv2": b"x", "Metadata/DocumentIdentifier": b"x"})


@pytest.mark.parametrize("data", [password_of_2009(), password_of_today()])
def test_a_document_with_a_password_is_called_so(data):
    result = extract_content(data, media_type="", name="secret.pages")
    assert result.status is Status.ENCRYPTED
    assert "a password is needed" in (result.note or "")


def test_one_broken_component_does_not_lose_the_others():
    data = package(pages("Body"), {"Index/Tables/Tile.iwa": b"\0\x05\0\0\xff\xff\xff\xff\x0f"})
    found = blocks(data)
    assert texts(data)[0] == "Body"
    assert any(isinstance(block, Warned) and "tile.iwa" in block.warning.problem for block in found)


def test_a_chunk_that_claims_to_be_huge_is_not_unpacked():
    claim = varint(3_000_000_000) + b"\xfe" * 8
    with pytest.raises(Unreadable):
        blocks(zipped({"Index/Document.iwa": b"\0" + len(claim).to_bytes(3, "little") + claim}))


def test_inflated_bytes_are_paid_for():
    chunk = bytes(cramjam.snappy.compress_raw(bytes(65_536)))
    bomb = (b"\0" + len(chunk).to_bytes(3, "little") + chunk) * 400
    with pytest.raises(Unreadable, match="inflates"):
        blocks(zipped({"Index/Document.iwa": bomb}), office_zip_max_uncompressed_bytes=10 * 1024 * 1024)


def test_objects_that_lead_back_to_themselves_end():
    objects = pages(
        "Loop\ufffc",
        (9, marks((4, 20))),
        o20=(IN_TEXT, message(*refs(1, 21))),
        o21=(GROUP, message(*refs(2, 21, 22))),
        o22=text_box(2),
        o30=(PARAGRAPH_STYLE, message((1, message(*refs(3, 30))))),
    )
    assert texts(package(objects))[0] == "Loop"


def test_no_damage_makes_the_reader_fail():
    rows = [row_info(0, {0: string_cell(1), 1: number_cell(5, 0, 1)})]
    whole = [deck(), workbook({"S": [30]}, table(30, rows, strings={1: "x"}, formats=FORMATS))]
    chance = random.Random(3)
    for _ in range(150):
        objects = dict(chance.choice(whole))
        for identity in chance.sample(sorted(objects), 3):
            kind, content = objects[identity]
            damaged = bytearray(content or b"\0")
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            objects[identity] = kind, bytes(damaged)
        assert extract_content(package(objects), media_type="", name="a.numbers").status is not Status.FAILED


async def test_they_are_read_inside_the_sandbox():
    of_2009 = {"index.xml.gz": gzip.compress(pages_of_2009()), "buildVersionHistory.plist": b"x"}
    files = {"a.key": package(deck()), "b.pages": zipped(of_2009)}
    async with SandboxedAttachmentExtractor() as extractor:
        for name, data in files.items():
            confined = await extractor.extract(data, file_metadata={"name": name})
            assert confined.text == "\n\n".join(texts(data))


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (35.0, message((1, 258), (2, 253)), "3500%"),
        (0.125, message((1, 258), (2, 253)), "12.5%"),
        (12.34, message((1, 262), (11, 0xFFFFFFFE)), "12 17/50"),
        (5.25, message((1, 262), (11, 4)), "5 1/4"),
        (1234.0, message((1, 269), (8, 16), (9, 0)), "4D2"),
        (5.0, message((1, 269), (8, 2), (9, 8)), "00000101"),
        (-100.1234, message((1, 256), (2, 253), (4, 2)), "(100.1234)"),
        (6.43, message((1, 265), (2, 0), (24, 258)), "643%"),
        (2.718281828459045, message(), "2.71828182845905"),
    ],
)
def test_numbers_have_as_many_places_as_they_need_where_the_format_leaves_them_open(
    value: float, number_format: bytes, shown: str
) -> None:
    assert values.shown(cells.Cell(0, "number", value), Message(number_format)) == shown


@pytest.mark.parametrize(
    ("seconds", "number_format", "shown"),
    [
        (7_275_600.0, message((7, 1), (15, 1), (16, 4)), "12w 0d 5h"),
        (3_661.001, message((7, 0), (15, 4), (16, 32)), "1:01:01.001"),
        (61.0, message((7, 0), (15, 8), (16, 16)), "01:01"),
        (3_660.0, message((7, 2), (15, 4), (16, 8)), "1 hour 1 minute"),
        (93_784.5, message(), "1d 2h 3m 4s 500ms"),
        (-90.0, message((7, 1), (15, 4), (16, 16), (40, 1)), "-1m 30s"),
        (0.0, message(), "0d"),
    ],
)
def test_durations_are_written_in_the_units_of_their_format(seconds: float, number_format: bytes, shown: str) -> None:
    assert values.shown(cells.Cell(0, "duration", seconds), Message(number_format)) == shown
