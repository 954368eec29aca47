"""Encodings that give themselves away by their shape: UTF-16, UTF-32 without a mark, East Asian ones of 7 bits."""

from __future__ import annotations

from collections import Counter

from extractors._charset.strict import strict

SAMPLE_BYTES = 64 * 1024
#: Alphabets outside of Latin, by their blocks of 128 characters: Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai.
_ALPHABETS = frozenset({0x380, 0x400, 0x480, 0x580, 0x600, 0x900, 0xE00})
_BLOCK = ~0x7F
#: What switches to two bytes a character; ASCII is what stands outside.
_SWITCHES = (b"\x1b$B", b"\x1b$@", b"\x1b$(D", b"\x1b$A", b"\x1b$(C", b"\x1b(I")
_SEVEN_BIT = ("iso2022_jp_ext", "iso2022_jp_2")
#: What Korean of seven bits begins with; shifts go between its letters and ASCII.
KOREAN_SWITCH = b"\x1b$)C"


def wide_without_mark(data: bytes) -> str | None:
    """UTF-16 or UTF-32 in its byte order, for text that begins without a mark; None when it is something else."""
    sample = data[:SAMPLE_BYTES]
    if b"\0" not in sample:
        return None
    whole = sample[: len(sample) & ~3]
    for encoding, high in (("utf-32-le", whole[3::4]), ("utf-32-be", whole[::4])):
        if whole and not any(high) and _is_plausible(strict(whole, encoding) or ""):
            return encoding
    sample = sample[: len(sample) & ~1]
    for encoding, high in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        # Blanks, digits and line ends have a NUL for their high byte.
        if b"\0" in high and _is_plausible(strict(sample, encoding) or ""):
            return encoding
    return None


def seven_bit(data: bytes) -> str | None:
    """The kind of ISO-2022 that `data` is, Japanese or Korean; None when it is something else."""
    if KOREAN_SWITCH in data and strict(data, "iso2022_kr") is not None:
        return "iso2022_kr"
    if not any(switch in data for switch in _SWITCHES):
        return None
    return next((encoding for encoding in _SEVEN_BIT if strict(data, encoding) is not None), None)


def _is_plausible(text: str) -> bool:
    """True when nearly all is ASCII, Latin, CJK, kana, hangul, full width or one alphabet, and nothing a control."""
    if not text or any(char < " " and char not in "\t\n\r\f" for char in text):
        return False
    usual = sum(
        char < "\u0250" or "\u2000" <= char <= "\u206f" or "\u3000" <= char <= "\u9fff" or "\uac00" <= char <= "\uffef"
        for char in text
    )
    blocks = Counter(ord(char) & _BLOCK for char in text if "\u0380" <= char < "\u0e80")
    alphabet = max((count for block, count in blocks.items() if block in _ALPHABETS), default=0)
    return usual + alphabet >= len(text) * 0.9
