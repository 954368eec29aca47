"""Tenant access tokens: issued, renewed in their last quarter, refused when wrong or old."""

from __future__ import annotations

import re
import secrets
import time

from aiohttp import web

from bot.emulator.feishu.fields import json_object
from bot.emulator.feishu.refusal import Refusal
from bot.emulator.feishu.state import World

_FORMAT = re.compile(r"Bearer [tau]-[A-Za-z0-9_.-]+")


class Tokens:
    """Issues tokens and checks them. Both the old and the new one are valid for a while, as with Feishu."""

    def __init__(self, world: World) -> None:
        self._world = world
        #: token -> when it expires, on the monotonic clock; the newest last.
        self._tokens: dict[str, float] = {}

    def routes(self) -> list[web.RouteDef]:
        """The two doors that take the app's secret."""
        return [
            web.post("/open-apis/auth/v3/tenant_access_token/internal", self.issue),
            web.post("/open-apis/auth/v3/app_access_token/internal", self.issue),
        ]

    async def issue(self, request: web.Request) -> web.Response:
        """A token for the right id and secret. Refusals carry HTTP 200, which is what Feishu does here."""
        body = await json_object(request)
        app_id, secret = body.get("app_id"), body.get("app_secret")
        if not app_id or not secret:
            raise Refusal(10003, "invalid param", status=200)
        if app_id != self._world.options.app_id:
            raise Refusal(10014, "app id not exists", status=200)
        if secret != self._world.options.app_secret:
            raise Refusal(10014, "app secret invalid", status=200)
        token, left_s = self._current()
        return web.json_response(
            {"code": 0, "msg": "ok", "tenant_access_token": token, "app_access_token": token, "expire": int(left_s)}
        )

    def check(self, authorization: str | None) -> None:
        """Raises what the gateway answers to a missing, misshapen, unknown or expired token."""
        if not authorization:
            raise Refusal(
                99991661, "Missing access token for authorization. Please make a request with token attached."
            )
        if not _FORMAT.fullmatch(authorization):
            raise Refusal(99991671, "Invalid access token format: it should start with Bearer t-.")
        until = self._tokens.get(authorization.removeprefix("Bearer "))
        if until is None or time.monotonic() >= until:
            raise Refusal(99991663, "Invalid access token for authorization.", status=401 if until else 400)

    def _current(self) -> tuple[str, float]:
        """The token in force and the seconds it has left; a new one in the last quarter (30 minutes of 2 hours)."""
        now = time.monotonic()
        lifetime_s = self._world.options.token_expire_s
        if self._tokens:
            token, until = list(self._tokens.items())[-1]
            if until - now > lifetime_s / 4:
                return token, until - now
        token = f"t-{secrets.token_hex(16)}"
        self._tokens[token] = now + lifetime_s
        return token, lifetime_s
