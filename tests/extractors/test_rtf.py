r"""RTF: text in every encoding, tables by their edges, notes, pictures, and what is hidden."""

from __future__ import annotations

import io
import random
import time

import pytest
from PIL import Image

from extractors import Status, extract_content
from extractors._rtf import rtf_markdown
from extractors.content import ExtractedContent
from extractors.limits import ExtractLimits

from .metafiles import emf, emf_text, wmf, wmf_text

FONTS = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset134 SimSun;}{\f2\fcharset2 Symbol;}{\f3\fcharset128 MS;}}"


def read(body: str | bytes, head: str = rf"\ansi\ansicpg1252\uc1{FONTS}", **limits: int) -> ExtractedContent:
    inner = body if isinstance(body, bytes) else body.encode("latin-1")
    data = b"{\\rtf1" + head.encode() + b" " + inner + b"}"
    return extract_content(data, media_type="", name="a.rtf", limits=ExtractLimits(**limits))


def text(body: str | bytes, head: str = rf"\ansi\ansicpg1252\uc1{FONTS}") -> str:
    return read(body, head).text or ""


def escaped(words: str, codec: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in words.encode(codec))


def coded(words: str) -> str:
    """Words as \\u in signed UTF-16, each with a question mark for older programs."""
    units = words.encode("utf-16-le")
    codes = [int.from_bytes(units[place : place + 2], "little", signed=True) for place in range(0, len(units), 2)]
    return "".join(f"\\u{code}?" for code in codes)


def row(cells: list[str], edges: list[int], flags: list[str] | None = None, left: int = 0) -> str:
    shape = "".join(f"{flag}\\cellx{edge}" for flag, edge in zip(flags or [""] * len(edges), edges, strict=True))
    return rf"\trowd\trleft{left}{shape}" + "".join(rf"\pard\intbl {cell}\cell" for cell in cells) + r"\row "


def rows(table: str) -> list[list[str]]:
    lines = [line for line in table.split("\n") if not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def png(side: int = 64) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(buffer, "PNG")
    return buffer.getvalue()


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "head"),
    [
        (coded("合同条款"), r"\ansi"),
        (rf"\uc2\u21512\'ba\'cf{coded('同条款')}".replace("?", "??"), r"\ansi\ansicpg936"),
        (escaped("合同条款", "gbk"), r"\ansi\ansicpg936"),
        (rf"\f1 {escaped('合同条款', 'gbk')}", rf"\ansi\ansicpg1252{FONTS}"),
        (rf"\f0 {escaped('合同条款', 'gbk')}", rf"\ansi\ansicpg936{FONTS}"),
        ("合同条款".encode("gbk"), r"\ansi\ansicpg936"),
        (rf"{{\upr{{ANSI}}{{\*\ud{{{coded('合同条款')}}}}}}}", r"\ansi"),
        (r"\'ba\'cf\'cd\'ac" + "\r\n" + r"\'cc\'f5\'bf\'ee", r"\ansi\ansicpg936"),
    ],
    ids=["codes", "two-fallbacks", "page", "font", "western-font", "raw", "twice", "broken-lines"],
)
def test_chinese_is_read_however_it_is_written(body, head):
    assert text(body, head) == "合同条款"


def test_accents_in_a_western_font_of_a_chinese_document_are_not_chinese():
    assert text(r"\f0 caf\'e9 r\'e9sum\'e9", rf"\ansi\ansicpg936{FONTS}") == "café résumé"
    assert text(rf"\f3 {escaped('テスト', 'cp932')}", rf"\ansi{FONTS}") == "テスト"


def test_characters_beyond_the_first_plane_are_joined():
    assert text(coded("𠮷𐌲")) == "𠮷𐌲"


def test_what_stands_for_a_character_in_older_programs_is_passed_over():
    assert text(r"{\uc2\u228\'E8a}b\u8216\'91c{\uc0\u945 d}") == "äb‘cαd"


def test_an_asterisk_inside_a_group_does_not_make_it_one_to_pass_over():
    assert text(r"{\loch\f0\i0\*\cs7\cf0 read}{\*\unknown not}") == "read"


def test_headers_that_only_count_pages_are_left_out():
    assert text(r"{\header - 3 -\par}{\footer 2024-06-01\par}body") == "body\n\nFooter: 2024-06-01"


def test_signs_and_symbols_are_characters():
    assert (
        text(r"\lquote a\rquote\~\ldblquote b\rdblquote\emdash c\_d\-e \{\\\} {\f2 \'b7}\u-3913?")
        == "‘a’ “b”—c-de {\\} ••"
    )


