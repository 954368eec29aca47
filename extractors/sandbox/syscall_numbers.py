"""The numbers of the system calls that the seccomp programs name: (x86-64, aarch64), None where there is no such call.

From the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Numbers = Mapping[str, tuple[int | None, int | None]]

#: What parsers and the interpreter call once everything is loaded; the hottest first, since a program runs in order.
PARSERS: Final[Numbers] = {
    "read": (0, 63),
    "write": (1, 64),
    "writev": (20, 66),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "futex": (202, 98),
    "close": (3, 57),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getcwd": (79, 17),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "membarrier": (324, 283),
    "rseq": (334, 293),
    "set_robust_list": (273, 99),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

#: Allowed to a child for some arguments only.
CONDITIONAL: Final[Numbers] = {
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prlimit64": (302, 261),
}

#: What the zygote needs on top, to fork, confine and wait for children.
ZYGOTE: Final[Numbers] = {
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "clone": (56, 220),
    "fork": (57, None),
    "wait4": (61, 260),
    "poll": (7, None),
    "ppoll": (271, 73),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "pipe2": (293, 59),
    "pidfd_open": (434, 434),
    "getppid": (110, 173),
    "setsid": (112, 157),
    "dup2": (33, None),
    "dup3": (292, 24),
    "close_range": (436, 436),
    "setrlimit": (160, 164),
    "setitimer": (38, 103),
    "alarm": (37, None),
    "prctl": (157, 167),
    "landlock_restrict_self": (446, 446),
    "set_tid_address": (218, 96),
}

#: Allowed to the zygote, to kill a child where the parent may not.
KILL: Final[Numbers] = {"kill": (62, 129)}

#: By which a process takes over another, leaves its sandbox or reaches fragile parts of the kernel.
DEADLY: Final[Numbers] = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
}

#: Its flags lie in memory, out of a program's sight.
CLONE3: Final[Numbers] = {"clone3": (435, 435)}
