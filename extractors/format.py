"""The protocol of a format: data plus one generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, LeftOut, Member, Status


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
    extract: Callable[[Job, Detection, Budget], Iterator[Block | Member | LeftOut]]
    #: What a reader of this format loses, one short English sentence each; printed in docs/formats.md.
    limitations: tuple[str, ...]
    #: What it keeps, one short English phrase each, for the same page.
    keeps: tuple[str, ...] = ()
    #: The packages it reads with, as they are named where they are installed from; none for the standard library.
    libraries: tuple[str, ...] = ()
    #: Formats that read the same files are tried from low to high until one of them gives something.
    order: int = 100
    #: The kind of zygote that has it loaded; the sandbox knows which there are.
    zygote: str = "main"
    #: Small files, by name, that reach whatever it imports late: read once before the sandbox is closed.
    samples: Callable[[], Iterable[tuple[str, bytes]]] | None = None


class Unreadable(Exception):
    """The file cannot be read further: which status that is, and a sentence for the user."""

    def __init__(self, status: Status, note: str) -> None:
        super().__init__(note)
        self.status = status
        self.note = note
