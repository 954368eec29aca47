"""The requests the endpoint saw, and how each ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

from bot.emulator.changes import Changes
from bot.emulator.model.checks import CheckedRequest
from bot.emulator.wire import Completion

End = Literal["running", "answered", "refused", "failed", "disconnected"]


class Journal:
    """One entry a request; entries are replaced as requests end."""

    def __init__(self) -> None:
        self.changes = Changes()
        self.completions: list[Completion] = []

    def refuse(self, detail: str) -> None:
        """Notes a request that was refused before it was understood."""
        self._add(
            Completion(
                at_s=time.monotonic(),
                model="",
                stream=False,
                fault=None,
                messages=(),
                prompt_tokens=0,
                end="refused",
                detail=detail,
            )
        )

    def begin(self, checked: CheckedRequest, fault: str | None) -> int:
        """Notes a request that is being answered; returns its number."""
        return self._add(
            Completion(
                at_s=time.monotonic(),
                model=checked.model,
                stream=checked.stream,
                fault=fault,
                messages=checked.messages,
                prompt_tokens=checked.prompt_tokens,
                end="running",
                parameters=checked.parameters,
            )
        )

    def finish(self, number: int, end: End, detail: str = "") -> None:
        """Notes how a request ended."""
        self.completions[number] = replace(self.completions[number], end=end, detail=detail)
        self.changes.touch()

    def _add(self, completion: Completion) -> int:
        self.completions.append(completion)
        self.changes.touch()
        return len(self.completions) - 1
