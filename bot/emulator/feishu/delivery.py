"""Pushes events to the webhook until it acknowledges them, on Feishu's schedule."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from typing import Any

import aiohttp

from bot.emulator.feishu.sealing import sealed, signature_headers
from bot.emulator.feishu.state import World
from bot.emulator.wire import Delivery, Verification

#: Waits before the second to the fifth attempt: 15 s, 5 min, 1 h, 6 h.
RETRY_AFTER_S = (15.0, 300.0, 3600.0, 21600.0)
VERIFY_TIMEOUT_S = 1.0


class Deliverer:
    """Pushes in the background of `tasks`; `stop` gives up what is still waiting."""

    def __init__(self, world: World, session: aiohttp.ClientSession, tasks: asyncio.TaskGroup) -> None:
        self._world = world
        self._session = session
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()

    def push(self, events: list[dict[str, Any]], *, copies: int = 1, shuffle_seed: int | None = None) -> None:
        """Starts to deliver every event `copies` times, in the given order or in a shuffled one."""
        if not self._world.options.webhook_url:
            return
        pushes = [(event, copy) for event in events for copy in range(copies)]
        if shuffle_seed is not None:
            random.Random(shuffle_seed).shuffle(pushes)  # noqa: S311 - an order for tests, not a secret
        for event, copy in pushes:
            self._world.undelivered += 1
            task = self._tasks.create_task(self._deliver(event, copy))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        """Cancels every delivery that waits for its next attempt."""
        for task in self._running:
            task.cancel()

    async def verify_url(self) -> Verification:
        """Pushes a url_verification, which carries no signature, and checks that the challenge comes back."""
        options = self._world.options
        challenge = secrets.token_hex(16)
        event = {"challenge": challenge, "token": options.verification_token, "type": "url_verification"}
        started = time.monotonic()
        status, answer = await self._request(sealed(event, options.encrypt_key), {}, VERIFY_TIMEOUT_S)
        seconds = time.monotonic() - started
        return Verification(status=status, seconds=seconds, passed=status == 200 and _challenge(answer) == challenge)

    async def _deliver(self, event: dict[str, Any], copy: int) -> None:
        for attempt, wait_s in enumerate((0.0, *RETRY_AFTER_S)):
            await asyncio.sleep(self._world.scaled(wait_s))
            if await self._attempt(event, copy, attempt):
                self._world.undelivered -= 1
                self._world.changes.touch()
                return

    async def _attempt(self, event: dict[str, Any], copy: int, attempt: int) -> bool:
        options = self._world.options
        body = sealed(event, options.encrypt_key)
        headers = signature_headers(body, options.encrypt_key)
        started = time.monotonic()
        status, answer = await self._request(body, headers, options.ack_timeout_s)
        header = event["header"]
        delivery = Delivery(
            event_id=header["event_id"],
            event_type=header["event_type"],
            message_id=event["event"].get("message", event["event"])["message_id"],
            copy=copy,
            attempt=attempt,
            at_s=started,
            ack_s=time.monotonic() - started,
            status=status,
            error=answer if status == 0 else None,
        )
        self._world.deliveries.append(delivery)
        self._world.changes.touch()
        return status == 200

    async def _request(self, body: bytes, headers: dict[str, str], timeout_s: float) -> tuple[int, str]:
        """The status and the text of the answer; 0 and the reason where none came in time."""
        headers = headers | {"Content-Type": "application/json; charset=utf-8"}
        timeout = aiohttp.ClientTimeout(total=timeout_s)
        try:
            async with self._session.post(
                self._world.options.webhook_url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                return response.status, await response.text(errors="replace")
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            return 0, f"{type(error).__name__}: {error}"


def _challenge(answer: str) -> object:
    try:
        value = json.loads(answer)
    except ValueError:
        return None
    return value.get("challenge") if isinstance(value, dict) else None
