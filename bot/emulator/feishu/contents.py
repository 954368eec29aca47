"""What a message may hold when the bot sends it, and which files a person's message carries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bot.emulator.feishu import cards
from bot.emulator.feishu.fields import object_in
from bot.emulator.feishu.refusal import Refusal, card_refusal

TEXT_MAX_BYTES = 150 * 1024
RICH_MAX_BYTES = 30 * 1024

_POST_TAGS = frozenset({"text", "a", "at", "img", "media", "emotion", "hr", "code_block", "md"})


def check_outgoing(msg_type: str, content: str) -> None:
    """Raises what Feishu answers to a message it does not take."""
    if msg_type not in ("text", "post", "interactive"):
        raise _bad_content("the emulator knows text, post and interactive only")
    limit = TEXT_MAX_BYTES if msg_type == "text" else RICH_MAX_BYTES
    if len(content.encode()) > limit:
        raise Refusal(230025, "The length of the message content reaches its limit.")
    value = object_in(content, _bad_content("content is not a JSON object"))
    if msg_type == "text":
        _check_text(value)
    elif msg_type == "post":
        _check_post(value)
    elif cards.card_reference(content) is None:
        _check_inline_card(value, content)


def resources_of(content: str) -> dict[str, str]:
    """The keys in a message's content, each with the `type` its download needs: image or file."""
    return dict(_keys(json.loads(content)))


def _check_text(value: dict[str, Any]) -> None:
    if not isinstance(value.get("text"), str) or not value["text"]:
        raise _bad_content("text is missing")


def _check_post(value: dict[str, Any]) -> None:
    if not value:
        raise _bad_content("post has no language")
    for language, body in value.items():
        rows = body.get("content") if isinstance(body, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise _bad_content(f"{language}.content is not a list of lists")
        for node in (node for row in rows for node in row):
            if not isinstance(node, dict) or node.get("tag") not in _POST_TAGS:
                raise _bad_content(f"{language}: unknown tag in {node!r}")


def _check_inline_card(value: dict[str, Any], content: str) -> None:
    if value.get("schema") != "2.0":
        # Cards of the first structure are still taken by Feishu; the emulator does not know their rules.
        raise card_refusal(200621, "parse card json err, only schema 2.0 is known here")
    try:
        cards.parse_card(content)
    except Refusal as refusal:
        if refusal.code == 230099:
            raise
        raise card_refusal(refusal.code, refusal.msg) from None


def _keys(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, child in value.items():
            if name in ("image_key", "file_key") and isinstance(child, str):
                yield child, "image" if name == "image_key" else "file"
            else:
                yield from _keys(child)
    elif isinstance(value, list):
        for child in value:
            yield from _keys(child)


def _bad_content(why: str) -> Refusal:
    return Refusal(230001, f"Your request contains an invalid request parameter, ext=invalid message content: {why}.")
