"""The bot dies at every place where it talks to the world: one reply all the same, and no card left open."""

from __future__ import annotations

from contextlib import AsyncExitStack

import aiohttp
import pytest

from bot.demo.process import BotProcess
from bot.emulator.wire import Fault, Post

QUESTION = "请总结这份文件。"


async def _started(ground, bots: AsyncExitStack) -> BotProcess:
    bot = await bots.enter_async_context(ground.start())
    await ground.chat.configure(webhook_url=await bot.serving())
    return bot


async def _ask(ground, chat_id: str = "oc_private") -> str:
    key = await ground.chat.upload("第一条：交货期三十日。".encode(), name="条款.txt")
    content = {
        "title": "",
        "content": [[{"tag": "text", "text": QUESTION}]],
        "files": [{"file_key": key, "file_name": "条款.txt", "is_folder": False}],
    }
    return (await ground.chat.post(Post(content=content, msg_type="post", chat_id=chat_id)))[0]


async def _expect_one_reply(ground, message_id: str) -> None:
    (reply,) = await ground.chat.wait_for_replies(message_id, timeout_s=60)
    assert "交货期三十日" in reply.text
    stats = await ground.chat.stats()
    assert stats.replies[message_id] == 1
    assert stats.open_cards == ()


async def test_killed_in_the_middle_of_the_model_call_it_answers_once_after_the_restart(ground) -> None:
    async with ground.start() as bot:
        await ground.chat.configure(webhook_url=await bot.serving())
        message_id = await _ask(ground)
        await ground.endpoint.wait_for_running()
        await ground.chat.wait_for_calls("/elements/answer/content")  # the card is streaming
        await bot.kill()
    assert (await ground.chat.stats()).open_cards != ()
    async with ground.start() as bot:
        await bot.serving()
        await _expect_one_reply(ground, message_id)


#: Every call on the way of one question; the bot dies while Feishu is still at it, or has just done it.
CALLS = {
    "the typing reaction": r"POST .*/reactions",
    "the new card": r"POST /open-apis/cardkit/v1/cards$",
    "the card's message": r"POST .*/reply",
    "the download": r"GET .*/resources/",
    "the first update": r"PUT .*/elements/answer/content",
    "the final card": r"PUT /open-apis/cardkit/v1/cards/[^/]+$",
    "the reaction's removal": r"DELETE .*/reactions/",
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["slow", "late"])
async def test_killed_during_any_call_to_feishu_it_answers_once_after_the_restart(ground, mode) -> None:
    # "slow": Feishu does it only when the bot is dead already; "late": Feishu has done it, and nobody hears the answer.
    await ground.endpoint.configure(token_delay_s=0.01)
    async with AsyncExitStack() as bots:
        bot = await _started(ground, bots)
        for number, match in enumerate(CALLS.values()):
            await ground.chat.fail(Fault(match=match, mode=mode, delay_s=1.0))
            message_id = await _ask(ground, chat_id=f"oc_{number}")
            await ground.chat.wait_for_faults()
            await bot.kill()
            bot = await _started(ground, bots)
            await _expect_one_reply(ground, message_id)


@pytest.mark.slow
async def test_told_to_stop_during_any_call_to_feishu_it_answers_once_after_the_restart(ground) -> None:
    await ground.endpoint.configure(token_delay_s=0.01)
    async with AsyncExitStack() as bots:
        bot = await _started(ground, bots)
        for number, match in enumerate(CALLS.values()):
            await ground.chat.fail(Fault(match=match, mode="slow", delay_s=1.0))
            message_id = await _ask(ground, chat_id=f"oc_{number}")
            await ground.chat.wait_for_faults()
            assert await bot.stop() == 0
            bot = await _started(ground, bots)
            await _expect_one_reply(ground, message_id)


async def test_while_feishu_hangs_the_bot_starts_and_its_health_page_answers(ground) -> None:
    await ground.chat.fail(Fault(match="bot/v3/info", mode="slow", delay_s=3.0))
    async with ground.start() as bot:
        address = (await bot.serving()).removesuffix("/feishu/event")
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2.0)) as client:
            async with client.get(f"{address}/healthz") as response:
                assert (response.status, (await response.json())["bot"]) == (200, None)
            async with client.get(f"{address}/readyz") as response:
                assert response.status == 503


async def test_an_event_acknowledged_just_before_the_crash_is_not_lost(ground) -> None:
    async with ground.start() as bot:
        await ground.chat.configure(webhook_url=await bot.serving())
        message_id = await _ask(ground)
        (delivery,) = await ground.chat.wait_for_deliveries(1)
        await bot.kill()
    assert delivery.status == 200
    async with ground.start() as bot:
        await bot.serving()
        await _expect_one_reply(ground, message_id)


async def test_told_to_stop_it_ends_within_its_grace_and_goes_on_after_the_restart(ground) -> None:
    async with ground.start() as bot:
        await ground.chat.configure(webhook_url=await bot.serving())
        message_id = await _ask(ground)
        await ground.endpoint.wait_for_running()
        assert await bot.stop() == 0
    async with ground.start() as bot:
        await bot.serving()
        await _expect_one_reply(ground, message_id)
