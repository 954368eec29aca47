"""What the fields of a document show: links, and what Word draws from an instruction that has no result."""

from __future__ import annotations

import re

from extractors._numerals import numeral
from extractors._symbol_fonts import symbol

_LINK = re.compile(
    r'\bHYPERLINK\s+(?:\\[a-km-z]\s+)*(?:"([^"]+)"|([^\s"\\]\S*))(?:.*?\\l\s+"([^"]+)")?', re.DOTALL | re.IGNORECASE
)
_BUTTON = re.compile(r"\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s(.*)", re.DOTALL | re.IGNORECASE)
_SIGN = re.compile(
    r'\s*SYMBOL\s+(0x[0-9a-f]{1,4}|\d{1,5})\b(?:.*?\\f\s+(?:"([^"]*)"|(\S+)))?', re.DOTALL | re.IGNORECASE
)
_EQUATION = re.compile(r"\s*EQ\s(.*)", re.DOTALL | re.IGNORECASE)
_PHONETIC_GUIDE = re.compile(r"\\o\\a\w\s*\(\s*\\s\\up\s*[\d.]+\(([^()]*)\)\s*[,;]\s*([^()]*)\)", re.IGNORECASE)
_ENCLOSED = re.compile(r"\\o\\ac\s*\([^(),;]*[,;]\s*([^(),;]*)\)", re.IGNORECASE)
_FRACTION = re.compile(r"\\f\s*\(([^(),;]*)[,;]([^(),;]*)\)", re.IGNORECASE)
_ROOT = re.compile(r"\\r\s*\((?:([^(),;]*)[,;])?([^(),;]*)\)", re.IGNORECASE)


def field_address(instruction: str) -> str:
    """The outside address of a HYPERLINK field, or ""."""
    match = _LINK.search(instruction)
    return with_anchor(match[1] or match[2], match[3]) if match else ""


def with_anchor(address: str, anchor: str | None) -> str:
    """An outside address with the place in it."""
    return f"{address}#{anchor}" if address and anchor and "#" not in address else address


def drawn(instruction: str) -> str:
    """What a field without a result shows: the words on a button, a sign, a formula; "" for others."""
    if match := _BUTTON.match(instruction):
        return match[1].strip()
    if match := _SIGN.match(instruction):
        return symbol(int(match[1], 0), match[2] or match[3])
    match = _EQUATION.match(instruction)
    return _formula(match[1]) if match else ""


def _formula(instruction: str) -> str:
    if match := _PHONETIC_GUIDE.search(instruction):
        return f"{match[2]}({match[1]})"
    if match := _ENCLOSED.search(instruction):
        return numeral(int(match[1]), "decimalEnclosedCircle") if match[1].isdecimal() else match[1]
    if match := _FRACTION.search(instruction):
        return f"{match[1]}/{match[2]}"
    match = _ROOT.search(instruction)
    return (f"√[{match[1]}]({match[2]})" if match[1] else f"√({match[2]})") if match else ""
