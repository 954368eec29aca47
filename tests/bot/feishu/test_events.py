from __future__ import annotations

import json
from typing import Any

import pytest

from bot.errors import EnvelopeError, FeishuUnavailable
from bot.feishu.events import read_message, receive_event
from bot.models import AttachmentRef, BotIdentity, Message

BOT = BotIdentity(open_id="ou_bot", name="读文")


def mention(key: str, open_id: str, name: str) -> dict[str, Any]:
    return {"key": key, "id": {"open_id": open_id, "union_id": "", "user_id": None}, "name": name}


def body(sender_type: str = "user", open_id: Any = "ou_1", **message: Any) -> dict[str, Any]:
    full = {
        "message_id": "om_1",
        "chat_id": "oc_1",
        "chat_type": "p2p",
        "message_type": "text",
        "create_time": "1608725989000",
        "content": json.dumps({"text": "hello"}),
    } | message
    return {
        "schema": "2.0",
        "header": {
            "event_id": "e",
            "event_type": "im.message.receive_v1",
            "token": "secret-token",
            "app_id": "cli_1",
        },
        "event": {"sender": {"sender_id": {"open_id": open_id}, "sender_type": sender_type}, "message": full},
    }


def read(identity: BotIdentity | None = BOT, *, language: Any = "auto", **values: Any) -> Message | None:
    event = receive_event(body(**values))
    assert event is not None
    return read_message(event, identity, language=language)


def text(value: str) -> str:
    return json.dumps({"text": value})


def test_an_event_is_keyed_for_the_inbox_without_the_verification_token() -> None:
    event = receive_event(body(thread_id="omt_1"))
    assert event is not None
    assert (event.app_id, event.message_id, event.conversation) == ("cli_1", "om_1", "oc_1:omt_1")
    assert event.create_time_ms == 1_608_725_989_000
    assert "secret-token" not in json.dumps(event.body)
    assert event.body["event"] == body(thread_id="omt_1")["event"]


@pytest.mark.parametrize("event_type", ["im.message.recalled_v1", "", None, 5])
def test_other_events_are_none_of_ours(event_type: Any) -> None:
    other = body()
    other["header"]["event_type"] = event_type
    assert receive_event(other) is None
    assert receive_event({"header": []}) is None


@pytest.mark.parametrize(
    "message",
    [
        {"message_id": None},
        {"message_id": ""},
        {"message_id": "../../auth"},
        {"message_id": "om_1\n"},
        {"message_id": "x" * 129},
        {"chat_id": {}},
        {"chat_id": "oc 1"},
        {"thread_id": "a/b"},
        {"create_time": 1608725989000},
        {"create_time": "soon"},
        {"create_time": "9" * 16},
        {"content": {"text": "not a string"}},
        {"mentions": {}},
        {"mentions": [1]},
        {"mentions": [{"name": "Tom"}]},
        {"chat_type": None},
    ],
)
def test_a_wrong_shape_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(EnvelopeError) as refusal:
        receive_event(body(**message))
    assert (refusal.value.code, refusal.value.status) == ("event_shape", 400)


@pytest.mark.parametrize("mention", [{"key": "@_user_1"}, {"key": "@_user_1", "id": None, "name": None}])
def test_a_mention_that_says_too_little_does_not_cost_the_message(mention: dict[str, Any]) -> None:
    message = read(content=text("@_user_1 hello"), mentions=[mention])
    assert message is not None
    assert message.question == "@ hello"


@pytest.mark.parametrize("sender", [{"sender_type": "app"}, {"sender_id": None, "sender_type": "app"}, {}])
def test_what_other_bots_send_is_taken_and_left_alone(sender: dict[str, Any]) -> None:
    of_a_bot = body()
    of_a_bot["event"]["sender"] = sender
    event = receive_event(of_a_bot)
    assert event is not None
    assert read_message(event, BOT) is None


