"""One kind of zygote, and always one that may be used: started when first asked for, replaced when it is worn."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from extractors.sandbox.wire import Layer, Settings, level_of
from extractors.sandbox.zygote_handle import StartError, ZygoteHandle

logger = logging.getLogger(__name__)

#: Children share their zygote's layout of memory; what one file may have learned of it serves no later one for long.
JOBS_MAX: Final = 1000


class ZygoteSupply:
    """Hands out the current zygote. One that is worn serves on until its successor is ready, a suspect one does not."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._current: ZygoteHandle | None = None
        self._next: ZygoteHandle | None = None
        self._retired: list[ZygoteHandle] = []
        self._is_closed = False
        self.jobs_max = JOBS_MAX
        #: As the latest zygote verified them; empty before the first has started.
        self.layers: tuple[Layer, ...] = ()
        #: How often a zygote was lost and started again.
        self.restarts = 0
        #: How often one was replaced by intent.
        self.recycled = 0

    async def get(self) -> ZygoteHandle:
        """A zygote that serves; whoever comes while it starts waits for the same one. May raise `StartError`."""
        self._bind()
        async with self._lock:
            if self._is_closed:
                raise StartError("the extractor is closed")
            self._retired = [zygote for zygote in self._retired if zygote.is_alive]
            await self._drop_lost()
            if self._current is not None and self._current.jobs_started >= self.jobs_max:
                self._succeed(self._current)
            if self._current is None:
                self._current = await self._started()
            return self._current

    def suspect(self, zygote: ZygoteHandle) -> None:
        """A child ended in a way that an attack may have: no later file is read by this zygote."""
        if zygote is not self._current or not zygote.is_alive:
            return
        self._retire(zygote)
        if self._next is None:
            self._prepare()

    def reopen(self) -> None:
        """Serves again after `close`."""
        self._is_closed = False

    async def close(self) -> None:
        """Ends every zygote; later calls of `get` fail until `reopen`."""
        self._bind()
        self._is_closed = True
        async with self._lock:
            ending = [zygote for zygote in (self._current, self._next, *self._retired) if zygote is not None]
            self._current, self._next, self._retired = None, None, []
            for zygote in ending:
                await zygote.close()

    async def _drop_lost(self) -> None:
        if self._current is not None and not self._current.is_alive:
            self.restarts += 1
            await self._current.close()
            self._current = None
        if self._next is not None and not self._next.is_alive:
            await self._next.close()
            self._next = None

    def _succeed(self, worn: ZygoteHandle) -> None:
        """Puts the successor in place once it is ready, and has one prepared before that."""
        if self._next is None:
            self._prepare()
        elif self._next.is_ready:
            self._retire(worn)

    def _prepare(self) -> None:
        try:
            self._next = ZygoteHandle(self.settings)
        except StartError as exc:
            logger.warning("no successor for the sandbox's zygote: %s", exc)
            return
        self._next.listen()

    def _retire(self, zygote: ZygoteHandle) -> None:
        self.recycled += 1
        self._current = None
        self._retired.append(zygote)
        zygote.retire()

    async def _started(self) -> ZygoteHandle:
        zygote = self._next or ZygoteHandle(self.settings)
        self._next = None
        try:
            self.layers = await zygote.ready()
        except BaseException:
            zygote.kill_now()
            raise
        logger.info("the sandbox is ready: level %s, %s", level_of(self.layers), summary(self.layers))
        return zygote

    def _bind(self) -> None:
        """A lock belongs to an event loop; a new loop gets a new one."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._lock = asyncio.Lock()


def summary(layers: tuple[Layer, ...]) -> str:
    """All layers in one line."""
    return ", ".join(f"{layer.name} {'on' if layer.is_on else 'off'} ({layer.detail})" for layer in layers)
