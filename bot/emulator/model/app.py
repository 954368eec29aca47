"""The endpoint itself: keys, checks, faults, answers, and the `/emulator/` doors."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

import msgspec
from aiohttp import web

from bot.emulator.changes import answer
from bot.emulator.model import stand_in
from bot.emulator.model.answers import EventStream, usage_of, whole_answer
from bot.emulator.model.checks import CheckedRequest, Checker
from bot.emulator.model.faults import REFUSALS, STREAMS, Faults, body_too_large, is_fault_model
from bot.emulator.model.journal import Journal
from bot.emulator.model.problems import Problem, refused
from bot.emulator.wire import ModelFault, ModelOptions

_BODY_MAX_BYTES = 512 * 1024 * 1024


class ModelServer:
    """Handlers of the endpoint and of its doors."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._checker = Checker()
        self._faults = Faults()
        self._journal = Journal()

    def routes(self) -> list[web.RouteDef]:
        """The calls and where they are."""
        return [
            web.post("/v1/chat/completions", self.complete),
            web.post("/v1/redirected", self.redirected),
            web.get("/v1/models", self.models),
            web.get("/emulator/completions", self.completions),
            web.post("/emulator/faults", self.fail),
            web.put("/emulator/options", self.configure),
            web.get("/emulator/changes", self._journal.changes.handle),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """GET /v1/models."""
        try:
            self._authorize(request)
        except Problem as problem:
            return refused(problem)
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "emulator"} for name in self._options.models]
        return web.json_response({"object": "list", "data": data})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/chat/completions."""
        try:
            self._authorize(request)
            body = await request.read()
            if len(body) > self._options.max_body_bytes:
                self._journal.refuse("body too large")
                return body_too_large()
            # Decoding images takes long; other requests go on meanwhile.
            checked = await asyncio.to_thread(self._checked, body)
        except Problem as problem:
            self._journal.refuse(problem.message)
            return refused(problem)
        return await self._answer(request, checked)

    async def redirected(self, request: web.Request) -> web.Response:
        """Where the `redirect` fault leads: no client should carry a document here."""
        size = len(await request.read())
        self._journal.refuse(f"{size} bytes were sent again after a redirect")
        return web.Response(status=500)

    async def completions(self, _request: web.Request) -> web.Response:
        """The journal."""
        return answer(self._journal.completions)

    async def fail(self, request: web.Request) -> web.Response:
        """Arms a fault."""
        try:
            self._faults.add(msgspec.json.decode(await request.read(), type=ModelFault))
        except ValueError as error:
            return web.Response(text=str(error), status=400)
        return answer(True)  # noqa: FBT003 - the JSON value itself

    async def configure(self, request: web.Request) -> web.Response:
        """Changes options by name."""
        changed = json.loads(await request.read())
        self._options = msgspec.convert(asdict(self._options) | changed, type=ModelOptions)
        return answer(self._options)

    def _authorize(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {self._options.api_key}":
            raise Problem(401, "Incorrect API key provided.", code="invalid_api_key")

    def _checked(self, body: bytes) -> CheckedRequest:
        try:
            value = json.loads(body)
        except ValueError:
            raise Problem(400, "The body is not JSON.") from None
        checked = self._checker.checked(value, self._options)
        if checked.model not in self._options.models and not is_fault_model(checked.model):
            raise Problem(404, f"The model `{checked.model}` does not exist.", code="model_not_found")
        return checked

    async def _answer(self, request: web.Request, checked: CheckedRequest) -> web.StreamResponse:
        fault = self._faults.take(checked)
        number = self._journal.begin(checked, fault)
        try:
            response = await self._send(request, checked, fault)
        except (asyncio.CancelledError, ConnectionError):
            self._journal.finish(number, "disconnected")
            raise
        self._journal.finish(number, "failed" if fault else "answered")
        return response

    async def _send(self, request: web.Request, checked: CheckedRequest, fault: str | None) -> web.StreamResponse:
        if fault in REFUSALS and (refusal := REFUSALS[fault](checked)) is not None:
            return refusal
        text = stand_in.answer(checked.parts)
        await asyncio.sleep(self._options.first_token_delay_s)
        if not checked.stream:
            return whole_answer(checked, text)
        stream = EventStream(request, checked.model)
        await stream.open()
        if fault in STREAMS:
            await STREAMS[fault](stream, text)
            return stream.response
        await stream.text(text, delay_s=self._options.token_delay_s)
        await stream.finish("stop")
        if checked.include_usage:
            await stream.usage(usage_of(checked, text))
        await stream.done()
        return stream.response


def application(options: ModelOptions) -> web.Application:
    """The endpoint with its doors."""
    app = web.Application(client_max_size=_BODY_MAX_BYTES)
    app.add_routes(ModelServer(options).routes())
    return app
