"""Asks the model and shows the answer as it grows."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import Literal, Protocol

import structlog

from bot.errors import ModelError
from bot.llm.client import ModelClient
from bot.llm.output import safe_markdown
from bot.models import Answer, Prompt

log = structlog.get_logger()

#: A card takes ten updates a second; the whole text is filtered anew for each.
_SHOW_EVERY_S = 0.1


class TextSink(Protocol):
    """Where a growing answer is shown; takes the whole text so far and never waits."""

    def push(self, text: str) -> None:
        """Shows `text` instead of what was shown before; it always begins with that."""
        ...


async def ask(
    prompt: Prompt,
    model: ModelClient,
    card: TextSink | None,
    *,
    allowed_links: frozenset[str] = frozenset(),
    max_tables: int = 3,
) -> Answer:
    """The answer in the model's own words: what is shown meanwhile is safe for a card, the text returned is not yet.

    What fails after text has come, or for good, is an Answer that says so. What may go better the next time and has
    shown nothing yet is raised as ModelError.
    """
    text, shown = "", 0.0
    answer = Answer(text="", state="failed", problem="model_empty")
    try:
        async with aclosing(model.stream(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Answer):
                    answer = piece
                    continue
                text += piece.text
                if card is not None and time.monotonic() - shown >= _SHOW_EVERY_S:
                    card.push(safe_markdown(text, allowed_links=allowed_links, max_tables=max_tables, final=False))
                    shown = time.monotonic()
    except ModelError as error:
        if error.retryable and not text.strip():
            raise
        log.warning("model failed", code=error.code)
        log.debug("what the endpoint said", detail=error.detail)  # which may hold words of the documents
        answer = Answer(text=text, state=_state(error, text), problem=error.code, omitted=prompt.omitted)
    return answer


def _state(error: ModelError, text: str) -> Literal["incomplete", "filtered", "failed"]:
    if error.code == "model_filtered":
        return "filtered"
    return "incomplete" if text.strip() else "failed"
