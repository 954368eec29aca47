"""However often and in whatever order events come, every message gets one reply."""

from __future__ import annotations

import pytest

from bot.emulator.wire import Post

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_each_event_delivered_five_times_out_of_order_gives_one_reply(world, chat_id) -> None:
    posts = [Post(content={"text": f"问题 {number}"}, chat_id=f"{chat_id}_{number % 4}") for number in range(12)]
    before = len(await world.chat.deliveries())
    message_ids = await world.chat.post(*posts, copies=5, shuffle_seed=7)
    deliveries = (await world.chat.wait_for_deliveries(before + 60))[before:]
    assert {delivery.status for delivery in deliveries} == {200}
    for message_id in message_ids:
        await world.chat.wait_for_replies(message_id)
    replies = (await world.chat.stats()).replies
    assert [replies[message_id] for message_id in message_ids] == [1] * 12


async def test_an_event_of_another_type_is_acknowledged_and_ignored(world, chat_id) -> None:
    message_id = await world.chat.say("我要撤回", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    before = len(await world.chat.deliveries())
    await world.chat.recall(message_id)
    (recalled,) = (await world.chat.wait_for_deliveries(before + 1))[before:]
    assert (recalled.event_type, recalled.status) == ("im.message.recalled_v1", 200)


async def test_feishu_can_verify_the_address(world) -> None:
    assert (await world.chat.verify_url()).passed
