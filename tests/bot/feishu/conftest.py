"""A small Feishu that answers what a test tells it to, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.feishu.api import FeishuApi

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
SECRET = "the-app-secret"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


@dataclass
class FakeFeishu:
    """Answers `{"code": 0}` unless something was queued for the path; gives tokens t-1, t-2 ... on its own."""

    calls: list[Call] = field(default_factory=list)
    tokens: int = 0
    expire_s: int = 7200
    url: str = ""
    queued: dict[str, deque[Handler]] = field(default_factory=lambda: defaultdict(deque))
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, path: str, body: Any = None, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        async def handler(request: web.Request) -> web.StreamResponse:
            return web.json_response({"code": 0} if body is None else body, status=status, headers=headers)

        self.queued[path].append(handler)

    def handle(self, path: str, handler: Handler) -> None:
        self.queued[path].append(handler)

    def of(self, path: str) -> list[Call]:
        return [call for call in self.calls if call.path == path]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw) if raw else None
        self.calls.append(Call(request.method, request.path, dict(request.query), body, dict(request.headers)))
        self.news.set()
        try:
            if self.queued[request.path]:
                return await self.queued[request.path].popleft()(request)
            if request.path == TOKEN_PATH:
                self.tokens += 1
                return web.json_response(
                    {"code": 0, "tenant_access_token": f"t-{self.tokens}-abcdefgh", "expire": self.expire_s}
                )
            return web.json_response({"code": 0, "data": {}})
        finally:
            self.news.set()


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Naps:
    """A sleep that takes no time and remembers for how long it was asked to."""

    taken: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def feishu() -> AsyncIterator[FakeFeishu]:
    fake = FakeFeishu()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", fake.serve)
    async with TestServer(app) as server:
        fake.url = str(server.make_url("/"))
        yield fake


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
async def api(feishu: FakeFeishu, clock: Clock, naps: Naps) -> AsyncIterator[FeishuApi]:
    async with aiohttp.ClientSession() as session:
        yield FeishuApi(
            session,
            base_url=feishu.url,
            app_id="cli_test",
            app_secret=SECRET,
            timeout_s=5,
            clock=clock,
            sleep=naps,
        )
