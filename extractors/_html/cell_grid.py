"""The grid of an HTML table: every cell on its own column and row, whatever spans what."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractors import markdown

#: Browsers' own limits.
MAX_COLSPAN = 1_000
MAX_ROWSPAN = 65_534
REST_OF_TABLE = 0


@dataclass(slots=True, kw_only=True)
class CellGrid:
    """Rows are filled from the left; a cell takes the first column that no earlier cell reaches into."""

    max_columns: int
    rows: list[list[str]] = field(default_factory=list)
    is_cut_in_columns: bool = False
    _foot: list[list[str]] = field(default_factory=list)
    _group_at: int = 0
    #: How far the cells that hold something reach to the right and down.
    _width: int = 0
    _height: int = 0
    #: Columns that cells of earlier rows reach into, with the rows they still cover.
    _covered: dict[int, int] = field(default_factory=dict)
    _column: int = 0

    def begin_row(self) -> None:
        """Starts the next row."""
        if self.rows:
            self._covered = {column: left - 1 for column, left in self._covered.items() if left > 1}
        self.rows.append([])
        self._column = 0

    def add(self, text: str, *, colspan: int = 1, rowspan: int = 1) -> None:
        """Puts the next cell into the row; what it spans stays empty."""
        while self._column in self._covered:
            self._column += 1
        colspan = max(1, min(colspan, MAX_COLSPAN))
        rowspan = MAX_ROWSPAN if rowspan == REST_OF_TABLE else max(1, min(rowspan, MAX_ROWSPAN))
        if self._column + colspan > self.max_columns:
            self.is_cut_in_columns |= bool(text) and self._column >= self.max_columns
            colspan = max(0, self.max_columns - self._column)
        if colspan:
            row = self.rows[-1]
            row += [""] * (self._column - len(row))
            row += [text, *[""] * (colspan - 1)]
        if text:
            self._width = max(self._width, self._column + colspan)
            self._height = max(self._height, len(self.rows) - 1 + rowspan)
        for column in range(self._column, self._column + colspan):
            if rowspan > 1:
                self._covered[column] = rowspan
        self._column += max(1, colspan)

    def begin_group(self) -> None:
        """A head, body or foot begins."""
        self._group_at = len(self.rows)
        self._covered.clear()

    def end_group(self, *, is_foot: bool) -> None:
        """No cell reaches beyond its group; a foot comes last, wherever it is written."""
        self._covered.clear()
        if is_foot:
            self._foot += self.rows[self._group_at :]
            del self.rows[self._group_at :]

    @property
    def is_empty(self) -> bool:
        """True when no cell holds anything."""
        return not any(cell for row in self._all_rows() for cell in row)

    def table(self) -> str:
        """The table as Markdown, without the rows and columns at its end that hold nothing."""
        rows = self._all_rows() if self._foot else self.rows[: self._height]
        return markdown.table([[*row, *[""] * self._width][: self._width] for row in rows])

    def lines(self) -> str:
        """The table as lines of its cells, for a place where no table can stand."""
        return "\n".join(" | ".join(filter(None, row)) for row in self._all_rows() if any(row))

    def _all_rows(self) -> list[list[str]]:
        return [*self.rows, *self._foot]
