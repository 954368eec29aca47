"""The cells in the records of old Excel workbooks, of all versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from extractors._legacy.biff import Place, Workbook, places
from extractors._legacy.cell_values import ERRORS, number_text, rk
from extractors._legacy.numbers import f64, u8, u16, u32
from extractors._ooxml.sheet import Cell

_LABELSST, _LABEL, _RSTRING, _NUMBER, _RK, _MULRK, _BOOLERR = 0x00FD, 0x0204, 0x00D6, 0x0203, 0x027E, 0x00BD, 0x0205
_FORMULAS = frozenset({0x0006, 0x0206, 0x0406})
_VALUES = _FORMULAS | {_LABELSST, _LABEL, _RSTRING, _NUMBER, _RK, _MULRK, _BOOLERR}
#: Excel 2 has numbers of its own for its records.
_INTEGER_OF_2 = 0x0002
_OF_2 = {_INTEGER_OF_2: _INTEGER_OF_2, 0x0003: _NUMBER, 0x0004: _LABEL, 0x0005: _BOOLERR, 0x0006: 0x0006}
_NUMBERS: dict[int, Callable[[bytes, int], str]] = {
    _RK: lambda data, at: number_text(rk(u32(data, at))),
    _NUMBER: lambda data, at: number_text(f64(data, at)),
    _INTEGER_OF_2: lambda data, at: str(u16(data, at)),
}
_STRINGS = frozenset({0x0207, 0x0007})
_FORMAT_BITS = 0x3F


def holds_cell(book: Workbook, kind: int) -> bool:
    """True for a record that holds cells with values."""
    return kind in (_OF_2 if book.version == 2 else _VALUES)


def cells(book: Workbook, place: Place) -> Iterator[Cell]:
    """The cells of one such record."""
    data, at = book.stream, place.start
    column = u16(data, at + 2) + 1
    if book.version == 2:  # three bytes of attributes, one of them the number format
        yield _cell(book, _OF_2[place.kind], Place(0, at + 7, place.end), column, u8(data, at + 5) & _FORMAT_BITS)
    elif place.kind == _MULRK:
        for index, item in enumerate(range(at + 4, place.end - 7, 6)):
            yield Cell(column + index, "n", u16(data, item), number_text(rk(u32(data, item + 2))))
    else:
        yield _cell(book, place.kind, Place(0, at + 6, place.end), column, u16(data, at + 4))


def _cell(book: Workbook, kind: int, value: Place, column: int, style: int) -> Cell:
    data, at = book.stream, value.start
    if kind in _NUMBERS:
        return Cell(column, "n", style, _NUMBERS[kind](data, at))
    if kind == _LABELSST:
        return Cell(column, "s", style, str(u32(data, at)))
    if kind in {_LABEL, _RSTRING}:
        return Cell(column, "str", style, book.text_over(value))
    if kind == _BOOLERR:
        return _bool_or_error(column, style, u8(data, at), is_error=u8(data, at + 1) != 0)
    return _formula(book, value, column, style)


def _formula(book: Workbook, value: Place, column: int, style: int) -> Cell:
    """The stored result of a formula."""
    data, at = book.stream, value.start
    if u16(data, at + 6) != 0xFFFF:
        return Cell(column, "n", style, number_text(f64(data, at)))
    what = u8(data, at)
    if what == 0:
        return Cell(column, "str", style, _formula_text(book, value.end))
    if what in {1, 2}:
        return _bool_or_error(column, style, u8(data, at + 2), is_error=what == 2)
    return Cell(column, "str", style, "")


def _formula_text(book: Workbook, at: int) -> str:
    """The text that a formula gave: it follows, behind what several cells may share of the formula."""
    for _, place in zip(range(3), places(book.stream, at), strict=False):
        if place.kind in _STRINGS:
            return book.text_over(place)
    return ""


def _bool_or_error(column: int, style: int, value: int, *, is_error: bool) -> Cell:
    return Cell(column, "e", style, ERRORS.get(value, "#N/A")) if is_error else Cell(column, "b", style, str(value))
