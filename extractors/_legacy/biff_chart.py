"""Charts of old Excel workbooks: the title, the names of axes and series, and the points that the file keeps."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors._legacy.biff import BOF, Place, Workbook
from extractors._legacy.cell_values import number_text
from extractors._legacy.numbers import f64, u16
from extractors._ooxml.drawings import series_table
from extractors._ooxml.number_format import general

_SERIES, _SERIES_TEXT, _BEGIN, _END, _POINTS_OF = 0x1003, 0x100D, 0x1033, 0x1034, 0x1065
_NUMBER, _LABEL = 0x0203, 0x0204
_VALUES, _CATEGORIES = 1, 2
_MAX_TEXTS, _MAX_SERIES = 200, 100


@dataclass(slots=True, kw_only=True)
class Chart:
    """One chart while its records come in."""

    texts: list[str] = field(default_factory=list)
    series: list[str] = field(default_factory=list)
    #: What the points that follow are, and the texts of these by series and point.
    _kind: int = 0
    _points: dict[int, dict[int, dict[int, str]]] = field(default_factory=dict)
    #: How many blocks are open, and how many when the series began that is read now.
    _depth: int = 0
    _inside: int = -1

    def take(self, book: Workbook, place: Place) -> None:
        """Takes the next record of the chart."""
        data, at = book.stream, place.start
        if place.kind == _SERIES and len(self.series) < _MAX_SERIES:
            self.series.append("")
            self._inside = self._depth
        elif place.kind == _BEGIN:
            self._depth += 1
        elif place.kind == _END:
            self._depth -= 1
            self._inside = -1 if self._depth <= self._inside else self._inside
        elif place.kind == _SERIES_TEXT:
            self._name(book.text(at + 2, length_bytes=1).strip())
        elif place.kind == _POINTS_OF:
            self._kind = u16(data, at)
        elif place.kind == _NUMBER:
            text = number_text(f64(data, at + 6))
            self._point(u16(data, at + 2), u16(data, at), general(text) if text else "")
        elif place.kind == _LABEL:
            self._point(u16(data, at + 2), u16(data, at), book.text(at + 6).strip())

    def _name(self, text: str) -> None:
        if self._inside >= 0:
            self.series[-1] = self.series[-1] or text
        elif text and len(self.texts) < _MAX_TEXTS and text not in self.texts:
            self.texts.append(text)

    def _point(self, series: int, number: int, text: str) -> None:
        if text and series < _MAX_SERIES:
            self._points.setdefault(self._kind, {}).setdefault(series, {})[number] = text

    def markdown(self) -> str:
        """The texts of the chart and a table of its points, a column per series; "" for one that says nothing."""
        values, categories = self._points.get(_VALUES, {}), self._points.get(_CATEGORIES, {})
        count = max([len(self.series), *(number + 1 for number in values)])
        names = [*self.series, *[""] * (count - len(self.series))]
        head = "; ".join(self.texts) if values else "; ".join([*self.texts, *filter(None, names)])
        table = series_table(
            [(name, categories.get(number, {}), values.get(number, {})) for number, name in enumerate(names)]
        )
        if not values:
            return f"Chart: {head}" if head else ""
        return f"Chart: {head}\n\n{table}" if head else f"Chart\n\n{table}"


def take_record(charts: list[Chart], book: Workbook, place: Place) -> None:
    """Gives a record to the chart that is read now; the beginning of a stream begins one."""
    if place.kind in BOF:
        charts.append(Chart())
    elif charts:
        charts[-1].take(book, place)
