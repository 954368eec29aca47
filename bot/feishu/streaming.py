"""The answer as it grows on its card."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import structlog

from bot.errors import CardClosed, CardRefused, FeishuError, FeishuRateLimited, FeishuUnavailable
from bot.feishu.cardkit import CardKit
from bot.feishu.cards import ANSWER_ELEMENT, wire_bytes
from bot.feishu.codes import CARD_OPERATION_REPEATED
from bot.feishu.splitting import longest_prefix
from bot.models import Card

log = structlog.get_logger()

# A card takes 30 KB, its frame included. What is beyond comes with the final cards.
_MAX_TEXT_BYTES = 28_000
_MORE = "…"
_STREAMING = {"config": {"streaming_mode": True}}
# Far above what a clock that was set back could have left behind; a card's 14 days in ms fit an int32 with this.
_SEQUENCE_LEAP = 60 * 60 * 1000


class StreamingCard:
    """Shows the newest text a few times a second. `run` in a task, `push` as text comes, `finish` at the end.

    Feishu ends streaming mode ten minutes after it was last switched on, so it is switched on again by time, whether
    text comes or not. Trouble with an update is never raised: the final card brings the whole text.
    """

    def __init__(
        self,
        cardkit: CardKit,
        card: Card,
        *,
        updates_per_second: float = 8.0,
        reopen_after_s: float = 8 * 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._cardkit = cardkit
        self._card = card
        self._pause_s = 1 / updates_per_second
        self._reopen_after_s = reopen_after_s
        self._clock = clock
        self._text = ""
        self._shown = ""
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        self._last_sequence = 0
        self._reopen_at_s = card.created_ms / 1000 + reopen_after_s
        self._was_closed = False

    def push(self, text: str) -> None:
        """Takes the whole text so far; only the newest one is sent."""
        self._text = text
        self._changed.set()

    def stop(self) -> None:
        """Ends `run`. An update that is under way may still arrive: its sequence is too old to undo a later one."""
        self._over.set()
        self._changed.set()

    async def run(self) -> None:
        """Sends what is pushed, until `stop`, `finish` or a card that takes no more."""
        while not self._over.is_set():
            await _within(self._changed, self._reopen_at_s - self._clock())
            self._changed.clear()
            if not self._over.is_set():
                await _within(self._over, await self._advance())

    async def finish(self, card: Mapping[str, Any]) -> None:
        """Replaces the card by its final form, which must not be in streaming mode; CardRefused if it is not taken."""
        self.stop()
        try:
            await self._cardkit.update(self._card.card_id, card, sequence=self._next_sequence())
        except CardRefused as error:
            if error.feishu_code not in CARD_OPERATION_REPEATED:
                raise
            # The clock was set back, or our update arrived and its answer was lost: either way once more does no harm.
            self._last_sequence = max(self._last_sequence, self._elapsed_ms()) + _SEQUENCE_LEAP
            await self._cardkit.update(self._card.card_id, card, sequence=self._next_sequence())

    async def _advance(self) -> float:
        """One operation on the card, if one is due; returns the seconds to rest after it."""
        try:
            await self._operate()
        except CardClosed:
            self._reopen_at_s = self._clock()
            self._changed.set()
            if self._was_closed:
                self.stop()
            self._was_closed = True
        except (FeishuRateLimited, FeishuUnavailable) as error:
            self._changed.set()
            return max(self._pause_s, error.retry_after_s if isinstance(error, FeishuRateLimited) else 1.0)
        except FeishuError as error:
            log.warning("card no longer streamed to", code=error.code, feishu_code=error.feishu_code)
            self.stop()
        return self._pause_s

    async def _operate(self) -> None:
        if self._clock() >= self._reopen_at_s:
            await self._cardkit.settings(self._card.card_id, _STREAMING, sequence=self._next_sequence())
            self._reopen_at_s = self._clock() + self._reopen_after_s
            self._changed.set()
            return
        text = _fitting(self._text)
        if text and text != self._shown:
            await self._cardkit.put_text(self._card.card_id, ANSWER_ELEMENT, text, sequence=self._next_sequence())
            self._shown = text

    def _next_sequence(self) -> int:
        self._last_sequence = max(self._last_sequence + 1, self._elapsed_ms())
        return self._last_sequence

    def _elapsed_ms(self) -> int:
        return int(self._clock() * 1000) - self._card.created_ms


def _fitting(text: str) -> str:
    if wire_bytes(text) <= _MAX_TEXT_BYTES:
        return text
    return text[: longest_prefix(text, _MAX_TEXT_BYTES - wire_bytes(_MORE))] + _MORE


async def _within(event: asyncio.Event, seconds: float) -> None:
    """Waits for the event, but not longer than that."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0)):
            await event.wait()
