"""Steps that run once per workflow, whatever happens to the process."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from dbos import DBOS

from bot.durable.records import failed, outcome, succeeded
from bot.durable.retry import decide
from bot.errors import BotError

T = TypeVar("T")

log = structlog.get_logger()


class Checkpoint:
    """Remembers what the steps of one workflow gave. Steps are known by their order, which must not vary."""

    def __init__(self, workflow_id: str, *, attempts: int, stopping: asyncio.Event) -> None:
        self.workflow_id = workflow_id
        self._attempts = attempts
        self._stopping = stopping

    async def step(self, name: str, returns: Any, run: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Gives what `run(*args)` gave the first time, as a value of the type `returns`.

        An error that ends the step is remembered too, and raised each time as a BotError. When the engine is stopping,
        the workflow is cancelled here; the next start goes on with this step.
        """
        if self._stopping.is_set():
            raise asyncio.CancelledError
        record = await DBOS.run_step_async({"name": name}, self._run, name, run, args)
        value: T = outcome(record, returns)
        return value

    async def _run(self, name: str, run: Callable[..., Awaitable[Any]], args: tuple[Any, ...]) -> dict[str, Any]:
        attempt = 1
        while True:
            try:
                result = await run(*args)
            except Exception as raised:
                error = _as_bot_error(raised)
                delay_s = decide(error, attempt, attempts=self._attempts, jitter=random.random())  # noqa: S311 # no secret
                # A BotError's words may be an endpoint's, and those may echo a document: its code will do.
                trace = raised if error.code == BotError.code else None
                log.warning(
                    "step failed", step=name, code=error.code, attempt=attempt, retry_in_s=delay_s, exc_info=trace
                )
                if delay_s is None:
                    return failed(error)
            else:
                return succeeded(result)
            await self._pause(delay_s)
            attempt += 1

    async def _pause(self, delay_s: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), delay_s)
        except TimeoutError:
            return
        raise asyncio.CancelledError


def _as_bot_error(raised: Exception) -> BotError:
    """What a step, or a task of its TaskGroup, raised; what nobody foresaw may pass by itself."""
    while isinstance(raised, ExceptionGroup):
        raised = raised.exceptions[0]
    return raised if isinstance(raised, BotError) else BotError(type(raised).__name__, retryable=True)