def test_a_forward_asks_nothing_itself_and_an_unknown_type_says_so() -> None:
    forward = read(message_type="merge_forward", content=json.dumps({"content": "Merged and Forwarded Message"}))
    assert forward is not None
    assert (forward.question, forward.is_forward, forward.language) == ("", True, "zh")
    unknown = read(message_type="hologram", content="{}")
    assert unknown is not None
    assert (unknown.question, unknown.is_unknown) == ("", True)
    place = read(message_type="location", content=json.dumps({"name": "Beijing"}))
    assert place is not None
    assert (place.question, place.language) == ("[location] Beijing", "zh"), "those words are ours and not the person's"


def test_a_private_message_is_for_us_even_while_we_do_not_know_ourselves() -> None:
    assert read(None) == Message(
        app_id="cli_1",
        message_id="om_1",
        chat_id="oc_1",
        chat_type="p2p",
        thread_id=None,
        parent_id=None,
        sender_open_id="ou_1",
        create_time_ms=1_608_725_989_000,
        question="hello",
        language="en",
    )


@pytest.mark.parametrize("sender_type", ["bot", "app", ""])
def test_bots_are_not_answered(sender_type: str) -> None:
    assert read(sender_type=sender_type) is None


def test_a_sender_without_open_id_is_not_answered() -> None:
    assert read(open_id=None) is None


def test_a_group_message_that_mentions_us_is_for_us() -> None:
    message = read(
        chat_type="group",
        parent_id="om_0",
        thread_id="",
        content=text("@_user_1 请和 @_user_2 总结"),
        mentions=[mention("@_user_1", "ou_bot", "读文"), mention("@_user_2", "ou_2", "Tom")],
    )
    assert message is not None
    assert (message.question, message.chat_type) == ("请和 @Tom 总结", "group")
    assert (message.parent_id, message.thread_id) == ("om_0", None)


@pytest.mark.parametrize("mentions", [None, [], [mention("@_user_1", "ou_2", "读文")]])
def test_a_group_message_without_a_mention_of_our_open_id_is_not_for_us(mentions: Any) -> None:
    assert read(chat_type="group", mentions=mentions, content=text("@_user_1 hi")) is None


@pytest.mark.parametrize("chat_type", ["group", "topic_group"])
def test_while_we_do_not_know_ourselves_a_mention_in_a_group_is_tried_again(chat_type: str) -> None:
    with pytest.raises(FeishuUnavailable) as error:
        read(None, chat_type=chat_type, mentions=[mention("@_user_1", "", "读文")])
    assert error.value.code == "identity_unknown"
    assert error.value.retryable


def test_a_mention_without_open_id_is_not_of_us() -> None:
    mentions = [mention("@_user_1", "", "读文")]
    assert read(chat_type="group", mentions=mentions) is None
    with pytest.raises(FeishuUnavailable):
        read(BotIdentity(open_id="", name=""), chat_type="group", mentions=mentions)


def test_attachments_belong_to_the_message() -> None:
    message = read(message_type="file", content=json.dumps({"file_key": "f_1", "file_name": "a.pdf"}))
    assert message is not None
    assert message.attachments == (AttachmentRef(message_id="om_1", key="f_1", kind="file", name="a.pdf"),)
    assert (message.question, message.language) == ("", "zh")


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("总结 this", "auto", "zh"),
        ("Summarise this, please: 1, 2", "auto", "en"),
        ("123 ?!", "auto", "zh"),
        ("", "auto", "zh"),
        ("résumé", "auto", "en"),
        ("@_user_1 what is it", "auto", "en"),
        ("what", "zh", "zh"),
        ("什么", "en", "en"),
    ],
)
def test_the_language_is_the_questions(question: str, language: Any, expected: str) -> None:
    message = read(content=text(question), language=language, mentions=[mention("@_user_1", "ou_2", "张三")])
    assert message is not None
    assert message.language == expected
