from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.feishu.content import READERS, Content, read_content
from bot.models import AttachmentRef


def read(message_type: str, content: Any, mentions: dict[str, str] | None = None) -> Content:
    return read_content(message_type, json.dumps(content), mentions or {}, "om_1")


def ref(key: str, kind: Any, name: str | None = None) -> AttachmentRef:
    return AttachmentRef(message_id="om_1", key=key, kind=kind, name=name)


def test_text_has_mentions_by_name_and_ours_taken_out() -> None:
    mentions = {"@_user_1": "", "@_user_2": "@Tom", "@_user_10": "@张三"}
    content = read("text", {"text": "@_user_1 ask @_user_2, @_user_10 and @_all"}, mentions)
    assert content == Content(text="ask @Tom, @张三 and @all")


def test_a_mention_in_the_middle_leaves_one_space() -> None:
    assert read("text", {"text": "hello @_user_1 world"}, {"@_user_1": ""}).text == "hello world"


def test_control_characters_are_taken_out_and_lines_kept() -> None:
    assert read("text", {"text": "a\x00b\r\nc\td\x1b[31m"}).text == "ab\nc\td[31m"


@pytest.mark.parametrize(
    ("message_type", "content", "expected"),
    [
        ("image", {"image_key": "img_1"}, ref("img_1", "image")),
        ("file", {"file_key": "f_1", "file_name": "合同.pdf"}, ref("f_1", "file", "合同.pdf")),
        ("folder", {"file_key": "f_1", "file_name": "材料"}, ref("f_1", "folder", "材料")),
        ("audio", {"file_key": "f_1", "duration": 2000}, ref("f_1", "audio")),
        ("media", {"file_key": "f_1", "image_key": "img_1", "file_name": "a.mp4"}, ref("f_1", "media", "a.mp4")),
        ("sticker", {"file_key": "f_1"}, ref("f_1", "sticker")),
    ],
)
def test_a_message_that_is_one_resource_is_one_attachment(
    message_type: str, content: dict[str, Any], expected: AttachmentRef
) -> None:
    assert read(message_type, content) == Content(attachments=(expected,))


POST = {
    "title": "季度报告",
    "content": [
        [
            {"tag": "text", "text": "第一行: ", "style": ["bold"]},
            {"tag": "a", "href": "https://example.com", "text": "link"},
            {"tag": "at", "user_id": "@_user_1", "user_name": "Bot"},
            {"tag": "at", "user_id": "@_user_2", "user_name": ""},
        ],
        [{"tag": "img", "image_key": "img_1"}],
        [{"tag": "media", "file_key": "f_1", "image_key": "img_cover"}],
        [{"tag": "emotion", "emoji_type": "SMILE"}, {"tag": "hr"}],
        [{"tag": "code_block", "language": "GO", "text": "func main() {}\n"}],
        [{"tag": "md", "text": "**bold** ![x](img_v3_02) end"}],
        [{"tag": "new_in_2027", "text": "still read"}],
    ],
    "files": [
        {"file_key": "f_2", "file_name": "a.xlsx", "is_folder": False},
        {"file_key": "f_3", "file_name": "dir", "is_folder": True},
        {"file_key": "f_2", "file_name": "a.xlsx"},
    ],
}
POST_TEXT = """季度报告
第一行: [link](https://example.com)@Tom
[SMILE]---
```go
func main() {}
```
**bold**  end
still read"""
POST_FILES = (
    ref("img_1", "image"),
    ref("f_1", "media"),
    ref("img_v3_02", "image"),
    ref("f_2", "file", "a.xlsx"),
    ref("f_3", "folder", "dir"),
)


def test_a_post_gives_all_its_tags_and_its_files_once() -> None:
    assert read("post", POST, {"@_user_1": "", "@_user_2": "@Tom"}) == Content(text=POST_TEXT, attachments=POST_FILES)


def test_a_localised_post_is_read_in_one_language() -> None:
    localised = {"en_us": {"title": "no", "content": []}, "zh_cn": POST}
    assert read("post", localised, {"@_user_1": "", "@_user_2": "@Tom"}).text == POST_TEXT
    assert read("post", {"fr_fr": {"content": [[{"tag": "text", "text": "oui"}]]}}).text == "oui"


def test_a_post_with_only_markdown_rows_is_read() -> None:
    content = {"title": "", "content_v2": [[{"tag": "md", "text": "look ![i](img_9)"}]], "files": [{"file_key": "f_1"}]}
    assert read("post", content) == Content(text="look", attachments=(ref("img_9", "image"), ref("f_1", "file")))


