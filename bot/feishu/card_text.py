"""The words on a Feishu card, whichever of its three shapes it comes in.

The simplified one of events (`title`, rows of `elements`), cards of version 1 (`header`, `elements`) and of version 2
(`header`, `body.elements`). What is to be clicked or filled in is left out, and so are files: Feishu gives no card's
files to bots (234043).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.feishu.pieces import object_of, text_of
from bot.feishu.post import read_element

_TEXTS = frozenset({"text", "a", "at", "code_block", "md", "hr", "emotion"})
_CONTENTS = frozenset({"markdown", "lark_md", "plain_text"})
_CONTAINERS = ("title", "text", "header", "body", "i18n_elements", "zh_cn", "elements", "fields", "columns", "content")
_SILENT = frozenset({"button", "select_static", "overflow", "date_picker", "input", "img", "action"})
_MAX_DEPTH = 20


def card_text(fields: Mapping[str, Any]) -> str:
    """One line for each row or element that has words."""
    title = text_of(fields, "title") or text_of(object_of(object_of(fields, "header"), "title"), "content")
    rest = {key: value for key, value in fields.items() if key not in {"title", "header"}}
    return "\n".join(line for line in (title, *_lines(rest, 0)) if line)


def _lines(node: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(node, list):
        yield from _row(node, depth)
    elif isinstance(node, dict):
        yield from _element(node, depth)


def _row(row: list[Any], depth: int) -> Iterator[str]:
    """Pieces of text that stand side by side are one line; anything else has lines of its own."""
    if row and all(isinstance(piece, dict) and text_of(piece, "tag") in _TEXTS | _SILENT for piece in row):
        yield "".join(read_element(piece).text for piece in row if text_of(piece, "tag") in _TEXTS)
        return
    for piece in row:
        yield from _lines(piece, depth + 1)


def _element(element: dict[str, Any], depth: int) -> Iterator[str]:
    tag = text_of(element, "tag")
    if tag in _SILENT:
        return
    if tag in _TEXTS:
        yield read_element(element).text
    elif tag in _CONTENTS:
        yield text_of(element, "content")
    else:
        for key in _CONTAINERS:
            yield from _lines(element.get(key), depth + 1)
