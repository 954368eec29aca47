"""The relay: every stored event reaches the engine once, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.durable import relay as relay_module
from bot.durable.checkpoint import Checkpoint
from bot.durable.relay import InboxRelay
from bot.metrics import Metrics
from bot.models import RawEvent, workflow_id
from bot.store.database import Database
from bot.store.inbox import Inbox


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "duwen.db")
    await database.open()
    yield database
    await database.close()


def event(number: int) -> RawEvent:
    return RawEvent(
        app_id="cli_1", message_id=f"om_{number}", chat_id="oc_1", thread_id=None, create_time_ms=number, body={}
    )


class Received:
    """Work that notes the message ids it was given."""

    def __init__(self, expected: int) -> None:
        self.ids: list[str] = []
        self._expected = expected
        self._all = asyncio.Event()

    async def work(self, argument: str, checkpoint: Checkpoint) -> None:
        key = json.loads(argument)
        assert key.keys() == {"app_id", "message_id"}
        self.ids.append(key["message_id"])
        if len(self.ids) == self._expected:
            self._all.set()

    async def wait(self) -> None:
        await asyncio.wait_for(self._all.wait(), 20)


@asynccontextmanager
async def relaying(relay: InboxRelay) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(relay.run())
        yield
        task.cancel()


async def test_rows_left_from_before_and_new_ones_arrive_in_order(running, database: Database) -> None:
    inbox, received = Inbox(database), Received(4)
    await inbox.add(event(2))
    await inbox.add(event(1))
    async with running(received.work) as engine:
        relay = InboxRelay(inbox, engine, Metrics())
        async with relaying(relay):
            while (await inbox.counts())["received"]:  # noqa: ASYNC110 # a row's state has no event to wait for
                await asyncio.sleep(0)
            for number in (3, 4):
                await inbox.add(event(number))
                relay.wake()
            await received.wait()
    assert received.ids == ["om_1", "om_2", "om_3", "om_4"]
    assert await inbox.counts() == {"received": 0, "enqueued": 4}


async def test_an_event_that_was_enqueued_but_not_marked_runs_once(running, database: Database) -> None:
    inbox, received = Inbox(database), Received(2)
    for number in (1, 2):
        await inbox.add(event(number))
    async with running(received.work) as engine:
        key = json.dumps({"app_id": "cli_1", "message_id": "om_1"})
        await engine.enqueue(workflow_id(event(1)), conversation="oc_1", argument=key)
        async with relaying(InboxRelay(inbox, engine, Metrics())):
            await received.wait()
    assert received.ids == ["om_1", "om_2"]


async def test_the_relay_outlives_a_broken_database(running, database: Database, monkeypatch) -> None:
    monkeypatch.setattr(relay_module, "PAUSE_S", 0.0)
    inbox, received = Inbox(database), Received(1)
    await inbox.add(event(1))
    await database.run(lambda connection: connection.execute(text("ALTER TABLE inbox RENAME TO gone")))
    async with running(received.work) as engine:
        with capture_logs() as logs:
            async with relaying(InboxRelay(inbox, engine, Metrics())):
                while not logs:  # noqa: ASYNC110 # a log line has no event to wait for
                    await asyncio.sleep(0)
                await database.run(lambda connection: connection.execute(text("ALTER TABLE gone RENAME TO inbox")))
                await received.wait()
    assert {entry["event"] for entry in logs} == {"inbox not relayed"}
    assert received.ids == ["om_1"]


def test_ids_sort_by_the_time_of_the_message() -> None:
    assert workflow_id(event(9)) < workflow_id(event(10))
    assert workflow_id(event(9)) == "m-0000000000009-cli_1-om_9"
