from __future__ import annotations

import asyncio
import json

import pytest

from bot.errors import FeishuError, FeishuUnavailable, MessageGone, ReplyRefused
from bot.feishu.api import FeishuApi
from bot.feishu.content import read_content
from bot.feishu.identity import Identity, fetch_identity
from bot.feishu.messages import Messages, QuotedItem
from bot.models import BotIdentity

from .conftest import Clock, FakeFeishu

MESSAGE = "/open-apis/im/v1/messages/om_1"
REPLY = f"{MESSAGE}/reply"
REACTIONS = f"{MESSAGE}/reactions"
INFO = "/open-apis/bot/v3/info"


@pytest.fixture
def messages(api: FeishuApi) -> Messages:
    return Messages(api)


async def reply(messages: Messages, *, in_thread: bool = True) -> str:
    return await messages.reply("om_1", msg_type="text", content={"text": "读"}, uuid="u-1", in_thread=in_thread)


async def test_a_quoted_message_reads_like_one_of_an_event(messages: Messages, feishu: FakeFeishu) -> None:
    item = {
        "message_id": "om_1",
        "msg_type": "text",
        "deleted": False,
        "sender": {"id": "ou_1", "id_type": "open_id", "sender_type": "user"},
        "body": {"content": json.dumps({"text": "@_user_1 look"})},
        "mentions": [{"key": "@_user_1", "id": "ou_2", "id_type": "open_id", "name": "Tom"}, "garbage"],
    }
    feishu.answer(MESSAGE, {"code": 0, "data": {"items": [item, None, {"message_id": "om_2", "deleted": True}]}})
    quoted, gone = await messages.get("om_1")
    assert quoted == QuotedItem(
        message_id="om_1",
        type="text",
        content='{"text": "@_user_1 look"}',
        sender="ou_1",
        mentions={"@_user_1": "@Tom"},
    )
    assert read_content(quoted.type, quoted.content, quoted.mentions, quoted.message_id).text == "@Tom look"
    assert gone.deleted
    assert gone.content == ""
    assert feishu.of(MESSAGE)[0].query["card_msg_content_type"] == "user_card_content"


async def test_a_recalled_message_is_gone(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(MESSAGE, {"code": 230110, "msg": "deleted"}, status=400)
    with pytest.raises(MessageGone):
        await messages.get("om_1")


async def test_an_id_of_a_message_cannot_lead_elsewhere(messages: Messages, feishu: FakeFeishu) -> None:
    with pytest.raises(FeishuError):
        await messages.get("../auth")
    assert feishu.calls == []


async def test_a_reply_is_sent_with_its_uuid(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(REPLY, {"code": 0, "data": {"message_id": "om_2"}})
    assert await reply(messages) == "om_2"
    assert feishu.of(REPLY)[0].body == {
        "msg_type": "text",
        "content": '{"text": "读"}',
        "reply_in_thread": True,
        "uuid": "u-1",
    }


async def test_a_reply_that_is_being_sent_is_asked_for_again_with_the_same_uuid(
    messages: Messages, feishu: FakeFeishu
) -> None:
    feishu.answer(REPLY, {"code": 230049, "msg": "The message is being sent."}, status=400)
    feishu.answer(REPLY, {}, status=504)
    feishu.answer(REPLY, {"code": 0, "data": {"message_id": "om_2"}})
    assert await reply(messages) == "om_2"
    assert [call.body["uuid"] for call in feishu.of(REPLY)] == ["u-1"] * 3


async def test_a_repeated_uuid_without_an_id_is_a_success(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(REPLY, {"code": 0, "msg": "success"})
    assert await reply(messages) == ""


@pytest.mark.parametrize("code", [230071, 230072])
async def test_where_there_are_no_threads_the_reply_is_a_plain_one(
    messages: Messages, feishu: FakeFeishu, code: int
) -> None:
    feishu.answer(REPLY, {"code": code, "msg": "no thread"}, status=400)
    feishu.answer(REPLY, {"code": 0, "data": {"message_id": "om_2"}})
    assert await reply(messages) == "om_2"
    assert [call.body["reply_in_thread"] for call in feishu.of(REPLY)] == [True, False]


async def test_a_chat_that_takes_no_reply_says_so_at_once(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(REPLY, {"code": 230035, "msg": "muted"}, status=400)
    with pytest.raises(ReplyRefused):
        await reply(messages)
    assert len(feishu.of(REPLY)) == 1


async def test_a_reaction_is_added_and_taken_away(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(REACTIONS, {"code": 0, "data": {"reaction_id": "ZCaC-3ZTw=="}})
    reaction_id = await messages.react("om_1", "Typing")
    assert feishu.of(REACTIONS)[0].body == {"reaction_type": {"emoji_type": "Typing"}}
    await messages.unreact("om_1", reaction_id)
    assert [call.method for call in feishu.calls if call.path == f"{REACTIONS}/ZCaC-3ZTw=="] == ["DELETE"]


async def test_a_reaction_that_fails_fails_nothing(messages: Messages, feishu: FakeFeishu) -> None:
    feishu.answer(REACTIONS, {"code": 231003, "msg": "not found"}, status=400)
    assert await messages.react("om_1", "Typing") is None
    feishu.answer(REACTIONS, {}, status=500)
    assert await messages.react("om_1", "Typing") is None
    await messages.unreact("om_1", None)
    feishu.answer(f"{REACTIONS}/r1", {"code": 231007, "msg": "not yours"}, status=400)
    await messages.unreact("om_1", "r1")


async def test_our_identity_is_in_bot(api: FeishuApi, feishu: FakeFeishu) -> None:
    feishu.answer(INFO, {"code": 0, "bot": {"open_id": "ou_bot", "app_name": "读文"}})
    assert await fetch_identity(api) == BotIdentity(open_id="ou_bot", name="读文")


@pytest.mark.parametrize("body", [{"code": 0}, {"code": 0, "bot": []}, {"code": 0, "bot": {"open_id": ""}}])
async def test_an_answer_without_open_id_is_no_identity(api: FeishuApi, feishu: FakeFeishu, body: object) -> None:
    feishu.answer(INFO, body)
    with pytest.raises(FeishuUnavailable):
        await fetch_identity(api)


async def test_the_identity_is_asked_for_once(api: FeishuApi, feishu: FakeFeishu, clock: Clock) -> None:
    feishu.answer(INFO, {"code": 0, "bot": {"open_id": "ou_bot"}})
    identity = Identity(api, clock=clock)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(identity.get()) for _ in range(20)]
    assert {task.result() for task in tasks} == {BotIdentity(open_id="ou_bot", name="")}
    assert len(feishu.of(INFO)) == 1


async def test_an_unknown_identity_is_none_and_asked_for_again_after_a_while(
    api: FeishuApi, feishu: FakeFeishu, clock: Clock
) -> None:
    identity = Identity(api, retry_after_s=5, clock=clock)
    feishu.answer(INFO, {"code": 99991672, "msg": "no scope"}, status=400)
    assert await identity.get() is None
    clock.now += 4
    assert await identity.get() is None
    assert len(feishu.of(INFO)) == 1
    feishu.answer(INFO, {"code": 0, "bot": {"open_id": "ou_bot"}})
    clock.now += 1
    assert await identity.get() == BotIdentity(open_id="ou_bot", name="")
