"""The words of a drawing in reading order: line by line, from the top, with runs joined that touch each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from extractors._metafile.scene import Scene, Words

MAX_CHARS = 4_000
#: Of the letters' height: how far baselines of one line differ, and how wide a gap is a blank.
_SAME_LINE, _BLANK = 0.5, 0.14
_LEVEL = 0.15
#: How far a shadow lies from its letters; two letters beside each other are further apart.
_SHADOW = 0.12
_FEW = 4


def words_of(scene: Scene) -> list[str]:
    """The lines of text in the drawing, in the order they are read."""
    runs = [item for item in scene.items if isinstance(item, Words)]
    if scene.frame is not None:
        left, top, right, bottom = scene.frame
        runs = [run for run in runs if left - run.size <= run.at[0] <= right and top <= run.at[1] <= bottom + run.size]
    lines: list[str] = []
    chars = 0
    for line in _lines(runs):
        text = " ".join(_joined(line).split())
        if text:
            lines.append(text)
            chars += len(text)
        if chars > MAX_CHARS:
            break
    return lines


def is_level(scene: Scene) -> bool:
    """True where all letters stand on one line at one size: nothing is raised, lowered or stacked."""
    runs = [item for item in scene.items if isinstance(item, Words) and item.text.strip()]
    sizes, baselines = [run.size for run in runs] or [1.0], [_turned(run)[0] for run in runs] or [0.0]
    return max(baselines) - min(baselines) <= _LEVEL * max(sizes) and max(sizes) <= (1 + _LEVEL) * min(sizes)


def _lines(runs: list[Words]) -> Iterator[list[tuple[float, float, Words]]]:
    """Runs by their line; those that are turned come after the upright ones, angle by angle."""
    placed = sorted(((round(run.angle / 5) % 72, *_turned(run), run) for run in runs), key=lambda item: item[:2])
    line: list[tuple[float, float, Words]] = []
    angle, baseline, size = 0, -math.inf, 0.0
    for turn, y, x, run in placed:
        if line and (turn != angle or y - baseline > _SAME_LINE * max(size, run.size)):
            yield line
            line = []
        if not line:
            angle, baseline, size = turn, y, run.size
        size = max(size, run.size)
        line.append((x, y, run))
    if line:
        yield line


def _turned(run: Words) -> tuple[float, float]:
    """The place of a run on a page turned so that its text is level: down, then right."""
    turn = math.radians(run.angle)
    x, y = run.at
    return x * math.sin(turn) + y * math.cos(turn), x * math.cos(turn) - y * math.sin(turn)


def _joined(line: list[tuple[float, float, Words]]) -> str:
    text, end, size = "", -math.inf, 0.0
    places: dict[str, float] = {}
    line = sorted(line, key=lambda item: item[0])
    spaced = _letter_space([(x, run) for x, _, run in line])
    for x, _, run in line:
        if x - places.get(run.text, -math.inf) < _SHADOW * run.size:  # or letters drawn twice to be bold
            continue
        places[run.text] = x
        text += " " * (x - end > max(_BLANK * max(run.size, size), spaced)) + run.text
        end, size = max(end, x + run.width), run.size
    return text


def _letter_space(line: list[tuple[float, Words]]) -> float:
    """How far letters may stand apart and still be one word, on a line that is drawn letter by letter."""
    if 2 * sum(len(run.text) == 1 for _, run in line) < len(line):
        return 0.0
    gaps = [after - before - run.width for (before, run), (after, _) in pairwise(line)]
    return 2 * median(gaps) if len(gaps) > _FEW else 0.0
