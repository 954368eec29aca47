"""Feishu's rate limits, counted over sliding windows in real seconds."""

from __future__ import annotations

import math
import time
from collections import deque

from bot.emulator.feishu.refusal import Refusal


class Window:
    """At most `limit` calls in any `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self._seconds = seconds
        self._taken: deque[float] = deque()

    def wait_s(self, now: float) -> float:
        """How long until a call fits; 0 when it fits now."""
        while self._taken and self._taken[0] <= now - self._seconds:
            self._taken.popleft()
        if len(self._taken) < self.limit:
            return 0.0
        return self._taken[0] + self._seconds - now

    def take(self, now: float) -> None:
        """Counts one call."""
        self._taken.append(now)


class Rates:
    """The limits per API (1,000 a minute and 50 a second), per card (10 a second) and per chat (5 a second)."""

    def __init__(self) -> None:
        self._apis: dict[str, tuple[Window, ...]] = {}
        self._cards: dict[str, tuple[Window, ...]] = {}
        self._chats: dict[str, tuple[Window, ...]] = {}

    def take_api(self, api: str) -> None:
        """Counts a call of one API by its method and route."""
        windows = self._apis.setdefault(api, (Window(50, 1.0), Window(1000, 60.0)))
        if full := _full(windows):
            raise too_frequent(*full)

    def take_card(self, card_id: str) -> None:
        """Counts an operation on one card entity."""
        if full := _full(self._cards.setdefault(card_id, (Window(10, 1.0),))):
            raise too_frequent(*full)

    def take_chat(self, chat_id: str) -> None:
        """Counts a message sent to one chat or person; this limit has its own code and no headers."""
        if _full(self._chats.setdefault(chat_id, (Window(5, 1.0),))):
            raise Refusal(230020, "This operation triggers the frequency limit.")


def too_frequent(limit: int, wait_s: float) -> Refusal:
    """The gateway's refusal: how many calls are allowed, and in how many whole seconds there is room again."""
    headers = {"x-ogw-ratelimit-limit": str(limit), "x-ogw-ratelimit-reset": str(math.ceil(wait_s))}
    return Refusal(99991400, "request trigger frequency limit", status=429, headers=headers)


def _full(windows: tuple[Window, ...]) -> tuple[int, float] | None:
    now = time.monotonic()
    for window in windows:
        wait_s = window.wait_s(now)
        if wait_s > 0:
            return window.limit, wait_s
    for window in windows:
        window.take(now)
    return None
