"""What every door does with an event it believes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.models import RawEvent
from bot.store.inbox import Inbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Stores an event; when this returns, it may be acknowledged."""

    inbox: Inbox
    wake: Callable[[], None]  # the relay's

    async def __call__(self, event: RawEvent) -> bool:
        """True when the event is new; a second delivery is a no-op."""
        new = await self.inbox.add(event)
        if new:
            self.wake()
        return new
