"""The replay cache."""

from __future__ import annotations

from bot.intake.nonces import MAX_COUNT, Nonces


def test_only_what_was_remembered_is_known() -> None:
    nonces = Nonces(300)
    assert "n1" not in nonces
    nonces.remember("n1")
    assert "n1" in nonces


def test_it_forgets_after_the_window() -> None:
    nonces = Nonces(0)
    nonces.remember("n1")
    assert "n1" not in nonces


def test_a_flood_does_not_fill_the_memory() -> None:
    nonces = Nonces(300)
    for number in range(MAX_COUNT + 1):
        nonces.remember(str(number))
    assert "0" not in nonces
    assert str(MAX_COUNT) in nonces
