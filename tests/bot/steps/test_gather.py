"""What belongs to a question, as Feishu gives it."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.errors import FeishuUnavailable
from bot.feishu.api import FeishuApi
from bot.feishu.messages import Messages
from bot.models import AttachmentRef, Gathered, Message, Origin
from bot.steps.gather import gather

OWN = AttachmentRef(message_id="om_1", key="file_own", kind="file", name="own.txt")


def item(message_id: str, msg_type: str, content: dict[str, Any], *, deleted: bool = False) -> dict[str, Any]:
    return {
        "message_id": message_id,
        "msg_type": msg_type,
        "body": {"content": json.dumps(content)},
        "deleted": deleted,
    }


async def gathered(answer: dict[str, Any], *, status: int = 200, **message: Any) -> Gathered:
    """What is gathered where Feishu answers so to each `GET message`."""

    async def token(_request: web.Request) -> web.Response:
        return web.json_response({"code": 0, "tenant_access_token": "t-12345678", "expire": 7200})

    async def get(_request: web.Request) -> web.Response:
        return web.json_response(answer, status=status)

    app = web.Application()
    app.router.add_post("/open-apis/auth/v3/tenant_access_token/internal", token)
    app.router.add_get("/open-apis/im/v1/messages/{id}", get)
    fields = {
        "app_id": "a", "message_id": "om_1", "chat_id": "oc_1", "chat_type": "p2p", "thread_id": None,
        "parent_id": None, "sender_open_id": "ou_1", "create_time_ms": 1, "question": "?", "attachments": (OWN,),
    }  # fmt: skip
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        api = FeishuApi(session, base_url=str(server.make_url("/")), app_id="a", app_secret="s", timeout_s=5)
        return await gather(Message(**(fields | message)), Messages(api))


def items(*found: dict[str, Any]) -> dict[str, Any]:
    return {"code": 0, "data": {"items": list(found)}}


async def test_the_quoted_messages_words_and_files_come_after_ones_own() -> None:
    quoted = item("om_0", "file", {"file_key": "file_0", "file_name": "quoted.pdf"})
    found = await gathered(items(quoted), parent_id="om_0")
    assert found.attachments == (
        OWN,
        AttachmentRef(message_id="om_0", key="file_0", kind="file", name="quoted.pdf", origin=Origin.QUOTED),
    )
    assert found.problems == ()


async def test_what_was_recalled_is_not_read_though_feishu_gives_it() -> None:
    quoted = item("om_0", "text", {"text": "This message was recalled"}, deleted=True)
    found = await gathered(items(quoted), parent_id="om_0")
    assert (found.quoted_text, found.problems) == (None, ("quoted_unreadable",))


async def test_a_forward_is_read_message_by_message_without_the_recalled_ones() -> None:
    container = item("om_1", "merge_forward", {"content": "Merged and Forwarded Message"})
    inside = item("om_2", "text", {"text": "first"}), item("om_3", "text", {"text": "recalled"}, deleted=True)
    found = await gathered(items(container, *inside), is_forward=True, question="")
    assert found.quoted_text == "[merged forward]\nfirst"


@pytest.mark.parametrize("code", [230110, 230027, 987654])
async def test_a_message_that_feishu_does_not_show_is_a_problem_and_no_error(code: int) -> None:
    found = await gathered({"code": code, "msg": "no"}, status=400, parent_id="om_0")
    assert found == Gathered(attachments=(OWN,), problems=("quoted_unreadable",))


async def test_trouble_that_passes_is_tried_again() -> None:
    with pytest.raises(FeishuUnavailable):
        await gathered({"code": 230049, "msg": "later"}, status=400, parent_id="om_0")
