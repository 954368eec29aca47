"""What a running bot writes down: enough to follow a message, and nothing of what it says."""

from __future__ import annotations

import json

import pytest

from bot.demo.samples import contract_docx
from bot.emulator.wire import Fault, ModelOptions, Post

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_at_info_a_log_follows_the_message_and_holds_neither_words_nor_secrets(own_world) -> None:
    await own_world.chat.fail(Fault(match="/reply", code=99991663, status=400))
    await own_world.endpoint.fail("error-string")
    key = await own_world.chat.upload(contract_docx(), name="采购合同.docx")
    content = {
        "title": "",
        "content": [[{"tag": "text", "text": "质保期有没有特别约定"}]],
        "files": [{"file_key": key, "file_name": "采购合同.docx", "is_folder": False}],
    }
    message_ids = await own_world.chat.post(*(Post(content=content, msg_type="post") for _ in range(2)))
    for message_id in message_ids:
        await own_world.chat.wait_for_replies(message_id)
    records = []
    while (record := await own_world.bot.logs.get())["event"] != "message done" or len(records) < 10:
        records.append(record)
    told = [record for record in records if record["level"] != "debug"]
    assert {"file downloaded", "file read", "prompt composed", "model answered", "reply sent"} <= {
        record["event"] for record in told if record.get("message_id") == message_ids[0]
    }
    assert ("model failed", "model_param") in {(record["event"], record.get("code")) for record in told}
    written = json.dumps(told, ensure_ascii=False)
    options = own_world.feishu
    secrets = (options.app_secret, options.encrypt_key, options.verification_token, ModelOptions().api_key, "t-")
    for words in ("186,400", "质保期", "替身", *secrets):
        assert words not in written, words
