"""What may be unpacked of an archive: names, sizes and ratios are checked before and while bytes are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from extractors._member_path import leads_out
from extractors.budget import Budget
from extractors.content import LeftOut, Member
from extractors.limits import MIB

#: Beyond the first MiB, what unpacks to more than this many times its packed size is a bomb: text reaches about 20.
MAX_RATIO = 500
DAMAGED = "damaged"
LINK = "a link or a device, not a file"
LOCKED = "a password is needed"
WRONG_PASSWORD = "the password does not open it"  # noqa: S105 - a sentence about one
_CHUNK_BYTES = 256 * 1024
#: What systems put into archives beside people's files.
_SYSTEM_FILE = re.compile(r"(?:^|.*/)(?:__MACOSX/.*|\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)", re.IGNORECASE)


class Source(Protocol):
    """Something to read packed bytes from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` unpacked bytes; none at the end."""


@dataclass(slots=True, kw_only=True)
class Gate:
    """Lets the files of one archive through as members, as far as the budget goes."""

    budget: Budget
    handed: int = 0
    #: Files that a password would have opened.
    locked: int = 0

    def refused(self, name: str, size_bytes: int = 0) -> LeftOut | None:
        """Why an entry is not even unpacked, by its name and the size it claims; None when it may be."""
        path = name.replace("\\", "/")
        if _SYSTEM_FILE.fullmatch(path):
            return LeftOut(name, "made by the system", is_loss=False)
        if leads_out(name):
            return LeftOut(name, "its name leads out of the archive")
        why = self.budget.why_no_member(size_bytes)
        return None if why is None else LeftOut(name, why)

    def left_locked(self, name: str, why: str) -> LeftOut:
        """An entry that a password would have opened."""
        self.locked += 1
        return LeftOut(name, why)

    def unpacked(self, name: str, source: Source, packed_bytes: int) -> Member | LeftOut:
        """The file that `source` unpacks to, unless there is too much of it. The source's errors pass through."""
        max_bytes = self.max_bytes(packed_bytes)
        data = whole(source, max_bytes)
        if len(data) <= max_bytes:
            return self.member(name, data)
        self.budget.member_bytes_left -= len(data)
        return LeftOut(name, f"it unpacks to more than {max_bytes / MIB:.3g} MiB")

    def member(self, name: str, data: bytes) -> Member:
        """A file that was unpacked."""
        self.handed += 1
        return Member(name, data)

    def max_bytes(self, packed_bytes: int) -> int:
        """How much one file of that packed size may unpack to."""
        by_ratio = max(MIB, packed_bytes * MAX_RATIO)
        return max(0, min(self.budget.limits.member_max_bytes, self.budget.member_bytes_left, by_ratio))


def whole(source: Source, max_bytes: int) -> bytes:
    """All that is left in `source`, or `max_bytes` and one more."""
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (piece := source.read(min(left, _CHUNK_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
