"""Tables with merged cells in both directions: every value once, in its own row and column, in every format alike."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Cm

from extractors import Status, extract_content

ODF = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
TWIPS = 1500


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell with its value; it covers `rows` x `columns` places from its own."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1

    def places(self) -> Iterator[tuple[int, int]]:
        for row in range(self.row, self.row + self.rows):
            for column in range(self.column, self.column + self.columns):
                yield row, column

    @property
    def is_merged(self) -> bool:
        return self.rows * self.columns > 1


@dataclass(frozen=True, kw_only=True)
class Grid:
    seed: int
    rows: int
    columns: int
    cells: list[Cell] = field(default_factory=list)

    def owner(self, row: int, column: int) -> Cell:
        return next(cell for cell in self.cells if (row, column) in set(cell.places()))

    def row(self, number: int) -> list[tuple[Cell, bool]]:
        """What stands in a row from left to right, each cell once, and whether it began further up."""
        found: list[tuple[Cell, bool]] = []
        for column in range(self.columns):
            cell = self.owner(number, column)
            if not found or found[-1][0] is not cell:
                found.append((cell, cell.row < number))
        return found

    def expected(self) -> list[list[str]]:
        shown = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            shown[cell.row][cell.column] = cell.text
        return shown


def make(seed: int) -> Grid:
    """A grid with merges in both directions, in which no row and no column is all covered."""
    dice = random.Random(seed)
    while True:
        grid = filled(dice, seed)
        merged = [cell for cell in grid.cells if cell.is_merged]
        both = any(cell.rows > 1 for cell in merged) and any(cell.columns > 1 for cell in merged)
        if both and all(any(row) for row in grid.expected()) and all(map(any, zip(*grid.expected(), strict=True))):
            return grid


def filled(dice: random.Random, seed: int) -> Grid:
    rows, columns = dice.randint(3, 7), dice.randint(3, 6)
    free = {(row, column) for row in range(rows) for column in range(columns)}
    cells = []
    for row, column in sorted(free):
        if (row, column) not in free:
            continue
        height, width = dice.choice([(1, 1), (1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)])
        text = f"{dice.choice('甲乙丙丁AB')}{row}x{column}"
        cell = Cell(text=text, row=row, column=column, rows=height, columns=width)
        if not free.issuperset(cell.places()):
            cell = Cell(text=text, row=row, column=column)
        free.difference_update(cell.places())
        cells.append(cell)
    return Grid(seed=seed, rows=rows, columns=columns, cells=cells)


# --- one small writer for each format ---------------------------------------------------------------------------------


def as_docx(grid: Grid) -> bytes:
    document = docx.Document()
    table = document.add_table(grid.rows, grid.columns)
    for cell in grid.cells:
        origin = table.cell(cell.row, cell.column)
        origin.merge(table.cell(cell.row + cell.rows - 1, cell.column + cell.columns - 1)).text = cell.text
    return saved(document)


def as_pptx(grid: Grid) -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(grid.rows, grid.columns, 0, 0, Cm(20), Cm(10)).table
    for cell in grid.cells:
        origin = table.cell(cell.row, cell.column)
        origin.text = cell.text
        if cell.is_merged:
            origin.merge(table.cell(cell.row + cell.rows - 1, cell.column + cell.columns - 1))
    return saved(deck)


def as_xlsx(grid: Grid) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for cell in grid.cells:
        sheet.cell(cell.row + 1, cell.column + 1, cell.text)
        if cell.is_merged:
            sheet.merge_cells(
                start_row=cell.row + 1,
                start_column=cell.column + 1,
                end_row=cell.row + cell.rows,
                end_column=cell.column + cell.columns,
            )
    return saved(book)


def saved(document: docx.document.Document | pptx.presentation.Presentation | openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def as_html(grid: Grid) -> bytes:
    rows = []
    for number in range(grid.rows):
        tag = "th" if number == 0 else "td"
        cells = "".join(
            f'<{tag} rowspan="{cell.rows}" colspan="{cell.columns}">{cell.text}</{tag}>'
            for cell, is_continued in grid.row(number)
            if not is_continued
        )
        rows.append(f"<tr>{cells}</tr>")
    page = f'<!doctype html><html><head><meta charset="utf-8"></head><body><table>{"".join(rows)}</table></body></html>'
    return page.encode()


def odf_table(grid: Grid) -> str:
    """Covered places stand one by one in every other document, and as a repeated one in the rest."""
    rows = []
    for number in range(grid.rows):
        cells = ""
        for cell, is_continued in grid.row(number):
            covered = cell.columns
            if not is_continued:
                covered -= 1
                spans = f'table:number-columns-spanned="{cell.columns}" table:number-rows-spanned="{cell.rows}"'
                cells += f'<table:table-cell office:value-type="string" {spans if cell.is_merged else ""}>'
                cells += f"<text:p>{cell.text}</text:p></table:table-cell>"
            if covered and grid.seed % 2:
                cells += f'<table:covered-table-cell table:number-columns-repeated="{covered}"/>'
            else:
                cells += "<table:covered-table-cell/>" * covered
        rows.append(f"<table:table-row>{cells}</table:table-row>")
    columns = f'<table:table-column table:number-columns-repeated="{grid.columns}"/>'
    return f'<table:table table:name="T">{columns}{"".join(rows)}</table:table>'


def odf(kind: str, body: str) -> bytes:
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    names = " ".join(f'xmlns:{name}="{ODF.format(name)}"' for name in ("office", "table", "text"))
    manifest = (
        f'<manifest:manifest xmlns:manifest="{ODF.format("manifest")}" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media_type}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    document = f'<office:document-content {names} office:version="1.2"><office:body>{body}</office:body>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", media_type)
        archive.writestr("content.xml", f'<?xml version="1.0" encoding="UTF-8"?>{document}</office:document-content>')
        archive.writestr("META-INF/manifest.xml", manifest)
    return buffer.getvalue()


def as_odt(grid: Grid) -> bytes:
    return odf("text", f"<office:text>{odf_table(grid)}</office:text>")


def as_ods(grid: Grid) -> bytes:
    return odf("spreadsheet", f"<office:spreadsheet>{odf_table(grid)}</office:spreadsheet>")


def as_rtf(grid: Grid) -> bytes:
    """Merged to the right by wide cells, as Word writes them, in every other document; by marks in the rest."""
    rows = [
        rtf_row_of_wide_cells(grid, number) if grid.seed % 2 else rtf_row(grid, number) for number in range(grid.rows)
    ]
    return rf"{{\rtf1\ansi\ansicpg936\uc1 {''.join(rows)}\pard after\par}}".encode("ascii")


def rtf_row(grid: Grid, number: int) -> str:
    marks, texts = "", ""
    for column in range(grid.columns):
        cell = grid.owner(number, column)
        if cell.columns > 1:
            marks += r"\clmgf" if column == cell.column else r"\clmrg"
        if cell.rows > 1:
            marks += r"\clvmgf" if number == cell.row else r"\clvmrg"
        marks += rf"\cellx{TWIPS * (column + 1)}"
        is_origin = (number, column) == (cell.row, cell.column)
        texts += rf"\pard\intbl {rtf_text(cell.text) if is_origin else ''}\cell "
    return rf"\trowd\trgaph108 {marks} {texts}\row "


def rtf_row_of_wide_cells(grid: Grid, number: int) -> str:
    marks, texts = "", ""
    for cell, is_continued in grid.row(number):
        if cell.rows > 1:
            marks += r"\clvmrg" if is_continued else r"\clvmgf"
        marks += rf"\cellx{TWIPS * (cell.column + cell.columns)}"
        texts += rf"\pard\intbl {'' if is_continued else rtf_text(cell.text)}\cell "
    return rf"\trowd\trgaph108 {marks} {texts}\row "


def rtf_text(text: str) -> str:
    return "".join(char if char.isascii() else rf"\u{ord(char)}?" for char in text)


WRITERS: dict[str, Callable[[Grid], bytes]] = {
    "docx": as_docx,
    "pptx": as_pptx,
    "xlsx": as_xlsx,
    "ods": as_ods,
    "odt": as_odt,
    "html": as_html,
    "rtf": as_rtf,
}

# --- the tests --------------------------------------------------------------------------------------------------------


def tables(markdown: str) -> list[list[list[str]]]:
    """Every table of a text as rows of cells, without the line of dashes."""
    found = []
    for block in re.findall(r"(?:^\|.*\|[ ]*$\n?)+", markdown, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.strip().splitlines()]
        found.append([row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)])
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("extension", WRITERS)
def test_every_value_stands_once_in_its_row_and_column(extension: str, seed: int) -> None:
    grid = make(seed)

    content = extract_content(WRITERS[extension](grid), media_type="", name=f"table.{extension}")

    assert content.status is Status.OK, content.note
    assert tables(content.text or "") == [grid.expected()]


def test_the_grids_differ_and_have_merges_in_both_directions() -> None:
    grids = [make(seed) for seed in range(6)]

    assert len({(grid.rows, grid.columns, len(grid.cells)) for grid in grids}) >= 4
    assert sum(cell.is_merged for grid in grids for cell in grid.cells) >= 12
    assert any(cell.rows > 1 and cell.columns > 1 for grid in grids for cell in grid.cells)
