from __future__ import annotations

import io
import struct
import time
import zipfile

import pytest
from lxml import etree

from extractors._inflating import MAX_TREE_MARKS
from extractors._numerals import numeral
from extractors._ooxml.equations import latex
from extractors._ooxml.names import M, W
from extractors._ooxml.number_format import displayed, general
from extractors._ooxml.package import Package, open_package
from extractors.budget import Budget
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import MIB, ExtractLimits

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BODY = frozenset({f"{W}body"})
PARAGRAPHS = frozenset({f"{W}p"})


def packed(parts: dict[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def document(body: str) -> str:
    return f"<w:document {WORD}><w:body>{body}</w:body></w:document>"


def opened(data: bytes, **limits: int) -> Package:
    return open_package(data, Budget(limits=ExtractLimits(**limits)))


def streamed(package: Package, part: str = "d.xml") -> tuple[int, Unreadable | None]:
    """How many paragraphs came, and what ended them."""
    count = 0
    try:
        for _ in package.stream(part, PARAGRAPHS, BODY):
            count += 1
    except Unreadable as exc:
        return count, exc
    return count, None


def refusal(data: bytes, **limits: int) -> Unreadable:
    """Why these bytes, or the part `d.xml` in them, are refused."""
    try:
        _, error = streamed(opened(data, **limits))
    except Unreadable as exc:
        return exc
    assert error is not None
    return error


# --- the directory ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"garbage", b"PK\x03\x04" + b"\0" * 100, packed({"a": "b"})[:-30]])
def test_broken_archives_are_rejected_with_a_sentence(data: bytes) -> None:
    error = refusal(data)
    assert error.status is Status.REJECTED
    assert "damaged" in error.note


def test_too_many_entries_are_refused_before_the_directory_is_read() -> None:
    data = packed({f"part{number}": "" for number in range(30)})
    assert "more than 20 parts" in refusal(data, office_zip_max_entries=20).note
    assert opened(data, office_zip_max_entries=30).has("part29")


def test_overlapping_entries_are_refused() -> None:
    data = bytearray(packed({"a.xml": "<a/>" * 50, "b.xml": "<b/>" * 50}))
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = (0).to_bytes(4, "little")  # the second entry claims the first one's bytes
    assert "overlap" in refusal(bytes(data)).note


def test_encrypted_entries_ask_for_a_password() -> None:
    data = bytearray(packed({"a.xml": "<a/>"}))
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    assert refusal(bytes(data)).status is Status.ENCRYPTED


def test_packing_that_no_office_program_uses_is_refused() -> None:
    assert refusal(packed({"a.xml": "<a/>"}, method=zipfile.ZIP_BZIP2)).status is Status.REJECTED


# --- reading parts ----------------------------------------------------------------------------------------------------


def test_inflated_bytes_are_counted_as_they_are_read_and_not_as_the_directory_claims() -> None:
    data = bytearray(packed({"big.xml": document("<w:p/>" * 400_000)}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(signature) + offset
        data[place : place + 4] = (10).to_bytes(4, "little")
    package = opened(bytes(data), office_zip_max_uncompressed_bytes=MIB)
    assert streamed(package, "big.xml")[1] is not None
    assert package.budget.inflated_bytes_left > -2 * MIB


def test_bomb_of_paragraphs_stops_at_the_inflated_limit_and_keeps_what_came_before() -> None:
    package = opened(packed({"d.xml": document("<w:p/>" * 400_000)}), office_zip_max_uncompressed_bytes=MIB)
    seen, error = streamed(package)
    assert seen > 100_000
    assert error is not None
    assert "more than 1 MiB" in error.note


def test_one_child_too_large_for_memory_is_refused() -> None:
    runs = "<w:r/>" * (MAX_TREE_MARKS + 1)
    assert "too large" in refusal(packed({"d.xml": document(f"<w:p>{runs}</w:p>")})).note
    with pytest.raises(Unreadable, match="too large"):
        opened(packed({"d.xml": document(f"<w:p>{runs}</w:p>")})).tree("d.xml")


def test_entity_bombs_end_at_once_and_entities_of_files_stay_unread() -> None:
    laughs = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE w:document [<!ENTITY e0 "ha">{laughs}]>' + document('<w:p a="&e11;">&e11;</w:p>')
    xxe = '<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + document("<w:p>&x;</w:p>")
    start = time.monotonic()
    assert refusal(packed({"d.xml": bomb})).status is Status.REJECTED
    (paragraph,) = opened(packed({"d.xml": xxe})).stream("d.xml", PARAGRAPHS, BODY)
    assert b"root:" not in etree.tostring(paragraph)
    assert time.monotonic() - start < 20


def test_nesting_without_end_is_refused() -> None:
    assert refusal(packed({"d.xml": document("<w:p>" * 5_000 + "</w:p>" * 5_000)})).status is Status.REJECTED


def test_broken_xml_leaves_the_paragraphs_before_it() -> None:
    package = opened(packed({"d.xml": document("<w:p/><w:p/>" + "<w:x/>" * 20_000 + "<broken")}))
    seen, error = streamed(package)
    assert seen == 2
    assert error is not None
    assert "damaged" in error.note


def test_streaming_forgets_what_was_passed_and_thins_what_is_too_long() -> None:
    rows = "<w:tr/>" * 1_000
    package = opened(packed({"d.xml": document(f"<w:p/><w:tbl><w:tblPr/>{rows}</w:tbl>")}))
    blocks = package.stream("d.xml", frozenset({f"{W}p", f"{W}tbl"}), BODY, thin=(f"{W}tr", 5))
    next(blocks)
    table = next(blocks)
    assert len(table) == 6


def test_parts_are_found_by_relation_whatever_their_case_and_slashes() -> None:
    links = (
        f'<Relationships xmlns="{LINKS}">'
        f'<Relationship Id="a" Type="{KINDS}/image" Target="..\\Media\\Picture%201.png"/>'
        f'<Relationship Id="b" Type="{KINDS}/hyperlink" Target="https://example.com/" TargetMode="External"/>'
        f'<Relationship Id="c" Type="{KINDS}/image" Target="/gone.png"/></Relationships>'
    )
    package = opened(packed({"word/_rels/document.xml.rels": links, "media/picture 1.png": b"x"}))
    found = package.target("word/document.xml", "a")
    assert found is not None
    assert package.read(found) == b"x"
    assert package.address("word/document.xml", "b") == "https://example.com/"
    assert package.target("word/document.xml", "b") is None
    assert package.target("word/document.xml", "c") is None
    assert package.related("word/document.xml", "image") == [found]


def test_optional_part_that_is_broken_is_warned_of_and_not_raised() -> None:
    package = opened(packed({"styles.xml": "<broken"}))
    assert package.optional("styles.xml") is None
    assert package.optional("missing.xml") is None
    (warned,) = package.warnings()
    assert warned.partial
    assert "styles.xml" in warned.warning.problem


# --- numbers, numerals, equations -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("0.125", "0.0%", "12.5%"),
        ("3.5", "[$¥-804]#,##0.00", "¥3.50"),
        ("1234567.891", "#,##0.00", "1,234,567.89"),
        ("-1234.5", "#,##0.00;[Red](#,##0.00)", "(1,234.50)"),
        ("-0.001", "0.00", "0.00"),
        ("7", "000", "007"),
        ("13800138000", "000-0000-0000", "138-0013-8000"),
        ("1234567", '0.0,,"M"', "1.2M"),
        ("0", '0;-0;"-"', "-"),
        ("-3", '[>=0]0;[<0]"under "0', "under 3"),
        ("123456", "0.00E+00", "1.23E+05"),
        ("1.005", "0.00", "1.01"),
        ("45322", 'yyyy"年"m"月"d"日"', "2024年1月31日"),
        ("45322", "[$-804]yyyy/m/d dddd", "2024/1/31 星期三"),
        ("45366.6041666667", "yyyy-mm-dd hh:mm", "2024-03-15 14:30"),
        ("0.378472222222222", "h:mm", "9:05"),
        ("0.75", "h:mm AM/PM", "6:00 PM"),
        ("1.5", "[h]:mm:ss", "36:00:00"),
        ("0.0000115741", "mm:ss.000", "00:01.000"),
        ("59", "yyyy-mm-dd", "1900-02-28"),
        ("61", "yyyy-mm-dd", "1900-03-01"),
        ("-1", "yyyy-mm-dd", "-1"),
        ("1e300", "#,##0", "1E+300"),
        ("0.30000000000000004", "General", "0.3"),
        ("20231231000123456", "General", "20231231000123456"),
        ("5", 'General"件"', "5件"),
        ("NA", "0.00", "NA"),
        ("inf", "0.00", "inf"),
        ("3", "", "3"),
    ],
)
def test_stored_numbers_are_shown_as_the_sheet_shows_them(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


def test_dates_count_from_1904_where_the_workbook_says_so() -> None:
    assert displayed("0", "yyyy-mm-dd", since_1904=True) == "1904-01-01"


def test_whole_numbers_keep_all_their_digits() -> None:
    assert general("110101199003071234") == "110101199003071234"


@pytest.mark.parametrize(
    ("number", "system", "text"),
    [
        (14, "upperRoman", "XIV"),
        (28, "lowerLetter", "bb"),
        (12, "chineseCounting", "十二"),
        (102, "chineseCountingThousand", "一百零二"),
        (12, "chineseLegalSimplified", "壹拾贰"),
        (20, "ideographDigital", "二〇"),
        (3, "decimalEnclosedCircle", "③"),
        (2, "ideographTraditional", "乙"),
        (22, "ordinal", "22nd"),
        (7, "decimalZero", "07"),
        (7, "unheard of", "7"),
        (-1, "upperRoman", "-1"),
    ],
)
def test_numerals_are_written_in_their_system(number: int, system: str, text: str) -> None:
    assert numeral(number, system) == text


@pytest.mark.parametrize(
    ("omml", "text"),
    [
        ("<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t></m:r></m:den></m:f>", r"\frac{a+b}{c}"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>", r"\sqrt{x}"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>", "x^2"),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub>'
            "<m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary>",
            r"\sum_{i=1}^n i",
        ),
        ("<m:d><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>", "(x)"),
        ("<m:r><m:t>sin\u2061θ</m:t></m:r>", r"\sin θ"),
        (
            "<m:m><m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e><m:e><m:r><m:t>b</m:t></m:r></m:e></m:mr></m:m>",
            r"\begin{matrix}a & b\end{matrix}",
        ),
        ("<m:oMath/>", ""),
    ],
)
def test_equations_are_written_as_latex(omml: str, text: str) -> None:
    assert latex(etree.fromstring(f'<m:oMath xmlns:m="{M[1:-1]}">{omml}</m:oMath>')) == text


def test_a_name_that_is_not_what_its_flag_says_damages_its_part_and_not_the_reader() -> None:
    data = bytearray(packed({"word/document.xml": "<a/>"}))
    struct.pack_into("<H", data, 6, 0x800)  # the local header says UTF-8
    data[30] = 0xD8
    with pytest.raises(Unreadable, match="damaged"):
        open_package(bytes(data), Budget(limits=ExtractLimits())).read("word/document.xml")
