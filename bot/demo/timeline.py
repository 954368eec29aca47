"""What happens, line by line with times, and one live line that moves while we wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status


class Timeline:
    """Prints each event with the seconds since the message was posted."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None
        self._start = time.time()

    @contextmanager
    def live(self, doing: str) -> Iterator[None]:
        """A moving line at the bottom while the block runs; nothing where the output is no terminal."""
        self._start = time.time()
        if not self._console.is_terminal:
            yield
            return
        with self._console.status(doing) as status:
            self._status = status
            yield
        self._status = None

    def doing(self, what: str) -> None:
        """Changes the live line."""
        if self._status is not None:
            self._status.update(what)

    def line(self, event: str, detail: str, *, at: float | None = None) -> None:
        """One event; `at` is a wall-clock time in seconds, now where it is None."""
        seconds = (at or time.time()) - self._start
        self._console.print(f"[dim]{seconds:8.3f} s[/]  [cyan]{event:<12}[/] {escape(detail)}", soft_wrap=True)


def moment(record: dict[str, Any]) -> float:
    """The wall-clock seconds of a log record."""
    return datetime.fromisoformat(str(record["time"])).timestamp()


def size(count: int) -> str:
    """Bytes as people read them."""
    return (
        f"{count} B" if count < 1024 else f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.1f} MB"
    )


def milliseconds(seconds: float) -> str:
    """A short time as people read it."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
