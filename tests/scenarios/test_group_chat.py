"""What people see in a group."""

from __future__ import annotations

import pytest

from bot.demo.samples import staff_csv
from bot.emulator.wire import Mention, Post

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_mention_is_answered_in_a_thread(world, chat_id) -> None:
    message_id = await world.chat.say("总结一下", chat_id=chat_id, chat_type="group", mention_bot=True)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert reply.thread_id is not None
    assert reply.streaming == "closed"


async def test_what_is_said_to_others_is_left_alone(world, chat_id) -> None:
    other = Post(
        content={"text": "@_user_1 看一下"},
        chat_id=chat_id,
        chat_type="group",
        mentions=(Mention(open_id="ou_somebody", name="李晓红"),),
    )
    (to_others,) = await world.chat.post(other)
    (unmentioned,) = await world.chat.post(Post(content={"text": "随便说说"}, chat_id=chat_id, chat_type="group"))
    to_us = await world.chat.say("这条给你", chat_id=chat_id, chat_type="group", mention_bot=True)
    await world.chat.wait_for_replies(to_us)  # the chat is answered in order, so the others are settled by now
    assert await world.chat.replies(to_others) == []
    assert await world.chat.replies(unmentioned) == []


async def test_a_mention_that_quotes_a_file_in_the_group_reads_it(world, chat_id) -> None:
    dropped = await world.chat.drop(staff_csv(), name="员工名册.csv", chat_id=chat_id, chat_type="group")
    asked = Post(
        content={"text": "@_user_1 谁的月薪最高？"},
        chat_id=chat_id,
        chat_type="group",
        mention_bot=True,
        parent_id=dropped,
    )
    (message_id,) = await world.chat.post(asked)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "11,200" in reply.text
    assert await world.chat.replies(dropped) == [], "the file itself was not for us"


async def test_inside_a_thread_the_answer_stays_there(world, chat_id) -> None:
    first = await world.chat.say("开个话题", chat_id=chat_id, chat_type="group", mention_bot=True)
    (opened,) = await world.chat.wait_for_replies(first)
    again = await world.chat.say(
        "接着问", chat_id=chat_id, chat_type="group", mention_bot=True, thread_id=opened.thread_id
    )
    (reply,) = await world.chat.wait_for_replies(again)
    assert reply.thread_id == opened.thread_id
