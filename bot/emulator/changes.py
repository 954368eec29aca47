"""A version number that rises with every change, and a way to wait for the next one."""

from __future__ import annotations

import asyncio

import msgspec
from aiohttp import web


class Changes:
    """Counts changes; drivers wait on it instead of sleeping."""

    def __init__(self) -> None:
        self.version = 0
        self._changed = asyncio.Event()

    def touch(self) -> None:
        """Something changed."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def after(self, version: int, timeout_s: float) -> int:
        """The version, as soon as it is above `version` or the time is over."""
        try:
            async with asyncio.timeout(timeout_s):
                while self.version <= version:
                    await self._changed.wait()
        except TimeoutError:
            pass
        return self.version

    async def handle(self, request: web.Request) -> web.Response:
        """The door `GET /emulator/changes?after=N&timeout_s=T`."""
        version = await self.after(int(request.query["after"]), float(request.query["timeout_s"]))
        return answer(version)


def answer(value: object) -> web.Response:
    """A JSON answer of an admin door."""
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")
