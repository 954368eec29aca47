"""Puts itself where a deployment would be, then runs pytest there: python deployment.py WHERE PYTEST-ARGUMENTS...

`docker`: an unprivileged user without capabilities under what Docker's default seccomp profile denies to such a
container. `no-landlock`: the same on a kernel without landlock. `no-cap-kill`: root that may change its user, and may
not signal others.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

from extractors.sandbox import seccomp, syscalls
from extractors.sandbox.syscall_numbers import CLONE3

NOBODY = 65534
CAP_KILL = 5
CLONE_NEWUSER = 0x10000000
#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
NAMESPACES = 0x7E020000
#: What https://github.com/moby/profiles/blob/main/seccomp/default.json does not allow without a capability, by
#: (x86-64, aarch64); ptrace and process_vm_readv are allowed there since Linux 4.8.
DENIED = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "move_pages": (279, 239),
    "mbind": (237, 235),
    "process_madvise": (440, 440),
}
CLONE = (56, 220)
LANDLOCK = (444, 445, 446)


def profile(*, with_landlock: bool) -> bytes:
    """Allows all but these; clone3 is unknown, so that glibc falls back to clone, whose flags can be seen."""
    mine = 0 if os.uname().machine == "x86_64" else 1
    program = [seccomp._ins(seccomp._LOAD, 0)]
    for numbers in DENIED.values():
        program += [seccomp._ins(seccomp._EQUAL, numbers[mine], 0, 1), seccomp._deny(errno.EPERM)]
    program += [seccomp._ins(seccomp._EQUAL, CLONE3["clone3"][mine], 0, 1), seccomp._deny(errno.ENOSYS)]
    for number in () if with_landlock else LANDLOCK:
        program += [seccomp._ins(seccomp._EQUAL, number, 0, 1), seccomp._deny(errno.ENOSYS)]
    program += [
        seccomp._ins(seccomp._EQUAL, CLONE[mine], 0, 3),
        seccomp._load(0),
        seccomp._ins(seccomp._ANY_BIT, NAMESPACES, 0, 1),
        seccomp._deny(errno.EPERM),
        seccomp._return(seccomp._ALLOW),
    ]
    return b"".join(program)


def become_nobody() -> None:
    """Another user; where the interpreter lies in root's own folder, root by the name of another user."""
    probe = subprocess.run(["/bin/sh", "-c", f"test -x {sys.executable}"], user=NOBODY, group=NOBODY, check=False)
    if probe.returncode == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return
    syscalls.syscall(DENIED["unshare"][0 if os.uname().machine == "x86_64" else 1], CLONE_NEWUSER)
    for name, content in {"setgroups": "deny", "uid_map": f"{NOBODY} 0 1", "gid_map": f"{NOBODY} 0 1"}.items():
        Path(f"/proc/self/{name}").write_text(content)


def enter(where: str) -> None:
    if where == "no-cap-kill":
        syscalls.prctl(syscalls.PR_CAPBSET_DROP, CAP_KILL)  # gone with the next exec
        return
    if os.geteuid() == 0:
        become_nobody()
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(profile(with_landlock=where == "docker"))


if __name__ == "__main__":
    enter(sys.argv[1])
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[2:]])
