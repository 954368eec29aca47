"""Dates and times of spreadsheets: days since an epoch, written as the tokens of a number format say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

DATE_TOKENS = frozenset({"date", "noon", "elapsed"})
_MAX_SERIAL = 2_958_466  # the end of the year 9999
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_CHINESE_DAYS = "一二三四五六日"
_CHINESE_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")

_NEVER_WERE = {0: (1900, 1, 0), 60: (1900, 2, 29)}
_BUDDHIST = 543
_NOON = 43_200
_MAX_PLACES = 9

Token = tuple[str, str]  # one token of a number format: what it is, and its text


def literal(token: Token) -> str:
    """The text that a token stands for by itself; "" for those that stand for something else."""
    kind, text = token
    if kind == "quoted":
        return text.strip('"')
    if kind == "escaped":
        return text[1:]
    if kind == "space":
        return " "
    return text if kind in {"other", "percent"} else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A moment as a spreadsheet counts it: it knows 0 January and 29 February 1900, days that never were."""

    year: int
    month: int
    day: int
    weekday: int  # 0 is Monday
    second: int  # of the day
    digits: str  # of the fraction of the second


def _moment(serial: float, places: int, *, since_1904: bool) -> _Moment | None:
    """The moment of a serial number, rounded to so many places of a second; None outside of the calendar."""
    if not 0 <= serial < _MAX_SERIAL:
        return None
    units = _units(serial, places)
    seconds, fraction = divmod(units, 10**places)
    days, second = divmod(seconds, 86_400)
    if since_1904:
        day = date(1904, 1, 1) + timedelta(days)
    elif days in _NEVER_WERE:
        year, month, number = _NEVER_WERE[days]
        return _Moment(
            year=year, month=month, day=number, weekday=(days - 2) % 7, second=second, digits=f"{fraction:0{places}d}"
        )
    else:
        # Excel counts 29 February 1900, and so names the weekdays before it wrongly.
        day = date(1899, 12, 31 if days < 60 else 30) + timedelta(days)
    weekday = day.weekday() if since_1904 else (days - 2) % 7
    return _Moment(
        year=day.year, month=day.month, day=day.day, weekday=weekday, second=second, digits=f"{fraction:0{places}d}"
    )


def _units(serial: float, places: int) -> int:
    """Seconds, or so many places of them, rounded half up as a sheet does."""
    scale: int = 10**places
    return math.floor(serial * 86_400 * scale + 0.5)


def dated(serial: float, tokens: tuple[Token, ...], *, since_1904: bool, is_chinese: bool) -> str | None:
    """The moment in the words of the format; None where the number stands for no moment."""
    places = min(_places(tokens), _MAX_PLACES)
    when = _moment(serial, places, since_1904=since_1904)
    if when is None:
        return None
    has_noon = any(kind == "noon" for kind, _ in tokens)
    pieces: list[str] = []
    for index, (kind, text) in enumerate(tokens):
        if kind == "date":
            name = "minute" if text[0] in "mM" and _is_minute(tokens, index) else text[0].lower()
            pieces.append(_part(when, name, len(text), has_noon=has_noon, is_chinese=is_chinese))
        elif kind == "elapsed":
            pieces.append(_elapsed(serial, text, places))
        elif kind == "noon":
            pieces.append(_noon(when, text, is_chinese=is_chinese))
        elif kind == "digit":
            pieces.append(_second_digit(when, tokens, index))
        else:
            pieces.append(text if kind in {"point", "comma"} else literal((kind, text)))
    return "".join(pieces).strip()


def _places(tokens: tuple[Token, ...]) -> int:
    """How many places of the second are shown: digits behind a point."""
    most = run = 0
    for before, token in pairwise(tokens):
        run = run + 1 if token[0] == "digit" and (run or before[0] == "point") else 0
        most = max(most, run)
    return most


def _part(when: _Moment, name: str, width: int, *, has_noon: bool, is_chinese: bool) -> str:
    hour = when.second // 3600
    if name in "yb":
        year = when.year + (_BUDDHIST if name == "b" else 0)
        return f"{year:04d}" if width > 2 else f"{year % 100:02d}"
    if name in "ea" or (name in "md" and width > 2):
        return _name(when, name, width, is_chinese=is_chinese)
    numbers = {
        "m": when.month,
        "d": when.day,
        "h": (hour % 12 or 12) if has_noon else hour,
        "minute": when.second // 60 % 60,
        "s": when.second % 60,
    }
    return f"{numbers[name]:0{min(width, 2)}d}" if name in numbers else ""


def _name(when: _Moment, name: str, width: int, *, is_chinese: bool) -> str:
    """The year of `e`, the weekday of `aaa` and `ddd`, the month of `mmm`."""
    if name == "e":
        return str(when.year)
    if name == "a" or (name == "d" and is_chinese):
        return f"星期{_CHINESE_DAYS[when.weekday]}" if width > 3 else f"周{_CHINESE_DAYS[when.weekday]}"
    if name == "d":
        return _WEEKDAYS[when.weekday] if width > 3 else _WEEKDAYS[when.weekday][:3]
    if is_chinese:
        return f"{_CHINESE_MONTHS[when.month - 1]}月"
    month = _MONTHS[when.month - 1]
    return {3: month[:3], 5: month[:1]}.get(width, month)


def _is_minute(tokens: tuple[Token, ...], index: int) -> bool:
    """True for an `m` beside hours or seconds: the letter means months elsewhere."""
    if len(tokens[index][1]) > 2:
        return False
    before = next((text for kind, text in reversed(tokens[:index]) if kind in {"date", "elapsed"}), "")
    after = next((text for kind, text in tokens[index + 1 :] if kind in {"date", "elapsed"}), "")
    return before[:1] in {"h", "H", "s", "S"} or after[:1] in {"s", "S"}


def _elapsed(serial: float, text: str, places: int) -> str:
    seconds = _units(serial, places) // 10**places
    return f"{seconds // {'h': 3600, 'm': 60, 's': 1}[text[0]]:0{len(text)}d}"


def _noon(when: _Moment, text: str, *, is_chinese: bool) -> str:
    if is_chinese or text.startswith("上"):
        return "上午" if when.second < _NOON else "下午"
    name = "AM" if when.second < _NOON else "PM"
    return name if len(text) > 3 else name[0]


def _second_digit(when: _Moment, tokens: tuple[Token, ...], index: int) -> str:
    """A digit of the fraction of a second, which stands behind a point."""
    place = 0
    while index - place > 0 and tokens[index - place - 1][0] == "digit":
        place += 1
    return when.digits[place : place + 1]
