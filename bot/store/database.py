"""Our own database: one engine, one connection, one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.exc import DatabaseError

from bot.errors import ConfigError

T = TypeVar("T")

MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """Runs transactions one after the other on a thread of its own, so that the event loop never waits for a disk.

    Takes a database URL, or the path of an SQLite file.
    """

    def __init__(self, url_or_path: str | Path) -> None:
        self._engine = create_engine(_url(url_or_path), pool_size=1, max_overflow=0)
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _tune_sqlite)
            event.listen(self._engine, "begin", _begin_immediate)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        # Kept from one transaction to the next: to take it from the pool and to put it back costs a third of an insert.
        self._connection: Connection | None = None

    async def open(self) -> None:
        """Migrates to the newest revision, in a new file where there is none; ConfigError when it is no database."""
        try:
            await self.run(_migrate)
        except DatabaseError as error:
            raise ConfigError(f"{self._engine.url.database}: cannot be used: {error.orig}") from None

    async def run(self, transaction: Callable[[Connection], T]) -> T:
        """Gives what `transaction` returns, committed; rolled back and raised when it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transact, transaction)

    async def close(self) -> None:
        """Waits for what was asked before, then lets go of the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown()

    def _transact(self, transaction: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        try:
            with self._connection.begin():
                return transaction(self._connection)
        except BaseException:
            self._let_go()  # whatever is wrong with this connection, the next transaction has another
            raise

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        try:
            if connection is not None:
                connection.close()
        finally:
            self._engine.dispose()


def _url(url_or_path: str | Path) -> str | URL:
    if isinstance(url_or_path, str):
        return url_or_path
    url_or_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return URL.create("sqlite", database=str(url_or_path))


def _migrate(connection: Connection) -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, "head")


def _tune_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # or sqlite3 begins by itself, too late to keep two writers apart
    connection.execute("PRAGMA busy_timeout = 10000")
    connection.execute("PRAGMA journal_mode = WAL")
    # An acknowledged message must outlive a power cut; NORMAL would lose the newest ones.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
