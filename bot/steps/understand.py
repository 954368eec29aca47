"""Is this message for us, and what does it ask?"""

from __future__ import annotations

from typing import Literal

from bot.feishu.events import read_message
from bot.feishu.identity import Identity
from bot.models import Message, RawEvent


async def understand(event: RawEvent, identity: Identity, language: Literal["auto", "zh", "en"]) -> Message | None:
    """The question, or None when it is not ours to answer. Raises while we don't know who we are in a group."""
    return read_message(event, await identity.get(), language=language)
