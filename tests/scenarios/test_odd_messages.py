"""Messages with nothing to read in them, with names that play tricks, or that stand for others."""

from __future__ import annotations

import pytest

from bot.demo.samples import chart_png
from bot.emulator.wire import Fault, Post

pytestmark = pytest.mark.asyncio(loop_scope="session")

GET_THE_FILE = "请把文件直接发给我"


@pytest.mark.parametrize(
    ("msg_type", "content", "words"),
    [
        ("sticker", {"file_key": "file_1"}, GET_THE_FILE),
        ("folder", {"file_key": "file_1", "file_name": "资料夹"}, GET_THE_FILE),
        ("hologram", {"depth": 3}, "我读不了这种类型的消息"),
    ],
)
async def test_where_there_is_nothing_to_read_the_user_is_told_and_no_model_is_asked(
    world, chat_id, msg_type, content, words
) -> None:
    before = len(await world.endpoint.completions())
    (message_id,) = await world.chat.post(Post(content=content, msg_type=msg_type, chat_id=chat_id))
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert words in reply.text
    assert reply.streaming == "closed"
    assert len(await world.endpoint.completions()) == before


async def test_all_pictures_of_a_post_are_seen_and_the_same_one_once(world, chat_id) -> None:
    first, second = [await world.chat.upload(chart_png(), name=f"{n}.png", kind="image") for n in range(2)]
    rows = [
        [{"tag": "text", "text": "比较这些图"}],
        *([{"tag": "img", "image_key": key}] for key in (first, second, first)),
    ]
    post = Post(content={"title": "", "content": rows}, msg_type="post", chat_id=chat_id)
    (message_id,) = await world.chat.post(post)
    await world.chat.wait_for_replies(message_id)
    seen = (await world.endpoint.completions())[-1].messages[-1].images
    assert [(image.width, image.height) for image in seen] == [(640, 400)] * 2


async def test_an_empty_message_is_answered_with_what_the_bot_can_do(world, chat_id) -> None:
    message_id = await world.chat.say("", chat_id=chat_id, chat_type="group", mention_bot=True)
    await world.chat.wait_for_replies(message_id)
    assert "你能用文件帮忙做什么" in (await world.endpoint.completions())[-1].messages[-1].text


async def test_a_forward_is_read_and_the_files_in_it_are_named_with_their_reason(world, chat_id) -> None:
    key = await world.chat.upload(b"words", name="附件.txt")
    inside = (
        Post(content={"text": "周五前交 42 份报告"}),
        Post(content={"file_key": key, "file_name": "附件.txt"}, msg_type="file"),
    )
    forward = Post(
        content={"content": "Merged and Forwarded Message"}, msg_type="merge_forward", children=inside, chat_id=chat_id
    )
    (message_id,) = await world.chat.post(forward)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "周五前交 42 份报告" in (await world.endpoint.completions())[-1].messages[-1].text
    assert "附件.txt" in reply.text
    assert GET_THE_FILE in reply.text


async def test_a_forward_that_feishu_does_not_show_is_told(world, chat_id) -> None:
    post = Post(content={"content": "Merged and Forwarded Message"}, msg_type="merge_forward", chat_id=chat_id)
    await world.chat.fail(Fault(match=r"GET /open-apis/im/v1/messages/\w+$", code=230110, status=400))
    (message_id,) = await world.chat.post(post)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "转发的消息无法读取" in reply.text


async def test_a_quoted_message_that_is_gone_is_told_to_the_user_too(world, chat_id) -> None:
    dropped = await world.chat.drop(b"gone soon", name="a.txt", chat_id=chat_id)
    await world.chat.wait_for_replies(dropped)
    await world.chat.recall(dropped)
    asked = await world.chat.say("里面写了什么？", chat_id=chat_id, parent_id=dropped)
    (reply,) = await world.chat.wait_for_replies(asked)
    assert "引用或转发的消息无法读取" in reply.text


@pytest.mark.parametrize(
    ("claimed_bytes", "key", "words"), [(200_000_000, None, "超过大小上限"), (None, "file_gone", "已撤回、删除或过期")]
)
async def test_a_file_that_feishu_does_not_give_is_named_with_its_reason(
    world, chat_id, claimed_bytes, key, words
) -> None:
    key = key or await world.chat.upload(b"%PDF", name="大.pdf", claimed_bytes=claimed_bytes)
    post = Post(content={"file_key": key, "file_name": "大.pdf"}, msg_type="file", chat_id=chat_id)
    (message_id,) = await world.chat.post(post)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "大.pdf" in reply.text
    assert words in reply.text
    (panel,) = (part for part in reply.card["body"]["elements"] if part["tag"] == "collapsible_panel")
    assert panel["expanded"], "what went wrong is not folded away"


async def test_a_very_long_name_keeps_its_end_and_does_not_fill_the_card(world, chat_id) -> None:
    key = await world.chat.upload(b"words", name="a.txt")
    content = {"file_key": key, "file_name": "很长的名字" * 4_000 + ".txt"}
    (message_id,) = await world.chat.post(Post(content=content, msg_type="file", chat_id=chat_id))
    (reply,) = await world.chat.wait_for_replies(message_id)
    (line,) = (line for line in reply.text.splitlines() if line.startswith("- 很长的名字"))
    assert len(line) < 200
    assert "名字.txt: 文本" in line


async def test_neither_a_name_nor_a_document_can_ping_link_or_show_pictures(world, chat_id) -> None:
    evil = "<at id=all></at> ![x](https://evil.example/a.png) [点我](https://evil.example/b) <person id='x'></person>"
    message_id = await world.chat.drop(evil.encode(), name=f"{evil.replace('/', '')}.txt", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert reply.msg_type == "interactive"
    assert "点我" in reply.text
    for markup in ("<at", "<person", "](", "https://"):
        assert markup not in reply.text
