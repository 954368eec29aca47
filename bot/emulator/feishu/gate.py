"""What every call of the open platform passes: journal, faults, rate limit, token."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.emulator.feishu.faults import HALF, Faults, failed
from bot.emulator.feishu.rates import Rates
from bot.emulator.feishu.refusal import Refusal, refused
from bot.emulator.feishu.state import World
from bot.emulator.feishu.tokens import Tokens
from bot.emulator.wire import Call, Fault

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_LOG_ID = web.RequestKey("log_id", str)
_JOURNAL_MAX_CALLS = 20_000


class Gate:
    """The middleware in front of /open-apis/; everything else goes straight through."""

    def __init__(self, world: World, faults: Faults, rates: Rates, tokens: Tokens) -> None:
        self._world = world
        self._faults = faults
        self._rates = rates
        self._tokens = tokens

    @web.middleware
    async def pass_through(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answers one call and writes it into the journal."""
        if not request.path.startswith("/open-apis/"):
            return await handler(request)
        started = time.monotonic()
        log_id = request[_LOG_ID] = secrets.token_hex(16)
        response = await self._answer(request, handler, log_id)
        await self._journal(request, response, started)
        return response

    async def _answer(self, request: web.Request, handler: Handler, log_id: str) -> web.StreamResponse:
        fault = self._faults.take(f"{request.method} {request.path}")
        if fault is None:
            request[HALF] = False
            return await self._handle(request, handler, log_id)
        self._world.changes.touch()
        return await self._trouble(fault, request, handler, log_id)

    async def _trouble(self, fault: Fault, request: web.Request, handler: Handler, log_id: str) -> web.StreamResponse:
        if fault.mode == "late":
            response = await self._handle(request, handler, log_id)
            self._world.changes.touch()
            await asyncio.sleep(fault.delay_s)
            return response
        await asyncio.sleep(fault.delay_s)
        request[HALF] = fault.mode == "half"
        if fault.mode != "instead":
            response = await self._handle(request, handler, log_id)
        return response if fault.mode in ("slow", "half") else failed(fault, request, log_id)

    async def _handle(self, request: web.Request, handler: Handler, log_id: str) -> web.StreamResponse:
        try:
            self._admit(request)
            return await handler(request)
        except Refusal as refusal:
            return refused(refusal, log_id)
        except web.HTTPException as error:
            # An unknown path gets the gateway's plain text and no JSON.
            return web.Response(text=f"{error.status} page not found", status=error.status)

    def _admit(self, request: web.Request) -> None:
        resource = request.match_info.route.resource
        if resource is None:
            return
        if not self._world.options.relaxed_rates:
            self._rates.take_api(f"{request.method} {resource.canonical}")
        if not request.path.startswith("/open-apis/auth/"):
            self._tokens.check(request.headers.get("Authorization"))

    async def _journal(self, request: web.Request, response: web.StreamResponse, started: float) -> None:
        call = Call(
            method=request.method,
            path=request.path,
            query=request.query_string,
            status=response.status,
            code=_code(response),
            at_s=started,
            seconds=time.monotonic() - started,
            body=_json(await request.read()),
        )
        self._world.calls.append(call)
        del self._world.calls[:-_JOURNAL_MAX_CALLS]
        self._world.changes.touch()


async def add_log_id(request: web.Request, response: web.StreamResponse) -> None:
    """Names the call in every answer's head; lark-oapi looks the header up in exactly this spelling."""
    if _LOG_ID in request:
        response.headers["X-Tt-Logid"] = request[_LOG_ID]
        response.headers["X-Request-Id"] = request[_LOG_ID]


def _code(response: web.StreamResponse) -> int:
    body = response.body if isinstance(response, web.Response) else None
    value = _json(body) if isinstance(body, bytes) else None
    code = value.get("code", 0) if value else 0
    return code if isinstance(code, int) else 0


def _json(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