def test_paragraphs_and_breaks_stay():
    assert text(r"one\par two\line three\tab four\sect five\page six") == "one\n\ntwo\nthree\tfour\n\nfive\n\nsix"


def test_what_is_for_programs_is_not_text():
    body = (
        r"{\info{\title Secret}{\author A}}{\*\generator G;}{\*\unknown x{y}}{\xe index}{\*\themedata 504b}"
        r"{\nonshppict skipped}{\*\listtable{\list\listname L;}}seen"
    )
    assert text(body) == "seen"


def test_headings_come_from_outline_levels_and_from_the_names_of_styles():
    styles = r"{\stylesheet{\s1\outlinelevel0 Title A;}{\s2 heading 2;}{\s3 " + coded("标题 3") + r";}{\s4 Normal;}}"
    body = (
        r"\pard\s1 A\par\pard\s2 B\par\pard\s3 C\par\pard\s4 D\par\pard\outlinelevel3 E\par\pard\s1\outlinelevel9 F\par"
    )
    assert text(styles + body) == "# A\n\n## B\n\n### C\n\nD\n\n#### E\n\nF"


def test_headings_come_from_titles_and_from_the_styles_they_are_based_on():
    styles = (
        r"{\stylesheet{\s1 Title;}{\s2 heading 2;}{\s3\sbasedon2 Mine;}{\s4\sbasedon3\outlinelevel9 Plain;}"
        r"{\s5\sbasedon6 A;}{\s6\sbasedon5 B;}{\s7 Title Page;}}"
    )
    body = "".join(rf"\pard\s{number} {number}\par" for number in range(1, 8))
    assert text(styles + body) == "# 1\n\n## 2\n\n## 3\n\n4\n\n5\n\n6\n\n7"


def test_a_heading_in_a_list_shows_its_number_but_no_bullet():
    body = r"{\listtext\f2 \'b7\tab}\pard\outlinelevel0 A\par{\listtext 1.1\tab}\pard\outlinelevel1 B\par"
    assert text(body) == "# A\n\n## 1.1 B"


def test_the_letter_o_is_a_bullet_where_the_list_says_so():
    levels = r"{\listlevel\levelnfc23{\leveltext \'01o;}}{\listlevel\levelnfc4{\leveltext \'02\'01);}}"
    lists = rf"{{\*\listtable{{\list{levels}\listid7}}}}{{\*\listoverridetable{{\listoverride\listid7\ls3}}}}"
    body = (
        r"{\listtext o\tab}\pard\ls3\ilvl0 dot\par{\listtext o)\tab}\pard\ls3\ilvl1 fifteenth\par"
        r"{\listtext o\tab}\pard\ls4 unknown\par\pard end\par"
    )
    assert text(lists + body) == "- dot\n  o) fifteenth\no unknown\n\nend"


def test_a_link_cut_into_several_fields_is_one_link():
    fields = "".join(
        rf'{{\field{{\*\fldinst HYPERLINK "http://a.example/x"}}{{\fldrslt {words}}}}}'
        for words in ("http://", "a.example", "/x")
    )
    assert text(rf"see {fields}\par") == "see http://a.example/x"


def test_list_items_keep_their_numbers_and_depth():
    body = (
        r"{\listtext\f2 \'b7\tab}\pard\ls1 dot\par{\listtext 1.\tab}\pard\ls2 one\par"
        r"{\listtext (a)\tab}\pard\ls2\ilvl1 inner\par{\pntext "
        + escaped("二、", "gbk")
        + r"\tab}\pard two\par\pard end\par"
    )
    assert text(body, rf"\ansi\ansicpg936{FONTS}") == "- dot\n1. one\n  (a) inner\n二、 two\n\nend"


def test_links_show_where_they_lead():
    field = r'{{\field{{\*\fldinst{{HYPERLINK "{}"}}}}{{\fldrslt{{\ul link}}}}}}'
    assert text(field.format("https://example.com/a")) == "[link](https://example.com/a)"
    assert text(field.format("javascript:x")) == "link"
    assert text(r"{\field{\*\fldinst PAGE}{\fldrslt 3}}") == "3"


def test_headers_and_footers_are_told_once_and_notes_at_the_end():
    body = (
        r"{\header top\par}{\footer bottom\par}{\headerf top\par}Body{\super\chftn{\footnote\pard\chftn  note one}} and"
        r"{\footnote\ftnalt the end} more{\*\atnauthor Li}{\*\annotation remark}.\par"
    )
    assert text(body) == (
        "Header: top\n\nBody[^1] and[^e1] more[comment 1].\n\nFooter: bottom\n\n[^1]: note one\n\n[^e1]: the end\n\n"
        "[comment 1] Li: remark"
    )


