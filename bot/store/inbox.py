"""The inbox: every event is written here once, before Feishu is told that we have it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Row, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.models import RawEvent
from bot.store.database import Database
from bot.store.tables import inbox

State = Literal["received", "enqueued"]
#: What identifies a message: (app_id, message_id). Feishu says not to rely on event ids.
Key = tuple[str, str]

# ON CONFLICT DO NOTHING is the same SQL in both, but SQLAlchemy has it per dialect.
INSERTS = {
    dialect: insert(inbox).on_conflict_do_nothing()
    for dialect, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
MARK = (
    update(inbox)
    .where(inbox.c.app_id == bindparam("key_app_id"), inbox.c.message_id == bindparam("key_message_id"))
    .values(state="enqueued")
)


class Inbox:
    """Events by (app_id, message_id), in state "received" until the engine has them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, event: RawEvent) -> bool:
        """Stores the event durably; False when it was there already."""
        row = {
            "app_id": event.app_id,
            "message_id": event.message_id,
            "chat_id": event.chat_id,
            "thread_id": event.thread_id,
            "conversation": event.conversation,
            "create_time_ms": event.create_time_ms,
            "body": msgspec.json.encode(event.body).decode(),
            "received_ms": time.time_ns() // 1_000_000,
            "state": "received",
        }

        def insert(connection: Connection) -> bool:
            return connection.execute(INSERTS[connection.dialect.name], row).rowcount == 1

        return await self._database.run(insert)

    async def waiting(self, limit: int = 200) -> tuple[RawEvent, ...]:
        """Events the engine does not have yet, oldest first."""
        statement = (
            select(inbox)
            .where(inbox.c.state == "received")
            .order_by(inbox.c.create_time_ms, inbox.c.app_id, inbox.c.message_id)
            .limit(limit)
        )
        rows = await self._database.run(lambda connection: connection.execute(statement).all())
        return tuple(_event(row) for row in rows)

    async def mark_enqueued(self, keys: Sequence[Key]) -> None:
        """Remembers that the engine has these."""
        if not keys:
            return
        parameters = [{"key_app_id": app_id, "key_message_id": message_id} for app_id, message_id in keys]
        await self._database.run(lambda connection: connection.execute(MARK, parameters))

    async def read(self, app_id: str, message_id: str) -> RawEvent | None:
        """The event, in whichever state."""
        statement = select(inbox).where(inbox.c.app_id == app_id, inbox.c.message_id == message_id)
        row = await self._database.run(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _event(row)

    async def counts(self) -> dict[State, int]:
        """How many rows are in each state."""
        statement = select(inbox.c.state, func.count().label("rows")).group_by(inbox.c.state)
        rows = await self._database.run(lambda connection: connection.execute(statement).all())
        found = {row.state: row.rows for row in rows}
        return {"received": found.get("received", 0), "enqueued": found.get("enqueued", 0)}


def _event(row: Row[Any]) -> RawEvent:
    return RawEvent(
        app_id=row.app_id,
        message_id=row.message_id,
        chat_id=row.chat_id,
        thread_id=row.thread_id,
        create_time_ms=row.create_time_ms,
        body=msgspec.json.decode(row.body),
    )
