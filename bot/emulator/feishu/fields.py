"""Reads the JSON body of an API call field by field; whatever is wrong is 99992402, as on the gateway."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from bot.emulator.feishu.refusal import Refusal


async def json_object(request: web.Request) -> dict[str, Any]:
    """The body of a call as an object."""
    try:
        body = json.loads(await request.text())
    except ValueError:
        raise invalid("body", "not JSON") from None
    if not isinstance(body, dict):
        raise invalid("body", "not an object")
    return body


def required_text(body: dict[str, Any], name: str, *, longest: int) -> str:
    """A string of 1 to `longest` characters."""
    value = body.get(name)
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        raise invalid(name, f"a string of 1 to {longest} characters is needed")
    return value


def optional_text(body: dict[str, Any], name: str, *, longest: int) -> str | None:
    """The same for a field that may be missing or empty."""
    return None if body.get(name) in (None, "") else required_text(body, name, longest=longest)


def sequence_field(body: dict[str, Any]) -> int:
    """The sequence of a card operation, an int32 above zero."""
    value = body.get("sequence")
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 2**31 - 1:
        raise invalid("sequence", "an integer from 1 to 2147483647 is needed")
    return value


def object_in(text: str, refusal: Refusal) -> dict[str, Any]:
    """The object inside a JSON string, or `refusal`."""
    try:
        value = json.loads(text)
    except ValueError:
        raise refusal from None
    if not isinstance(value, dict):
        raise refusal
    return value


def invalid(name: str, why: str) -> Refusal:
    """A field that does not pass the gateway's validation."""
    return Refusal(99992402, f"field validation failed: {name}: {why}")
