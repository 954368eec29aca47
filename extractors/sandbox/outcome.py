"""How a child can end, what that means for the user, and how often each has happened."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extractors.content import Block, Ended, Status
from extractors.sandbox.wire import ExitCode


class Outcome(StrEnum):
    """The end of one child."""

    DONE = "done"  # it said all it had to say, whatever that was
    TIMEOUT = "timeout"
    PAGE_TIMEOUT = "page_timeout"  # stopped inside one page; another child went on after it
    OUT_OF_MEMORY = "out_of_memory"
    FORBIDDEN_CALL = "forbidden_call"  # SIGSYS
    CRASHED = "crashed"  # any other signal
    BROKE = "broke"  # an exception outside every reader, or an exit of its own
    BAD_FRAME = "bad_frame"  # what it sent could not be understood, or was more than the limits allow
    UNCONFINED = "unconfined"


#: After these the next file gets a zygote with another layout of memory, which nobody can have learned.
SUSPECT: Final = frozenset({Outcome.CRASHED, Outcome.FORBIDDEN_CALL})

_ENDINGS: Final = {
    Outcome.OUT_OF_MEMORY: "the reader ran out of memory",
    Outcome.FORBIDDEN_CALL: "the reader tried something that the sandbox forbids and was stopped",
    Outcome.CRASHED: "the reader crashed",
    Outcome.BROKE: "the reader crashed",
    Outcome.BAD_FRAME: "the reader's result could not be understood",
    Outcome.UNCONFINED: "the sandbox could not be closed around the file, so it was not read",
}
#: By exit code; a signal is its negative. A SIGKILL that is not ours is the system's, when it runs out of memory.
_BY_CODE: Final = {
    ExitCode.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    -signal.SIGKILL: Outcome.OUT_OF_MEMORY,
    ExitCode.UNCONFINED: Outcome.UNCONFINED,
    ExitCode.DONE: Outcome.BAD_FRAME,
    -signal.SIGSYS: Outcome.FORBIDDEN_CALL,
    -signal.SIGXCPU: Outcome.TIMEOUT,
    -signal.SIGALRM: Outcome.TIMEOUT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was sent before the end, and why no more came: None when the reader had said it all."""

    blocks: list[Block]
    outcome: Outcome
    ended: Ended | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What has happened since the extractor was made: files by how their reading ended, and zygotes."""

    files: int
    timeouts: int
    page_timeouts: int
    out_of_memory: int
    forbidden_calls: int
    crashes: int
    bad_frames: int
    unconfined: int
    restarts: int  # zygotes that were lost and started again
    recycled: int  # zygotes replaced by intent: after so many files, or after a suspect end

    @classmethod
    def of(cls, outcomes: Mapping[Outcome, int], *, restarts: int, recycled: int) -> Counters:
        """The figures for people, from those by outcome."""
        return cls(
            files=sum(outcomes.values()) - outcomes.get(Outcome.PAGE_TIMEOUT, 0),
            timeouts=outcomes.get(Outcome.TIMEOUT, 0),
            page_timeouts=outcomes.get(Outcome.PAGE_TIMEOUT, 0),
            out_of_memory=outcomes.get(Outcome.OUT_OF_MEMORY, 0),
            forbidden_calls=outcomes.get(Outcome.FORBIDDEN_CALL, 0),
            crashes=outcomes.get(Outcome.CRASHED, 0) + outcomes.get(Outcome.BROKE, 0),
            bad_frames=outcomes.get(Outcome.BAD_FRAME, 0),
            unconfined=outcomes.get(Outcome.UNCONFINED, 0),
            restarts=restarts,
            recycled=recycled,
        )


def judge(status: int) -> Outcome:
    """What the wait status of a child that did not finish its result means."""
    code = os.waitstatus_to_exitcode(status)
    return _BY_CODE.get(code, Outcome.CRASHED if code < 0 else Outcome.BROKE)


def ending(outcome: Outcome, timeout_s: float) -> Ended | None:
    """What the user is told; None where there is nothing to tell."""
    if outcome is Outcome.TIMEOUT:
        return Ended(Status.TIMEOUT, f"extraction timed out after {timeout_s:g} s")
    note = _ENDINGS.get(outcome)
    return Ended(Status.FAILED, note) if note is not None else None
