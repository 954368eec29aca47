"""The durable engine: DBOS, embedded, on one SQLite file."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID
from sqlalchemy.exc import DatabaseError

from bot.durable.checkpoint import Checkpoint
from bot.durable.records import JsonSerializer
from bot.errors import ConfigError

Work = Callable[[str, Checkpoint], Awaitable[None]]

#: Rises when the order or the results of the steps change: DBOS leaves work of another version where it is.
APP_VERSION = "1"
#: Rows of a dead process belong to this executor; DBOS takes up only its own.
EXECUTOR = "duwen"
QUEUE = "messages"
WORKFLOW = "message"
#: A message that ends the process this often is parked as MAX_RECOVERY_ATTEMPTS_EXCEEDED.
MAX_RECOVERIES = 10
THREADS = 32
CANCEL_TIMEOUT_S = 5.0


class Engine:
    """Runs each enqueued workflow to its end: in order inside a conversation, conversations side by side.

    DBOS is one per process, and takes over the loop's default executor while it runs: start one Engine at a time,
    on the loop that runs the work, and stop it before the next. It opens no connection and serves no page.
    """

    def __init__(
        self, directory: Path, *, app_version: str = APP_VERSION, concurrency: int, poll_s: float, attempts: int
    ) -> None:
        self._database = directory / "dbos.db"
        self._app_version = app_version
        self._concurrency = concurrency
        self._poll_s = poll_s
        self._attempts = attempts
        self._work: Work | None = None
        self._running: dict[asyncio.Task[Any], str] = {}
        self._lying: set[str] = set()

    def register(self, work: Work) -> None:
        """Says what a workflow does, before `start`: `work(argument, checkpoint)`."""
        self._work = work

    async def start(self) -> None:
        """Opens the database, takes up what a dead process left, and begins to take work.

        ConfigError when the file is no database.
        """
        function = self._function()
        self._database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._stopping = asyncio.Event()
        if not logging.getLogger("dbos").handlers:
            # With a handler there, DBOS adds none of its own, and its records go where all the others go.
            logging.getLogger("dbos").addHandler(logging.NullHandler())
        self._dbos = DBOS(config=self._config())
        self._workflow = DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(function)
        try:
            # On this thread, though it takes a moment: the loop that runs here is the one workflows will run on.
            DBOS.launch()
            await DBOS.register_queue_async(
                QUEUE,
                partition_concurrency=1,
                worker_concurrency=self._concurrency,
                polling_interval_sec=self._poll_s,
                on_conflict="always_update",
            )
        except BaseException as error:
            await _destroy()  # or nobody in this process could start an engine again
            if isinstance(error, DatabaseError):
                raise ConfigError(f"{self._database}: cannot be used: {error.orig}") from None
            raise

    async def enqueue(self, workflow_id: str, *, conversation: str, argument: str) -> None:
        """Stores the work durably; an id that is there already, done or not, changes nothing.

        Inside a conversation, ids decide the order of what is enqueued in the same second: begin them with a time.
        """
        with SetWorkflowID(workflow_id), SetEnqueueOptions(queue_partition_key=conversation):
            await DBOS.enqueue_workflow_async(QUEUE, self._workflow, argument)

    async def stop(self, grace_s: float) -> None:
        """Takes no more work, lets running steps end within the grace, then cancels; the next start goes on there."""
        logger = logging.getLogger("dbos")
        level = logger.level
        logger.setLevel(logging.ERROR)  # it warns of every cancellation, and these are ours
        for event in self._dbos.background_thread_stop_events:
            event.set()
        self._stopping.set()
        for task in await self._unfinished(grace_s):
            task.cancel()
        await self._unfinished(CANCEL_TIMEOUT_S)
        await _destroy()
        logger.setLevel(level)

    async def revive(self) -> int:
        """Takes up work that ended without an outcome, as when the disk is full; returns how much there was.

        DBOS would leave it PENDING, and its conversation silent, until the next start. Only what lay there the last
        time too is taken up: what was dequeued at this moment has no task yet.
        """
        lying = await asyncio.to_thread(_pending, self._database) - set(self._running.values())
        left = lying & self._lying
        self._lying = lying - left
        for workflow_id in sorted(left):
            await DBOS.resume_workflow_async(workflow_id, queue_name=QUEUE)
        return len(left)

    async def states(self) -> dict[str, int]:
        """How many workflows are in each of DBOS's states, such as ENQUEUED, PENDING, SUCCESS and ERROR."""
        return await asyncio.to_thread(_count_states, self._database)

    def _config(self) -> DBOSConfig:
        return {
            "name": "duwen",
            "system_database_url": f"sqlite:///{self._database}",
            "application_version": self._app_version,
            "executor_id": EXECUTOR,
            "serializer": JsonSerializer(),
            "log_level": "WARNING",
            "max_executor_threads": THREADS,
            # Nothing listens; it only decides how long `stop` waits for that thread.
            "notification_listener_polling_interval_sec": 0.2,
            # More connections make SQLite slower: with 20 the 99th percentile of an enqueue was 333 ms, with 1 18 ms.
            "db_engine_kwargs": {
                "pool_size": 1,
                "max_overflow": 0,
                "pool_pre_ping": False,
                "connect_args": {"factory": TunedConnection},
            },
        }

    def _function(self) -> Callable[[str], Coroutine[Any, Any, None]]:
        if self._work is None:
            raise RuntimeError("register the work before the engine starts")
        work = self._work

        # A function, because DBOS looks up methods by the class they belong to.
        async def message(argument: str) -> None:
            await self._run(work, argument)

        return message

    async def _run(self, work: Work, argument: str) -> None:
        task = asyncio.current_task()
        workflow_id = DBOS.workflow_id
        if task is None or workflow_id is None:
            raise RuntimeError("a workflow runs as a task of DBOS")
        # Until the task is done and not just the work: then the outcome is written.
        self._running[task] = workflow_id
        task.add_done_callback(self._running.pop)
        if self._stopping.is_set():
            raise asyncio.CancelledError
        try:
            await work(argument, Checkpoint(workflow_id, attempts=self._attempts, stopping=self._stopping))
        except asyncio.CancelledError:
            if self._stopping.is_set():
                raise
            # DBOS would leave it PENDING, and its conversation silent until the next start.
            raise RuntimeError("the work was cancelled, and not by us") from None

    async def _unfinished(self, timeout_s: float) -> set[asyncio.Task[Any]]:
        if not self._running:
            return set()
        _, unfinished = await asyncio.wait(self._running, timeout=timeout_s)
        return unfinished


class TunedConnection(sqlite3.Connection):
    """A connection with the settings DBOS does not make: durable, and readers don't wait for the writer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute("PRAGMA busy_timeout = 30000")
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = FULL")
        if sqlite3.sqlite_version_info < (3, 42):
            # There 'subsec' is unknown, unixepoch('subsec') is NULL, and DBOS does not launch on Python 3.12 and later.
            self.create_function("unixepoch", -1, _unixepoch)


async def _destroy() -> None:
    loop = asyncio.get_running_loop()
    # A thread that is not DBOS's own: it ends those, and workflow tasks may still need the loop.
    with ThreadPoolExecutor(max_workers=1) as thread:
        await loop.run_in_executor(thread, partial(DBOS.destroy, destroy_registry=True))
    loop.set_default_executor(ThreadPoolExecutor())


def _unixepoch(*_modifiers: object) -> float:
    return time.time()


def _count_states(database: Path) -> dict[str, int]:
    return dict(_read(database, "SELECT status, count(*) FROM workflow_status GROUP BY status"))


def _pending(database: Path) -> set[str]:
    return {row[0] for row in _read(database, "SELECT workflow_uuid FROM workflow_status WHERE status = 'PENDING'")}


def _read(database: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
