"""Numbers as a spreadsheet shows them: the number format language, with dates, and the formats that have no code."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from extractors._ooxml.serial_date import DATE_TOKENS, Token, dated, literal

GENERAL = "General"
#: The formats that a file names by number only. 14 and 22 differ by country: ISO order is read alike everywhere. 27 to
#: 58 are those of Chinese Excel (ECMA-376 part 1, 18.8.30).
BUILTIN = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: GENERAL,
    13: GENERAL, 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;-#,##0;-", 42: "$#,##0;-$#,##0;-",
    43: "#,##0.00;-#,##0.00;-", 44: "$#,##0.00;-$#,##0.00;-", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "0.0E+0", 49: "@",
    27: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 29: 'm"月"d"日"', 30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"',
    32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"', 34: 'AM/PMh"时"mm"分"', 35: 'AM/PMh"时"mm"分"ss"秒"',
    36: 'yyyy"年"m"月"', 50: 'yyyy"年"m"月"', 51: 'm"月"d"日"', 52: 'yyyy"年"m"月"', 53: 'm"月"d"日"',
    54: 'm"月"d"日"', 55: 'AM/PMh"时"mm"分"', 56: 'AM/PMh"时"mm"分"ss"秒"', 57: 'yyyy"年"m"月"',
    58: 'm"月"d"日"',
}  # fmt: skip

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"?) | (?P<escaped>\\.) | (?P<space>_.) | (?P<fill>\*.) | (?P<bracket>\[[^\]]*\]) |
        (?P<general>General) | (?P<noon>AM/PM|A/P|上午/下午) | (?P<date>y+|m+|d+|h+|s+|a{3,4}|e+(?![+-])|g+) |
        (?P<exponent>E[+-]) | (?P<digit>[0#?]) | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<text>@) |
        (?P<end>;) | (?P<other>.)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)(-?[0-9.]+)")
_CURRENCY = re.compile(r"\$([^-\]]*)(?:-([0-9A-Fa-f]+))?")
_MAX_CODE_CHARS = 255
#: Together they stay within the 28 digits of Python's decimals.
_MAX_DECIMALS = 10
_MAX_EXACT = 1e15


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    is_date: bool
    is_chinese: bool


def general(raw: str) -> str:
    """A stored number without a format; whole numbers keep all their digits."""
    if re.fullmatch(r"-?\d{1,20}", raw, re.ASCII):
        return raw
    return f"{float(raw):.15g}".upper()


def displayed(raw: str, code: str, *, since_1904: bool = False) -> str:
    """The stored number `raw` in the number format `code`; `raw` itself where it is no number."""
    try:
        number = float(raw)
    except ValueError:
        return raw
    if not math.isfinite(number):
        return raw
    section, number = _chosen(_sections(code[:_MAX_CODE_CHARS]), number)
    return (_shown(number, section, raw, since_1904=since_1904) if section else None) or general(raw)


def _shown(number: float, section: _Section, raw: str, *, since_1904: bool) -> str | None:
    """The number in one section of a format; None for what we show without a format."""
    kinds = {kind for kind, _ in section.tokens}
    if section.is_date:
        return dated(number, section.tokens, since_1904=since_1904, is_chinese=section.is_chinese)
    if kinds & {"general", "text"}:
        return _around(section.tokens, general(raw))
    is_fraction = ("other", "/") in section.tokens  # 1 3/8
    return None if is_fraction or abs(number) >= _MAX_EXACT else _numbered(number, section.tokens)


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    parts: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "other"
        if kind == "end":
            parts.append([])
        else:
            parts[-1].append((kind, match[0]))
    return tuple(_section(part) for part in parts)


def _section(tokens: list[Token]) -> _Section:
    condition, is_chinese, kept = None, False, list[Token]()
    for kind, text in tokens:
        inside = text[1:-1]
        if kind != "bracket":
            kept.append((kind, text))
        elif inside.startswith("$") and (currency := _CURRENCY.match(inside)):
            is_chinese |= (currency[2] or "").endswith(("804", "404", "004"))
            kept.append(("quoted", f'"{currency[1]}"'))
        elif match := _CONDITION.fullmatch(inside):
            condition = (match[1], _float(match[2]))
        elif inside and set(inside.lower()) in ({"h"}, {"m"}, {"s"}):
            kept.append(("elapsed", inside.lower()))
    is_date = any(kind in DATE_TOKENS for kind, _ in kept)
    return _Section(tuple(kept), condition, is_date, is_chinese)


def _chosen(sections: tuple[_Section, ...], number: float) -> tuple[_Section | None, float]:
    """The section that shows this number, and the number as it is shown there (without the sign it implies)."""
    if any(section.condition for section in sections):
        section = next((s for s in sections if s.condition is None or _holds(s.condition, number)), None)
        implies_sign = section is not None and section.condition is not None and section.condition[0] in {"<", "<="}
        return section, abs(number) if implies_sign else number
    count = len(sections)
    if count >= 3 and number == 0:
        return sections[2], number
    if count >= 2 and number < 0:
        return sections[1], -number
    return sections[0], number


def _holds(condition: tuple[str, float], number: float) -> bool:
    sign, bound = condition
    return {
        "<": number < bound,
        "<=": number <= bound,
        ">": number > bound,
        ">=": number >= bound,
        "=": number == bound,
        "<>": number != bound,
    }[sign]


def _around(tokens: tuple[Token, ...], value: str) -> str:
    """`value` in the place of General or @, with the words around it."""
    return "".join(value if kind in {"general", "text"} else literal((kind, text)) for kind, text in tokens)


def _numbered(number: float, tokens: tuple[Token, ...]) -> str:
    kinds = [kind for kind, _ in tokens]
    if "exponent" in kinds:
        return _scientific(number, tokens)
    point = kinds.index("point") if "point" in kinds else len(tokens)
    whole, fraction = tokens[:point], tokens[point + 1 :]
    digits = [index for index, kind in enumerate(kinds) if kind == "digit"]
    scale = 2 * kinds.count("percent")
    if digits:
        scale -= 3 * sum(1 for kind in kinds[digits[-1] :] if kind == "comma")
        scale -= 3 * sum(1 for kind in kinds[_last_digit(whole) + 1 : point] if kind == "comma" and point < len(tokens))
    places = min(sum(1 for kind, _ in fraction if kind == "digit"), _MAX_DECIMALS)
    exact = Decimal(f"{number:.15g}").scaleb(scale)
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    whole_digits, _, fraction_digits = f"{abs(rounded):f}".partition(".")
    text = _fill_whole(whole, whole_digits, is_grouped=_is_grouped(whole)) if digits else _literals(whole)
    text += _fill_fraction(fraction, fraction_digits.ljust(places, "0"))
    return f"-{text}" if rounded < 0 else text


def _last_digit(tokens: tuple[Token, ...]) -> int:
    return max((index for index, (kind, _) in enumerate(tokens) if kind == "digit"), default=-1)


def _is_grouped(whole: tuple[Token, ...]) -> bool:
    return any(kind == "comma" for kind, _ in whole[: max(0, _last_digit(whole))])


def _fill_whole(tokens: tuple[Token, ...], digits: str, *, is_grouped: bool) -> str:
    """Digits into their places from the right; the first place takes all that are left."""
    digits = digits.lstrip("0")
    first = next((index for index, (kind, _) in enumerate(tokens) if kind == "digit"), 0)
    pieces: list[str] = []
    placed = 0
    for index in range(len(tokens) - 1, -1, -1):
        kind, text = tokens[index]
        if kind != "digit":
            pieces.append(literal((kind, text)))
            continue
        take = max(1, len(digits) - placed) if index == first else 1
        for _ in range(take):
            digit = digits[-placed - 1] if placed < len(digits) else "0" if text == "0" else ""
            if digit:
                pieces.append(f"{digit}," if is_grouped and placed and placed % 3 == 0 else digit)
            placed += 1
    return "".join(reversed(pieces)).strip()


def _fill_fraction(tokens: tuple[Token, ...], digits: str) -> str:
    needed = max((i + 1 for i, (_, text) in enumerate(t for t in tokens if t[0] == "digit") if text == "0"), default=0)
    shown = digits[: max(needed, len(digits.rstrip("0")))]
    pieces: list[str] = []
    placed = 0
    for token in tokens:
        if token[0] == "digit":
            pieces.append(shown[placed : placed + 1])
            placed += 1
        else:
            pieces.append(literal(token))
    return ("." if shown else "") + "".join(pieces)


def _literals(tokens: tuple[Token, ...]) -> str:
    return "".join(map(literal, tokens))


def _scientific(number: float, tokens: tuple[Token, ...]) -> str:
    kinds = [kind for kind, _ in tokens]
    split = kinds.index("exponent")
    point = kinds.index("point") if "point" in kinds[:split] else split
    places = sum(1 for kind in kinds[point:split] if kind == "digit")
    width = sum(1 for kind in kinds[split:] if kind == "digit")
    mantissa, _, power = f"{number:.{min(places, _MAX_DECIMALS)}E}".partition("E")
    sign = "-" if power.startswith("-") else "+" if tokens[split][1].endswith("+") else ""
    return f"{mantissa}E{sign}{power.lstrip('+-0').zfill(width)}"


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