def test_text_boxes_follow_their_paragraph_and_are_read_once():
    body = r"before{\shp{\*\shpinst\shpleft1{\sp{\sn a}{\sv 1}}{\shptxt boxed\par}}{\shprslt boxed}} after\par"
    assert text(body) == "before after\n\nboxed"


def test_equations_are_readable():
    body = r"{\mmath{\*\moMath{\mf{\mfPr x}{\mnum{\mr a}}{\mden{\mr b}}}{\mr +}{\msSup{\me{\mr c}}{\msup{\mr 2}}}}}"
    assert text(body) == "(a)/(b)+c^(2)"


# --- tables -----------------------------------------------------------------------------------------------------------


def test_columns_follow_from_the_edges_when_cells_are_simply_wider():
    table = row(["区域", "一月", "二月", "三月"], [1000, 2000, 3000, 4000])
    table = table.replace("区域", "q").replace("一月", "1").replace("二月", "2").replace("三月", "3")
    table += row(["total", "5006"], [3010, 3990]) + row(["", "x", "y"], [1005, 2500, 4000])
    assert rows(text(table)) == [
        ["q", "1", "2", "", "3"],
        ["total", "", "", "", "5006"],
        ["", "x", "", "y", ""],
    ]


def test_merged_flags_in_both_directions_leave_the_value_once():
    edges = [1000, 2000, 3000]
    table = row(["a", "gone", "b"], edges, [r"\clvmgf\clmgf", r"\clvmgf\clmrg", ""])
    table += row(["", "", "c"], edges, [r"\clvmrg\clmgf", r"\clvmrg\clmrg", ""])
    table += row(["d", "e", "f"], edges)
    assert rows(text(table)) == [["a", "", "b"], ["", "", "c"], ["d", "e", "f"]]


@pytest.mark.parametrize("seed", range(8))
def test_every_value_of_a_random_merged_table_stands_on_its_row_and_column(seed):
    chance = random.Random(seed)
    height, width = chance.randint(3, 6), chance.randint(3, 6)
    edges = [1000 * (column + 1) for column in range(width)]
    covered: set[tuple[int, int]] = set()
    expected, written = [], ""
    for number in range(height):
        values, cells, ends, flags = [""] * width, [], [], []
        column = 0
        while column < width:
            across = 1
            if (number, column) in covered:
                cells.append("")
                flags.append(r"\clvmrg")
            else:
                free = next((c for c in range(column, width) if (number, c) in covered), width)
                across = min(chance.randint(1, 3), free - column)
                down = across == 1 and number + 1 < height and chance.random() < 0.3
                covered |= {(number + 1, column)} if down else set()
                values[column] = f"r{number}c{column}"
                cells.append(values[column])
                flags.append(r"\clvmgf" if down else "")
            column += across
            ends.append(edges[column - 1] + chance.randint(-10, 10))
        expected.append(values)
        written += row(cells, ends, flags)
    if all(any(r[c] or (n, c) in covered for n, r in enumerate(expected)) for c in range(width)):
        assert rows(text(written)) == expected
    else:  # a column that only wide cells cover cannot be told from the file
        assert [[v for v in r if v] for r in rows(text(written))] == [[v for v in r if v] for r in expected]


def test_a_row_that_begins_further_right_leaves_its_first_column_blank():
    table = row(["a", "b"], [1000, 2000]) + row(["c"], [2000], left=1000)
    assert rows(text(table)) == [["a", "b"], ["", "c"]]


def test_rows_that_do_not_tell_their_edges_are_read_in_order():
    assert rows(text(r"\trowd\cellx0\cellx0\intbl a\cell b\cell\row\intbl c\cell d\cell\row ")) == [
        ["a", "b"],
        ["c", "d"],
    ]


def test_a_table_in_a_cell_becomes_lines():
    nested = (
        r"\pard\intbl outer\par\pard\intbl\itap2 in1\nestcell in2\nestcell"
        r"{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}\pard\intbl\itap1 after"
    )
    table = r"\trowd\cellx1000\cellx2000" + nested + r"\cell\pard\intbl b\cell\row\pard end\par"
    assert text(table) == "| outer<br>in1 \\| in2<br>after | b |\n| --- | --- |\n\nend"


def test_a_table_of_one_cell_is_a_frame_around_text():
    assert text(row([r"first\par second"], [1000])) == "first\nsecond"


def test_two_tables_apart_are_two_tables():
    assert text(row(["a", "b"], [1000, 2000]) + r"\pard\par " + row(["c", "d"], [700, 900])).count("| --- |") == 2


