"""What may stand in a card: sizes, elements, ids, tables, images."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from bot.emulator.feishu.fields import invalid
from bot.emulator.feishu.refusal import Refusal, card_refusal

CARD_MAX_BYTES = 30 * 1024
MAX_ELEMENTS = 200
MAX_TABLES = 5

_ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_IMAGE = re.compile(r"!\[[^\]]*\]\(\s*<?([^)\s>]*)")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_DELIMITER_ROW = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
#: Of the card structure before 2.0; 2.0 refuses them (200861).
_OLD_TAGS = frozenset({"action", "note"})


def check_content(card: dict[str, Any]) -> None:
    """Raises the first refusal CardKit has for a card's content."""
    if len(serialized(card).encode()) > CARD_MAX_BYTES:
        raise Refusal(200860, "ErrMsg: card content exceeds limit; ")
    elements = list(elements_of(card))
    if len(elements) > MAX_ELEMENTS:
        raise Refusal(300305, "ErrMsg: element exceeds the limit; ")
    _check_ids(elements)
    for element in elements:
        if element["tag"] in _OLD_TAGS:
            msg = "cards of schema V2 no longer support this capability"
            raise card_refusal(200861, msg, f"unsupported tag {element['tag']}")
    markdown = [str(element.get("content", "")) for element in elements if element["tag"] in ("markdown", "lark_md")]
    tables = sum(1 for element in elements if element["tag"] == "table") + sum(map(count_tables, markdown))
    if tables > MAX_TABLES:
        raise card_refusal(11310, "card table number over limit", "table")
    if any(has_external_image(text) for text in markdown):
        raise card_refusal(200570, "card contains invalid image keys")


def elements_of(card: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object with a tag in the card's body and header, at any depth."""
    yield from _tagged(card.get("header"))
    yield from _tagged(card.get("body"))


def serialized(card: dict[str, Any]) -> str:
    """The card as compact JSON, which is what its size is counted on."""
    return json.dumps(card, ensure_ascii=False, separators=(",", ":"))


def card_text(card: dict[str, Any]) -> str:
    """The words people read in a card, one element a paragraph."""
    texts = (element.get("content") for element in elements_of(card))
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def count_tables(markdown: str) -> int:
    """How many Markdown tables stand in a text, outside code fences."""
    lines = _outside_fences(markdown)
    return sum(1 for row, delimiter in pairwise(lines) if _is_table(row, delimiter))


def has_external_image(markdown: str) -> bool:
    """True when a text embeds an image by anything else than one of Feishu's image keys."""
    text = re.sub(r"`[^`\n]*`", "", "\n".join(_outside_fences(markdown)))
    return any(not target.startswith("img_") for target in _IMAGE.findall(text))


def _is_table(row: str, delimiter: str) -> bool:
    return "|" in row and "|" in delimiter and _DELIMITER_ROW.match(delimiter) is not None


def _outside_fences(markdown: str) -> list[str]:
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            lines.append(line)
    return lines


def _check_ids(elements: list[dict[str, Any]]) -> None:
    ids = [element["element_id"] for element in elements if "element_id" in element]
    for element_id in ids:
        if not isinstance(element_id, str) or not _ELEMENT_ID.fullmatch(element_id):
            raise invalid("element_id", "1 to 20 letters, digits and underscores, a letter first")
    if any(count > 1 for count in Counter(ids).values()):
        raise Refusal(300301, "ErrMsg: duplicate element_id in card component; ")


def _tagged(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("tag"), str):
            yield value
        for child in value.values():
            yield from _tagged(child)
    elif isinstance(value, list):
        for child in value:
            yield from _tagged(child)
