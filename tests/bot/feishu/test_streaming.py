from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest

from bot.errors import CardRefused
from bot.feishu.api import FeishuApi
from bot.feishu.cardkit import CardKit
from bot.feishu.cards import final_card, streaming_card, wire_bytes
from bot.feishu.streaming import StreamingCard
from bot.models import Card

from .conftest import Call, Clock, FakeFeishu

CARD = "/open-apis/cardkit/v1/cards/7355"
TEXT = f"{CARD}/elements/answer/content"
SETTINGS = f"{CARD}/settings"
FINAL = final_card(body_markdown="done", files_markdown="", footer="", summary="done")
CLOSED = {"code": 300309, "msg": "Card streaming closed"}


@pytest.fixture
def cardkit(api: FeishuApi) -> CardKit:
    return CardKit(api)


def streaming(cardkit: CardKit, clock: Clock, **values: Any) -> StreamingCard:
    card = Card(card_id="7355", created_ms=int(clock.now * 1000))
    return StreamingCard(cardkit, card, **{"updates_per_second": 1000.0, "clock": clock} | values)


@asynccontextmanager
async def running(stream: StreamingCard) -> AsyncIterator[StreamingCard]:
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(stream.run())
        yield stream
        stream.stop()


def operations(feishu: FakeFeishu) -> list[Call]:
    return [call for call in feishu.calls if call.path.startswith(CARD)]


def sequences(feishu: FakeFeishu) -> list[int]:
    return [call.body["sequence"] for call in operations(feishu)]


def rising(numbers: list[int]) -> bool:
    return all(earlier < later for earlier, later in pairwise(numbers))


async def test_a_card_is_made_from_json(cardkit: CardKit, feishu: FakeFeishu) -> None:
    path = "/open-apis/cardkit/v1/cards"
    feishu.answer(path, {"code": 0, "data": {"card_id": "7355"}})
    card = streaming_card(title="", placeholder="读")
    assert await cardkit.create(card) == "7355"
    body = feishu.of(path)[0].body
    assert body["type"] == "card_json"
    assert json.loads(body["data"]) == card


async def test_every_operation_has_its_sequence_and_a_uuid(cardkit: CardKit, feishu: FakeFeishu) -> None:
    await cardkit.put_text("7355", "answer", "x", sequence=1)
    await cardkit.settings("7355", {"config": {}}, sequence=2)
    await cardkit.update("7355", FINAL, sequence=3)
    calls = operations(feishu)
    assert [(call.method, call.path) for call in calls] == [("PUT", TEXT), ("PATCH", SETTINGS), ("PUT", CARD)]
    assert [call.body["uuid"] for call in calls] == ["7355-1", "7355-2", "7355-3"]
    assert json.loads(calls[1].body["settings"]) == {"config": {}}
    assert json.loads(calls[2].body["card"]["data"]) == FINAL


async def test_only_the_newest_text_is_sent_and_the_sequence_rises(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    async with running(streaming(cardkit, clock)) as stream:
        stream.push("a")
        stream.push("ab")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 1)
        stream.push("abc")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 2)
        clock.now += 60
        stream.push("abcd")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 3)
        await stream.finish(FINAL)
    assert [call.body["content"] for call in feishu.of(TEXT)] == ["ab", "abc", "abcd"]
    assert rising(sequences(feishu))
    assert sequences(feishu)[2] == 60_000


async def test_the_same_text_is_not_sent_twice(cardkit: CardKit, feishu: FakeFeishu, clock: Clock) -> None:
    async with running(streaming(cardkit, clock)) as stream:
        stream.push("a")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 1)
        stream.push("")
        await asyncio.sleep(0.02)  # long enough for a wrong update
        stream.push("a")
        await asyncio.sleep(0.02)
        stream.push("b")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 2)
    assert [call.body["content"] for call in feishu.of(TEXT)] == ["a", "b"]


async def test_updates_are_paced(cardkit: CardKit, feishu: FakeFeishu, clock: Clock) -> None:
    loop = asyncio.get_running_loop()
    async with running(streaming(cardkit, clock, updates_per_second=50.0)) as stream:
        end = loop.time() + 0.5
        while loop.time() < end:
            stream.push(f"{loop.time()}")
            await asyncio.sleep(0.001)
    assert 0 < len(feishu.of(TEXT)) <= 26


async def test_the_sequence_goes_on_after_a_restart(cardkit: CardKit, feishu: FakeFeishu, clock: Clock) -> None:
    card = Card(card_id="7355", created_ms=int(clock.now * 1000))
    for text in ("before", "after"):
        clock.now += 5
        async with running(StreamingCard(cardkit, card, clock=clock)) as stream:
            stream.push(text)
            await feishu.until(lambda text=text: feishu.of(TEXT)[-1:] and feishu.of(TEXT)[-1].body["content"] == text)
    assert sequences(feishu) == [5000, 10_000]


