"""A real endpoint on the loopback: the emulator's, which knows every documented failure, or one with fixed events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from bot.emulator.model.app import application
from bot.emulator.wire import ModelOptions
from bot.errors import ModelError
from bot.llm.client import ModelClient
from bot.models import Answer, Prompt


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@dataclass(slots=True)
class Scripted:
    """An endpoint that answers each request with the next script, and keeps the bodies it was sent."""

    scripts: list[Callable[[web.Request], Awaitable[web.StreamResponse]]]
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        return await self.scripts[min(len(self.bodies), len(self.scripts)) - 1](request)

    def app(self) -> web.Application:
        app = web.Application(client_max_size=100 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self.complete)
        return app


def refusing(status: int, body: str, content_type: str = "application/json"):
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=body, status=status, content_type=content_type)

    return answer


def saying(*texts: str, finish: str | None = "stop", after: Callable[[], Awaitable[None]] | None = None):
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for text in texts:
            await response.write(event({"choices": [{"index": 0, "delta": {"content": text}}]}))
        if finish:
            await response.write(event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
        if after:
            await after()
        await response.write(b"data: [DONE]\n\n")
        return response

    return answer


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


@pytest.fixture
async def client_for():
    """Makes a client of the emulator's endpoint (`model="fault-cut"` fails so) or of a Scripted one."""
    async with AsyncExitStack() as stack:

        async def make(scripted: Scripted | None = None, *, model: str = "stand-in", **settings: Any) -> ModelClient:
            app = scripted.app() if scripted else application(ModelOptions())
            base_url = await stack.enter_async_context(serving(app))
            known = {"max_output_tokens": 500, "first_token_timeout_s": 5.0, "idle_timeout_s": 5.0, "max_retries": 0}
            client = ModelClient(base_url=base_url, api_key="sk-emulator", model=model, **(known | settings))
            stack.push_async_callback(client.aclose)
            return client

        yield make


def asking(*parts: str | dict[str, Any], images: int = 0, **settings: Any) -> Prompt:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return Prompt(
        messages=({"role": "system", "content": "Be brief."}, {"role": "user", "content": content}),
        template="test@0",
        estimated_tokens=10,
        images=images,
        **settings,
    )


async def answered(client: ModelClient, prompt: Prompt) -> Answer:
    """The answer, after checking that the pieces make up its text."""
    pieces: list[str] = []
    async with aclosing(client.stream(prompt)) as stream:
        async for piece in stream:
            if isinstance(piece, Answer):
                assert piece.text == "".join(pieces)
                return piece
            pieces.append(piece.text)
    raise AssertionError("the stream ended without an answer")


async def failed(client: ModelClient, prompt: Prompt) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await answered(client, prompt)
    return caught.value
