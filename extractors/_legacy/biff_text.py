"""The strings of old Excel files: code pages before 97, packed UTF-16 since, and those that run over records."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors._legacy.numbers import u8, u16, u32
from extractors.budget import Budget

#: Code pages by number whose Python codec has another name; 936 is read as the larger set that contains it.
_CODECS = {1200: "utf-16-le", 10000: "mac-roman", 32768: "mac-roman", 32769: "cp1252", 936: "gb18030", 10008: "gb18030",
           10001: "shift_jis", 10002: "big5", 10003: "euc_kr", 367: "ascii", 10004: "mac_arabic", 10006: "mac_greek",
           10007: "mac_cyrillic", 10010: "mac_romanian", 10017: "mac_cyrillic", 10021: "cp874", 10029: "mac_latin2",
           10079: "mac_iceland", 10081: "mac_turkish", 10082: "mac_croatian"}  # fmt: skip
_KNOWN = frozenset({437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 932, 949,
                    950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 1361})  # fmt: skip
_WIDE, _PHONETIC, _RICH = 0x01, 0x04, 0x08
_LATE_CHECK_STRINGS = 5_000


def codec_of(code_page: int) -> str:
    """The name of Python's codec for a code page of Windows; that of Western Europe where it is not known."""
    return _CODECS.get(code_page) or (f"cp{code_page}" if code_page in _KNOWN else "cp1252")


def text_at(data: bytes, at: int, *, is_unicode: bool, length_bytes: int, codec: str) -> str:
    """A string that begins with its length at `at` and lies within one record."""
    length = u16(data, at) if length_bytes == 2 else u8(data, at)
    at += length_bytes
    if not is_unicode:
        return data[at : at + length].decode(codec, "replace")
    flags = u8(data, at)
    at += 1 + (2 if flags & _RICH else 0) + (4 if flags & _PHONETIC else 0)
    return characters(data[at : at + (2 * length if flags & _WIDE else length)], is_wide=bool(flags & _WIDE))


def characters(data: bytes, *, is_wide: bool) -> str:
    """UTF-16, or its low bytes alone."""
    return data.decode("utf-16-le", "replace") if is_wide else data.decode("latin-1")


@dataclass(slots=True)
class _Continued:
    """The bytes of a record and of those that continue it."""

    pieces: list[bytes]
    piece: int = 0
    at: int = 0

    @property
    def is_at_end(self) -> bool:
        while self.piece < len(self.pieces) and self.at >= len(self.pieces[self.piece]):
            self.piece += 1
            self.at = 0
        return self.piece >= len(self.pieces)

    def take(self, size: int) -> bytes:
        taken = bytearray()
        while size > len(taken) and not self.is_at_end:
            found = self.pieces[self.piece][self.at : self.at + size - len(taken)]
            self.at += len(found)
            taken += found
        return bytes(taken)

    def text(self, length: int, *, is_wide: bool) -> str:
        """So many characters; where they run over a border, a byte there says anew how wide they are."""
        text = ""
        while length > 0 and self.piece < len(self.pieces):
            width = 2 if is_wide else 1
            found = self.pieces[self.piece][self.at : self.at + width * length]
            self.at += len(found)
            text += characters(found, is_wide=is_wide)
            length -= max(1, len(found) // width) if found else 0
            if length > 0:
                if self.is_at_end:
                    break
                is_wide = bool(self.take(1)[0] & _WIDE)
        return text


@dataclass(slots=True, kw_only=True)
class SharedStrings:
    """The table of strings of an Excel 97 file: a record and its continuations."""

    pieces: list[bytes] = field(default_factory=list)
    is_cut: bool = False

    def texts(self, needed: set[int], budget: Budget) -> dict[int, str]:
        """The strings of these numbers; those behind the soft deadline or the end of the data are missing."""
        texts: dict[int, str] = {}
        last = max(needed, default=-1)
        source = _Continued(self.pieces)
        source.take(8)
        for index in range(last + 1):
            if source.is_at_end or (index % _LATE_CHECK_STRINGS == 0 and index and budget.is_late):
                self.is_cut = True
                break
            text = _next_string(source)
            if index in needed:
                texts[index] = text
        return texts


def string_in(pieces: list[bytes]) -> str:
    """The string that begins with its length in these pieces, a record and those that continue it."""
    return _next_string(_Continued(pieces))


def _next_string(source: _Continued) -> str:
    head = source.take(3)
    flags = u8(head, 2)
    runs = u16(source.take(2), 0) if flags & _RICH else 0
    phonetic_bytes = u32(source.take(4), 0) if flags & _PHONETIC else 0
    text = source.text(u16(head, 0), is_wide=bool(flags & _WIDE))
    source.take(4 * runs + phonetic_bytes)
    return text