def test_rows_over_the_limit_are_counted():
    result = read("".join(row([str(n), "x"], [1000, 2000]) for n in range(30)), docx_max_table_rows=10)
    assert "rows of table 1 after the first 10 of 30" in (result.note or "")


# --- pictures, hidden text, changes ----------------------------------------------------------------------------------


def test_pictures_stand_where_they_are_with_their_description():
    digits = png().hex()
    lines = "\r\n".join(digits[place : place + 64] for place in range(0, len(digits), 64))
    picture = r"{\pict{\*\picprop{\sp{\sn wzDescription}{\sv chart}}}\pngblip\picw10 " + lines + "}"
    result = read(rf"a{{\*\shppict{picture}}}{{\nonshppict{{\pict\wmetafile8 0100}}}}b\par")
    assert result.text == "a [image: image 1] (chart) b"
    assert (len(result.images), result.status) == (1, Status.OK)


def test_pictures_as_raw_bytes_and_as_windows_bitmaps_are_read():
    data = png()
    body = b"a{\\pict\\pngblip\\bin%d " % len(data) + data + b"}b"
    assert len(read(body).images) == 1
    bitmap = io.BytesIO()
    Image.new("RGB", (40, 40), "blue").save(bitmap, "BMP")
    assert len(read(r"{\pict\dibitmap0 " + bitmap.getvalue()[14:].hex() + "}").images) == 1


def test_metafiles_are_read_like_other_pictures():
    assert read(r"a{\pict\wmetafile8 " + wmf(wmf_text(b"E = mc")).hex() + "}b").text == "a [image: E = mc] b"
    assert read(r"a{\pict\emfblip " + emf(emf_text("Chart")).hex() + "}b").text == "a [image: Chart] b"


def test_embedded_programs_are_neither_read_nor_run():
    result = read(r"a{\object\objemb{\*\objclass Package}{\*\objdata 4d5a9000}{\result{\pict\wmetafile8 01}}}b")
    assert result.text == "a [an image that is left out] b"


@pytest.mark.parametrize("look", [r"\v", r"\fs1", r"\cf2"])
def test_what_nobody_sees_is_marked(look):
    colours = r"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;}"
    assert text(rf"{colours}a {{{look} secret}} b\par") == "a\n[hidden text] secret\nb"


def test_white_words_on_a_ground_are_seen():
    colours = r"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;}"
    assert text(rf"{colours}{{\cf2\highlight1 seen}}\par") == "seen"
    assert text(colours + row([r"\cf2 head", "x"], [1000, 2000])) == "| head | x |\n| --- | --- |"
    assert text(r"{\v secret\v0 seen}") == "[hidden text] secret\nseen"


def test_deletions_are_out_and_insertions_in_and_that_is_said():
    result = read(r"keep {\deleted gone}{\revised new}\par")
    assert result.text == "keep new"
    assert "tracked changes" in (result.note or "")


# --- what is broken or built to hurt ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"{{{open", "open"),
        (r"a}b", "a"),
        (r"\u99999999999 a", "a"),
        (r"a\bin999999 b", "a"),
        (r"{\pict\pngblip 0g1}a", "a"),
        (r"\cell\row a", "a"),
        (r"\nestrow\nestcell a\par", "a"),
        (r"{\footnote note", "note"),
        (r"{\field{\fldrslt a", "a"),
        (r"\'zza", "a"),
    ],
)
def test_broken_files_give_what_is_there(body, expected):
    assert expected in text(body)


def test_a_file_without_text_is_rejected_with_a_sentence():
    assert read("").status is not Status.FAILED


@pytest.mark.parametrize(
    "body",
    [
        "{" * 400_000,
        r"\trowd" + r"\cellx1" * 200_000 + r"\cell" * 50_000 + r"\row",
        r"{\colortbl" + ";" * 400_000 + "}x",
        r"\u20320?" * 200_000,
        r"\itap99999 a\nestcell" * 20_000,
        r"{\field{\*\fldinst HYPERLINK " * 20_000,
        r"{\pict\pngblip " + "89504e47" * 100_000,
        r"{\footnote a" * 5_000,
    ],
    ids=["braces", "cells", "colours", "codes", "nesting", "fields", "picture", "notes"],
)
def test_hostile_files_take_little_time(body):
    begun = time.perf_counter()
    result = read(body)
    assert time.perf_counter() - begun < 5
    assert result.status is not Status.FAILED


def test_a_body_of_a_letter_can_be_read_alone():
    assert rtf_markdown(rb"{\rtf1\ansi Dear\par all}") == "Dear\n\nall"
