"""What a contest has shown: keys, times and who was lost, added up by format."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from peering.contestants import Reading
from peering.corpus import CorpusFile, found_keys

OURS = "ours"


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A key that ours does not find, and who does."""

    file: CorpusFile
    key: str
    found_by: tuple[str, ...]
    #: Ours cuts the text before it, and finds it when the limit is lifted.
    is_past_limit: bool

    @property
    def is_beaten(self) -> bool:
        """True when a peer reads what ours cannot read."""
        return bool(self.found_by) and not self.is_past_limit


@dataclass(slots=True, kw_only=True)
class FileScore:
    """All readings of one file."""

    file: CorpusFile
    #: By reader and mode, of every reading that succeeded.
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    found: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: By reader and mode, the last problem.
    problems: dict[tuple[str, str], str] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    #: A limit of ours cut the text.
    is_cut: bool = False
    #: What ours finds with its limits lifted, where they cut.
    found_whole: set[str] = field(default_factory=set)

    def add(self, reader: str, mode: str, reading: Reading) -> None:
        """One reading more."""
        self.lost[reader] += reading.is_lost
        self.is_cut |= reading.is_cut
        if reading.problem:
            self.problems[reader, mode] = reading.problem
            return
        self.seconds[reader, mode].append(reading.seconds)
        self.found[reader] |= found_keys(self.file, reading.text)

    def best_s(self, reader: str, mode: str) -> float | None:
        """The best time of one reader in one mode; None where it has not read the file."""
        return min(self.seconds[reader, mode], default=None)

    def misses(self) -> list[Miss]:
        """The keys that ours has not found."""
        return [
            Miss(
                file=self.file,
                key=key,
                found_by=tuple(reader for reader, found in self.found.items() if key in found),
                is_past_limit=key in self.found_whole,
            )
            for key in self.file.keys
            if key not in self.found[OURS]
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Times of one reader in one mode over the files of one format; NaN where there is none."""

    files: int
    mean_s: float
    #: Ours divided by theirs, over the files that both have read.
    ratio: float


def pace(scores: Iterable[FileScore], reader: str, mode: str) -> Pace:
    """The geometric means of a reader's best times, and of ours against them."""
    theirs: list[float] = []
    ratios: list[float] = []
    for score in scores:
        if (time_s := score.best_s(reader, mode)) is None:
            continue
        theirs.append(time_s)
        if (ours_s := score.best_s(OURS, "fresh")) is not None:
            ratios.append(ours_s / time_s)
    return Pace(files=len(theirs), mean_s=_geometric_mean(theirs), ratio=_geometric_mean(ratios))


def noise(scores: Iterable[FileScore]) -> tuple[float, float]:
    """The worst of a reading's repeats against its best: the median of all of them, and the 95th percentile."""
    spreads = sorted(max(s) / min(s) for score in scores for s in score.seconds.values() if len(s) > 1)
    if not spreads:
        return math.nan, math.nan
    return statistics.median(spreads), spreads[int(0.95 * (len(spreads) - 1))]


def _geometric_mean(values: list[float]) -> float:
    return statistics.geometric_mean(values) if values else math.nan
