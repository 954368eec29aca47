"""The layers that only a child has, tried in a child that is confined like any other."""

from __future__ import annotations

import mmap
import os
import resource
import signal
from collections.abc import Callable

import msgspec

from extractors.sandbox import doors
from extractors.sandbox.confine import Confinement, confine_child
from extractors.sandbox.wire import ExitCode, Layer

_MAX_REPORT_BYTES = 64 * 1024


class ProbeError(Exception):
    """A child could not be confined at all."""


def probe(confinement: Confinement) -> tuple[Layer, ...]:
    """All layers, the children's included, as one child found them."""
    report_fd, child_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(report_fd)
            _try_everything(confinement, child_end)
        finally:
            os._exit(ExitCode.BROKE)
    os.close(child_end)
    with os.fdopen(report_fd, "rb") as report:
        raw = report.read(_MAX_REPORT_BYTES)
    _, status = os.waitpid(pid, 0)
    if not raw:
        raise ProbeError(f"a confined child ended without a report (wait status {status})")
    problems = msgspec.msgpack.decode(raw, type=dict[str, str])
    if "child" in problems:
        raise ProbeError(f"a child cannot be confined: {problems['child']}")
    if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS):
        problems.setdefault("seccomp", "a child could start a program")
    return tuple(_judged(layer, problems) for layer in (*confinement.layers, *_childs_layers(confinement)))


def _childs_layers(confinement: Confinement) -> list[Layer]:
    memory_mib = confinement.settings.memory_bytes // 2**20
    has_memory_limit = confinement.address_space_limit_bytes is not None
    return [
        Layer(name="limits", is_on=bool(confinement.rlimits), detail="processor time, files, processes, file size"),
        Layer(name="memory", is_on=has_memory_limit, detail=f"{memory_mib} MiB more than the zygote"),
    ]


def _judged(layer: Layer, problems: dict[str, str]) -> Layer:
    if layer.is_on and layer.name in problems:
        return Layer(name=layer.name, is_on=False, detail=problems[layer.name])
    return layer


def _try_everything(confinement: Confinement, report_fd: int) -> None:
    """In the child: confines itself, reports what was possible all the same, and ends by a forbidden call."""
    try:
        confine_child(confinement)
    except Exception as exc:
        os.write(report_fd, msgspec.msgpack.encode({"child": f"{type(exc).__name__}: {exc}"}))
        return
    problems: dict[str, str] = {}
    for name, attempt in _attempts(confinement).items():
        try:
            attempt()
        except doors.DoorOpenError as exc:
            problems[name] = str(exc)
    os.write(report_fd, msgspec.msgpack.encode(problems))
    if confinement.child_filter is not None:
        doors.start_program()


def _attempts(confinement: Confinement) -> dict[str, Callable[[], None]]:
    attempts: dict[str, Callable[[], None]] = {"limits": lambda: _check_rlimits(confinement.rlimits)}
    if (limit_bytes := confinement.address_space_limit_bytes) is not None:
        attempts["memory"] = lambda: _take_memory(limit_bytes)
    if confinement.child_filter is not None:
        attempts["seccomp"] = _try_system_calls
    return attempts


def _try_system_calls() -> None:
    doors.expect_denied(
        {
            "open": doors.open_directory,
            "socket": doors.open_socket,
            "fork": doors.fork,
            "signal": doors.signal_parent,
        }
    )


def _check_rlimits(rlimits: dict[int, int]) -> None:
    for limit, value in rlimits.items():
        soft, _ = resource.getrlimit(limit)
        if soft == resource.RLIM_INFINITY or soft > value:
            raise doors.DoorOpenError(f"limit {limit} is {soft}")


def _take_memory(size_bytes: int) -> None:
    """Maps without touching: costs nothing, and must be refused."""
    try:
        mmap.mmap(-1, size_bytes).close()
    except (OSError, MemoryError):
        return
    raise doors.DoorOpenError("more could be mapped")
