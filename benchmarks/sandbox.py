"""What one confined process per file costs, beside the usual ways to keep a parser out of one's own process.

    python benchmarks/sandbox.py [--rounds 15]

All ways read the same files with the same readers, in turn within one run, so that whatever else the machine does meets
them all. Prints medians and ratios. Aims: a small file in at most 6 ms, spawn at least 60 times as long, 16 MB of input
in at most 30 ms.

Only ours is confined. spawn and forkserver start a process per file and pickle its result, which is a way back into the
parent; the pool keeps one process for all files, so that the first hostile one has all later ones.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext

from extractors.content import ExtractedContent, Status
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

SMALL = "读文 reads files.\n".encode() * 20
LONG = ("A line of text that says nothing much. " * 3 + "\n").encode() * (5 * MIB // 118)
LARGE = SMALL * (16 * MIB // len(SMALL))
#: So that 5 MB of text is not cut.
ROOMY = ExtractLimits(extract_text_max_chars=6_000_000)
FILES = {"small file": (SMALL, ExtractLimits()), "5 MB result": (LONG, ROOMY), "16 MB input": (LARGE, ExtractLimits())}
OURS, SPAWN, FORKSERVER, POOL = "sandbox, all layers", "spawn", "forkserver, preloaded", "one process for all"
#: A small file is read so often a round by the quick ways.
QUICK_TIMES = 5
PRELOAD = ["extractors.sandbox.warmup", "extractors.extract"]

Way = Callable[[bytes, ExtractLimits], Awaitable[ExtractedContent]]
Times = dict[tuple[str, str], list[float]]


async def measure(rounds: int) -> Times:
    """Seconds by way and file."""
    times: Times = {}
    forkserver = multiprocessing.get_context("forkserver")
    forkserver.set_forkserver_preload(PRELOAD)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        async with SandboxedAttachmentExtractor() as usual, SandboxedAttachmentExtractor(limits=ROOMY) as roomy:
            print(f"sandbox level: {usual.level}")

            async def ours(data: bytes, limits: ExtractLimits) -> ExtractedContent:
                return await (roomy if limits is ROOMY else usual).extract(data, file_metadata={"name": "note.txt"})

            async def pooled(data: bytes, limits: ExtractLimits) -> ExtractedContent:
                return await asyncio.get_running_loop().run_in_executor(pool, read, data, limits)

            ways: dict[str, Way] = {
                OURS: ours,
                SPAWN: lambda data, limits: in_process_of_its_own(multiprocessing.get_context("spawn"), data, limits),
                FORKSERVER: lambda data, limits: in_process_of_its_own(forkserver, data, limits),
                POOL: pooled,
            }
            for way in (OURS, FORKSERVER, POOL):  # first calls
                for data, limits in FILES.values():
                    await ways[way](data, limits)
            for _ in range(rounds):
                await one_round(ways, times)
    return times


async def one_round(ways: dict[str, Way], times: Times) -> None:
    """Each file by each way."""
    for file, (data, limits) in FILES.items():
        for name, way in ways.items():
            for _ in range(QUICK_TIMES if file == "small file" and name in (OURS, POOL) else 1):
                started = time.perf_counter()
                content = await way(data, limits)
                times.setdefault((name, file), []).append(time.perf_counter() - started)
                assert content.status in {Status.OK, Status.PARTIAL}, content


async def in_process_of_its_own(context: BaseContext, data: bytes, limits: ExtractLimits) -> ExtractedContent:
    """One file by a process that ends after it."""
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=read_and_send, args=(theirs, data, limits))  # type: ignore[attr-defined] # each context has it
    process.start()
    theirs.close()  # so that a process that breaks is noticed
    content: ExtractedContent = ours.recv()
    process.join()
    return content


def read_and_send(result: Connection, data: bytes, limits: ExtractLimits) -> None:
    """In the process."""
    result.send(read(data, limits))


def read(data: bytes, limits: ExtractLimits) -> ExtractedContent:
    """In another process: what a zygote has loaded is loaded here too, once."""
    import extractors.sandbox.warmup  # noqa: F401, PLC0415 # in this process only
    from extractors.extract import extract_content  # noqa: PLC0415 # the same

    return extract_content(data, media_type="", name="note.txt", limits=limits)


def show(times: Times) -> None:
    """A table of medians, and how many times ours the others take."""
    print(f"{'median ms (times ours)':24}" + "".join(f"{file:>22}" for file in FILES))
    for way in (OURS, SPAWN, FORKSERVER, POOL):
        cells = []
        for file in FILES:
            median, ours = (statistics.median(times[name, file]) * 1000 for name in (way, OURS))
            cells.append(f"{median:10.1f} ({median / ours:6.2f} x)")
        print(f"{way:24}" + "".join(f"{cell:>22}" for cell in cells))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    show(asyncio.run(measure(parser.parse_args().rounds)))


if __name__ == "__main__":
    main()
