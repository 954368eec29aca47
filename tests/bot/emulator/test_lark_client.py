"""Feishu's own SDK takes the emulator for Feishu."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from bot.emulator.wire import Post

SCRIPT = Path(__file__).with_name("lark_client.py")


async def run_script(*arguments: str) -> dict:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return json.loads(output.splitlines()[-1])


async def test_lark_oapi_reads_downloads_replies_reacts_and_streams(api):
    chat = api.chat
    key = await chat.upload("正文".encode(), name="报告 一.txt", media_type="text/plain")
    content = {"file_key": key, "file_name": "报告 一.txt"}
    [message_id] = await chat.post(Post(msg_type="file", content=content))
    options = api.options
    result = await run_script(api.url, message_id, key, options.app_id, options.app_secret)
    [text, card] = await chat.wait_for_replies(message_id, count=2, timeout_s=5)
    assert result == {
        "content": content,
        "sender": "ou_emulator_user",
        "file_name": "报告 一.txt",
        "file": "正文",
        "refused": 234001,
        "log_id": True,
        "replied_once": True,
        "thread": text.thread_id,
        "reaction": [0, 0],
        "cards": [0, 0, 300317, 0, 0],
    }
    assert (text.text, card.text, card.streaming) == ("one", "final", "closed")


async def test_events_are_taken_by_lark_oapis_dispatcher(start, webhook):
    async with start(webhook_url=webhook.url) as api:
        message_id = await api.chat.say("你好")
        await api.chat.wait_for_deliveries(1, timeout_s=10)
        options = api.options
    [(body, headers)] = webhook.requests
    script = SCRIPT.with_name("lark_events.py")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        options.encrypt_key,
        options.verification_token,
        json.dumps(headers),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate(body)
    assert json.loads(output.splitlines()[-1]) == {"status": 200, "seen": [message_id, '{"text": "你好"}']}
