"""A table of Pages, Numbers or Keynote: the stored cells of its tiles, each at its row and column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._grid import column_letters
from extractors._iwork.archive import Archive
from extractors._iwork.cells import Cell, row_cells
from extractors._iwork.protobuf import Message
from extractors._iwork.values import shown
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated

_NO_FORMAT = Message(b"")
_DEFAULT_TILE_ROWS = 256
_MENU = 266


@dataclass(slots=True, kw_only=True)
class Table:
    """Reads one table model. `text_of` gives the text of a storage, for cells with styled text."""

    archive: Archive
    model: Message
    text_of: Callable[[int], str]
    _lists: dict[int, dict[int, Message]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.model.text(8).strip()

    def blocks(self, budget: Budget) -> Iterator[Block]:
        """The table as Markdown, and what of it had to be left out."""
        max_rows, max_columns = budget.limits.xlsx_max_rows_per_sheet, budget.limits.xlsx_max_columns
        texts: dict[int, dict[int, str]] = {}
        left_out = False
        for number, cells in self._rows():
            if len(texts) < max_rows + 1 and not budget.is_late:
                shown_cells = {cell.column: text for cell in cells if (text := self._text(cell))}
                if shown_cells:
                    texts.setdefault(number, {}).update(shown_cells)
            else:
                left_out |= bool(cells)
        used_columns = sorted({column for row in texts.values() for column in row})
        rows, columns = _kept(sorted(texts), max_rows), _kept(used_columns, max_columns)
        if rows and columns:
            yield Text(self._labelled(rows, columns, markdown.table(self._grid(texts, rows, columns))))
        if left_out or len(texts) > max_rows:
            yield Truncated(f'rows of table "{self.name}" after the first {max_rows}')
        if len(used_columns) > max_columns:
            yield Truncated(f'columns of table "{self.name}" after the first {max_columns}')

    def _grid(self, texts: dict[int, dict[int, str]], rows: list[int], columns: list[int]) -> list[list[str]]:
        """Every cell at its place; hidden rows and columns are marked."""
        grid = [[texts.get(row, {}).get(column, "") for column in columns] for row in rows]
        store = self.model.message(4)
        for row in self._hidden(store.message(1).references(2), rows):
            grid[row][0] = markdown.hidden(grid[row][0]).strip()
        for column in self._hidden([store.reference(2)], columns):
            grid[0][column] = markdown.hidden(grid[0][column]).strip()
        return grid

    def _labelled(self, rows: list[int], columns: list[int], table: str) -> str:
        """The table, with a word on where its cells stand where blank rows or columns are missing from it."""
        if len(rows) == rows[-1] + 1 and len(columns) == columns[-1] + 1:
            return table
        first, last = (
            f"{column_letters(columns[0] + 1)}{rows[0] + 1}",
            f"{column_letters(columns[-1] + 1)}{rows[-1] + 1}",
        )
        return f"Cells {first} to {last}, without blank rows and columns\n\n{table}"

    def _hidden(self, buckets: list[int], kept: list[int]) -> Iterator[int]:
        """Which of the kept rows or columns are hidden."""
        heads = (head for bucket in buckets for head in self.archive.message(bucket).messages(2))
        hidden = {head.number(1) for head in heads if head.number(3)}
        return (place for place, number in enumerate(kept) if number in hidden)

    def _rows(self) -> Iterator[tuple[int, list[Cell]]]:
        storage = self.model.message(4).message(3)
        tile_rows = storage.number(2) or _DEFAULT_TILE_ROWS
        for tile in storage.messages(1):
            for row in self.archive.message(tile.reference(2)).messages(5):
                packed, offsets, is_wide = row.content(6), row.content(7), bool(row.number(8))
                if not packed:
                    packed, offsets, is_wide = row.content(3), row.content(4), False
                yield tile.number(1) * tile_rows + row.number(1), list(row_cells(packed, offsets, is_wide=is_wide))

    def _text(self, cell: Cell) -> str:
        store = self.model.message(4)
        if cell.rich_key:
            payload = self._entry(store.reference(17), cell.rich_key).reference(9)
            return self.text_of(self.archive.message(payload).reference(1))
        if cell.kind == "text":
            return self._entry(store.reference(4), cell.string_key).text(3)
        number_format = _NO_FORMAT
        for formats in (22, 11):
            entry = self._entry(store.reference(formats), cell.format_key) if cell.format_key else _NO_FORMAT
            if entry.has(6):
                number_format = entry.message(6)
                break
        if number_format.number(1) == _MENU:
            return self._choice(store, number_format, cell)
        return shown(cell, number_format)

    def _choice(self, store: Message, number_format: Message, cell: Cell) -> str:
        """The words that a menu shows for the number of a choice."""
        menu = self.archive.message(self._entry(store.reference(16), number_format.number(39)).reference(4))
        choices = menu.messages(2)
        number = int(cell.value) if 0 <= cell.value < len(choices) else 0
        return choices[number].message(5).text(1) if choices else shown(cell, _NO_FORMAT)

    def _entry(self, list_reference: int, key: int) -> Message:
        if list_reference not in self._lists:
            data_list = self.archive.message(list_reference)
            segments = (self.archive.message(reference) for reference in data_list.references(4))
            entries = [*data_list.messages(3), *(entry for part in segments for entry in part.messages(3))]
            self._lists[list_reference] = {entry.number(1): entry for entry in entries}
        return self._lists[list_reference].get(key, _NO_FORMAT)


def _kept(used: list[int], limit: int) -> list[int]:
    """The rows or columns up to the last that is used; only those that are used where they reach beyond the limit."""
    if not used or used[-1] >= limit:
        return used[:limit]
    return list(range(used[-1] + 1))
