"""What lies over the cells of an old Excel sheet: text boxes, pictures, charts and comments, each with its cell."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._grid import column_letters
from extractors._legacy.art import Shape, shapes
from extractors._legacy.biff import Workbook
from extractors._legacy.biff_sheet import SheetRecords
from extractors._legacy.numbers import u16
from extractors._legacy.pictures import Pictures


def over_cells(book: Workbook, found: SheetRecords, pictures: Pictures) -> Iterator[str]:
    """Everything over the cells, in the order of the file."""
    noted = {target for _, _, _, target in found.notes}
    # Each shape that a program draws has an object record, in the same order.
    drawn = [shape for shape in shapes(bytes(found.drawing)) if shape.is_client]
    for index, item in enumerate(found.objects):
        shape = drawn[index] if index < len(drawn) else None
        if item.number in noted:
            continue
        texts = [item.text.strip(), _picture(book, shape, pictures)]
        place = _place(shape)
        for text in filter(None, texts):
            yield f"At {place}: {text}" if place else text
    yield from filter(None, (chart.markdown() for chart in found.charts))
    comments = list(_comments(found))
    if comments:
        yield "\n".join(comments)


def _comments(found: SheetRecords) -> Iterator[str]:
    texts = {item.number: item.text for item in found.objects}
    for row, column, author, target in found.notes:
        text = (texts.get(target, "") if isinstance(target, int) else target).strip()
        if text:
            name = f" ({author.strip()})" if author.strip() else ""
            yield f"Comment on {column_letters(column + 1)}{row + 1}{name}: {text}"


def _picture(book: Workbook, shape: Shape | None, pictures: Pictures) -> str:
    if shape is None or not 0 < shape.picture <= len(book.pictures):
        return ""
    return pictures.reference(book.pictures[shape.picture - 1], shape.description)


def _place(shape: Shape | None) -> str:
    anchor = shape.client_anchor if shape is not None else b""
    return f"{column_letters(u16(anchor, 2) + 1)}{u16(anchor, 6) + 1}" if len(anchor) >= 18 else ""
