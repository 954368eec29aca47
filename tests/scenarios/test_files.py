"""Files that can't be read: a reason for each, and the rest is answered all the same."""

from __future__ import annotations

import io
import zipfile

import pymupdf
import pytest

from bot.demo.samples import contract_docx, staff_csv
from bot.emulator.wire import Post

pytestmark = pytest.mark.asyncio(loop_scope="session")


def encrypted_pdf() -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "secret words")
    return document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")


def broken_docx() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("[Content_Types].xml", "<Types")
        package.writestr("word/document.xml", "<w:document")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("空.txt", b"", "文件有问题"),
        ("加密.pdf", encrypted_pdf(), "文件有密码"),
        ("坏.docx", broken_docx(), "文件有问题"),
        ("程序.exe", b"MZ" + b"\x00\x90" * 4000, "暂不支持"),
        ("坏.pdf", b"%PDF-1.7\n" + b"\x00\xff" * 500, "文件有问题"),
        ("太大.txt", b"a" * 2_000_001, "超过大小上限"),
    ],
)
async def test_a_file_that_cannot_be_read_gets_a_reason_in_plain_words(world, chat_id, name, data, words) -> None:
    message_id = await world.chat.drop(data, name=name, chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert name in reply.text
    assert words in reply.text


async def test_the_files_inside_an_archive_are_read(world, chat_id) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("合同/采购合同.docx", contract_docx())
        package.writestr("名册.csv", staff_csv())
        package.writestr("../../escape.txt", "no")
    message_id = await world.chat.drop(out.getvalue(), name="资料.zip", chat_id=chat_id)
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "压缩包" in reply.text
    prompt = (await world.endpoint.completions())[-1].messages[-1].text
    for words in ("合同/采购合同.docx", "186,400", "名册.csv", "11,200"):
        assert words in prompt, words


async def test_a_bad_file_does_not_take_the_good_ones_with_it(world, chat_id) -> None:
    files = []
    for name, data in (
        ("好.txt", "合同编号 A-1024".encode()),
        ("坏.docx", broken_docx()),
        ("大.txt", b"a" * 2_000_001),
    ):
        key = await world.chat.upload(data, name=name)
        files.append({"file_key": key, "file_name": name, "is_folder": False})
    files.append({"file_key": "folder_1", "file_name": "资料夹", "is_folder": True})
    content = {"title": "", "content": [[{"tag": "text", "text": "合同编号是多少？"}]], "files": files}
    (message_id,) = await world.chat.post(Post(content=content, msg_type="post", chat_id=chat_id))
    (reply,) = await world.chat.wait_for_replies(message_id)
    assert "A-1024" in reply.text
    for words in ("文件有问题", "超过大小上限", "文件夹"):
        assert words in reply.text, words


async def test_a_quoted_message_that_was_recalled_is_told_to_the_model(world, chat_id) -> None:
    dropped = await world.chat.drop(b"gone soon", name="a.txt", chat_id=chat_id)
    await world.chat.wait_for_replies(dropped)
    await world.chat.recall(dropped)
    asked = await world.chat.say("里面写了什么？", chat_id=chat_id, parent_id=dropped)
    (reply,) = await world.chat.wait_for_replies(asked)
    assert reply.streaming == "closed"
    assert "could not be read" in (await world.endpoint.completions())[-1].messages[-1].text
