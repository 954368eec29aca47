"""What people in the chat see, as opposed to what went over the wire."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

from bot.emulator.feishu.card_content import card_text
from bot.emulator.feishu.cards import card_reference, config_of, is_streaming
from bot.emulator.feishu.state import Message, World
from bot.emulator.wire import Shown, Stats


def shown(world: World, message: Message) -> Shown:
    """One message with its card as it stands."""
    card, streaming = _card(world, message)
    return Shown(
        message_id=message.message_id,
        chat_id=message.chat_id,
        msg_type=message.msg_type,
        sender="bot" if message.by_bot else "user",
        text=card_text(card) if card else _text(message),
        create_time_ms=message.create_time_ms,
        reply_to=message.reply_to,
        root_id=message.root_id,
        parent_id=message.parent_id,
        thread_id=message.thread_id,
        card=card,
        streaming=None if streaming is None else "open" if streaming else "closed",
        reactions=tuple(message.reactions.values()),
        recalled=message.recalled,
    )


def stats(world: World) -> Stats:
    """Counts of the whole world."""
    replies = Counter(message.reply_to for message in world.messages.values() if message.reply_to)
    now = time.monotonic()
    return Stats(
        replies={source: count for source, count in replies.items() if source},
        open_cards=tuple(
            entity.card_id
            for entity in world.cards.values()
            if entity.message_id is not None and is_streaming(entity, now)
        ),
        calls=len(world.calls),
        deliveries=len(world.deliveries),
        undelivered=world.undelivered,
    )


def _card(world: World, message: Message) -> tuple[dict[str, Any] | None, bool | None]:
    """The card a message shows, and whether it is streaming; None for a card that can't."""
    if message.card_id is not None:
        entity = world.cards[message.card_id]
        return entity.card, is_streaming(entity, time.monotonic())
    if message.msg_type == "interactive" and card_reference(message.content) is None:
        card: dict[str, Any] = json.loads(message.content)
        return card, False if "streaming_mode" in config_of(card) else None
    return None, None


def _text(message: Message) -> str:
    """The words of a text or a post, mentions by name; the file's name of a file."""
    content = json.loads(message.content)
    if message.msg_type == "post":
        text = "\n".join(_post_lines(content))
    else:
        text = str(content.get("text") or content.get("file_name") or "")
    for mention in message.mentions:
        text = text.replace(mention["key"], f"@{mention['name']}")
    return text


def _post_lines(content: dict[str, Any]) -> list[str]:
    # A post the bot sends has languages around it, one that people send has not.
    bodies = [content] if isinstance(content.get("content"), list) else list(content.values())
    lines: list[str] = []
    for body in bodies:
        if body.get("title"):
            lines.append(str(body["title"]))
        lines += ["".join(_node_text(node) for node in row) for row in body["content"]]
    return lines


def _node_text(node: dict[str, Any]) -> str:
    return str(node.get("text") or node.get("user_name") or node.get("user_id") or "")
