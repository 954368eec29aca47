"""How much memory a child takes for each file of the corpus, against what it may take.

    .venv/bin/python benchmarks/corpus_memory.py [--corpus DIR] [--formats docx,pdf] [--largest 10]

Each file is read in a child forked from a process that has loaded what the sandbox's zygote loads, under the same limit
of address space. What counts against the limit is what the child maps on top of the preload. Audio and video have a
zygote of their own. Exit code 1 when a child has run out of memory.
"""

from __future__ import annotations

import argparse
import gc
import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from peering.corpus import DEFAULT_FOLDER, CorpusFile, read_index

from extractors import ExtractLimits, Status
from extractors.budget import Budget
from extractors.content import Block, Elsewhere, Ended, Job
from extractors.limits import MIB
from extractors.sandbox.loading import load
from extractors.sandbox.wire import MAIN, encode_block

TIMEOUT_S: Final = 20
#: As the sandbox's extractor has it.
BUDGET_BYTES: Final = 512 * MIB
ENTRY: Final = "extractors.extract:extract"
SAMPLES: Final = {MAIN: "extractors.sandbox.warmup:samples", "media": "extractors.sandbox.warmup_media:samples"}
KIB: Final = 1024

Extract = Callable[[Job, Budget], Iterator[Block]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """What one file has cost."""

    file: CorpusFile
    size_bytes: int
    #: Mapped on top of the preload: what the limit is about.
    mapped_bytes: int
    #: Of the whole child, with what it shares with its parent.
    resident_bytes: int
    outcome: str


def main() -> int:
    """Reads all files once, the zygotes in turn."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--formats", default="", help="as the corpus's index calls them, with commas; all by itself")
    parser.add_argument("--largest", type=int, default=10)
    arguments = parser.parse_args()
    files = read_index(arguments.corpus)
    if arguments.formats:
        files = [file for file in files if file.format in arguments.formats.split(",")]
    peaks: list[Peak] = []
    waiting: dict[str, list[CorpusFile]] = {MAIN: files}
    for zygote, samples in SAMPLES.items():
        if not waiting.get(zygote):
            continue
        extract = preloaded(samples)
        print(f"preload of {zygote}: {status_bytes('VmSize') / MIB:.0f} MiB mapped, "
              f"{status_bytes('VmRSS') / MIB:.0f} MiB resident", flush=True)  # fmt: skip
        for file in waiting[zygote]:
            peak = measured(extract, file, zygote)
            if peak.outcome in SAMPLES:
                waiting.setdefault(peak.outcome, []).append(file)
            else:
                peaks.append(peak)
    return print_peaks(peaks, arguments.largest)


def preloaded(samples: str) -> Extract:
    """Loads in this process what a zygote loads."""
    extract = load(ENTRY, samples)
    gc.collect()
    gc.freeze()
    return extract


def measured(extract: Extract, file: CorpusFile, zygote: str) -> Peak:
    """Reads one file in a child and waits for it."""
    before_bytes = status_bytes("VmSize")
    told = mmap.mmap(-1, mmap.PAGESIZE)  # shared, so that it holds what a child told before it was killed
    pid = os.fork()
    if pid == 0:
        read_in_child(extract, file, zygote, before_bytes + BUDGET_BYTES, told)
    _, status, usage = os.wait4(pid, 0)
    length, mapped_bytes = struct.unpack_from("QQ", told)
    outcome = told[16 : 16 + length].decode() or f"exit {os.waitstatus_to_exitcode(status)}"
    told.close()
    return Peak(
        file=file,
        size_bytes=file.path.stat().st_size,
        mapped_bytes=max(0, mapped_bytes - before_bytes),
        resident_bytes=usage.ru_maxrss * KIB,
        outcome=outcome,
    )


def read_in_child(extract: Extract, file: CorpusFile, zygote: str, limit_bytes: int, told: mmap.mmap) -> NoReturn:
    """The child: the limit first, as in the sandbox; then the file, and what it has taken."""
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(TIMEOUT_S)
    try:
        outcome = outcome_of(extract, file, zygote)
    except MemoryError:
        outcome = "out of memory"
    encoded = outcome.encode()[:200]
    told[16 : 16 + len(encoded)] = encoded
    struct.pack_into("QQ", told, 0, len(encoded), status_bytes("VmPeak"))
    os._exit(0)


def outcome_of(extract: Extract, file: CorpusFile, zygote: str) -> str:
    """Reads the file and encodes every block; the kind of another zygote when that one is wanted."""
    budget = Budget(limits=ExtractLimits())
    outcome = str(Status.OK)
    for block in extract(Job(data=file.path.read_bytes(), name=file.path.name, zygote=zygote), budget):
        for _ in encode_block(block):
            pass
        match block:
            case Elsewhere(zygote=other):
                return other
            case Ended(status, note):
                outcome = f"{status}: {note}"
    return outcome


def status_bytes(field: str) -> int:
    """One figure of this process, from the kernel."""
    for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * KIB
    raise LookupError(field)


def print_peaks(peaks: list[Peak], largest: int) -> int:
    """The largest, the budget, and every child that ran out of memory or died."""
    print(f"\nbudget: the preload and {BUDGET_BYTES / MIB:.0f} MiB more; {len(peaks)} files")
    print(f"{'mapped MiB':>10} {'resident MiB':>12} {'file KiB':>9}  file")
    for peak in sorted(peaks, key=lambda peak: peak.mapped_bytes, reverse=True)[:largest]:
        print(f"{peak.mapped_bytes / MIB:>10.1f} {peak.resident_bytes / MIB:>12.1f} {peak.size_bytes / KIB:>9.0f}"
              f"  {peak.file.name} ({peak.outcome})")  # fmt: skip
    spent = [peak for peak in peaks if "memory" in peak.outcome]
    died = [peak for peak in peaks if peak.outcome.startswith("exit")]
    top = max(peaks, key=lambda peak: peak.mapped_bytes)
    print(f"largest: {top.mapped_bytes / MIB:.1f} MiB, {top.mapped_bytes / BUDGET_BYTES:.0%} of the budget")
    print("out of memory: " + (", ".join(peak.file.name for peak in spent) or "none"))
    print("died: " + (", ".join(f"{peak.file.name} ({peak.outcome})" for peak in died) or "none"))
    return 1 if spent or died else 0


if __name__ == "__main__":
    sys.exit(main())
