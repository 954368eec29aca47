"""The driver's side of an emulator's `/emulator/` doors: JSON in, typed values out."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import TypeVar

import aiohttp
import msgspec

T = TypeVar("T")

_POLL_S = 20.0


class Admin:
    """Calls the admin doors of one emulator."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self.url = url

    async def call(self, method: str, door: str, answer: type[T], body: object = None) -> T:
        """Calls `/emulator/<door>`; a refusal raises RuntimeError with what the emulator said."""
        data = None if body is None else msgspec.json.encode(body)
        return await self.send(method, door, answer, data)

    async def send(
        self, method: str, door: str, answer: type[T], data: bytes | None, query: dict[str, str] | None = None
    ) -> T:
        """The same with a raw body."""
        body = None if data is None else io.BytesIO(data)  # aiohttp warns of large bytes
        async with self._session.request(method, f"{self.url}/emulator/{door}", data=body, params=query) as response:
            payload = await response.read()
            if response.status != 200:
                raise RuntimeError(f"{method} {door}: {response.status} {payload.decode(errors='replace')}")
        return msgspec.json.decode(payload, type=answer)

    async def until(
        self, read: Callable[[], Awaitable[T]], satisfied: Callable[[T], bool], *, timeout_s: float = 30.0
    ) -> T:
        """Reads again after every change in the emulator until `satisfied`; TimeoutError after `timeout_s`."""
        async with asyncio.timeout(timeout_s):
            version = 0
            while True:
                value = await read()
                if satisfied(value):
                    return value
                version = await self.send(
                    "GET", "changes", int, None, {"after": str(version), "timeout_s": str(_POLL_S)}
                )
