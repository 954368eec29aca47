"""The inbox: one row per message, whatever Feishu repeats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite

from bot.models import RawEvent
from bot.store.database import Database
from bot.store.inbox import INSERTS, Inbox


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    database = Database(tmp_path / "duwen.db")
    await database.open()
    yield Inbox(database)
    await database.close()


def event(message_id: str, *, app_id: str = "cli_1", create_time_ms: int = 1, thread_id: str | None = None) -> RawEvent:
    body = {"event": {"message": {"message_id": message_id, "content": "读这个文件 🗂"}}}
    return RawEvent(
        app_id=app_id,
        message_id=message_id,
        chat_id="oc_1",
        thread_id=thread_id,
        create_time_ms=create_time_ms,
        body=body,
    )


async def test_fifty_deliveries_at_once_become_one_row(inbox: Inbox) -> None:
    results = await asyncio.gather(*(inbox.add(event("om_1")) for _ in range(50)))
    assert sorted(results) == [False] * 49 + [True]
    assert await inbox.counts() == {"received": 1, "enqueued": 0}


async def test_two_apps_in_one_chat_both_get_the_message(inbox: Inbox) -> None:
    assert await inbox.add(event("om_1", app_id="cli_1"))
    assert await inbox.add(event("om_1", app_id="cli_2"))


async def test_a_second_delivery_changes_nothing(inbox: Inbox) -> None:
    await inbox.add(event("om_1", create_time_ms=1))
    await inbox.mark_enqueued([("cli_1", "om_1")])
    assert not await inbox.add(event("om_1", create_time_ms=2))
    assert await inbox.counts() == {"received": 0, "enqueued": 1}
    assert await inbox.read("cli_1", "om_1") == event("om_1", create_time_ms=1)


async def test_the_oldest_waits_first_and_the_limit_holds(inbox: Inbox) -> None:
    for time_ms, message_id in ((30, "om_a"), (10, "om_c"), (20, "om_b"), (20, "om_a2")):
        await inbox.add(event(message_id, create_time_ms=time_ms))
    assert [waiting.message_id for waiting in await inbox.waiting(limit=3)] == ["om_c", "om_a2", "om_b"]


async def test_marked_events_wait_no_longer_but_can_be_read(inbox: Inbox) -> None:
    await inbox.add(event("om_1", thread_id="omt_1"))
    await inbox.add(event("om_2"))
    await inbox.mark_enqueued([("cli_1", "om_1")])
    await inbox.mark_enqueued([])
    assert [waiting.message_id for waiting in await inbox.waiting()] == ["om_2"]
    stored = await inbox.read("cli_1", "om_1")
    assert stored == event("om_1", thread_id="omt_1")
    assert stored.conversation == "oc_1:omt_1"


async def test_an_unknown_message_reads_as_none(inbox: Inbox) -> None:
    assert await inbox.read("cli_1", "om_none") is None


def test_the_insert_is_the_same_sql_on_postgres() -> None:
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        statement = str(INSERTS[dialect.name].compile(dialect=dialect))
        assert statement.endswith("ON CONFLICT DO NOTHING")
