"""Text whose charset is named, often wrongly: the name is tried first, then its supersets, then the bytes decide."""

from __future__ import annotations

import codecs
import re

from extractors._charset import decode

#: Programs write more than the standard they name.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
}
#: What else is tried before anything is replaced: characters of Hong Kong, of Windows, of standards to come.
_RELATIVES = {"cp950": ("big5hkscs",), "big5hkscs": ("cp950",), "cp932": ("euc_jp",), "hz": ("gb18030",)}
#: Single-byte charsets take any bytes for text, so their name alone proves nothing.
_ACCEPTS_ANYTHING = re.compile(r"(?:cp125\d|iso8859|latin|koi8|mac)")
_CODE_PAGES = {
    936: "gb18030",
    1200: "utf-16-le",
    1201: "utf-16-be",
    10008: "gb18030",
    20127: "ascii",
    20866: "koi8-r",
    20932: "euc_jp",
    20936: "gb18030",
    21866: "koi8-u",
    28591: "cp1252",
    50220: "iso2022_jp",
    50221: "iso2022_jp",
    50222: "iso2022_jp",
    50225: "iso2022_kr",
    50227: "gb18030",
    51932: "euc_jp",
    51936: "gb18030",
    51949: "cp949",
    52936: "hz",
    54936: "gb18030",
    65001: "utf-8",
}
#: Code pages by the charset of a font; 0 and 1 leave it to the document.
_CHARSET_PAGES = {
    77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253,
    162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
#: Hebrew and Arabic mail names the order of its letters with the charset.
_DIRECTION = re.compile(r"(?<=8859-[68])-[ie]$", re.IGNORECASE)
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")


def named(charset: str | None) -> str | None:
    """Python's codec for a charset as mail names it; None where there is none."""
    cleaned = _DIRECTION.sub("", re.sub(r"[^\w.:+-]", "", charset or "")[:40])
    windows = re.fullmatch(r"(?:windows|cp|ms|x-cp)[-_]?(\d{3,5})", cleaned, re.IGNORECASE)
    if windows is not None and (known := code_page(int(windows[1]))):
        return known
    try:
        codec = codecs.lookup(cleaned)
        "".encode(codec.name)  # refuses codecs that make bytes of bytes, such as base64
    except (LookupError, UnicodeError):
        return None
    return _SUPERSETS.get(codec.name, codec.name)


def code_page(number: int | None) -> str | None:
    """Python's codec for a Windows code page; None where there is none."""
    if number in _CODE_PAGES:
        return named(_CODE_PAGES[number])
    try:
        return codecs.lookup(f"cp{number}").name
    except LookupError:
        return None


def codec_of_charset(charset: int | None) -> str | None:
    """Python's codec for the charset of a Windows font; None where the document's code page holds."""
    page = _CHARSET_PAGES.get(charset if charset is not None else 1)
    return code_page(page) if page is not None else None


#: Some charsets take any byte, so that a guess alone would always look better than a damaged truth.
DAMAGED_SHARE = 0.05


def decoded(data: bytes, codec: str | None) -> str:
    """`data` as text, by the codec that was named where it fits. Never fails: what fits nothing is replaced."""
    if codec is None or _is_surely_utf8(data) or (_ACCEPTS_ANYTHING.match(codec) and _is_multi_byte(data)):
        return decode(data).text
    for candidate in (codec, *_RELATIVES.get(codec, ())):
        try:
            return data.decode(candidate)
        except UnicodeDecodeError:
            continue
    if _decodes(data, "utf-8"):
        return data.decode("utf-8")
    detected = decode(data)
    lenient = data.decode(codec, "replace").removesuffix("\ufffd")  # cut off in the middle of a character
    # A few damaged characters do not make another charset of it.
    bearable = max(1, detected.replaced, int(len(lenient) * DAMAGED_SHARE))
    return lenient if lenient.count("\ufffd") <= bearable else detected.text


def _is_surely_utf8(data: bytes) -> bool:
    """True for UTF-8 with a sequence of three bytes, which is never an accident."""
    try:
        return max(data.decode("utf-8"), default="") > "\u07ff"
    except UnicodeDecodeError:
        return False


def _is_multi_byte(data: bytes) -> bool:
    """True when the bytes beyond ASCII are rather UTF-8 or Chinese than letters with accents."""
    runs = _HIGH_BYTES.findall(data)
    if not runs:
        return False
    if _decodes(data, "utf-8"):
        return True
    # Accents stand alone among ASCII letters; Chinese stands in even runs.
    return all(len(run) % 2 == 0 for run in runs) and sum(map(len, runs)) >= 4 and _decodes(data, "gb2312")


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True
