"""Encodings of one byte a character that the spelling of their language gives away: Thai, Hebrew, Vietnamese."""

from __future__ import annotations

import re

from extractors._charset.everyday import everyday_share

#: Fewer letters are as easily something else.
MIN_THAI_LETTERS, MIN_HEBREW_LETTERS = 8, 12
#: Slips of the pen, and words that a program has cut.
MAX_MISSPELT = 0.02
#: Chinese is doubtful where more of its characters are rare ones.
SURE_CHINESE = 0.9
_CHINESE = ("gb18030", "big5hkscs")

_THAI = re.compile(r"[A-Za-z]*[\u0e01-\u0e5b]+[A-Za-z]*")
#: A consonant, with a vowel before it, marks above or below it, a vowel behind it; or a sign, or a number.
_THAI_SYLLABLES = re.compile(
    r"(?:[\u0e40-\u0e44]?[\u0e01-\u0e2e][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]{0,3}[\u0e30\u0e32\u0e33\u0e45]{0,2}"
    r"|[\u0e2f\u0e46]|[\u0e50-\u0e59]+)+"
)
_THAI_VOWEL = re.compile(r"[\u0e30-\u0e3a\u0e40-\u0e4e]")
_THAI_RARITY = re.compile(
    r"[\u0e03\u0e05\u0e06\u0e0c\u0e0e\u0e0f\u0e11\u0e12\u0e24\u0e26\u0e2c\u0e3a\u0e45\u0e4d-\u0e4f\u0e5a\u0e5b]"
)
_MIN_VOWELS, _MAX_RARITIES = 0.25, 0.15

_HEBREW = re.compile(r"[A-Za-z]*[\u05b0-\u05c2\u05d0-\u05ea]+[A-Za-z]*")
_HEBREW_POINTS = re.compile(r"(?<!^)[\u05b0-\u05c2]+")
#: Five letters look otherwise at the end of a word; of these, one may stand there in words from abroad.
_HEBREW_WORD = re.compile(
    r"(?:(?![\u05da\u05dd\u05df\u05e3\u05e5])[\u05d0-\u05ea])*(?![\u05db\u05de\u05e0\u05e6])[\u05d0-\u05ea]"
)

#: A tone stands on the vowel before it.
_TONE = re.compile(r"[\u0300\u0301\u0303\u0309\u0323]")
_TONE_IN_PLACE = re.compile(r"(?<=[aeiouyăâêôơưAEIOUYĂÂÊÔƠƯ])[\u0300\u0301\u0303\u0309\u0323](?![\u0300-\u0323])")
_VIETNAMESE_LETTERS = frozenset("ăâđêôơưĂÂĐÊÔƠƯàáèéìíòóùúýÀÁÈÉÌÍÒÓÙÚÝãõÃÕ\u0300\u0301\u0303\u0309\u0323")
_MIN_TONES = 3

#: Signs that stand in text of any language.
_SIGNS = frozenset("\u00a0\u00ad‘’‚“”„…–—«»•·°©®±€\u200e\u200f")


def spelled(data: bytes) -> str | None:
    """The encoding in which all words of `data` are spelt as they must be; None where there is none."""
    if _is_vietnamese(data.decode("cp1258", "replace")):
        return "cp1258"
    if _is_hebrew(data.decode("cp1255", "replace")):
        return "cp1255"
    is_thai = _is_thai(data.decode("cp874", "replace"))
    return "cp874" if is_thai and all(everyday_share(data, name) < SURE_CHINESE for name in _CHINESE) else None


def _is_thai(text: str) -> bool:
    runs = _THAI.findall(text)
    letters = sum(map(len, runs))
    misspelt = sum(len(run) for run in runs if not _THAI_SYLLABLES.fullmatch(run))
    return (
        letters >= MIN_THAI_LETTERS
        and misspelt <= letters * MAX_MISSPELT
        and not _has_others(text, _THAI)
        and len(_THAI_VOWEL.findall(text)) >= letters * _MIN_VOWELS
        and len(_THAI_RARITY.findall(text)) <= letters * _MAX_RARITIES
    )


def _is_hebrew(text: str) -> bool:
    runs = _HEBREW.findall(text)
    words = [_HEBREW_POINTS.sub("", run) for run in runs]
    letters = sum(map(len, words))
    misspelt = sum(len(word) for word in words if not _HEBREW_WORD.fullmatch(word))
    return letters >= MIN_HEBREW_LETTERS and misspelt <= letters * MAX_MISSPELT and not _has_others(text, _HEBREW)


def _has_others(text: str, words: re.Pattern[str]) -> bool:
    """True where there is anything beyond ASCII besides these words and the usual signs."""
    return any(char > "\u007f" and char not in _SIGNS for char in words.sub("", text))


def _is_vietnamese(text: str) -> bool:
    tones = len(_TONE.findall(text))
    return (
        tones >= _MIN_TONES
        and len(_TONE_IN_PLACE.findall(text)) >= tones * (1 - MAX_MISSPELT)
        and all(char <= "\u007f" or char in _VIETNAMESE_LETTERS or char in _SIGNS for char in text)
    )
