"""Records: plain JSON, and no secrets."""

from __future__ import annotations

import pytest

from bot import errors
from bot.durable.records import ERRORS, JsonSerializer, StepError, failed, outcome, redacted
from bot.errors import BotError


def test_every_error_class_comes_back_as_itself() -> None:
    for kind in ERRORS.values():
        error = kind.__new__(kind)
        BotError.__init__(error, "why", code="some_code", retryable=True)
        with pytest.raises(kind) as caught:
            outcome(failed(error), None)
        assert (type(caught.value), caught.value.code, caught.value.retryable) == (kind, "some_code", True)
    assert errors.CardClosed in ERRORS.values()


def test_an_error_class_that_is_gone_keeps_its_code() -> None:
    record = failed(errors.CardClosed("closed")) | {"failed": "CardShut"}
    with pytest.raises(BotError, match="closed") as caught:
        outcome(record, None)
    assert caught.value.code == "card_closed"


def test_values_are_json_and_exceptions_are_words() -> None:
    serializer = JsonSerializer()
    assert serializer.deserialize(serializer.serialize({"a": ["你好", 1, None]})) == {"a": ["你好", 1, None]}
    error = serializer.deserialize(serializer.serialize(OSError("disk full")))
    assert isinstance(error, StepError)
    assert str(error) == "OSError: disk full"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Bearer t-g1044ghJRUIJJ5ELPL5FUVYAK5G7LPNZXFHJQKD5.", "Bearer t-g1…."),
        ("key sk-proj-0123456789abcdefghijklmnop 无效", "key sk-p… 无效"),
        ("https://open.feishu.cn/open-apis/im/v1/messages", "https://open.feishu.cn/open-apis/im/v1/messages"),
        (
            "这个文件太大了超过了飞书允许下载的大小限制请换一个小一点的",
            "这个文件太大了超过了飞书允许下载的大小限制请换一个小一点的",
        ),
    ],
)
def test_what_looks_like_a_secret_is_cut(words: str, expected: str) -> None:
    assert redacted(words) == expected
