"""The engine: each workflow once to its end, in order inside a conversation."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import uuid
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path

import pytest

from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine, TunedConnection
from bot.errors import FeishuRateLimited, MessageGone

#: How a workflow ended cannot be written, as on a full disk.
FULL = """
CREATE TRIGGER full_disk BEFORE UPDATE ON workflow_status WHEN NEW.status IN ('SUCCESS', 'ERROR')
BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
"""


class Tally:
    """Counts what ran, and tells when a number of things is done."""

    def __init__(self, expected: int = 1) -> None:
        self.runs: Counter[str] = Counter()
        self.done: list[str] = []
        self._expected = expected
        self._all_done = asyncio.Event()

    async def step(self, name: str) -> str:
        self.runs[name] += 1
        return name

    def finish(self, name: str) -> None:
        self.done.append(name)
        if len(self.done) == self._expected:
            self._all_done.set()

    async def wait(self) -> None:
        await asyncio.wait_for(self._all_done.wait(), 20)


async def test_a_workflow_runs_its_steps_once_and_knows_its_id(running) -> None:
    tally = Tally()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        for name in ("one", "two"):
            assert await checkpoint.step(name, str, tally.step, name) == name
        tally.finish(f"{checkpoint.workflow_id} {argument}")

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="oc_1", argument='{"a": "你好"}')
        await tally.wait()
    assert tally.done == ['m-1 {"a": "你好"}']
    assert tally.runs == {"one": 1, "two": 1}
    assert await engine.states() == {"SUCCESS": 1}


async def test_the_same_id_enqueued_again_changes_nothing_even_when_it_is_done(running) -> None:
    tally = Tally()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await checkpoint.step("only", str, tally.step, argument)
        tally.finish(argument)

    async with running(work) as engine:
        await asyncio.gather(*(engine.enqueue("m-1", conversation="c", argument="first") for _ in range(10)))
        await tally.wait()
        await engine.enqueue("m-1", conversation="c", argument="again")
    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="after a restart")
    assert tally.runs == {"first": 1}
    assert await engine.states() == {"SUCCESS": 1}


async def test_a_conversation_is_answered_in_order_though_ids_end_at_random(running) -> None:
    tally, order = Tally(40), defaultdict(list)

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        conversation, number = argument.split()
        order[conversation].append(await checkpoint.step("read", str, tally.step, number))
        await asyncio.sleep(random.random() / 200)
        order[conversation].append(f"{number} done")
        tally.finish(argument)

    async with running(work) as engine:
        for number in range(10):
            for conversation in "abcd":
                await engine.enqueue(
                    f"m-{number:013d}-cli_1-om_{uuid.uuid4().hex}",
                    conversation=conversation,
                    argument=f"{conversation} {number}",
                )
        await tally.wait()
    expected = [text for number in range(10) for text in (f"{number}", f"{number} done")]
    assert dict(order) == dict.fromkeys("abcd", expected)


async def test_two_conversations_run_side_by_side(running) -> None:
    tally, both = Tally(2), asyncio.Barrier(2)

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        async with asyncio.timeout(20):
            await both.wait()  # passes only when the other one is here too
        tally.finish(argument)

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="a", argument="1")
        await engine.enqueue("m-2", conversation="b", argument="2")
        await tally.wait()
    assert await engine.states() == {"SUCCESS": 2}


async def test_a_retryable_step_is_tried_again_and_its_predecessor_is_not(running) -> None:
    tally = Tally()

    async def shaky() -> str:
        tally.runs["shaky"] += 1
        if tally.runs["shaky"] < 3:
            raise FeishuRateLimited(retry_after_s=0)
        return "at last"

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await checkpoint.step("steady", str, tally.step, "steady")
        tally.finish(await checkpoint.step("shaky", str, shaky))

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="")
        await tally.wait()
    assert tally.done == ["at last"]
    assert tally.runs == {"steady": 1, "shaky": 3}


async def test_a_workflow_that_fails_is_parked_and_lets_the_next_one_through(running) -> None:
    tally = Tally()

    async def refused() -> None:
        raise MessageGone("withdrawn", feishu_code=230011)

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        if argument == "bad":
            await checkpoint.step("refused", None, refused)
        tally.finish(argument)

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="bad")
        await engine.enqueue("m-2", conversation="c", argument="good")
        await tally.wait()
    assert tally.done == ["good"]
    assert await engine.states() == {"ERROR": 1, "SUCCESS": 1}


async def test_stopping_lets_a_step_end_within_the_grace_and_the_next_start_goes_on_after_it(directory: Path) -> None:
    tally, entered, stopping = Tally(), asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        entered.set()
        await stopping.wait()
        return await tally.step("slow")

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await checkpoint.step("slow", str, slow)
        await checkpoint.step("last", str, tally.step, "last")
        tally.finish(argument)

    engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
    engine.register(work)
    await engine.start()
    await engine.enqueue("m-1", conversation="c", argument="a")
    await entered.wait()
    async with asyncio.TaskGroup() as group:
        group.create_task(engine.stop(20))
        group.create_task(_set(stopping))
    assert tally.runs == {"slow": 1}
    assert await engine.states() == {"PENDING": 1}

    await engine.start()
    await tally.wait()
    await engine.stop(20)
    assert tally.runs == {"slow": 1, "last": 1}
    assert await engine.states() == {"SUCCESS": 1}


async def _set(event: asyncio.Event) -> None:
    event.set()


async def test_a_step_longer_than_the_grace_is_cancelled_and_runs_again_after_the_next_start(directory: Path) -> None:
    tally, entered, cancelled = Tally(), asyncio.Event(), asyncio.Event()

    async def endless_at_first() -> str:
        if not entered.is_set():
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
        return await tally.step("in the end")

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        tally.finish(await checkpoint.step("endless", str, endless_at_first))

    engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
    engine.register(work)
    await engine.start()
    await engine.enqueue("m-1", conversation="c", argument="a")
    await entered.wait()
    await engine.stop(0)
    assert cancelled.is_set()
    assert await engine.states() == {"PENDING": 1}

    await engine.start()
    await tally.wait()
    await engine.stop(20)
    assert tally.done == ["in the end"]
    assert await engine.states() == {"SUCCESS": 1}


async def test_stopping_does_not_wait_for_the_pause_before_another_attempt(directory: Path) -> None:
    tried = asyncio.Event()

    async def limited() -> None:
        tried.set()
        raise FeishuRateLimited(retry_after_s=300)

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await checkpoint.step("limited", None, limited)

    engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
    engine.register(work)
    await engine.start()
    await engine.enqueue("m-1", conversation="c", argument="a")
    await tried.wait()
    async with asyncio.timeout(60):
        await engine.stop(200)
    assert await engine.states() == {"PENDING": 1}


async def test_work_that_cancels_itself_is_parked_and_does_not_silence_its_conversation(running) -> None:
    tally = Tally()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        if argument == "cancels itself":
            raise asyncio.CancelledError
        tally.finish(argument)

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="cancels itself")
        await engine.enqueue("m-2", conversation="c", argument="next")
        await tally.wait()
    assert await engine.states() == {"ERROR": 1, "SUCCESS": 1}


async def test_work_whose_outcome_could_not_be_written_is_taken_up_again_and_lets_the_next_one_through(
    running, directory: Path
) -> None:
    tally, spoilt = Tally(2), asyncio.Event()

    def execute(statement: str) -> None:
        connection = sqlite3.connect(directory / "dbos.db", timeout=10)
        with closing(connection), connection:
            connection.execute(statement)

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await checkpoint.step("first", str, tally.step, argument)
        if argument == "spoilt" and not spoilt.is_set():
            await asyncio.to_thread(execute, FULL)
            spoilt.set()
            return
        tally.finish(argument)

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="spoilt")
        await spoilt.wait()
        while engine._running:  # noqa: ASYNC110 # nothing tells when DBOS gives up
            await asyncio.sleep(0.05)
        await asyncio.to_thread(execute, "DROP TRIGGER full_disk")
        await engine.enqueue("m-2", conversation="c", argument="next")
        assert await engine.states() == {"PENDING": 1, "ENQUEUED": 1}, "the conversation is silent"
        assert await engine.revive() == 0, "it might have been dequeued just now"
        assert await engine.revive() == 1
        await tally.wait()
        assert await engine.revive() == 0
    assert tally.done == ["spoilt", "next"]
    assert tally.runs == {"spoilt": 1, "next": 1}, "the finished step stays finished"


async def test_running_work_is_not_taken_up_twice(running) -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        assert not entered.is_set()
        entered.set()
        await leave.wait()

    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="")
        await entered.wait()
        assert [await engine.revive() for _ in range(3)] == [0, 0, 0]
        leave.set()
    assert await engine.states() == {"SUCCESS": 1}


async def test_work_that_never_survives_is_parked_in_the_end(directory: Path, monkeypatch) -> None:
    monkeypatch.setattr("bot.durable.engine.MAX_RECOVERIES", 1)
    tally, entered = Tally(), asyncio.Event()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        if argument == "next":
            tally.finish(argument)
            return
        await tally.step(argument)
        entered.set()
        await asyncio.Event().wait()

    engine = Engine(directory, concurrency=8, poll_s=0.02, attempts=3)
    engine.register(work)
    for _ in range(2):
        await engine.start()
        await engine.enqueue("m-1", conversation="c", argument="fatal")
        await entered.wait()
        await engine.stop(0)
        entered.clear()
    await engine.start()
    await engine.enqueue("m-2", conversation="c", argument="next")
    await tally.wait()
    await engine.stop(20)
    assert tally.runs == {"fatal": 2}
    assert await engine.states() == {"MAX_RECOVERY_ATTEMPTS_EXCEEDED": 1, "SUCCESS": 1}


async def test_an_engine_that_could_not_start_is_in_nobodys_way(running, tmp_path: Path) -> None:
    (tmp_path / "bad" / "dbos.db").mkdir(parents=True)
    tally = Tally()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        tally.finish(argument)

    broken = Engine(tmp_path / "bad", concurrency=1, poll_s=0.02, attempts=1)
    broken.register(work)
    with pytest.raises(Exception, match="unable to open database file"):
        await broken.start()
    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="fine")
        await tally.wait()
    assert tally.done == ["fine"]


async def test_threads_work_after_the_engine_has_stopped(running) -> None:
    async def work(argument: str, checkpoint: Checkpoint) -> None:
        """Nothing."""

    async with running(work):
        pass
    assert await asyncio.to_thread(sum, (1, 2)) == 3


async def test_starting_without_work_is_refused_and_in_nobodys_way(running, tmp_path: Path) -> None:
    tally = Tally()

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        tally.finish(argument)

    with pytest.raises(RuntimeError, match="register"):
        await Engine(tmp_path / "other", concurrency=1, poll_s=1, attempts=1).start()
    async with running(work) as engine:
        await engine.enqueue("m-1", conversation="c", argument="fine")
        await tally.wait()
    assert await engine.states() == {"SUCCESS": 1}


def test_an_old_sqlite_gets_the_clock_dbos_needs(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "dbos.db", factory=TunedConnection)
    milliseconds = connection.execute("SELECT unixepoch('subsec') * 1000").fetchone()[0]
    assert milliseconds > 1_700_000_000_000
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


SCRIPT = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from bot.durable.engine import Engine

    directory, mode = Path(sys.argv[1]), sys.argv[2]

    def tell_of_network(event, arguments):
        if event in {"socket.connect", "socket.bind", "socket.getaddrinfo"}:
            print("network:", event, arguments, flush=True)

    sys.addaudithook(tell_of_network)

    async def say(words):
        print(words, flush=True)

    async def hang():
        await say("hangs")
        if mode == "first":
            await asyncio.Event().wait()

    async def main():
        done = asyncio.Event()

        async def work(argument, checkpoint):
            await checkpoint.step("before", None, say, "before")
            await checkpoint.step("hang", None, hang)
            await checkpoint.step("after", None, say, "after")
            done.set()

        engine = Engine(directory, concurrency=4, poll_s=0.02, attempts=3)
        engine.register(work)
        await engine.start()
        if mode == "first":
            await engine.enqueue("m-1", conversation="c", argument="a")
        await done.wait()
        await engine.stop(20)
        print(await engine.states(), flush=True)

    asyncio.run(main())
    """
)


def test_after_kill_9_the_work_goes_on_finished_steps_stay_finished_and_no_network_is_used(directory: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(directory)]
    with subprocess.Popen([*command, "first"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert [first.stdout.readline() for _ in range(2)] == ["before\n", "hangs\n"]
        os.kill(first.pid, signal.SIGKILL)
    second = subprocess.run([*command, "second"], capture_output=True, text=True, timeout=60, check=True)
    assert second.stderr == ""
    assert second.stdout.splitlines() == ["hangs", "after", "{'SUCCESS': 1}"]
