"""Numbers as lists show them: Roman, letters, and the numerals of East Asia."""

from __future__ import annotations

import re
from collections.abc import Callable

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHINESE = ("零一二三四五六七八九", "十", "百", "千")
_CHINESE_LEGAL = ("零壹贰叁肆伍陆柒捌玖", "拾", "佰", "仟")
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_MAX_ROMAN = 4_000
#: Word's own numbers of numeral systems, by the names that newer files give them.
WORD_NUMERALS = {0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
             10: "ideographDigital", 11: "japaneseCounting", 17: "japaneseDigitalTenThousand",
             18: "decimalEnclosedCircle", 22: "decimalZero", 23: "bullet", 28: "decimalEnclosedCircleChinese",
             30: "ideographTraditional", 31: "ideographZodiac", 33: "taiwaneseCounting",
             35: "taiwaneseCountingThousand", 36: "taiwaneseDigital", 37: "chineseCounting",
             38: "chineseLegalSimplified", 39: "chineseCountingThousand", 255: "none"}  # fmt: skip


_PAGE_NUMBER = re.compile(r"[\W\d_]{1,7}")


def is_page_number(text: str) -> bool:
    """True for a header or a footer that only counts pages: 3, - 3 -, 3/10."""
    return _PAGE_NUMBER.fullmatch(text) is not None


def numeral(number: int, name: str) -> str:
    """`number` in the numeral system of that name (as Word names them); decimal for those we do not know."""
    writer = _NUMERALS.get(name)
    return writer(number) if writer is not None and number >= 0 else str(number)


def _roman(number: int) -> str:
    if not 0 < number < _MAX_ROMAN:
        return str(number)
    letters = ""
    for worth, letter in _ROMAN:
        count, number = divmod(number, worth)
        letters += letter * count
    return letters


def _letters(number: int) -> str:
    """a to z, then aa, bb, ... as Word counts."""
    if not 0 < number <= 26 * 30:
        return str(number)
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _cycle(signs: str) -> Callable[[int], str]:
    return lambda number: signs[(number - 1) % len(signs)] if number > 0 else str(number)


def _circled(number: int) -> str:
    return chr(ord("①") + number - 1) if 1 <= number <= 20 else str(number)


def _digits(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "〇一二三四五六七八九"))


def _counted(signs: tuple[str, str, str, str], *, short_ten: bool) -> Callable[[int], str]:
    """Numbers under ten thousand in words, one 零 for a gap: 一百零二; with `short_ten` 十二, not 一十二."""
    digits, ten, hundred, thousand = signs

    def words(number: int) -> str:
        if number >= 10_000:
            return str(number)
        text = ""
        for worth, unit in ((1000, thousand), (100, hundred), (10, ten), (1, "")):
            digit = number // worth % 10
            text += digits[digit] + unit if digit else digits[0]
        text = re.sub(f"{digits[0]}+", digits[0], text).strip(digits[0]) or digits[0]
        return text[1:] if short_ten and text.startswith(digits[1] + ten) else text

    return words


_NUMERALS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": "{:02d}".format,
    "ordinal": lambda n: f"{n}{'th' if n % 100 in {11, 12, 13} else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}",
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerRoman": _roman,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerLetter": _letters,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "chineseCounting": _counted(_CHINESE, short_ten=True),
    "chineseCountingThousand": _counted(_CHINESE, short_ten=True),
    "taiwaneseCounting": _counted(_CHINESE, short_ten=True),
    "taiwaneseCountingThousand": _counted(_CHINESE, short_ten=True),
    "japaneseCounting": _counted(_CHINESE, short_ten=True),
    "chineseLegalSimplified": _counted(_CHINESE_LEGAL, short_ten=False),
    "ideographDigital": _digits,
    "japaneseDigitalTenThousand": _digits,
    "taiwaneseDigital": _digits,
    "ideographTraditional": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "none": lambda _: "",
}
