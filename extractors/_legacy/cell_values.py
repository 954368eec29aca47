"""How the binary forms of Excel keep numbers and errors in cells."""

from __future__ import annotations

import math

from extractors._legacy.numbers import f64

ERRORS = {0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A"}

#: Whole numbers up to here are exact: all their digits mean something.
_MAX_EXACT = 2.0**53


def rk(packed: int) -> float:
    """A number packed into 30 bits: a whole one or the head of a floating-point one, perhaps times a hundred."""
    if packed & 0x02:
        whole = packed >> 2
        value = float(whole - 0x4000_0000 if whole & 0x2000_0000 else whole)
    else:
        value = f64(b"\0\0\0\0" + (packed & 0xFFFF_FFFC).to_bytes(4, "little"), 0)
    return value / 100 if packed & 0x01 else value


def number_text(value: float) -> str:
    """A number as text with all its digits; "" for what is none."""
    if not math.isfinite(value):
        return ""
    return str(int(value)) if value.is_integer() and abs(value) <= _MAX_EXACT else repr(value)
