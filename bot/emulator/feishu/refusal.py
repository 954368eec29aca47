"""How the open platform says no: a code of its own, a sentence, an HTTP status."""

from __future__ import annotations

from typing import Any

from aiohttp import web


class Refusal(Exception):
    """A call that is refused. Most of Feishu's refusals carry HTTP 400; clients must go by `code`."""

    def __init__(self, code: int, msg: str, *, status: int = 400, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{code} {msg}")
        self.code = code
        self.msg = msg
        self.status = status
        self.headers = headers or {}


def card_refusal(code: int, msg: str, value: str = "") -> Refusal:
    """The 230099 that wraps an error code of the card service in its sentence."""
    tail = f" ErrorValue: {value};" if value else ""
    return Refusal(230099, f"Failed to create card content, ext=ErrCode: {code}; ErrMsg: {msg};{tail} ")


def refused(refusal: Refusal, log_id: str) -> web.Response:
    """The answer for a refusal."""
    body = {"code": refusal.code, "msg": refusal.msg, "error": {"log_id": log_id}}
    return web.json_response(body, status=refusal.status, headers=refusal.headers)


def succeeded(data: dict[str, Any] | None = None) -> web.Response:
    """The answer for a call that went well."""
    return web.json_response({"code": 0, "msg": "success", "data": data or {}})
