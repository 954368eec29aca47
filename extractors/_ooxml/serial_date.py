"""Dates and times of spreadsheets: days since an epoch, written as the tokens of a number format say."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

DATE_TOKENS = frozenset({"date", "noon", "elapsed"})
_MAX_SERIAL = 2_958_466  # the end of the year 9999
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_CHINESE_DAYS = "一二三四五六日"
_CHINESE_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")

Token = tuple[str, str]  # one token of a number format: what it is, and its text


def literal(token: Token) -> str:
    """The text that a token stands for by itself; "" for those that stand for something else."""
    kind, text = token
    if kind == "quoted":
        return text.strip('"')
    if kind == "escaped":
        return text[1:]
    return text if kind in {"other", "percent"} else ""


def moment(serial: float, *, since_1904: bool) -> datetime | None:
    """The moment that a serial number stands for; None outside of the calendar of spreadsheets."""
    if not 0 <= serial < _MAX_SERIAL:
        return None
    if since_1904:
        epoch = datetime(1904, 1, 1)  # noqa: DTZ001 - a spreadsheet's clock has no zone
    elif serial < 60:
        epoch = datetime(1899, 12, 31)  # noqa: DTZ001 - the same
    else:
        # Excel counts 29 February 1900, a day that never was.
        epoch = datetime(1899, 12, 30)  # noqa: DTZ001 - the same
    return epoch + timedelta(milliseconds=round(serial * 86_400_000))


def dated(serial: float, tokens: tuple[Token, ...], *, since_1904: bool, is_chinese: bool) -> str | None:
    """The moment in the words of the format; None where the number stands for no moment."""
    # A stored time is a fraction of a day, so that 9:05 may be a few microseconds short of it.
    has_fraction = any(first[0] == "point" and second[0] == "digit" for first, second in pairwise(tokens))
    rounded = serial if has_fraction else round(serial * 86_400) / 86_400
    when = moment(rounded, since_1904=since_1904)
    if when is None:
        return None
    has_noon = any(kind == "noon" for kind, _ in tokens)
    pieces: list[str] = []
    for index, (kind, text) in enumerate(tokens):
        if kind == "date":
            name = "minute" if text[0] in "mM" and _is_minute(tokens, index) else text[0].lower()
            pieces.append(_part(when, name, len(text), has_noon=has_noon, is_chinese=is_chinese))
        elif kind == "elapsed":
            pieces.append(_elapsed(rounded, text))
        elif kind == "noon":
            pieces.append(_noon(when, text, is_chinese=is_chinese))
        elif kind == "digit":
            pieces.append(_second_digit(when, tokens, index))
        else:
            pieces.append(text if kind in {"point", "comma"} else literal((kind, text)))
    return "".join(pieces).strip()


def _part(when: datetime, name: str, width: int, *, has_noon: bool, is_chinese: bool) -> str:
    hour = (when.hour % 12 or 12) if has_noon else when.hour
    if name == "y":
        return f"{when.year:04d}" if width > 2 else f"{when.year % 100:02d}"
    if name in "ea" or (name in "md" and width > 2):
        return _name(when, name, width, is_chinese=is_chinese)
    number = {"m": when.month, "d": when.day, "h": hour, "minute": when.minute, "s": when.second}.get(name)
    return "" if number is None else f"{number:0{min(width, 2)}d}"


def _name(when: datetime, name: str, width: int, *, is_chinese: bool) -> str:
    """The year of `e`, the weekday of `aaa` and `ddd`, the month of `mmm`."""
    if name == "e":
        return str(when.year)
    day = when.weekday()
    if name == "a" or (name == "d" and is_chinese):
        return f"星期{_CHINESE_DAYS[day]}" if width > 3 else f"周{_CHINESE_DAYS[day]}"
    if name == "d":
        return _WEEKDAYS[day] if width > 3 else _WEEKDAYS[day][:3]
    if is_chinese:
        return f"{_CHINESE_MONTHS[when.month - 1]}月"
    month = _MONTHS[when.month - 1]
    return {3: month[:3], 5: month[:1]}.get(width, month)


def _is_minute(tokens: tuple[Token, ...], index: int) -> bool:
    """True for an `m` that follows hours or comes before seconds: the letter means months elsewhere."""
    if len(tokens[index][1]) > 2:
        return False
    before = next((text for kind, text in reversed(tokens[:index]) if kind in {"date", "elapsed"}), "")
    after = next((text for kind, text in tokens[index + 1 :] if kind in {"date", "elapsed"}), "")
    return before[:1] in {"h", "H"} or after[:1] in {"s", "S"}


def _elapsed(serial: float, text: str) -> str:
    seconds = round(serial * 86_400)
    return f"{seconds // {'h': 3600, 'm': 60, 's': 1}[text[0]]:0{len(text)}d}"


def _noon(when: datetime, text: str, *, is_chinese: bool) -> str:
    if is_chinese or text.startswith("上"):
        return "上午" if when.hour < 12 else "下午"
    name = "AM" if when.hour < 12 else "PM"
    return name if len(text) > 3 else name[0]


def _second_digit(when: datetime, tokens: tuple[Token, ...], index: int) -> str:
    """A digit of the fraction of a second, which stands behind a point."""
    place = 0
    while index - place > 0 and tokens[index - place - 1][0] == "digit":
        place += 1
    return f"{when.microsecond:06d}"[place : place + 1]
