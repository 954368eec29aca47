"""However often and in whatever order events come, every message gets one reply."""

from __future__ import annotations

import aiohttp
import pytest

from bot.emulator.feishu.sealing import sealed, signature_headers
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


async def test_an_edited_message_comes_again_under_its_id_and_is_not_answered_again(world, chat_id) -> None:
    message_id = await world.chat.say("第一版", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    options = world.feishu
    header = {"event_id": "edited", "event_type": "im.message.receive_v1"}
    edited = {
        "schema": "2.0",
        "header": {**header, "token": options.verification_token, "app_id": options.app_id},
        "event": {
            "sender": {"sender_id": {"open_id": "ou_1"}, "sender_type": "user"},
            "message": {
                "message_id": message_id,
                "chat_id": chat_id,
                "chat_type": "p2p",
                "message_type": "text",
                "create_time": "1700000000000",
                "update_time": "1700000009000",
                "content": '{"text":"第二版"}',
            },
        },
    }
    body = sealed(edited, options.encrypt_key)
    headers = signature_headers(body, options.encrypt_key)
    async with aiohttp.ClientSession() as client, client.post(world.webhook, data=body, headers=headers) as response:
        assert response.status == 200
    following = await world.chat.say("下一条", chat_id=chat_id)
    await world.chat.wait_for_replies(following)  # the chat is answered in order
    assert (await world.chat.stats()).replies[message_id] == 1


async def test_feishu_can_verify_the_address(world) -> None:
    assert (await world.chat.verify_url()).passed
