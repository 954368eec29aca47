"""What a cell shows: its stored value in its number format."""

from __future__ import annotations

import datetime
import math
import re

from extractors._iwork.cells import Cell
from extractors._iwork.protobuf import Message
from extractors._ooxml.number_format import GENERAL, displayed

_DECIMAL, _CURRENCY, _PERCENT, _SCIENTIFIC, _DATE = 256, 257, 258, 259, 261
_AUTOMATIC_PLACES = 253
_MAX_PLACES = 10
SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "¥", "KRW": "₩", "INR": "₹", "RUB": "₽"}
_IN_PARENTHESES = frozenset({2, 3})
#: iWork counts seconds from 2001, the format language days from 1899-12-30.
_ORIGIN = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)
_ORIGIN_SERIAL = 36892
_SECONDS_A_DAY = 86_400
#: Letters of a Unicode date pattern as the format language of spreadsheets writes them.
_PATTERN = re.compile(r"'([^']*)'|(y+|M+|d+|E+|H+|h+|m+|s+|a+)|([^'a-zA-Z]+)|.")
_MAX_PATTERN_CHARS = 100
_MAX_SECONDS = 3e11


def shown(cell: Cell, number_format: Message) -> str:
    """A number, date, duration or truth value as the table shows it."""
    if not math.isfinite(cell.value):
        return ""
    if cell.kind == "boolean":
        return "TRUE" if cell.value else "FALSE"
    if cell.kind == "error":
        return "#ERROR!"
    if cell.kind == "duration":
        return _duration(cell.value)
    if cell.kind == "date":
        return shown_date(cell.value, number_format.text(14) if number_format.number(1) == _DATE else "")
    return displayed(repr(cell.value).removesuffix(".0"), _code(number_format))


def _code(number_format: Message) -> str:
    """The number format as a code of the spreadsheets' language."""
    kind, places = number_format.number(1), number_format.number(2, _AUTOMATIC_PLACES)
    if kind not in {_DECIMAL, _CURRENCY, _PERCENT, _SCIENTIFIC}:
        return GENERAL
    digits = "." + ("0" * min(places, _MAX_PLACES) if places < _AUTOMATIC_PLACES else "#" * _MAX_PLACES)
    digits = digits if places else ""
    if kind == _SCIENTIFIC:
        return f"0{digits}E+00" if places < _AUTOMATIC_PLACES else "0.00E+00"
    is_grouped = bool(number_format.number(5))
    if kind == _DECIMAL and places >= _AUTOMATIC_PLACES and not is_grouped:
        return GENERAL
    code = ("#,##0" if is_grouped else "0") + digits
    if kind == _PERCENT:
        code += "%"
    elif kind == _CURRENCY:
        name = number_format.text(3)[:10].replace('"', "")
        code = f'"{SYMBOLS.get(name, f"{name} ")}"{code}'
    return f"{code};({code})" if number_format.number(4) in _IN_PARENTHESES else code


def shown_date(seconds: float, pattern: str) -> str:
    """A moment, counted from 2001, in a Unicode date pattern; in ISO order where there is none."""
    if abs(seconds) > _MAX_SECONDS:
        return ""
    if pattern:
        code = "".join(map(_translated, _PATTERN.finditer(pattern[:_MAX_PATTERN_CHARS])))
        return displayed(repr(_ORIGIN_SERIAL + seconds / _SECONDS_A_DAY), code)
    try:
        moment = _ORIGIN + datetime.timedelta(seconds=round(seconds))
    except OverflowError:
        return ""
    return f"{moment:%Y-%m-%d}" if moment.time() == datetime.time() else f"{moment:%Y-%m-%d %H:%M:%S}"


def _translated(match: re.Match[str]) -> str:
    quoted, letters, other = match.groups()
    if quoted is not None:
        return f'"{quoted}"'.replace('""', "'")
    if not letters:
        return f'"{other}"' if other and other.strip(" /-.:,") else other or ""
    letter, width = letters[0], len(letters)
    if letter == "y":
        return "yy" if width == 2 else "yyyy"
    if letter == "E":
        return "dddd" if width >= 4 else "ddd"
    return "AM/PM" if letter == "a" else letters.lower()


def _duration(seconds: float) -> str:
    if abs(seconds) > _MAX_SECONDS:
        return ""
    left = abs(seconds)
    parts = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:.0f}{unit}")
    if left or not parts:
        parts.append(f"{round(left, 3):g}s")
    return ("-" if seconds < 0 else "") + " ".join(parts)
