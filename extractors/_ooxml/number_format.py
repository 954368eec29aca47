"""Numbers and texts as a spreadsheet shows them: the number format language, section by section."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from extractors import markdown
from extractors._ooxml.builtin_formats import GENERAL
from extractors._ooxml.number_digits import MAX_SIZE, numbered, scientific
from extractors._ooxml.number_fraction import fraction
from extractors._ooxml.serial_date import DATE_TOKENS, Token, dated, literal

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"?) | (?P<escaped>\\.) | (?P<space>_.) | (?P<fill>\*.|B[12](?=[ymdh])) |
        (?P<bracket>\[[^\]]*\]) | (?P<general>General) | (?P<noon>AM/PM|A/P|上午/下午) |
        (?P<date>y+|m+|d+|h+|s+|a{3,4}|b{2,4}|e+(?![+-])|g+) |
        (?P<exponent>E[+-]) | (?P<digit>[0#?]) | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<text>@) |
        (?P<end>;) | (?P<other>.)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[0-9.]+(?:E[+-]?[0-9]+)?)", re.IGNORECASE)
_CURRENCY = re.compile(r"\$([^-\]]*)(?:-(.+))?")
_CHINESE = re.compile(r"0*(?:[0-9A-F]{2,4})?(?:804|404|004)|zh.*", re.IGNORECASE)
_WHOLE = re.compile(r"-?\d{1,20}", re.ASCII)
_MAX_CODE_CHARS = 255
#: From here on a number that is not whole is shown to its units only; beyond `_EXACT`, by its first six digits.
_LONG, _EXACT = 1e11, 1e15


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    is_date: bool
    is_chinese: bool
    has_colour: bool

    @property
    def words(self) -> str:
        """What stands around the digits."""
        return "".join(map(literal, self.tokens)).strip()

    def has(self, kind: str) -> bool:
        return any(token[0] == kind for token in self.tokens)


def general(raw: str) -> str:
    """A stored number in the eleven characters that a sheet gives it; whole numbers keep all their digits."""
    if _WHOLE.fullmatch(raw):
        return raw
    number = float(raw)
    size = abs(number)
    if size >= _LONG:
        return f"{number:.0f}" if size < _EXACT else f"{number:.6g}".upper()
    places = 9 if size < 1 else max(0, 9 - int(math.log10(size)))
    text = _trimmed(f"{number:.{places}f}")
    if 0 < size < 1e-4:
        text = _trimmed(f"{number:.12f}")
        return text if len(text.lstrip("-")) <= 11 and float(text) else f"{number:.6g}".upper()
    return text


def _trimmed(digits: str) -> str:
    trimmed = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if trimmed == "-0" else trimmed


def displayed(raw: str, code: str, *, since_1904: bool = False) -> str:
    """The stored number `raw` in the number format `code`; `raw` itself where it is no number."""
    try:
        number = float(raw)
    except ValueError:
        return raw
    if not math.isfinite(number):
        return raw
    if code in {"", GENERAL}:
        return general(raw)
    section, number = _chosen(_sections(code[:_MAX_CODE_CHARS]), number)
    shown = _shown(number, section, raw, since_1904=since_1904) if section else None
    if shown is None:
        return general(raw)
    is_meant = number and section is not None and not section.has("digit")
    return markdown.hidden(general(raw)) if is_meant and not shown else shown


def displayed_text(text: str, code: str) -> str:
    """A stored text in the number format `code`, which may put words around it or hide it."""
    if not text or ("@" not in code and code.count(";") < 3) or code == "@":
        return text
    sections = _sections(code[:_MAX_CODE_CHARS])
    if len(sections) < 4 and not sections[-1].has("text"):
        return text
    return _around(sections[-1].tokens, text) or markdown.hidden(text)


def _shown(number: float, section: _Section, raw: str, *, since_1904: bool) -> str | None:
    """The number in one section of a format; None for what we show without a format."""
    tokens = section.tokens
    if section.is_date:
        is_negative = number < 0 and section.has("elapsed")
        shown = dated(
            abs(number) if is_negative else number, tokens, since_1904=since_1904, is_chinese=section.is_chinese
        )
        return f"-{shown}" if is_negative and shown else shown
    if section.has("general") or section.has("text"):
        sign = "-" if number < 0 else ""
        return sign + _around(tokens, general(raw.strip().lstrip("+-")))
    if section.has("exponent"):
        return scientific(number, tokens)
    if abs(number) >= MAX_SIZE:
        return None
    if ("other", "/") in tokens and section.has("digit"):  # 1 3/8
        return fraction(number, tokens)
    return numbered(number, tokens)


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
    condition, is_chinese, has_colour, kept = None, False, False, list[Token]()
    for kind, text in tokens:
        inside = text[1:-1]
        if kind != "bracket":
            kept.append((kind, text))
        elif inside.startswith("$") and (currency := _CURRENCY.match(inside)):
            is_chinese |= _CHINESE.fullmatch(currency[2] or "") is not None
            kept.append(("quoted", f'"{currency[1]}"'))
        elif match := _CONDITION.fullmatch(inside):
            condition = (match[1], _float(match[2]))
        elif inside and set(inside.lower()) in ({"h"}, {"m"}, {"s"}):
            kept.append(("elapsed", inside.lower()))
        else:
            has_colour = True
    is_date = any(kind in DATE_TOKENS for kind, _ in kept)
    return _Section(tuple(kept), condition, is_date, is_chinese, has_colour)


def _chosen(sections: tuple[_Section, ...], number: float) -> tuple[_Section | None, float]:
    """The section that shows this number, and the number as it is shown there (without the sign it implies)."""
    if len(sections) > 1 and (len(sections) > 3 or sections[-1].has("text")):
        sections = sections[:-1]
    if any(section.condition for section in sections):
        return _by_condition(sections, number)
    count = len(sections)
    if count >= 3 and number == 0:
        return sections[2], number
    if count > 1 and number < 0:
        # Where only a colour, which we do not show, tells negative numbers from others, they keep their sign.
        is_told = not sections[1].has_colour or sections[1].words != sections[0].words
        return sections[1], -number if is_told else number
    return sections[0], number


def _by_condition(sections: tuple[_Section, ...], number: float) -> tuple[_Section | None, float]:
    for place, section in enumerate(sections):
        condition = section.condition
        if condition is None and place < len(sections) - 1:
            condition = (">", 0.0) if place == 0 else ("<", 0.0)  # what these are for where nothing is said
        if condition is None or _holds(condition, number):
            # One section shows the sign of all numbers; several of them say it by what they hold.
            implies_sign = condition is not None and condition[0] in {"<", "<="} and condition[1] <= 0
            return section, abs(number) if implies_sign and len(sections) > 1 else number
    return None, number


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
    return "".join(
        value if kind in {"general", "text"} else text if kind in DATE_TOKENS else literal((kind, text))
        for kind, text in tokens
    ).strip()


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
