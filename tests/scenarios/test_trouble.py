"""When Feishu or the model misbehaves: one reply that says so, and no card left open."""

from __future__ import annotations

import re

import aiohttp
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
        ("thinks-only", "没有写出回答"),
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


@pytest.mark.parametrize("code", [200220, 99991672], ids=["refused", "no_scope"])
async def test_where_cards_are_refused_a_post_carries_the_answer(world, chat_id, code) -> None:
    await world.chat.fail(Fault(match=f"^{CARDS}$", code=code, status=400))
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


async def test_where_the_card_is_gone_altogether_a_post_carries_the_answer(world, chat_id) -> None:
    await world.chat.fail(Fault(match=r"PUT /open-apis/cardkit/v1/cards/\d+$", code=200750, status=400, times=2))
    message_id = await world.chat.say("说说看", chat_id=chat_id)
    _, post = await world.chat.wait_for_replies(message_id, count=2)
    assert (post.msg_type, "替身" in post.text) == ("post", True)


async def test_a_very_long_answer_comes_whole_in_several_messages(world, chat_id) -> None:
    await world.endpoint.fail("long")
    message_id = await world.chat.say("说来听听", chat_id=chat_id)
    replies = await world.chat.wait_for_replies(message_id, count=7, timeout_s=60)
    text = "\n".join(reply.text for reply in replies)
    assert [f"第 {number} 段。" for number in range(1, 121) if f"第 {number} 段。" not in text] == []
    assert text.count("说来话长") == 120 * 100
    assert (await world.chat.stats()).replies[message_id] == len(replies)


async def test_messages_beyond_feishus_five_a_second_wait_and_all_arrive(own_world) -> None:
    await own_world.chat.configure(relaxed_rates=False)
    await own_world.endpoint.fail("long")
    long = await own_world.chat.say("说来听听")
    replies = await own_world.chat.wait_for_replies(long, count=7, timeout_s=60)
    assert "第 120 段。" in replies[-1].text
    calls = await own_world.chat.calls()
    refused = [call for call in calls if call.code == 230020]
    assert refused, "the limit was met"
    assert {call.code for call in calls} & {99991400, 300317} == set(), "the card was never updated too often"
    sequences = [call.body["sequence"] for call in calls if call.body and "sequence" in call.body]
    assert sequences == sorted(set(sequences)), "strictly rising, over updates and the final card"
    metrics = own_world.webhook.replace("/feishu/event", "/metrics")
    async with aiohttp.ClientSession() as client, client.get(metrics) as response:
        counted = re.search(r'duwen_feishu_errors_total\{code="feishu_rate_limited"\} (\d+)', await response.text())
    assert int(counted[1]) == len(refused)


async def test_where_even_the_apology_is_refused_the_typing_mark_goes_and_the_next_question_is_answered(
    world, chat_id
) -> None:
    await world.chat.fail(Fault(match=f"^{CARDS}$", code=987654, status=400))  # a code that nobody knows
    await world.chat.fail(Fault(match="/reply", code=230002, status=400))
    lost = await world.chat.say("谁在？", chat_id=chat_id)
    following = await world.chat.say("下一个", chat_id=chat_id)
    await world.chat.wait_for_replies(following)
    first = (await world.chat.messages(chat_id))[0]
    assert (first.message_id, first.reactions) == (lost, ())
    assert await world.chat.replies(lost) == []


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
