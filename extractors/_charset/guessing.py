"""The likeliest encoding of text that does not say it, by statistics (chardet, imported where it is asked)."""

from __future__ import annotations

import re

from extractors._charset.everyday import CANDIDATES, everyday_share
from extractors._charset.spelling import spelled
from extractors._charset.strict import strict

#: chardet's names for what our users send; offered all of its 80, it takes short Chinese for Croatian.
_GUESSES = ("gb18030", "big5hkscs", "cp932", "euc_jis_2004", "cp949", "cp1252", "cp1251", "koi8-r")
_CHINESE = ("gb18030", "big5hkscs")
#: One byte a character: asked where none of the Eastern ones makes sense.
_SINGLE_BYTE = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8-r", "koi8-u", "cp866",
    "cp874", "iso8859-2", "iso8859-5", "iso8859-6", "iso8859-7",
)  # fmt: skip
GUESS_SAMPLE_BYTES = 64 * 1024
#: Statistics say nothing on so few bytes (measured: 10 of 103 two-character words wrong).
STATISTICS_FROM_BYTES = 10
#: Text in an Eastern encoding consists of everyday characters, but for names and old books.
EVERYDAY_SHARE = 0.6
#: Where it makes that much sense, only a reading that statistics have found themselves may be better.
EVERYDAY_TOO = 0.95
#: Chinese must make so much more sense than what statistics have found.
CLEARLY = 0.2
#: Hardly anyone but Japanese writes kana: their bytes are rare characters in Chinese. Those of EUC are less telling.
_MIN_KANA = {"cp932": 2, "euc_jp": 5}
_KANA_SHARE = 0.5
#: Fewer letters are as easily a Chinese character.
MIN_ACCENTED_LETTERS = 4
#: Share of words that must look like words.
_WORD_SHARE = 0.9
#: Vowels and accents of Hebrew, Arabic and Thai that stand on a letter.
_MARKS = "\u05b0-\u05c2\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
_WORD = re.compile(rf"[^\W\d_]+(?:[{_MARKS}]+[^\W\d_]*)*")
_MARK = re.compile(f"[{_MARKS}]")
#: Signs beyond letters that stand in ordinary text of any language.
_USUAL_SIGNS = frozenset("\u00a0\u00ad‘’‚“”„…–—«»‹›•·¡¿§©®°±²³½¼¾€£¥¢ªº№™؟،؛")


def likeliest(data: bytes) -> str:
    """The likeliest encoding, told by the lines that are not ASCII."""
    sample = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:GUESS_SAMPLE_BYTES]
    beyond_ascii = sum(byte > 0x7F for byte in sample)
    if beyond_ascii < STATISTICS_FROM_BYTES and _is_everyday_chinese(strict(sample, "gb18030") or ""):
        return "gb18030"
    if japanese := next((encoding for encoding in _MIN_KANA if _is_kana(sample, encoding)), None):
        return japanese
    if (by_spelling := spelled(sample)) is not None:
        return by_spelling
    import chardet  # noqa: PLC0415 - a parser loads with the first file that needs it

    found = chardet.detect(sample, include_encodings=_GUESSES, compat_names=False)["encoding"] or "gb18030"
    eastern, share = _eastern(sample, found)
    is_eastern = share >= EVERYDAY_SHARE or beyond_ascii < STATISTICS_FROM_BYTES
    if found in CANDIDATES and is_eastern and not _is_accented(sample):
        return eastern
    if share >= EVERYDAY_TOO and not _is_coherent(strict(sample, found) or ""):
        return eastern
    ranking = chardet.detect_all(sample, include_encodings=_SINGLE_BYTE, compat_names=False, ignore_threshold=True)
    singles = [guess["encoding"] for guess in ranking if guess["encoding"] in _SINGLE_BYTE]
    coherent = (encoding for encoding in singles if _is_coherent(strict(sample, encoding) or ""))
    return next(coherent, None) or (found if found in _GUESSES and share < EVERYDAY_SHARE else eastern)


def _eastern(data: bytes, found: str) -> tuple[str, float]:
    """The Eastern encoding that was found, unless Chinese makes clearly more sense; and its share of everyday use."""
    shares = {encoding: everyday_share(data, encoding) for encoding in _CHINESE}
    if found in CANDIDATES:
        shares[found] = everyday_share(data, found) + CLEARLY
    best = max(shares, key=lambda encoding: shares[encoding])
    return best, shares[best] - (CLEARLY if best == found else 0)


def _is_everyday_chinese(text: str) -> bool:
    """True when every character beyond ASCII is Chinese punctuation or among the 3,755 most used characters."""
    beyond = [char.encode("gb2312", "ignore") for char in text if char > "\u007f"]
    return bool(beyond) and all(pair and (pair[0] in {0xA1, 0xA3} or 0xB0 <= pair[0] <= 0xD7) for pair in beyond)


def _is_kana(data: bytes, encoding: str) -> bool:
    """True for Japanese with so many kana that it can be nothing else."""
    beyond = [char for char in strict(data, encoding) or "" if char > "\u007f"]
    kana = sum("\u3041" <= char <= "\u30fe" for char in beyond)
    return kana >= _MIN_KANA[encoding] and kana >= len(beyond) * _KANA_SHARE


def _is_accented(data: bytes) -> bool:
    """True for words of ASCII with an accent here and there."""
    text = strict(data, "cp1252") or ""
    words = _words(text)
    is_mixed = all(sum(map(str.isascii, word)) * 2 > len(word) for word in words)
    return is_mixed and sum(map(len, words)) >= MIN_ACCENTED_LETTERS and _is_coherent(text)


def _is_coherent(text: str) -> bool:
    """True for letters that form words: of one script each, with capitals where capitals stand."""
    words = _words(text)
    letters = sum(map(len, words))
    signs = {char for char in text if char > "\u007f" and not char.isalpha()}
    return (
        letters >= 2 * len(words) > 0
        and all(char in _USUAL_SIGNS or _MARK.match(char) for char in signs)
        and sum(map(_is_word, words)) >= len(words) * _WORD_SHARE
        and sum(len(_MARK.findall(word)) for word in words) == len(_MARK.findall(text))
    )


def _words(text: str) -> list[str]:
    """The words with letters beyond ASCII."""
    return [word for word in _WORD.findall(text) if not word.isascii()]


def _is_word(word: str) -> bool:
    return len({_script(char) for char in word}) == 1 and (word[1:] == word[1:].lower() or word == word.upper())


def _script(char: str) -> int:
    """Latin is one script; of the others the high byte tells enough."""
    return 0 if char < "\u0250" else ord(char) >> 8
