"""Ours against markitdown, office-oxide, anydoc and liteparse on the corpus: keys found, times, room taken.

    .venv/bin/python benchmarks/peers.py [--formats docx,pdf] [--repeats 3] [--corpus DIR] [--environments DIR]

Ours reads every file in a confined process of its own. A peer is measured twice: in a fresh process per file (the
interpreter's start, the import, one file) and warm, unprotected, in one process. All take turns file by file in one
run, and the best of the repeats counts. Peers are installed once, each in an environment of its own.
Ours renders scanned pages and fits pictures for a model within its time; no peer does either.
Exit code 1 when a peer finds a key that ours misses, and not only because ours cuts a long text there.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from peering.contestants import Contestant, FreshPeer, Ours, WarmPeer
from peering.corpus import DEFAULT_FOLDER, CorpusFile, found_keys, read_index
from peering.environments import PEERS, environment, installed_mb, our_sizes_mb, python
from peering.score import OURS, FileScore, Miss, noise, pace

FORMATS = ("docx", "pptx", "xlsx", "pdf", "doc", "xls", "odt", "rtf", "eml", "html")
#: How many times faster ours is to be than this one, warm and unprotected.
AIM_WARM = 5
WARM_RIVAL = ("markitdown", "warm")


def main() -> int:
    """Runs the contest and prints it."""
    arguments = parsed_arguments()
    formats = arguments.formats.split(",")
    files = [file for file in read_index(arguments.corpus) if file.format in formats]
    places = {peer.name: environment(peer, arguments.environments) for peer in PEERS}
    yardstick: list[float] = []
    with asyncio.Runner() as runner:
        ours = Ours(runner)
        fresh = {peer.name: FreshPeer(name=peer.name, python=python(places[peer.name])) for peer in PEERS}
        warm = {peer.name: WarmPeer(name=peer.name, python=python(places[peer.name])) for peer in PEERS}
        print(f"{len(files)} files, best of {arguments.repeats}, sandbox level {ours.level}", flush=True)
        scores: list[FileScore] = []
        for file in sorted(files, key=lambda file: formats.index(file.format)):
            readers = [peer.name for peer in PEERS if file.format in peer.formats]
            contestants: list[Contestant] = [ours, *(kind[name] for name in readers for kind in (fresh, warm))]
            score = contest(file, contestants, arguments.repeats, yardstick)
            if score.is_cut and score.misses():
                score.found_whole = found_keys(file, ours.read_whole(file.path).text)
            scores.append(score)
        for peer in warm.values():
            peer.close()
        ours.close()
    for format_ in formats:
        print_format(format_, [score for score in scores if score.file.format == format_])
    print_noise(scores, yardstick)
    sizes = {name: installed_mb(place) for name, place in places.items()} | our_sizes_mb()
    print("\ninstalled, MB: " + ", ".join(f"{name} {size:.0f}" for name, size in sizes.items()))
    if arguments.csv:
        write_csv(arguments.csv, scores)
    return print_verdict(scores)


def parsed_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--environments", type=Path, default=Path.home() / ".cache" / "duwen-peers")
    parser.add_argument("--formats", default=",".join(FORMATS), help="as the corpus's index calls them, with commas")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--csv", type=Path, help="write every best time and problem to this file")
    return parser.parse_args()


def contest(file: CorpusFile, contestants: list[Contestant], repeats: int, yardstick: list[float]) -> FileScore:
    """One file to everyone in turn, with another one beginning each time."""
    score = FileScore(file=file)
    for repeat in range(repeats):
        first = repeat * len(contestants) // repeats
        for contestant in contestants[first:] + contestants[:first]:
            score.add(contestant.name, contestant.mode, contestant.read(file.path))
        yardstick.append(fixed_work_s())
    return score


def fixed_work_s() -> float:
    """The time of a piece of work that is always the same: its spread is the machine's own."""
    data = bytes(1 << 20)
    started = time.perf_counter()
    for _ in range(4):
        hashlib.sha256(data)
    return time.perf_counter() - started