def test_both_contents_of_a_post_are_not_read_twice() -> None:
    content = {"content": [[{"tag": "text", "text": "once"}]], "content_v2": [[{"tag": "md", "text": "once"}]]}
    assert read("post", content).text == "once"


def test_a_mention_in_a_post_without_key_goes_by_its_name() -> None:
    content = {"content": [[{"tag": "at", "user_id": "ou_1", "user_name": "Ann"}, {"tag": "at", "user_id": "all"}]]}
    assert read("post", content).text == "@Ann@all"


def test_a_simplified_card_is_read_without_its_controls() -> None:
    card = {
        "title": "审批",
        "elements": [
            [{"tag": "button", "text": "同意"}],
            [{"tag": "text", "text": "金额 "}, {"tag": "a", "href": "https://e.com", "text": "详情"}],
            [{"tag": "note", "elements": [{"tag": "img", "image_key": "img_1"}, {"tag": "text", "text": "备注"}]}],
        ],
    }
    assert read("interactive", card) == Content(text="审批\n金额 [详情](https://e.com)\n备注")


def test_cards_of_both_versions_are_read() -> None:
    header = {"title": {"tag": "plain_text", "content": "Report"}}
    old = {"header": header, "elements": [{"tag": "div", "text": {"tag": "lark_md", "content": "**x**"}}]}
    columns = [{"tag": "column", "elements": [{"tag": "markdown", "content": "left"}]}]
    panel = {"tag": "collapsible_panel", "header": header, "elements": [{"tag": "markdown", "content": "inside"}]}
    new = {"schema": "2.0", "header": header, "body": {"elements": [{"tag": "column_set", "columns": columns}, panel]}}
    assert read("interactive", old).text == "Report\n**x**"
    assert read("interactive", new).text == "Report\nleft\nReport\ninside"


@pytest.mark.parametrize(
    ("message_type", "content", "expected"),
    [
        ("merge_forward", {"content": "Merged and Forwarded Message"}, "[merged forward]"),
        ("share_chat", {"chat_id": "oc_1"}, "[shared chat] oc_1"),
        ("share_user", {"user_id": "ou_1"}, "[shared contact] ou_1"),
        ("location", {"name": "北京", "longitude": "116.4", "latitude": "39.9"}, "[location] 北京, 116.4, 39.9"),
        (
            "calendar",
            {"summary": "Sync", "start_time": "1608265395000", "end_time": "x"},
            "[calendar event] Sync, 2020-12-18 04:23 UTC",
        ),
        ("video_chat", {"topic": "Call", "start_time": "9" * 30}, "[video call] Call"),
        ("vote", {"topic": "Lunch", "options": ["A", 5, "B"]}, "[vote] Lunch\n- A\n- B"),
        ("hongbao", {"text": "[红包]"}, "[红包]"),
        (
            "todo",
            {"summary": {"content": [[{"tag": "text", "text": "多吃水果"}]]}, "due_time": "1623124318000"},
            "[task] 多吃水果 (due 2021-06-08 03:51 UTC)",
        ),
        (
            "system",
            {"template": "{from_user} invited {to_chatters}. {x}", "from_user": ["a"], "to_chatters": ["b", "c"]},
            "a invited b, c.",
        ),
        ("system", {"template": "{divider_text}", "divider_text": {"text": "新会话"}}, "新会话"),
    ],
)
def test_the_other_types_have_a_readable_text(message_type: str, content: Any, expected: str) -> None:
    assert read(message_type, content) == Content(text=expected)


@pytest.mark.parametrize("message_type", [*READERS, "unknown", ""])
@pytest.mark.parametrize("content", ["", "{", "[]", "null", "1", '"x"', "\ud800", '{"a":' * 20_000])
def test_garbage_is_not_an_error(message_type: str, content: str) -> None:
    assert read_content(message_type, content, {}, "om_1").attachments == ()


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["tag", "text", "content", "content_v2", "elements", "files", "title", "file_key", "body", "zh_cn", "summary"]
) | st.text(max_size=3)
TAGS = st.sampled_from(["text", "a", "at", "img", "media", "md", "code_block", "hr", "note", "markdown"])
SHAPES = st.recursive(
    LEAVES | TAGS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)


@given(message_type=st.sampled_from(sorted(READERS)), fields=st.dictionaries(KEYS, SHAPES, max_size=6))
def test_no_shape_is_an_error(message_type: str, fields: dict[str, Any]) -> None:
    assert isinstance(read(message_type, fields).text, str)
