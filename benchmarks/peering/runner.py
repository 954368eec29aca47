"""Reads files with one peer, inside the peer's own environment; needs nothing but the peer.

    python runner.py PEER FILE    one file, then ends
    python runner.py PEER         a path a line on standard input, until that closes

Answers each file with a line, `read SECONDS BYTES` or `failed SECONDS BYTES`, and then the text or the problem.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable

MEMORY_BYTES = 4 << 30


def office_oxide() -> Callable[[str], str]:
    """Markdown by office-oxide."""
    from office_oxide import Document  # noqa: PLC0415 # only this peer's environment has it

    def read(path: str) -> str:
        with Document.open(path) as document:
            text: str = document.to_markdown()
            return text

    return read


def anydoc() -> Callable[[str], str]:
    """Markdown by anydoc, which recognises nothing in pictures unless asked to."""
    from anydoc import to_markdown  # noqa: PLC0415 # only this peer's environment has it

    return lambda path: str(to_markdown(path))


def liteparse() -> Callable[[str], str]:
    """Markdown by liteparse, without the recognition that fetches its models."""
    from liteparse import LiteParse  # noqa: PLC0415 # only this peer's environment has it

    parser = LiteParse(ocr_enabled=False, output_format="markdown", quiet=True)
    return lambda path: str(parser.parse(path).text)


def markitdown() -> Callable[[str], str]:
    """Markdown by markitdown, without plug-ins."""
    from markitdown import MarkItDown  # noqa: PLC0415 # only this peer's environment has it

    converter = MarkItDown(enable_plugins=False)
    return lambda path: str(converter.convert(path).markdown)


READERS = {"office-oxide": office_oxide, "anydoc": anydoc, "liteparse": liteparse, "markitdown": markitdown}


def answer(read: Callable[[str], str], path: str, answers: int) -> None:
    """Reads one file and writes what came of it."""
    started = time.perf_counter()
    try:
        text, outcome = read(path), "read"
    except Exception as exc:
        text, outcome = f"{type(exc).__name__}: {exc}"[:300], "failed"
    seconds = time.perf_counter() - started
    data = text.encode("utf-8", "replace")
    rest = memoryview(f"{outcome} {seconds:.7f} {len(data)}\n".encode("ascii") + data)
    while rest:
        rest = rest[os.write(answers, rest) :]


def main() -> None:
    """One file, or as many as come."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever a peer prints is no answer
    read = READERS[sys.argv[1]]()
    for path in sys.argv[2:] or (line.rstrip("\n") for line in sys.stdin):
        answer(read, path, answers)


if __name__ == "__main__":
    main()
