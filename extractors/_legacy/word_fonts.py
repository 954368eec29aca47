"""The fonts of an old Word document: some say in which charset their text is, some draw symbols for letters."""

from __future__ import annotations

from dataclasses import dataclass

from extractors._declared_charset import codec_of_charset
from extractors._legacy.numbers import u8, u16

_NAME_AT, _OLD_NAME_AT = 40, 6
_MAX_NAME_BYTES = 130


@dataclass(frozen=True, slots=True)
class Font:
    """Its name, and Python's codec for old text in it; None where the font leaves that to the document."""

    name: str
    codec: str | None


def read_fonts(table: bytes, *, is_old: bool) -> list[Font]:
    """The fonts by the number that runs name them by."""
    fonts: list[Font] = []
    at = 2 if is_old else 4
    end = min(len(table), u16(table, 0)) if is_old else len(table)
    while at + _OLD_NAME_AT < end:
        size = 1 + u8(table, at)
        entry = table[at : at + min(size, _MAX_NAME_BYTES)]
        name = entry[_OLD_NAME_AT:].partition(b"\0")[0].decode("latin-1") if is_old else _wide_name(entry)
        fonts.append(Font(name, codec_of_charset(u8(entry, 4))))
        at += size
    return fonts


def _wide_name(entry: bytes) -> str:
    return entry[_NAME_AT:].decode("utf-16-le", "replace").partition("\0")[0]
