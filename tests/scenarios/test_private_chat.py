"""What people see in a private chat."""

from __future__ import annotations

import pytest

from bot.demo.samples import chart_png, contract_docx, make_samples, report_pdf
from bot.emulator.wire import Post

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_question_is_answered_in_the_chat_and_its_card_is_closed(world, chat_id) -> None:
    message_id = await world.chat.say("你好，你能做什么？", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert reply.streaming == "closed"
    assert reply.thread_id is None, "a private chat gets a plain reply"
    assert "替身" in reply.text


async def test_a_file_alone_is_analysed_with_the_default_prompt(world, chat_id) -> None:
    message_id = await world.chat.drop(report_pdf(chart_png()), name="季度经营报告.pdf", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "4,286 万元" in reply.text
    assert "2 页" in reply.text, "the card says what was read"
    completion = (await world.endpoint.completions())[-1]
    assert "概括要点" in completion.messages[-1].text, "nothing was asked, so the template asks"


async def test_one_message_with_all_kinds_of_files_gets_one_reply_with_text_from_each(world, chat_id) -> None:
    rows = [[{"tag": "text", "text": "这些文件讲什么？"}]]
    beside = []
    for sample in make_samples():
        key = await world.chat.upload(sample.data, name=sample.name, kind="image" if sample.is_image else "file")
        if sample.is_image:
            rows.append([{"tag": "img", "image_key": key}])
        else:
            beside.append({"file_key": key, "file_name": sample.name, "is_folder": False})
    post = Post(content={"title": "", "content": rows, "files": beside}, msg_type="post", chat_id=chat_id)
    (message_id,) = await world.chat.post(post)
    (reply,) = await world.chat.wait_for_replies(message_id)
    for words in ("4,286 万元", "186,400", "2026-09-03", "直接提问", "640×400", "王小明"):
        assert words in reply.text, words


async def test_a_reply_that_quotes_a_file_asks_about_that_file(world, chat_id) -> None:
    dropped = await world.chat.drop(contract_docx(), name="采购合同.docx", chat_id=chat_id)
    await world.chat.wait_for_replies(dropped)
    asked = await world.chat.say("质保期多久？", chat_id=chat_id, parent_id=dropped)
    (reply,) = await world.chat.wait_for_replies(asked)
    assert "采购合同.docx" in reply.text
    assert "186,400" in reply.text
    assert "引用" in reply.text


async def test_the_typing_reaction_is_there_while_working_and_gone_afterwards(world, chat_id) -> None:
    message_id = await world.chat.say("还在吗？", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    await world.chat.wait_for_calls(f"{message_id}/reactions")

    async def read():
        return next(shown for shown in await world.chat.messages(chat_id) if shown.message_id == message_id)

    shown = await world.chat._admin.until(read, lambda shown: not shown.reactions)
    assert shown.reactions == ()


async def test_an_english_question_is_answered_in_english(world, chat_id) -> None:
    message_id = await world.chat.drop(b"quarterly revenue was 42 million dollars\n", name="note.txt", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    asked = await world.chat.say("How much was the revenue?", chat_id=chat_id, parent_id=message_id)
    (reply,) = await world.chat.wait_for_replies(asked)
    assert "stand-in" in reply.text
    assert "42 million" in reply.text
    assert "Files read" in reply.text or "files" in reply.text.lower()


async def test_messages_of_one_chat_are_answered_in_the_order_they_were_sent(world, chat_id) -> None:
    posts = [Post(content={"text": f"第 {number} 问"}, chat_id=chat_id) for number in range(4)]
    message_ids = await world.chat.post(*posts)
    for message_id in message_ids:
        await world.chat.wait_for_replies(message_id)
    answered = [shown.reply_to for shown in await world.chat.messages(chat_id) if shown.sender == "bot"]
    assert answered == message_ids
