"""The protocol of a format: data plus one generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One family of files, and how it is read.

    `extract` yields blocks as it makes them, so that a file that runs out of time still gives what was read. It may
    raise `Unreadable`; anything else it raises becomes a `failed` result. Third-party parsers are imported inside it.
    """

    name: str
    kind: Kind
    media_types: frozenset[str]
    extensions: frozenset[str]
    extract: Callable[[Job, Detection, Budget], Iterator[Block]]
    #: What a reader of this format loses, one short English sentence each; printed in the README's table.
    limitations: tuple[str, ...]


class Unreadable(Exception):
    """The file cannot be read further: which status that is, and a sentence for the user."""

    def __init__(self, status: Status, note: str) -> None:
        super().__init__(note)
        self.status = status
        self.note = note
