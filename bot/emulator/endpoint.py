"""The operator of the local model endpoint: reads its journal and lets it fail."""

from __future__ import annotations

import aiohttp

from bot.emulator.admin import Admin
from bot.emulator.wire import Completion, ModelFault, ModelOptions


class Endpoint:
    """Drives one local model endpoint."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._admin = Admin(session, url)
        self.url = url

    async def completions(self) -> list[Completion]:
        """The journal of completion requests, the oldest first."""
        return await self._admin.call("GET", "completions", list[Completion])

    async def wait_for_completions(self, count: int, *, timeout_s: float = 30.0) -> list[Completion]:
        """The journal, once `count` requests have ended one way or another."""

        def ended(found: list[Completion]) -> bool:
            return sum(1 for completion in found if completion.end != "running") >= count

        return await self._admin.until(self.completions, ended, timeout_s=timeout_s)

    async def wait_for_running(self, count: int = 1, *, timeout_s: float = 30.0) -> list[Completion]:
        """The journal, once `count` requests are being answered at this moment."""

        def running(found: list[Completion]) -> bool:
            return sum(1 for completion in found if completion.end == "running") >= count

        return await self._admin.until(self.completions, running, timeout_s=timeout_s)

    async def fail(self, mode: str, *, times: int = 1) -> None:
        """Lets the next `times` completions fail; RuntimeError for an unknown mode."""
        await self._admin.call("POST", "faults", bool, ModelFault(mode=mode, times=times))

    async def configure(self, **changed: object) -> ModelOptions:
        """Changes options while running, by their names in ModelOptions; returns all of them."""
        return await self._admin.call("PUT", "options", ModelOptions, changed)
