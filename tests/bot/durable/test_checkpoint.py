"""Checkpoints: what a step gave, in the first run and in a replay."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine
from bot.errors import BotError, ConfigError, FeishuError, ModelError, ResourceRefused
from bot.models import AttachmentRef, Gathered, Origin

VALUES = (
    (Gathered, Gathered(attachments=(AttachmentRef(message_id="om", key="k", kind="file", origin=Origin.QUOTED),))),
    (Gathered | None, None),
    (tuple[AttachmentRef, ...], (AttachmentRef(message_id="om", key="图", kind="image"),)),
    (None, None),
    (float, 1.0),
)
TOKEN = "t-g1044ghJRUIJJ5ELPL5FUVYAK5G7LPNZXFHJQKD5"
ERRORS = (
    ResourceRefused(f"Bearer {TOKEN} 没有权限", code="file_too_large", feishu_code=234037),
    ModelError("cut", code="model_cut", partial_text="半句话"),
    ConfigError("x"),
)


async def test_a_replay_gives_the_same_values_and_raises_the_same_errors(directory: Path) -> None:
    runs, seen, first_done = 0, [], asyncio.Event()

    async def give(value: object) -> object:
        nonlocal runs
        runs += 1
        return value

    async def refuse(error: BotError) -> None:
        nonlocal runs
        runs += 1
        raise error

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        notes = []
        for returns, value in VALUES:
            notes.append(await checkpoint.step("give", returns, give, value))
        for error in ERRORS:
            with pytest.raises(type(error)) as caught:
                await checkpoint.step("refuse", None, refuse, error)
            notes.append((type(caught.value), vars(caught.value), str(caught.value), caught.value.code))
        seen.append(notes)
        first_done.set()
        if len(seen) == 1:
            await asyncio.Event().wait()

    engine = Engine(directory, concurrency=1, poll_s=0.02, attempts=3)
    engine.register(work)
    await engine.start()
    await engine.enqueue("m-1", conversation="c", argument="")
    await first_done.wait()
    await engine.stop(0)
    first_done.clear()
    await engine.start()
    await first_done.wait()
    await engine.stop(20)

    assert runs == len(VALUES) + len(ERRORS)
    assert seen[0] == seen[1]
    assert seen[0][: len(VALUES)] == [value for _, value in VALUES]
    kind, state, words, code = seen[0][len(VALUES)]
    assert (kind, code, state["feishu_code"]) == (ResourceRefused, "file_too_large", 234037)
    assert words == "Bearer t-g1… 没有权限"
    assert seen[0][len(VALUES) + 1][1]["partial_text"] == "半句话"


async def test_tokens_never_reach_the_engines_file(running, directory: Path) -> None:
    done = asyncio.Event()

    async def refuse(error: Exception) -> None:
        raise error

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        with pytest.raises(FeishuError):
            await checkpoint.step("known", None, refuse, FeishuError(f"token {TOKEN}"))
        done.set()
        raise FeishuError(f"token {TOKEN}")

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="")
        await done.wait()
    with closing(sqlite3.connect(directory / "dbos.db")) as connection:
        dump = "\n".join(connection.iterdump())
    assert "token t-g1…" in dump
    assert TOKEN not in dump


async def test_an_error_nobody_foresaw_is_tried_again_and_then_raised_as_internal(running, monkeypatch) -> None:
    monkeypatch.setattr("bot.durable.retry.FIRST_DELAY_S", 0.0)
    runs, caught = 0, asyncio.Event()

    async def broken() -> None:
        nonlocal runs
        runs += 1
        async with asyncio.TaskGroup() as group:
            group.create_task(_raise(OSError("disk full")))

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        with pytest.raises(BotError, match="OSError") as raised:
            await checkpoint.step("broken", None, broken)
        assert raised.value.code == "internal"
        caught.set()

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="")
        await asyncio.wait_for(caught.wait(), 20)
    assert runs == 3


async def test_a_bot_error_inside_a_task_group_is_still_that_error(running) -> None:
    caught = asyncio.Event()

    async def grouped() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_raise(ResourceRefused(code="file_gone")))

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        with pytest.raises(ResourceRefused, match="file_gone"):
            await checkpoint.step("grouped", None, grouped)
        caught.set()

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="")
        await asyncio.wait_for(caught.wait(), 20)


async def _raise(error: Exception) -> None:
    raise error
