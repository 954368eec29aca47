"""Durations as a table of Numbers shows them: which units, and how these are written."""

from __future__ import annotations

from extractors._iwork.protobuf import Message

_COMPACT, _LONG = 0, 2
#: The number of each unit in a format, its name, its short name, and how many milliseconds it has.
_UNITS = (
    (1, "week", "w", 604_800_000), (2, "day", "d", 86_400_000), (4, "hour", "h", 3_600_000), (8, "minute", "m", 60_000),
    (16, "second", "s", 1_000), (32, "millisecond", "ms", 1),
)  # fmt: skip
_Unit = tuple[int, str, str, int]
_DAY = _UNITS[1]


def duration(seconds: float, number_format: Message) -> str:
    """So many seconds in the units of the format; in those that it takes where the format leaves them open."""
    left = round(abs(seconds) * 1000)
    largest, smallest = number_format.number(15), number_format.number(16)
    is_open = not largest or not smallest or bool(number_format.number(40))
    units = _needed(left) if is_open else [unit for unit in _UNITS if largest <= unit[0] <= smallest]
    style = number_format.number(7) if largest else 1
    counts: list[tuple[_Unit, int]] = []
    for unit in units:
        count, left = divmod(left, unit[3])
        counts.append((unit, count))
    if style == _COMPACT:
        written = _compact(counts)
    else:
        written = " ".join(_named(*item, is_long=style == _LONG) for item in counts)
    return f"-{written}" if seconds < 0 else written


def _needed(milliseconds: int) -> list[_Unit]:
    """The units from the largest that fits to the one that leaves nothing over."""
    fitting = [unit for unit in _UNITS if unit[3] <= milliseconds]
    last = next((unit for unit in fitting if milliseconds % unit[3] == 0), _UNITS[-1])
    return fitting[: fitting.index(last) + 1] if fitting else [_DAY]


def _named(unit: _Unit, count: int, *, is_long: bool) -> str:
    return f"{count} {unit[1]}{'' if count == 1 else 's'}" if is_long else f"{count}{unit[2]}"


def _compact(counts: list[tuple[_Unit, int]]) -> str:
    """1:01:01.001"""
    text = ""
    for (_, name, _, _), count in counts:
        width = {"minute": 2, "second": 2, "millisecond": 3}.get(name, 1) if len(counts) > 1 else 1
        mark = "" if not text else "." if name == "millisecond" else ":"
        text += f"{mark}{count:0{width}d}"
    return text
