"""Faults that wait for the calls they match."""

from __future__ import annotations

import re
from dataclasses import replace

from aiohttp import web

from bot.emulator.feishu.refusal import Refusal, refused
from bot.emulator.wire import Fault

#: Set on a request whose download shall be cut in its middle.
HALF = web.RequestKey("half", bool)


class Faults:
    """The faults still to happen, the oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    @property
    def armed(self) -> int:
        """How many faults no call has met yet."""
        return len(self._waiting)

    def add(self, fault: Fault) -> None:
        """Arms a fault; ValueError for a pattern that is none."""
        try:
            re.compile(fault.match)
        except re.error as error:
            raise ValueError(f"{fault.match}: {error}") from error
        self._waiting.append(fault)

    def take(self, call: str) -> Fault | None:
        """The fault for a call such as "GET /open-apis/bot/v3/info", used up once."""
        for index, fault in enumerate(self._waiting):
            if re.search(fault.match, call):
                if fault.times > 1:
                    self._waiting[index] = replace(fault, times=fault.times - 1)
                else:
                    del self._waiting[index]
                return fault
        return None


def failed(fault: Fault, request: web.Request, log_id: str) -> web.StreamResponse:
    """The answer a fault gives; without a status, a cut connection."""
    if fault.status == 0:
        cut(request)
        return web.Response(status=500)
    if fault.html is not None:
        return web.Response(text=fault.html, status=fault.status, content_type="text/html", headers=fault.headers)
    return refused(Refusal(fault.code, fault.msg, status=fault.status, headers=fault.headers), log_id)


def cut(request: web.Request) -> None:
    """Drops the connection under the request."""
    if request.transport is not None:
        request.transport.abort()
