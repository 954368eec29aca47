"""What a cell shows: its stored value in its number format."""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal

from extractors._iwork.cells import Cell
from extractors._iwork.durations import duration
from extractors._iwork.protobuf import Message
from extractors._ooxml.number_format import displayed

_DECIMAL, _CURRENCY, _PERCENT, _SCIENTIFIC, _DATE, _FRACTION, _BASE = 256, 257, 258, 259, 261, 262, 269
#: A stepper and a slider say in another field how their number is written.
_CONTROLS = frozenset({264, 265})
_AUTOMATIC_PLACES = 253
_MAX_PLACES = 15
_MAX_WHOLE = 1e15
_ALL_BITS = 0xFFFF_FFFF
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
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
        return duration(cell.value, number_format) if abs(cell.value) <= _MAX_SECONDS else ""
    if cell.kind == "date":
        return shown_date(cell.value, number_format.text(14) if number_format.number(1) == _DATE else "")
    return _number(cell.value, number_format)


def _number(value: float, number_format: Message) -> str:
    kind = number_format.number(1)
    if kind in _CONTROLS:
        kind = number_format.number(24)
    if kind == _BASE:
        return _in_base(value, number_format.number(8, 10), number_format.number(9))
    places = number_format.number(2, _AUTOMATIC_PLACES)
    is_automatic = places >= _AUTOMATIC_PLACES
    if is_automatic:
        places = _decimals(value * 100 if kind == _PERCENT else value)
    raw = repr(value).removesuffix(".0")
    if kind == _FRACTION:
        return displayed(raw, _fraction_code(number_format.number(11)))
    digits = f".{'0' * min(places, _MAX_PLACES)}" if places else ""
    if kind == _SCIENTIFIC:
        return displayed(raw, "0.00E+00" if is_automatic else f"0{digits}E+00")
    if kind not in {_DECIMAL, _CURRENCY, _PERCENT}:
        return plain(value)
    return displayed(raw, _code(kind, digits, number_format))


def plain(value: float) -> str:
    """A number without a format."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < _MAX_WHOLE else f"{value:.15g}".upper()


def _decimals(value: float) -> int:
    """How many places a number needs."""
    exponent = Decimal(f"{value:.{_MAX_PLACES}g}").normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _code(kind: int, digits: str, number_format: Message) -> str:
    """The number format as a code of the spreadsheets' language."""
    code = ("#,##0" if number_format.number(5) else "0") + digits
    if kind == _PERCENT:
        code += "%"
    elif kind == _CURRENCY:
        name = number_format.text(3)[:10].replace('"', "")
        code = f'"{SYMBOLS.get(name, f"{name} ")}"{code}'
    return f"{code};({code})" if number_format.number(4) in _IN_PARENTHESES else code


def _fraction_code(accuracy: int) -> str:
    """A fixed denominator, or the number of its digits, which are counted down from the top of 32 bits."""
    digits = (1 << 32) - (accuracy & _ALL_BITS)
    return f"# {'?' * digits}/{'?' * digits}" if digits <= 3 else f"# ?/{accuracy or 2}"


def _in_base(value: float, base: int, places: int) -> str:
    """A whole number in another base than ten."""
    left, digits = round(abs(value)), ""
    while left and 2 <= base <= len(_DIGITS):
        left, digit = divmod(left, base)
        digits = _DIGITS[digit] + digits
    return f"{'-' if value < 0 else ''}{(digits or '0').rjust(min(places, _MAX_PLACES), '0')}"


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
