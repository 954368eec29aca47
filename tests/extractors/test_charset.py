"""Text comes out right whatever encoding it is in, without anyone saying which."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors._charset import decode, wide_without_mark
from extractors._magic import is_text

CHINESE = "第一章 总则：为了规范公司财务管理，制定本办法。电话：010-12345678，金额：￥1,234.50元。"
TAIWANESE = "中華民國位於亞洲東部。本文件用於測試字元編碼的自動識別。"
JAPANESE = "これは文字コードの自動判定テストです。会社の経費精算は三十日以内に提出してください。"
KOREAN = "이 파일은 문자 인코딩 자동 감지를 시험하기 위한 것입니다."
RUSSIAN = "Привет, мир! Это проверка определения кодировки."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(CHINESE, "utf-8", id="utf-8"),
        pytest.param(CHINESE, "utf-8-sig", id="utf-8 with a mark"),
        pytest.param(CHINESE, "gbk", id="gbk"),
        pytest.param(CHINESE + "生僻字：𠮷㐀", "gb18030", id="gb18030 with four bytes"),
        pytest.param(CHINESE, "utf-16", id="utf-16 with a mark"),
        pytest.param(CHINESE, "utf-16-le", id="utf-16-le without a mark"),
        pytest.param(CHINESE, "utf-16-be", id="utf-16-be without a mark"),
        pytest.param(CHINESE, "utf-32", id="utf-32 with a mark"),
        pytest.param(TAIWANESE, "big5", id="big5"),
        pytest.param(JAPANESE, "cp932", id="shift-jis"),
        pytest.param(JAPANESE, "euc_jp", id="euc-jp"),
        pytest.param(KOREAN, "cp949", id="euc-kr"),
        pytest.param(RUSSIAN, "cp1251", id="windows-1251"),
        pytest.param(RUSSIAN, "utf-8", id="two-byte utf-8"),
        pytest.param("Le résumé est à côté de la fenêtre; ça va très bien.", "cp1252", id="windows-1252"),
        pytest.param("plain ascii", "ascii", id="ascii"),
        pytest.param(CHINESE, "utf-32-le", id="utf-32-le without a mark"),
        pytest.param(RUSSIAN, "utf-32-be", id="utf-32-be without a mark"),
        pytest.param(RUSSIAN, "utf-16-le", id="cyrillic utf-16 without a mark"),
        pytest.param("Καλημέρα κόσμε, 2024", "utf-16-be", id="greek utf-16 without a mark"),
        pytest.param(JAPANESE, "iso2022_jp", id="iso-2022-jp"),
        pytest.param("これはテストです", "cp932", id="shift-jis of kana alone"),
        pytest.param("ありがとうございます", "euc_jp", id="euc-jp of kana alone"),
        pytest.param(RUSSIAN, "koi8-r", id="koi8-r"),
        pytest.param(RUSSIAN, "cp866", id="cp866"),
        pytest.param(RUSSIAN, "iso8859-5", id="iso-8859-5"),
        pytest.param("Привіт, як справи? Їжа є.", "koi8-u", id="koi8-u"),
        pytest.param("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι.", "cp1253", id="windows-1253"),
        pytest.param("כל בני אדם נולדו בני חורין ושווים בערכם", "cp1255", id="windows-1255"),
        pytest.param("مرحبا بالعالم هذا ملف اختبار", "cp1256", id="windows-1256"),
        pytest.param("Zażółć gęślą jaźń, dzień dobry świecie", "cp1250", id="windows-1250"),
        pytest.param("Merhaba dünya, bu bir deneme dosyasıdır şimdi", "cp1254", id="windows-1254"),
    ],
)
def test_text_is_decoded_without_being_told_how(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))

    assert decoded.text == text
    assert decoded.replaced == 0


THAI = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"


@pytest.mark.parametrize(
    "text",
    [
        THAI,
        "สวัสดีชาวโลก",
        "นี่คือไฟล์ทดสอบ",
        "รายงานการประชุมประจำเดือน มกราคม 2567",
        "ชื่อ,อายุ\nสมชาย,30\nสมหญิง,28",
        "เปิดแฟ้ม “รายงาน” ไม่ได้",
        f"{THAI} (Excel) {THAI}\n" * 20,
    ],
)
def test_thai_is_known_by_its_spelling(text: str) -> None:
    assert decode(text.encode("cp874")).text == text


@pytest.mark.parametrize(
    "text",
    [
        "埃申", "电子商务卡", "圣菲省", "多个角色", "科克郡", "汝拉", "顺序排列", "布莱叶盲文", "弗洛雷斯",
        "没有匹配的远程分支", "将错误报告发送到 %s。", "内部读取错误", "链接目前指向北京", "忽略预依赖问题！",
        "朱镕基", "瞿秋白故居", "赵钱孙李周吴郑王",
    ],
)  # fmt: skip
def test_chinese_that_could_be_spelt_in_thai_is_chinese(text: str) -> None:
    assert decode(text.encode("gbk")).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
        "Báo cáo tài chính quý ba năm nay đã được gửi cho tất cả các phòng ban.",
        "Không tìm thấy tập tin “báo cáo” trong thư mục này.",
    ],
)
def test_vietnamese_is_known_by_its_tones(text: str) -> None:
    # Windows keeps the tone apart from the vowel, but for a few that it has as one letter.
    written = b""
    for char in text:
        try:
            written += char.encode("cp1258")
        except UnicodeEncodeError:
            parts = unicodedata.normalize("NFD", char)
            tone = next(part for part in parts if part in "\u0300\u0301\u0303\u0309\u0323")
            written += (unicodedata.normalize("NFC", parts.replace(tone, "")) + tone).encode("cp1258")

    assert unicodedata.normalize("NFC", decode(written).text) == text


@pytest.mark.parametrize(
    "text",
    [
        "לא ניתן לפתוח את הקובץ המבוקש",
        "שגיאה בקריאת התיקייה: אין הרשאה",
        "שם,גיל\nדוד כהן,30\nרחל לוי,28",
        "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם",
    ],
)
def test_hebrew_is_known_by_the_letters_that_end_its_words(text: str) -> None:
    assert decode(text.encode("cp1255")).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("вследствие этого", "cp1251"),
        ("Таблица адресов:", "cp1251"),
        ("в формате CLDR", "cp1251"),
        ("W katalogu części znajdują się pliki zawierające śmieci", "cp1250"),
    ],
)
def test_other_alphabets_are_not_taken_for_those(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_korean_of_seven_bits_is_text() -> None:
    data = f"{KOREAN}\n{KOREAN}".encode("iso2022_kr")

    assert decode(data).text == f"{KOREAN}\n{KOREAN}"
    assert is_text(data)
    assert not is_text(b"\x0e\x0f" * 40)


@pytest.mark.parametrize("word", ["测试", "合同", "备注", "单价", "订单", "扣款", "利润", "警告", "登录", "张三", "是"])
def test_a_gbk_word_too_short_for_statistics_is_taken_for_chinese(word: str) -> None:
    assert decode(word.encode("gbk")).text == word


@pytest.mark.parametrize("text", ["café", "Réunion déplacée à vendredi", "¿Cómo estás? ¡Adiós!", "Hej på dig, öl"])
def test_a_few_accents_are_neither_russian_nor_chinese(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("厚和豪特特别市", "gbk"),
        ("纽约爱乐乐团", "gbk"),
        ("历史最高温 °C（°F） | 13.0", "gbk"),
        ("臺灣", "big5"),
        ("平均氣溫（°C）：25℃", "big5"),
        ("USB接口", "gbk"),
        ('<Workbook><Worksheet ss:Name="表一"><Cell>你好</Cell><Cell>世界</Cell></Worksheet></Workbook>', "gbk"),
    ],
)
def test_chinese_is_preferred_where_it_makes_more_sense(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_chinese_after_much_ascii_is_found() -> None:
    text = "2024-01-01 INFO start ok\n" * 3_000 + "错误：连接超时\n"

    assert decode(text.encode("gbk")).text == text


def test_even_length_gbk_is_not_taken_for_utf16() -> None:
    data = "合同条款：测试文档内容".encode("gbk")

    assert len(data) % 2 == 0
    assert wide_without_mark(data) is None
    assert decode(data).text == "合同条款：测试文档内容"


@pytest.mark.parametrize("lost", [1, 2])
def test_utf8_cut_in_a_character_loses_only_that_character(lost: int) -> None:
    assert decode("第一章总则".encode()[:-lost]).text == "第一章总"


def test_gbk_cut_in_a_character_loses_only_that_character() -> None:
    assert decode(CHINESE.encode("gbk") + "好".encode("gbk")[:1]).text == CHINESE


def test_a_damaged_byte_in_utf8_is_replaced_and_counted() -> None:
    data = CHINESE.encode() + b"\xff" + CHINESE.encode()

    decoded = decode(data)

    assert decoded.text == f"{CHINESE}\ufffd{CHINESE}"
    assert decoded.replaced == 1


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b'<?xml version="1.0" encoding="windows-1251"?>', id="xml"),
        pytest.param(b"<html><meta charset='windows-1251'>", id="html"),
        pytest.param(b"# -*- coding: windows-1251 -*-\n", id="cookie"),
    ],
)
def test_a_declared_charset_is_believed_where_statistics_have_little_to_go_by(head: bytes) -> None:
    assert decode(head + "щит".encode("cp1251")).text.endswith("щит")


def test_a_false_declaration_does_not_spoil_utf8() -> None:
    data = b'<meta charset="gb2312">' + CHINESE.encode()

    assert decode(data).text.endswith(CHINESE)


@pytest.mark.parametrize("name", [b"unicode_escape", b"idna", b"zlib", b"nonsense", b"utf-7"])
def test_a_declaration_that_is_no_charset_is_passed_over(name: bytes) -> None:
    assert decode(b"# coding: " + name + b"\n" + "结果是好的".encode()).text.endswith("结果是好的")


@given(st.binary(max_size=300))
def test_any_bytes_become_text(data: bytes) -> None:
    text = decode(data).text

    assert text.encode().decode() == text  # no lone surrogate


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=200))
def test_any_text_in_utf8_comes_back(text: str) -> None:
    assert decode(text.encode()).text == text.removeprefix("\ufeff")
