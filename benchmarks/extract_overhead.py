"""What the sandbox costs a file, against a fresh interpreter per file that imports the same parsers.

Both are taken in turn within one run, so that whatever else the machine does meets both. Prints medians and the ratio.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection

from extractors.content import ExtractedContent, Status
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

ROUNDS = 15
SANDBOXED_PER_ROUND = 5
SMALL = "读文 reads files.\n".encode() * 20
LONG = ("A line of text that says nothing much. " * 3 + "\n").encode() * (5 * MIB // 118)
LARGE = SMALL * (16 * MIB // len(SMALL))
#: So that 5 MB of text is not cut.
LIMITS = ExtractLimits(extract_text_max_chars=6_000_000)


async def main() -> None:
    """Runs all rows and prints them."""
    times: dict[str, list[float]] = {}

    async def note(row: str, reading: Callable[[], Awaitable[ExtractedContent]]) -> None:
        started = time.perf_counter()
        content = await reading()
        times.setdefault(row, []).append(time.perf_counter() - started)
        assert content.status in {Status.OK, Status.PARTIAL}, content

    async with SandboxedAttachmentExtractor() as sandbox, SandboxedAttachmentExtractor(limits=LIMITS) as roomy:
        print(f"sandbox level: {sandbox.level}")
        for _ in range(ROUNDS):
            await note("fresh interpreter, small file", lambda: read_fresh(SMALL))
            for _ in range(SANDBOXED_PER_ROUND):
                await note("sandbox, small file", lambda: read(sandbox, SMALL))
            await note("sandbox, 5 MB of result", lambda: read(roomy, LONG))
            await note("sandbox, 16 MB of input", lambda: read(sandbox, LARGE))
    for row, taken in times.items():
        print(f"{row:32} median {statistics.median(taken) * 1000:7.1f} ms   best {min(taken) * 1000:7.1f} ms")
    ratio = statistics.median(times["fresh interpreter, small file"]) / statistics.median(times["sandbox, small file"])
    print(f"a fresh interpreter takes {ratio:.0f} times as long as the sandbox (aim: 30)")


async def read(extractor: SandboxedAttachmentExtractor, data: bytes) -> ExtractedContent:
    """One file through the sandbox."""
    return await extractor.extract(data, file_metadata={"name": "note.txt"})


async def read_fresh(data: bytes) -> ExtractedContent:
    """One file through an interpreter of its own, as the seed design did."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_read_and_send, args=(theirs, data))
    process.start()
    content: ExtractedContent = ours.recv()
    process.join()
    return content


def _read_and_send(result: Connection, data: bytes) -> None:
    import extractors.sandbox.warmup  # noqa: F401, PLC0415 # loads what a zygote loads, in this process only
    from extractors.extract import extract_content  # noqa: PLC0415 # the same

    result.send(extract_content(data, media_type="", name="note.txt"))


if __name__ == "__main__":
    asyncio.run(main())
