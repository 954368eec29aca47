"""Which characters people use every day, by the encodings that were made for them."""

from __future__ import annotations

from collections.abc import Callable

from extractors._charset.strict import strict


def everyday_share(data: bytes, encoding: str) -> float:
    """The share of the characters beyond ASCII that people use every day; none where the bytes do not fit.

    Signs count for nothing, where there is anything else; characters of private use are used by nobody.
    """
    is_everyday = CANDIDATES[encoding]
    text = strict(data, encoding)
    if text is None:
        return 0.0
    beyond = [char for char in text if char > "\u007f"]
    beyond = [char for char in beyond if char.isalpha() or "\ue000" <= char <= "\uf8ff"] or beyond
    return sum(is_everyday(char, char.encode(encoding)) for char in beyond) / max(1, len(beyond))


def _in_gb2312_first_level(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and raw[1] >= 0xA1 and (0xB0 <= raw[0] <= 0xD7 or raw[0] in {0xA1, 0xA3})


def _in_big5_first_level(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and (0xA4 <= raw[0] <= 0xC6 or raw[0] == 0xA1)


def _in_japanese_use(char: str, raw: bytes) -> bool:
    is_kana = "\u3040" <= char <= "\u30ff"
    return is_kana or (len(raw) == 2 and (b"\x88\x9f" <= raw <= b"\x98\x72" or raw[0] == 0x81))


def _in_japanese_euc_use(char: str, raw: bytes) -> bool:
    is_kana = "\u3040" <= char <= "\u30ff"
    return is_kana or (len(raw) == 2 and (0xB0 <= raw[0] <= 0xCF or raw[0] in {0xA1, 0xA3}))


def _in_korean_use(_char: str, raw: bytes) -> bool:
    return len(raw) == 2 and (0xB0 <= raw[0] <= 0xC8 or raw[0] in {0xA1, 0xA3}) and raw[1] >= 0xA1


def _is_western_letter(char: str, _raw: bytes) -> bool:
    return char.isalpha() and char < "\u0180"


#: In the order in which they are asked: the first of two that fit alike is taken.
CANDIDATES: dict[str, Callable[[str, bytes], bool]] = {
    "gb18030": _in_gb2312_first_level,
    "big5hkscs": _in_big5_first_level,
    "cp932": _in_japanese_use,
    "cp949": _in_korean_use,
    "euc_jis_2004": _in_japanese_euc_use,
    "cp437": _is_western_letter,
}
