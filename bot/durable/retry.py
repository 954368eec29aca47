"""When a failed step is tried again."""

from __future__ import annotations

from bot.errors import BotError, FeishuRateLimited

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
#: Somebody waits in the chat: nobody is made to wait longer than this for one attempt.
PATIENCE_S = 600.0


def decide(error: BotError, attempt: int, *, attempts: int, jitter: float) -> float | None:
    """Seconds to wait before the next attempt, or None to give up.

    `attempt` counts from 1; `jitter` is a random number from 0 to 1, so that many failures don't come back as one.
    """
    if attempt >= attempts or not error.retryable:
        return None
    if isinstance(error, FeishuRateLimited):
        wait_s = error.retry_after_s * (1 + jitter / 10)
        return wait_s if wait_s <= PATIENCE_S else None
    return min(FIRST_DELAY_S * 3.0 ** (attempt - 1), LONGEST_DELAY_S) * (1 + jitter) / 2