def print_format(format_: str, scores: Sequence[FileScore]) -> None:
    """The table of one format, and what ours misses in it."""
    if not scores:
        return
    total = sum(len(score.file.keys) for score in scores)
    print(f"\n{format_}: {len(scores)} files, {total} keys")
    print(f"  {'':14}{'keys':>5}{'read':>6}{'fresh ms':>10}{'ours/it':>9}{'warm ms':>10}{'ours/it':>9}{'lost':>6}")
    for reader in (OURS, *(peer.name for peer in PEERS if format_ in peer.formats)):
        fresh, warm = pace(scores, reader, "fresh"), pace(scores, reader, "warm")
        keys = sum(len(score.found[reader]) for score in scores)
        lost = sum(score.lost[reader] for score in scores)
        note = "  passed on unread" if any(p.name == reader and format_ in p.passed_on for p in PEERS) else ""
        times = "".join(f"{p.mean_s * 1000:>10.1f}{p.ratio:>9.3f}" if p.files else f"{'-':>19}" for p in (fresh, warm))
        print(f"  {reader:14}{keys:>5}{max(fresh.files, warm.files):>6}{times}{lost:>6}{note}")
    for score in scores:
        if problem := score.problems.get((OURS, "fresh")):
            keys = sum(miss.is_beaten for miss in score.misses())
            print(f"  ours did not read {score.file.name}: {problem} ({keys} keys found by peers)")
            continue
        for miss in score.misses():
            print(f"  ours misses {told(miss)}")


def told(miss: Miss) -> str:
    """A miss in words."""
    past = "; ours too with its limit lifted" if miss.is_past_limit else ""
    return f"{miss.file.name}: {miss.key}  (found by {', '.join(miss.found_by) or 'nobody'}{past})"


def print_noise(scores: Sequence[FileScore], yardstick: list[float]) -> None:
    """How far the figures can be trusted."""
    middle, high = noise(scores)
    low, median, top = min(yardstick) * 1000, statistics.median(yardstick) * 1000, max(yardstick) * 1000
    print(f"\nnoise: the worst repeat takes {middle:.2f} times the best (median), {high:.2f} times (95th percentile);")
    print(f"a fixed piece of work took {low:.1f} to {top:.1f} ms, median {median:.1f}")


def write_csv(place: Path, scores: Sequence[FileScore]) -> None:
    """A row for each file, reader and mode."""
    with place.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "format", "reader", "mode", "best_ms", "problem"])
        for score in scores:
            for reader, mode in {*score.seconds, *score.problems}:
                best_s = score.best_s(reader, mode)
                best_ms = "" if best_s is None else f"{best_s * 1000:.3f}"
                problem = score.problems.get((reader, mode), "")
                rows.writerow([score.file.name, score.file.format, reader, mode, best_ms, problem])


def print_verdict(scores: Sequence[FileScore]) -> int:
    """The aims, met or not; 1 when a peer finds a key that ours misses."""
    formats = list(dict.fromkeys(score.file.format for score in scores))
    of = {format_: [score for score in scores if score.file.format == format_] for format_ in formats}
    print("\nall formats, ours/it as a geometric mean over the files that both read:")
    for peer in PEERS:
        fresh, warm = pace(scores, peer.name, "fresh"), pace(scores, peer.name, "warm")
        if fresh.files:
            print(f"  {peer.name:14} fresh {fresh.ratio:.3f}   warm {warm.ratio:.3f}")
    beaten = [miss for score in scores for miss in score.misses() if miss.is_beaten]
    ratios = {
        (format_, peer.name, mode): pace(of[format_], peer.name, mode).ratio
        for peer in PEERS
        for format_ in formats
        if format_ not in peer.passed_on
        for mode in ("fresh", "warm")
    }
    slower = [
        f"{f} against {p} ({ratio:.2f})" for (f, p, mode), ratio in ratios.items() if mode == "fresh" and ratio >= 1
    ]
    near = [f"{f} ({1 / r:.1f})" for (f, p, mode), r in ratios.items() if (p, mode) == WARM_RIVAL and r > 1 / AIM_WARM]
    print(f"keys that a peer finds and ours misses: {len(beaten)} (aim: 0)")
    print(f"formats on which ours is not faster than a peer in a fresh process: {'; '.join(slower) or 'none'}")
    print(f"formats on which ours is not {AIM_WARM} times faster than markitdown warm: {'; '.join(near) or 'none'}")
    return 1 if beaten else 0


if __name__ == "__main__":
    sys.exit(main())
