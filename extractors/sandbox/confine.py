"""The layers around the zygote and around each child, in the order in which they can be closed."""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from extractors.sandbox import doors, landlock, seccomp, syscalls
from extractors.sandbox.wire import Layer, Settings

T = TypeVar("T")

_NOBODY: Final = 65534
_LAST_CAPABILITY: Final = 63
#: A child opens nothing; this leaves room for what it inherits.
_MAX_OPEN_FILES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What the zygote has closed around itself, and prepared for each child to close around itself."""

    settings: Settings
    zygote_pid: int
    #: Of the preloaded zygote; None where the system does not tell.
    address_space_bytes: int | None
    ruleset_fd: int | None
    child_filter: bytes | None
    layers: tuple[Layer, ...]

    @property
    def rlimits(self) -> dict[int, int]:
        """The resource limits of a child."""
        if "limits" in self.settings.off:
            return {}
        return {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_CPU: math.ceil(self.settings.timeout_s) + 1,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_NOFILE: _MAX_OPEN_FILES,
            # Counts threads too. Without it, their stacks are bounded by the memory.
            **({} if self.settings.allows_threads else {resource.RLIMIT_NPROC: 0}),
        }

    @property
    def address_space_limit_bytes(self) -> int | None:
        """How much a child may map altogether; None for no limit."""
        if self.address_space_bytes is None or "memory" in self.settings.off:
            return None
        return self.address_space_bytes + self.settings.memory_bytes


def is_linux(settings: Settings) -> bool:
    """True when the layers that only Linux has are to be closed."""
    return sys.platform == "linux" and not settings.portable


def confine_zygote(settings: Settings) -> Confinement:
    """Closes the zygote's own layers, for good. What cannot be closed is reported in `layers`, not raised."""
    layers: list[Layer] = []
    address_space_bytes = _address_space_bytes(settings)  # before landlock closes /proc
    _close(layers, settings, "no_new_privs", _forbid_new_privileges)
    _close(layers, settings, "user", _drop_privileges)
    _close(layers, settings, "no_dumps", _forbid_dumps)  # after the change of user, which allows them again
    ruleset_fd = _close(layers, settings, "landlock", _enter_landlock)
    child_filter = _close(layers, settings, "seccomp", partial(_enter_seccomp, allows_threads=settings.allows_threads))
    return Confinement(
        settings=settings,
        zygote_pid=os.getpid(),
        address_space_bytes=address_space_bytes,
        ruleset_fd=ruleset_fd,
        child_filter=child_filter,
        layers=tuple(layers),
    )


def confine_child(confinement: Confinement) -> None:
    """Closes every layer around this child, before it has seen a byte of the file; raises when one does not close."""
    os.setsid()
    if is_linux(confinement.settings):
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != confinement.zygote_pid:
            raise ProcessLookupError("the zygote ended before the child asked to end with it")
    if confinement.rlimits:
        # The parent kills on time; this ends a child whose parent was killed where nothing else would.
        signal.alarm(math.ceil(confinement.settings.timeout_s) + 2)
    for limit, value in confinement.rlimits.items():
        _lower_limit(limit, value)
    if confinement.address_space_limit_bytes is not None:
        _lower_limit(resource.RLIMIT_AS, confinement.address_space_limit_bytes)
    if confinement.ruleset_fd is not None:
        # A domain of its own, so that children cannot signal each other.
        landlock.restrict_self(confinement.ruleset_fd)
        os.close(confinement.ruleset_fd)
    if confinement.child_filter is not None:
        seccomp.install(confinement.child_filter)


def _close(layers: list[Layer], settings: Settings, name: str, step: Callable[[], tuple[T, str]]) -> T | None:
    """Takes one step and notes how it went; what it prepared, or None."""
    if name in settings.off or not is_linux(settings):
        layers.append(Layer(name=name, is_on=False, detail="switched off" if name in settings.off else "needs Linux"))
        return None
    try:
        prepared, detail = step()
    except (OSError, doors.DoorOpenError) as exc:
        layers.append(Layer(name=name, is_on=False, detail=str(exc)))
        return None
    layers.append(Layer(name=name, is_on=True, detail=detail))
    return prepared


def _forbid_new_privileges() -> tuple[None, str]:
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if syscalls.prctl(syscalls.PR_GET_NO_NEW_PRIVS) != 1:
        raise doors.DoorOpenError("the kernel did not take it")
    return None, "no program started from here gains privileges"


def _drop_privileges() -> tuple[None, str]:
    """Leaves root for good; whoever starts without it only has to have no capability."""
    if os.geteuid() == 0:
        for capability in range(_LAST_CAPABILITY + 1):
            # Not every root may do this, nor is there every number; no_new_privs makes up for it.
            with suppress(OSError):
                syscalls.prctl(syscalls.PR_CAPBSET_DROP, capability)
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    doors.expect_denied({"root again": doors.become_root})
    if held := _capabilities():
        raise doors.DoorOpenError(f"capabilities {held:#x} are left")
    return None, f"user {os.geteuid()} without capabilities"


def _capabilities() -> int:
    """Permitted and effective capabilities as bits."""
    fields = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines())
    return int(fields["CapPrm"], 16) | int(fields["CapEff"], 16)


def _forbid_dumps() -> tuple[None, str]:
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    if syscalls.prctl(syscalls.PR_GET_DUMPABLE) != 0:
        raise doors.DoorOpenError("the kernel did not take it")
    return None, "no core file, and no reading of this memory by the same user"


def _enter_landlock() -> tuple[int, str]:
    ruleset_fd = landlock.deny_all()
    landlock.restrict_self(ruleset_fd)
    return ruleset_fd, landlock.verify()


def _enter_seccomp(*, allows_threads: bool) -> tuple[bytes, str]:
    program = seccomp.child_filter(allows_threads=allows_threads)
    seccomp.install(seccomp.zygote_filter())
    return program, f"an allow-list of {len(program) // 8} instructions"


def _lower_limit(limit: int, value: int) -> None:
    """Sets soft and hard limit; never above the present hard limit, which would be refused."""
    _, hard = resource.getrlimit(limit)
    lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (lowered, lowered))


def _address_space_bytes(settings: Settings) -> int | None:
    if not is_linux(settings):
        return None
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    return pages * resource.getpagesize()
