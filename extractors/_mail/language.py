"""The code page that Windows uses for a language (MS-LCID)."""

from __future__ import annotations

_TRADITIONAL_CHINESE = frozenset({0x0404, 0x0C04, 0x1404, 0x7C04})
_PRIMARY = 0x3FF
#: By the primary language; every other one writes with the letters of Western Europe.
_PAGES = {
    **dict.fromkeys((0x01, 0x20, 0x29), 1256),
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23, 0x2F), 1251),
    0x04: 936,
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24), 1250),
    0x08: 1253,
    0x0D: 1255,
    0x11: 932,
    0x12: 949,
    0x1E: 874,
    0x1F: 1254,
    **dict.fromkeys((0x25, 0x26, 0x27), 1257),
    0x2A: 1258,
}


def page_of_language(language: int | None) -> int | None:
    """The code page of a language; None where none is named."""
    if not language:
        return None
    return 950 if language in _TRADITIONAL_CHINESE else _PAGES.get(language & _PRIMARY, 1252)
