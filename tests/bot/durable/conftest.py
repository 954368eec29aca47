"""An engine on a directory of its own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine, Work

Running = Callable[[Work], AbstractAsyncContextManager[Engine]]


async def nothing(argument: str, checkpoint: Checkpoint) -> None:
    """No work at all."""


@pytest.fixture(scope="session")
def opened_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory whose queue is known: with a new one, DBOS takes up to a second to notice it."""
    directory = tmp_path_factory.mktemp("engine")

    async def open_and_close() -> None:
        engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
        engine.register(nothing)
        await engine.start()
        await engine.stop(0)

    asyncio.run(open_and_close())
    return directory


@pytest.fixture
def directory(opened_before: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(opened_before, tmp_path / "engine"))


@pytest.fixture
def running(directory: Path) -> Running:
    """`async with running(work) as engine`: started, and stopped with a long grace."""

    @asynccontextmanager
    async def run(work: Work) -> AsyncIterator[Engine]:
        engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
        engine.register(work)
        await engine.start()
        try:
            yield engine
        finally:
            await engine.stop(10)

    return run
