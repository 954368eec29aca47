"""Whether the sandbox leaves anything behind: 2,000 mixed files, a tenth of which crash, hang, hoard or are bombs.

    python benchmarks/sandbox_load.py [--files 2000]

Two at a time, with two seconds each. Every file must be answered rightly: the good ones as without a sandbox, the bad
ones with the status that is theirs. Prints processes, descriptors and memory before and after. Ends with 1 where an
answer was wrong or something was left.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from extractors.budget import Budget
from extractors.content import Block, ExtractedContent, Job, Status, Text
from extractors.limits import MIB
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

TIMEOUT_S = 2.0
CONCURRENCY = 2
#: What a bad file does, and how its reading ends.
BAD = {
    "crash": (Status.PARTIAL, "the reader crashed"),
    "hang": (Status.PARTIAL, f"extraction timed out after {TIMEOUT_S:g} s"),
    "hoard": (Status.PARTIAL, "the reader ran out of memory"),
    "exec": (Status.PARTIAL, "the reader tried something that the sandbox forbids and was stopped"),
    "flood": (Status.PARTIAL, "the reader's result could not be understood"),
}
#: How much more the parent may hold at the end than after the first hundred files, in MiB.
GROWTH_MIB = 20


def extract(job: Job, budget: Budget) -> Iterator[Block]:
    """The readers of the sandbox for this run: those of the library, and bad ones."""
    if job.name in BAD:
        yield Text("before")
        yield from _misbehave(job.name)
        return
    from extractors.extract import extract as read  # noqa: PLC0415 # only where parsers may be loaded

    yield from read(job, budget)


def _misbehave(how: str) -> Iterator[Block]:
    hoard = []
    if how == "crash":
        ctypes.string_at(8)
    if how == "exec":
        os.execv("/bin/sh", ["/bin/sh"])
    while True:
        if how == "hang":
            time.sleep(60)
        elif how == "hoard":
            hoard.append(bytearray(64 * MIB))
        else:
            yield Text("x" * 100_000)


class ExtractorWithBadReaders(SandboxedAttachmentExtractor):
    """The usual extractor, whose children read through the function above."""

    def __init__(self) -> None:
        super().__init__(timeout_seconds=TIMEOUT_S, max_concurrency=CONCURRENCY)
        path = (str(Path(__file__).parent), *self._settings.path)
        self._settings = msgspec.structs.replace(self._settings, entry="sandbox_load:extract", path=path)


async def run(files: int) -> bool:
    """True when every answer was right and nothing is left."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        good, expected = pool.submit(right_answers).result()
    names = [*(list(BAD)[number % len(BAD)] for number in range(files // 10))]
    names += [list(good)[number % len(good)] for number in range(files - len(names))]
    random.Random(1).shuffle(names)
    before = figures()
    async with ExtractorWithBadReaders() as extractor:
        wrong, warm = 0, None
        started = time.perf_counter()
        for begin in range(0, files, 100):
            batch = names[begin : begin + 100]
            contents = await asyncio.gather(
                *(extractor.extract(good.get(name, b""), file_metadata={"name": name}) for name in batch)
            )
            wrong += sum(not is_right(name, content, expected) for name, content in zip(batch, contents, strict=True))
            warm = warm or await settled_figures()
        seconds = time.perf_counter() - started
        after = await settled_figures()
        counters = extractor.counters
    ended = figures()
    print(f"{files} files in {seconds:.0f} s, {dict(Counter(name for name in names if name in BAD))} among them")
    print(f"wrong answers: {wrong}")
    print(counters)
    for when, what in {"before": before, "after 100": warm, "after all": after, "closed": ended}.items():
        print(f"{when:10} {what}")
    assert warm is not None
    is_clean = after["children"] == 0 and after["descriptors"] <= warm["descriptors"]
    is_clean &= ended["processes"] == before["processes"] and ended["descriptors"] <= before["descriptors"]
    return wrong == 0 and is_clean and after["own MiB"] - warm["own MiB"] < GROWTH_MIB


def right_answers() -> tuple[dict[str, bytes], dict[str, ExtractedContent]]:
    """The good files, and what they hold: found in another process, so that this one loads no parser."""
    from extractors.extract import extract_content  # noqa: PLC0415 # only where parsers may be loaded
    from extractors.sandbox.warmup import samples  # noqa: PLC0415 # the same

    good = dict(samples())
    return good, {name: extract_content(data, media_type="", name=name) for name, data in good.items()}


def is_right(name: str, content: ExtractedContent, expected: dict[str, ExtractedContent]) -> bool:
    """Whether a file was answered as it should be; says what was wrong."""
    if name in BAD:
        status, note = BAD[name]
        right = content.status is status and str(content.note).startswith(note)
    else:
        right = content == expected[name]
    if not right:
        print(f"wrong: {name}: {content.status} {content.note}")
    return right


async def settled_figures() -> dict[str, float]:
    """The figures a moment later: nobody waits for the exit of a child that has said it all, or of a retired zygote."""
    await asyncio.sleep(2)
    return figures()


def figures() -> dict[str, float]:
    """Processes and descriptors now, memory in MiB."""
    below = children_of(os.getpid())  # zygotes, and a helper of multiprocessing
    return {
        "processes": len(below),
        "children": sum(len(children_of(process)) for process in below),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "own MiB": resident_mib(os.getpid()),
        "zygotes' MiB": round(sum(resident_mib(process) for process in below), 1),
    }


def children_of(pid: int) -> list[int]:
    """The processes below this one."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident_mib(pid: int) -> float:
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return round(int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024, 1)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    sys.exit(0 if asyncio.run(run(parser.parse_args().files)) else 1)


if __name__ == "__main__":
    main()