async def test_streaming_is_switched_on_again_though_no_text_comes(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    clock.now += 480
    card = Card(card_id="7355", created_ms=int((clock.now - 480) * 1000))
    async with running(StreamingCard(cardkit, card, clock=clock)):
        await feishu.until(lambda: len(feishu.of(SETTINGS)) == 1)
    assert json.loads(feishu.of(SETTINGS)[0].body["settings"]) == {"config": {"streaming_mode": True}}
    assert feishu.of(TEXT) == []


async def test_streaming_is_switched_on_again_while_text_comes_all_the_time(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    async with running(streaming(cardkit, clock)) as stream:
        for minute in range(20):
            stream.push(f"{minute}")
            await feishu.until(
                lambda minute=minute: feishu.of(TEXT)[-1:] and feishu.of(TEXT)[-1].body["content"] == f"{minute}"
            )
            clock.now += 60
    assert len(feishu.of(SETTINGS)) == 2
    assert rising(sequences(feishu))


@pytest.mark.parametrize("code", [200850, 300309])
async def test_a_closed_card_is_opened_again_once_and_the_text_sent(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock, code: int
) -> None:
    feishu.answer(TEXT, {"code": code, "msg": "closed"}, status=400)
    async with running(streaming(cardkit, clock)) as stream:
        stream.push("a")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 2)
    assert [call.path for call in operations(feishu)] == [TEXT, SETTINGS, TEXT]
    assert [call.body["content"] for call in feishu.of(TEXT)] == ["a", "a"]
    assert rising(sequences(feishu))


async def test_a_card_that_closes_again_is_left_alone_until_its_final_form(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    for _ in range(5):
        feishu.answer(TEXT, CLOSED, status=400)
    stream = streaming(cardkit, clock)
    stream.push("a")
    await asyncio.wait_for(stream.run(), 20)
    stream.push("ab")
    await stream.run()
    await stream.finish(FINAL)
    assert [call.path for call in operations(feishu)] == [TEXT, SETTINGS, TEXT, CARD]
    assert rising(sequences(feishu))


async def test_a_card_that_cannot_be_opened_again_is_left_alone(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    feishu.answer(TEXT, CLOSED, status=400)
    feishu.answer(SETTINGS, {"code": 200740, "msg": "gone"}, status=400)
    stream = streaming(cardkit, clock)
    stream.push("a")
    await asyncio.wait_for(stream.run(), 20)
    assert [call.path for call in operations(feishu)] == [TEXT, SETTINGS]


@pytest.mark.parametrize("code", [230099, 200860, 300311, 424242])
async def test_a_refused_update_ends_the_streaming_and_raises_nothing(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock, code: int
) -> None:
    feishu.answer(TEXT, {"code": code, "msg": "no"}, status=400)
    stream = streaming(cardkit, clock)
    stream.push("a")
    await asyncio.wait_for(stream.run(), 20)
    assert len(operations(feishu)) == 1


async def test_an_update_that_meets_a_long_rate_limit_is_skipped_and_the_end_still_comes(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    feishu.answer(TEXT, {"code": 99991400}, status=429, headers={"x-ogw-ratelimit-reset": "3600"})
    async with running(streaming(cardkit, clock)) as stream:
        stream.push("a")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 1)
        await asyncio.sleep(0.05)
        await stream.finish(FINAL)
    assert [call.path for call in operations(feishu)] == [TEXT, CARD]


async def test_an_update_that_fails_is_made_up_for(cardkit: CardKit, feishu: FakeFeishu, clock: Clock) -> None:
    for _ in range(3):
        feishu.answer(TEXT, {}, status=503)
    async with running(streaming(cardkit, clock)) as stream:
        stream.push("a")
        await feishu.until(lambda: len(feishu.of(TEXT)) == 4)
    assert feishu.of(TEXT)[-1].body["content"] == "a"


async def test_a_long_text_is_held_under_the_cards_limit(cardkit: CardKit, feishu: FakeFeishu, clock: Clock) -> None:
    async with running(streaming(cardkit, clock)) as stream:
        stream.push('"读文"\n' * 10_000)
        await feishu.until(lambda: len(feishu.of(TEXT)) == 1)
        stream.push('"读文"\n' * 20_000)
        await asyncio.sleep(0.05)
    (call,) = feishu.of(TEXT)
    assert 27_900 < wire_bytes(call.body["content"]) <= 28_000
    assert call.body["content"].endswith("…")


async def test_a_final_form_that_is_not_taken_is_for_the_caller(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock
) -> None:
    feishu.answer(CARD, {"code": 300305, "msg": "too many"}, status=400)
    with pytest.raises(CardRefused):
        await streaming(cardkit, clock).finish(FINAL)
    assert len(operations(feishu)) == 1


@pytest.mark.parametrize("code", [300317, 200770])
async def test_a_sequence_that_was_used_before_is_left_far_behind(
    cardkit: CardKit, feishu: FakeFeishu, clock: Clock, code: int
) -> None:
    feishu.answer(CARD, {"code": code, "msg": "sequence"}, status=400)
    await streaming(cardkit, clock).finish(FINAL)
    first, second = sequences(feishu)
    assert second - first > 3_600_000
