"""When a step is tried again."""

from __future__ import annotations

import pytest

from bot.durable.retry import decide
from bot.errors import BotError, FeishuRateLimited, FeishuUnavailable, ModelError


def delays(error: BotError, *, jitter: float, attempts: int = 5) -> list[float | None]:
    return [decide(error, attempt, attempts=attempts, jitter=jitter) for attempt in range(1, attempts + 1)]


def test_a_retryable_error_waits_longer_each_time_and_then_gives_up() -> None:
    assert delays(FeishuUnavailable(), jitter=1) == [1, 3, 9, 27, None]


def test_jitter_halves_the_wait_at_most() -> None:
    assert delays(FeishuUnavailable(), jitter=0) == [0.5, 1.5, 4.5, 13.5, None]


def test_no_wait_grows_without_end() -> None:
    assert decide(FeishuUnavailable(), 50, attempts=100, jitter=1) == 60


@pytest.mark.parametrize("error", [BotError("no"), ModelError(code="model_auth")])
def test_what_cannot_get_better_is_not_tried_again(error: BotError) -> None:
    assert decide(error, 1, attempts=5, jitter=0) is None


def test_an_instance_may_say_that_it_is_retryable() -> None:
    assert decide(ModelError(retryable=True), 1, attempts=5, jitter=1) == 1


def test_feishus_own_wait_is_kept_and_never_shortened() -> None:
    for jitter in (0, 1):
        delay_s = decide(FeishuRateLimited(retry_after_s=40), 1, attempts=5, jitter=jitter)
        assert delay_s is not None
        assert 40 <= delay_s <= 44


def test_nobody_is_made_to_wait_for_hours() -> None:
    assert decide(FeishuRateLimited(retry_after_s=7200), 1, attempts=5, jitter=0) is None
