"""From the inbox to the engine: every stored event becomes one workflow."""

from __future__ import annotations

import asyncio
import time

import msgspec
import structlog

from bot.durable.engine import Engine
from bot.metrics import Metrics
from bot.models import RawEvent, workflow_id
from bot.store.inbox import Inbox

log = structlog.get_logger()

SAFETY_NET_S = 5.0
PAUSE_S = 2.0
#: Under load, events are handed over together: each pass costs transactions that acknowledgements wait behind.
PASS_EVERY_S = 0.1
BATCH = 200


class InboxRelay:
    """Enqueues what waits in the inbox: at once, when woken, and every few seconds in case a call was lost."""

    def __init__(self, inbox: Inbox, engine: Engine, metrics: Metrics) -> None:
        self._inbox = inbox
        self._engine = engine
        self._metrics = metrics
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Says that there is something in the inbox. Call it on the loop's thread."""
        self._woken.set()

    async def run(self) -> None:
        """Runs until cancelled. A crash between the two stores is harmless: the id makes the second enqueue a no-op."""
        while True:
            self._woken.clear()
            began = time.monotonic()
            try:
                while waiting := await self._inbox.waiting(BATCH):
                    self._metrics.inbox_waiting.set(len(waiting))
                    await self._relay(waiting)
                    if len(waiting) < BATCH:
                        break
                self._metrics.inbox_waiting.set(0)
            except Exception:
                log.exception("inbox not relayed", retry_in_s=PAUSE_S)
                await asyncio.sleep(PAUSE_S)
            else:
                await self._wait()
                await asyncio.sleep(began + PASS_EVERY_S - time.monotonic())

    async def _relay(self, waiting: tuple[RawEvent, ...]) -> None:
        for event in waiting:
            key = {"app_id": event.app_id, "message_id": event.message_id}
            await self._engine.enqueue(
                workflow_id(event), conversation=event.conversation, argument=msgspec.json.encode(key).decode()
            )
        await self._inbox.mark_enqueued([(event.app_id, event.message_id) for event in waiting])

    async def _wait(self) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), SAFETY_NET_S)
        except TimeoutError:
            return
