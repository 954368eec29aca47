"""The command that shows what is read of files: `python -m extractors FILE...`, and `duwen extract` alike.

Exit code 0: every file was read, at least in part; 1: some were not; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from extractors import ExtractedContent, ExtractLimits, SandboxedAttachmentExtractor, Status
from extractors.command_output import ImageFolder, Output, as_json, as_markdown
from extractors.image_places import place_images
from extractors.sources import DocumentSource, extract_source
from extractors.spool import SOURCE_MAX_BYTES

READ: Final = frozenset({Status.OK, Status.PARTIAL})
_STDIN: Final = "-"
#: How many files are read ahead of the one whose result is written next.
_AHEAD: Final = 4
_INTERRUPTED: Final = 130
_LIMITS: Final[dict[str, type[int | float]]] = {
    field.name: float if isinstance(field.default, float) else int for field in fields(ExtractLimits)
}


class UsageError(Exception):
    """What was asked for cannot be done; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """One document to read: how the user knows it, and where it comes from."""

    address: str
    title: str
    source: DocumentSource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Gives a parser the command's arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a path, an http(s) address, or - for standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object for each file instead of Markdown")
    parser.add_argument("--images", type=Path, metavar="DIR", help="write the images into this directory")
    parser.add_argument("-r", "--recursive", action="store_true", help="read directories, but no hidden files or links")
    parser.add_argument("--password", help="opens encrypted files")
    parser.add_argument("--name", help="what the bytes from standard input are called")
    parser.add_argument(
        "--limit",
        dest="limits",
        type=_limit,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another limit than the default, such as pdf_extract_max_pages=100",
    )
    parser.add_argument("--timeout", type=float, default=20.0, metavar="SECONDS", help="for each file (%(default)g)")
    parser.add_argument(
        "--ocr",
        choices=("off", "scans", "always"),
        default="off",
        help="recognise words in scans and pictures, or in every image of a document too; needs duwen[ocr]",
    )
    parser.add_argument("--max-bytes", type=int, default=SOURCE_MAX_BYTES, help="of one file (%(default)s)")
    parser.add_argument("--allow-private", action="store_true", help="open addresses inside private networks too")


def run(options: argparse.Namespace) -> int:
    """Reads what the options name, writes what was read to standard output, and gives the exit code."""
    try:
        inputs = list(_inputs(options))
        folder = ImageFolder.at(options.images) if options.images else None
    except (UsageError, OSError) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 2
    code = 1
    try:
        code = asyncio.run(_read_all(inputs, options, folder))
    except* BrokenPipeError:  # whoever was reading has seen enough; Python would flush once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* OSError as failures:
        sys.stderr.write(f"error: {failures.exceptions[0]}\n")
    except* KeyboardInterrupt:
        code = _INTERRUPTED
    return code


async def _read_all(inputs: Sequence[_Input], options: argparse.Namespace, folder: ImageFolder | None) -> int:
    output = Output(sys.stdout)
    metadata = {"password": options.password} if options.password else {}
    statuses: list[Status] = []
    pending: deque[asyncio.Task[str]] = deque()

    async with SandboxedAttachmentExtractor(
        timeout_seconds=options.timeout,
        max_bytes=options.max_bytes,
        limits=ExtractLimits(**dict(options.limits)),
        ocr=options.ocr,
    ) as extractor:

        async def read(one: _Input) -> str:
            content = await extract_source(extractor, one.source, file_metadata=metadata)
            statuses.append(content.status)
            return await _shown(one, content, folder, is_json=options.json)

        with _progress(len(inputs)) as advance:
            async with asyncio.TaskGroup() as tasks:
                for one in inputs:
                    pending.append(tasks.create_task(read(one)))
                    if len(pending) > _AHEAD:
                        output.write(await pending.popleft())
                        advance()
                while pending:
                    output.write(await pending.popleft())
                    advance()
    return 0 if READ.issuperset(statuses) else 1


async def _shown(one: _Input, content: ExtractedContent, folder: ImageFolder | None, *, is_json: bool) -> str:
    """The result as it is written out, its images stored first where they are wanted."""
    images, written = content.images, []
    if folder is not None:
        writer = folder.writer(one.title)
        content = await place_images(content, writer.write)
        written = writer.written
    if is_json:
        return as_json(content, images, address=one.address, written=written)
    return as_markdown(content, title=one.title)


def _inputs(options: argparse.Namespace) -> Iterator[_Input]:
    for named in options.files:
        if named == _STDIN:
            source = DocumentSource.from_stream(sys.stdin.buffer, name=options.name, max_bytes=options.max_bytes)
            yield _Input(address=named, title=options.name or "standard input", source=source)
        elif named.lower().startswith(("http://", "https://")):
            allows = (lambda _address: True) if options.allow_private else None
            source = DocumentSource.from_url(named, max_bytes=options.max_bytes, allows=allows)
            yield _Input(address=named, title=Path(urlsplit(named).path).name or named, source=source)
        else:
            yield from _paths(Path(named), options)


def _paths(path: Path, options: argparse.Namespace) -> Iterator[_Input]:
    if not path.exists():
        raise UsageError(f"no such file: {path}")
    if not path.is_dir():
        yield _path_input(path, path.name, options)
        return
    if not options.recursive:
        raise UsageError(f"{path} is a directory; --recursive reads what is in it")
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = Path(folder) / name
            if not name.startswith(".") and found.is_file() and not found.is_symlink():
                yield _path_input(found, found.relative_to(path).as_posix(), options)


def _path_input(path: Path, title: str, options: argparse.Namespace) -> _Input:
    return _Input(address=str(path), title=title, source=DocumentSource.from_path(path, max_bytes=options.max_bytes))


def _limit(given: str) -> tuple[str, float]:
    name, _, value = given.partition("=")
    if name not in _LIMITS:
        near = difflib.get_close_matches(name, _LIMITS, n=1)
        raise argparse.ArgumentTypeError(f"no limit is called {name!r}" + (f"; there is {near[0]}" if near else ""))
    try:
        number = _LIMITS[name](value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name} takes a number, not {value!r}") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{name} cannot be negative")
    return name, number


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal for many files, where the results go elsewhere."""
    if total < 2 or not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415 - only the bar needs it
    from rich.progress import Progress  # noqa: PLC0415 - only the bar needs it

    # Redirected, the results would go to the bar's console instead of standard output.
    with Progress(console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False, transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda: bar.advance(task)
