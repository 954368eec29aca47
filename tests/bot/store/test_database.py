"""The database: migrations, transactions, durability settings."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from bot.store.database import Database
from bot.store.tables import metadata

INSERT = text("INSERT INTO inbox VALUES ('a', 'm', 'c', NULL, 'c', 1, '{}', 1, 'received')")
COUNT = text("SELECT count(*) FROM inbox")


async def test_a_new_file_gets_the_tables_that_the_code_expects(tmp_path: Path) -> None:
    database = Database(tmp_path / "new" / "duwen.db")
    await database.open()

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    assert await database.run(differences) == []
    await database.close()


async def test_opening_again_keeps_what_is_there(tmp_path: Path) -> None:
    first = Database(tmp_path / "duwen.db")
    await first.open()
    await first.run(lambda connection: connection.execute(INSERT))
    await first.close()
    second = Database(tmp_path / "duwen.db")
    await second.open()
    assert await second.run(lambda connection: connection.execute(COUNT).scalar_one()) == 1
    await second.close()


async def test_two_processes_may_open_a_new_file_at_the_same_moment(tmp_path: Path) -> None:
    first, second = Database(tmp_path / "duwen.db"), Database(tmp_path / "duwen.db")
    await asyncio.gather(first.open(), second.open())
    await asyncio.gather(first.close(), second.close())


async def test_a_transaction_that_raises_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "duwen.db")
    await database.open()

    def broken(connection: Connection) -> None:
        connection.execute(INSERT)
        raise KeyError("after the insert")

    with pytest.raises(KeyError, match="after the insert"):
        await database.run(broken)
    assert await database.run(lambda connection: connection.execute(COUNT).scalar_one()) == 0
    await database.close()


@pytest.mark.parametrize(("pragma", "expected"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)])
async def test_an_acknowledged_row_survives_a_power_cut(tmp_path: Path, pragma: str, expected: object) -> None:
    database = Database(f"sqlite:///{tmp_path}/duwen.db")
    await database.open()
    statement = text(f"PRAGMA {pragma}")
    assert await database.run(lambda connection: connection.execute(statement).scalar_one()) == expected
    await database.close()
