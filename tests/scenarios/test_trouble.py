"""When Feishu or the model misbehaves: one reply that says so, and no card left open."""

from __future__ import annotations

import re

import pytest

from bot.demo.samples import chart_png
from bot.emulator.wire import Fault

pytestmark = pytest.mark.asyncio(loop_scope="session")

#: What is tried again before anything was shown.
AGAIN = frozenset({"quota"})
CARDS = r"POST /open-apis/cardkit/v1/cards"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no-finish", "中断"),
        ("cut", "中断"),
        ("error-event", "模型服务"),
        ("error-mid-stream", "模型服务"),
        ("broken-json", "模型服务"),
        ("stall", "没有响应"),
        ("content-filter", "内容审核"),
        ("length", "长度上限"),
        ("quota", "额度"),
        ("filtered-prompt", "内容审核"),
        ("html", "模型服务"),
        ("redirect", "模型"),
    ],
)
async def test_whatever_the_model_does_the_user_is_told_and_the_card_is_closed(world, chat_id, fault, words) -> None:
    times = 3 if fault in AGAIN else 1  # as often as the SDK and the checkpoint try
    await world.endpoint.fail(fault, times=times)
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id, timeout_s=60)
    assert words in reply.text
    assert reply.streaming == "closed"


@pytest.mark.parametrize(
    "fault", ["server-error", "rate-limit", "no-stream-options", "no-max-tokens", "empty", "split-utf8"]
)
async def test_what_passes_by_itself_is_not_noticed(world, chat_id, fault) -> None:
    await world.endpoint.fail(fault)
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id, timeout_s=60)
    assert "替身" in reply.text


async def test_a_model_that_takes_no_images_is_asked_with_the_text_alone_and_the_user_is_told(own_world) -> None:
    await own_world.endpoint.fail("image-unsupported")
    message_id = await own_world.chat.drop(chart_png(), name="图.png", kind="image")
    (reply,) = await own_world.chat.wait_for_replies(message_id)
    assert "只依据文字" in reply.text


async def test_where_cards_are_refused_a_post_carries_the_answer(world, chat_id) -> None:
    await world.chat.fail(Fault(match=f"^{CARDS}$", code=200220, status=400))
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert reply.msg_type == "post"
    assert "替身" in reply.text


async def test_where_a_card_cannot_be_shown_a_post_carries_the_answer(world, chat_id) -> None:
    message = r"POST /open-apis/im/v1/messages/\w+/reply"
    await world.chat.fail(Fault(match=message, code=230099, status=400, msg="Failed to create card content"))
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert reply.msg_type == "post"
    assert "替身" in reply.text


async def test_where_the_final_card_is_refused_a_post_carries_the_answer_and_the_card_is_closed(world, chat_id) -> None:
    await world.chat.fail(Fault(match=r"PUT /open-apis/cardkit/v1/cards/\d+$", code=200860, status=400))
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    card, post = await world.chat.wait_for_replies(message_id, count=2)
    assert card.streaming == "closed"
    assert post.msg_type == "post"
    assert "替身" in post.text


@pytest.mark.parametrize(
    "fault",
    [
        Fault(match=CARDS, status=502, html="<html>bad gateway</html>"),
        Fault(match="/reply", mode="after"),
        Fault(match="/reply", code=99991400, status=429, headers={"x-ogw-ratelimit-reset": "0.1"}),
        Fault(match="/reply", code=99991663, status=400),
        Fault(match="/reactions", code=231001, status=400, times=2),
        Fault(match="/elements/", code=300309, status=400),
        Fault(match="/elements/", status=500, html="<html></html>"),
    ],
    ids=lambda fault: re.sub(r"\W+", "_", f"{fault.match} {fault.mode} {fault.status} {fault.code}"),
)
async def test_feishus_passing_trouble_gives_one_reply_all_the_same(world, chat_id, fault) -> None:
    await world.chat.fail(fault)
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "替身" in reply.text
    assert (await world.chat.stats()).replies[message_id] == 1


async def test_a_question_that_was_recalled_meanwhile_leaves_nothing_open(world, chat_id) -> None:
    await world.chat.fail(Fault(match="/reply", code=230011, status=400))
    recalled = await world.chat.say("当我没问", chat_id=chat_id)
    following = await world.chat.say("下一个", chat_id=chat_id)
    await world.chat.wait_for_replies(following)  # answered in order
    assert await world.chat.replies(recalled) == []
