"""Text comes out right whatever encoding it is in, without anyone saying which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors._charset import decode, utf16_without_mark

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
    ],
)
def test_text_is_decoded_without_being_told_how(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))

    assert decoded.text == text
    assert decoded.replaced == 0


@pytest.mark.parametrize("word", ["测试", "合同", "备注", "单价", "订单", "扣款", "利润", "警告", "登录", "张三", "是"])
def test_a_gbk_word_too_short_for_statistics_is_taken_for_chinese(word: str) -> None:
    assert decode(word.encode("gbk")).text == word


def test_chinese_after_much_ascii_is_found() -> None:
    text = "2024-01-01 INFO start ok\n" * 3_000 + "错误：连接超时\n"

    assert decode(text.encode("gbk")).text == text


def test_even_length_gbk_is_not_taken_for_utf16() -> None:
    data = "合同条款：测试文档内容".encode("gbk")

    assert len(data) % 2 == 0
    assert utf16_without_mark(data) is None
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
