"""A running local Feishu, a plain API client for it, and a webhook that keeps what it is sent.

The servers are real and listen on real ports; they run in the test's own process because starting one takes 0.2 s.
test_process and test_lark_client have them in processes of their own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.emulator.chat import Chat
from bot.emulator.feishu.app import application
from bot.emulator.feishu.delivery import Deliverer
from bot.emulator.feishu.state import World
from bot.emulator.wire import FeishuOptions


@dataclass(kw_only=True)
class Answer:
    status: int
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def code(self) -> int:
        return self.body["code"]

    @property
    def data(self) -> dict[str, Any]:
        assert self.code == 0, self.body
        return self.body["data"]


class Api:
    """Calls the open platform as any HTTP client would."""

    def __init__(self, session: aiohttp.ClientSession, url: str, options: FeishuOptions) -> None:
        self.session = session
        self.url = url
        self.options = options
        self.chat = Chat(session, url)
        self.token = ""

    async def login(self) -> Answer:
        secret = {"app_id": self.options.app_id, "app_secret": self.options.app_secret}
        answer = await self.call("POST", "auth/v3/tenant_access_token/internal", secret)
        self.token = answer.body["tenant_access_token"]
        return answer

    async def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        if self.token:
            headers = {"Authorization": f"Bearer {self.token}"} | headers
        url = f"{self.url}/open-apis/{path}"
        async with self.session.request(method, url, json=body, headers=headers) as response:
            text = await response.text()
            parsed = json.loads(text) if response.content_type == "application/json" else {"text": text}
            return Answer(status=response.status, body=parsed, headers=dict(response.headers))

    async def reply(self, message_id: str, text: str = "hello", **fields: object) -> Answer:
        body = {"msg_type": "text", "content": json.dumps({"text": text})} | fields
        return await self.call("POST", f"im/v1/messages/{message_id}/reply", body)

    async def create_card(self, card: dict[str, Any]) -> Answer:
        return await self.call("POST", "cardkit/v1/cards", {"type": "card_json", "data": json.dumps(card)})

    async def stream(self, card_id: str, content: str, sequence: int, element: str = "answer", **more: str) -> Answer:
        path = f"cardkit/v1/cards/{card_id}/elements/{element}/content"
        return await self.call("PUT", path, {"content": content, "sequence": sequence} | more)


@dataclass(kw_only=True)
class Webhook:
    """Keeps every request and answers with the next status, 200 when there is none left."""

    url: str = ""
    requests: list[tuple[bytes, dict[str, str]]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    answer: Callable[[dict[str, Any]], dict[str, Any]] = field(default=lambda _: {})

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.requests.append((body, dict(request.headers)))
        status = self.statuses.pop(0) if self.statuses else 200
        return web.json_response(self.answer(json.loads(body)), status=status)


@asynccontextmanager
async def listening(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


StartFeishu = Callable[..., AbstractAsyncContextManager[Api]]


@pytest.fixture
def serving() -> Callable[[web.Application], AbstractAsyncContextManager[str]]:
    """Serves an application on a free port for as long as the block runs, and yields its address."""
    return listening


@pytest.fixture
def start() -> StartFeishu:
    """Starts a local Feishu with the given options and logs in."""

    @asynccontextmanager
    async def started(**options: Any) -> AsyncIterator[Api]:
        world = World(FeishuOptions(**options))
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
            deliverer = Deliverer(world, session, tasks)
            async with listening(application(world, deliverer)) as url:
                api = Api(session, url, world.options)
                await api.login()
                yield api
            deliverer.stop()

    return started


@pytest.fixture
async def api(start: StartFeishu) -> AsyncIterator[Api]:
    async with start() as api:
        yield api


@pytest.fixture
async def webhook() -> AsyncIterator[Webhook]:
    webhook = Webhook()
    app = web.Application()
    app.router.add_post("/webhook", webhook.handle)
    async with listening(app) as url:
        webhook.url = f"{url}/webhook"
        yield webhook


@pytest.fixture
def card() -> dict[str, Any]:
    """A streaming card with one text element."""
    return {
        "schema": "2.0",
        "config": {"streaming_mode": True, "update_multi": True},
        "body": {"elements": [{"tag": "markdown", "element_id": "answer", "content": ""}]},
    }
