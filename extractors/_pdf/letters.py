"""The letters of a PDF's text layer: which signs old fonts mean, and what is no letter at all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from extractors._symbol_fonts import readable

#: The text of a line in pieces of one font each.
Spans = Sequence[tuple[str, str]]


class Letter(NamedTuple):
    """One letter, from where to where it reaches on its line."""

    text: str
    x0: float
    x1: float
    font: str


#: Fonts without a map to Unicode give control, private and replacement characters, or shifted ASCII.
MAX_GARBLED_SHARE = 0.05
#: Of a font with more of them nothing can be believed; of a word with more of them neither.
MAX_GARBLED_SHARE_OF_FONT = 0.3
#: So few letters are not judged by what they are.
FEW_CHARS = 20
#: In points: what is narrower takes no room of its own.
NO_WIDTH = 0.1
#: In heights of a line: letters that have less room than this stand over each other.
TIGHT = 0.28
MIN_WORD_SHARE = 0.6
_GARBLED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff]")
_SYMBOL_FONT = re.compile(r"(?:[A-Z]{6}\+)?(wingdings(?=[\W_]*([23])?)|webdings|symbol)", re.IGNORECASE)
#: Adobe's private area for small capitals and old figures: the letter's own code on top of this.
_ADOBE_AREA = 0xF700
_IN_ADOBE_AREA = re.compile(r"[\uf726\uf730-\uf739\uf761-\uf77a]")
_IN_SYMBOL_AREA = re.compile(r"[\uf020-\uf0ff]")
#: A letter that is a word in few languages, and what may be the rest of its word.
_LONE_LETTER = re.compile(r" [b-df-hj-np-tvwxz] +[a-z]{2}")
MANY_LONE_LETTERS = 5
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_ARABIC_LETTER = re.compile(r"[\u0620-\u064a\u066e-\u06d3]")
_REPEATED = re.compile(r"(.{8,}?)(?:\s*\1)+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
#: Without the Gothics of Latin letters, such as Century Gothic.
_CJK_FONT = re.compile(
    r"song|[a-z]hei|kaiti|mingliu|mincho|cjk|gb2312|gbk|simsun|fang|wenquan|[\u4e00-\u9fff]"
    r"|(?:ms|hg|yu|malgun|nanum|ipa|takao|noto)[-\w ]{0,6}gothic",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"[.…·_-]+")
#: Radicals in the place of Chinese characters, and Arabic letters by their shape in the word.
_OTHER_FORMS = re.compile(r"[\u2f00-\u2fd5\uf900-\ufaff\ufb1d-\ufdfb\ufe70-\ufefc]+")


def in_unicode(text: str, font: str) -> str:
    """The text with what fonts of symbols and of small capitals keep in private areas as what it shows."""
    if _IN_SYMBOL_AREA.search(text):
        found = _SYMBOL_FONT.match(font)
        name = "" if found is None else found[1] + (f" {found[2]}" if found[2] else "")
        text = readable(text, name or "letters")
    if _IN_ADOBE_AREA.search(text):
        text = _IN_ADOBE_AREA.sub(lambda found: chr(ord(found[0]) - _ADOBE_AREA).upper(), text)
    text = _OTHER_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def may_be_out_of_order(texts: Iterable[str]) -> bool:
    """True where two Arabic letters that are drawn as one may have changed places, or letters with blanks."""
    scattered = 0
    for text in texts:
        if _ALEF_LAM.search(text):
            return True
        scattered += len(_LONE_LETTER.findall(text))
    return scattered >= MANY_LONE_LETTERS


def in_order(letters: Sequence[Letter]) -> Sequence[Letter]:
    """The letters of a line in the order in which they are read."""
    if any(_ARABIC_LETTER.match(letter.text) for letter in letters):
        return _in_logical_order(letters)
    is_blank_late = any(letter.text == " " and letter.x0 < before.x0 for before, letter in pairwise(letters))
    if not is_blank_late:
        return letters
    sorted_letters = sorted(letters, key=lambda letter: letter.x0)
    blanks = {
        at for at, (before, letter) in enumerate(pairwise(sorted_letters), 1) if before.text == letter.text == " "
    }
    return [letter for at, letter in enumerate(sorted_letters) if at not in blanks]


def _in_logical_order(letters: Iterable[Letter]) -> list[Letter]:
    """What one Arabic sign stands for comes backwards, all but the last of it without width."""
    found: list[Letter] = []
    held: list[Letter] = []
    for letter in letters:
        if not _ARABIC_LETTER.match(letter.text):
            found += [*held[::-1], letter]
        elif letter.x1 - letter.x0 < NO_WIDTH:
            held.insert(0, letter)
            continue
        else:
            found += [letter, *held]
        held = []
    return found + held[::-1]


def told_once(spans: Spans, heights: float) -> Spans:
    """A line that was drawn more than once over itself, `heights` long in its own heights, with its text once."""
    text = "".join(text for text, _ in spans)
    if len(text) < 2 * FEW_CHARS or heights > len(text) * TIGHT or (found := _REPEATED.fullmatch(text.strip())) is None:
        return spans
    return [(found[1], spans[0][1])]


def symbol_font(fonts: Iterable[str]) -> str:
    """The font of symbols among these, or ""."""
    return next((font for font in fonts if _SYMBOL_FONT.match(font)), "")


def is_garbled(lines: Iterable[Spans]) -> bool:
    """True where the text is not what the page shows."""
    spans = [span for line in lines for span in line]
    letters = "".join("".join(text.split()) for text, _ in spans)
    bad = len(_GARBLED.findall(letters))
    return bad > len(letters) * MAX_GARBLED_SHARE or is_shifted(letters, {font for _, font in spans})


def is_shifted(letters: str, fonts: Collection[str]) -> bool:
    """True where a font for Chinese, Japanese or Korean gives none of it, nor words of any other script."""
    if len(letters) < FEW_CHARS or _CJK.search(letters) or not any(_CJK_FONT.search(font) for font in fonts):
        return False
    letters = _LEADERS.sub("", letters)
    return sum(char.isalnum() for char in letters) < len(letters) * MIN_WORD_SHARE


def unbelievable_fonts(lines: Iterable[Spans]) -> set[str]:
    """The fonts of a page most of whose letters are lost."""
    letters: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for text, font in (span for line in lines for span in line):
        letters[font] += len("".join(text.split()))
        bad[font] += len(_GARBLED.findall(text))
    return {font for font, count in bad.items() if count > letters[font] * MAX_GARBLED_SHARE_OF_FONT}


def believable(line: Spans, unbelievable: Collection[str]) -> str:
    """What of a line can be read: words with lost letters become one mark, a line of nothing else becomes ""."""
    text = "".join(text if font not in unbelievable else "\ufffd" for text, font in line)
    text = re.sub(r"\S+", lambda word: _word(word[0]), text)
    text = re.sub("\ufffd(?:\\s*\ufffd)+", "\ufffd", text)
    return text if any(char.isalnum() for char in text) else ""


def _word(word: str) -> str:
    bad = len(_GARBLED.findall(word))
    return "\ufffd" if bad > len(word) * MAX_GARBLED_SHARE_OF_FONT else _GARBLED.sub("\ufffd", word)
