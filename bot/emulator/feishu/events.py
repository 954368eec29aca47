"""The events Feishu pushes, in schema 2.0."""

from __future__ import annotations

import time
from typing import Any

from bot.emulator.feishu.state import Message, World, new_id


def received(world: World, message: Message) -> dict[str, Any]:
    """`im.message.receive_v1` for a message of a person."""
    optional = {
        "root_id": message.root_id,
        "parent_id": message.parent_id,
        "thread_id": message.thread_id,
        "mentions": message.mentions or None,
    }
    body = {
        "message_id": message.message_id,
        "create_time": str(message.create_time_ms),
        "update_time": str(message.create_time_ms),
        "chat_id": message.chat_id,
        "chat_type": message.chat_type,
        "message_type": message.msg_type,
        "content": message.content,
        "user_agent": "duwen-emulator",
    } | {name: value for name, value in optional.items() if value is not None}
    sender = {"sender_id": person(message.sender_id), "sender_type": "user", "tenant_key": "emulator"}
    return _event(world, "im.message.receive_v1", {"sender": sender, "message": body})


def recalled(world: World, message: Message) -> dict[str, Any]:
    """`im.message.recalled_v1` for a message its owner took back."""
    body = {
        "message_id": message.message_id,
        "chat_id": message.chat_id,
        "recall_time": str(time.time_ns() // 1_000_000),
        "recall_type": "message_owner",
    }
    return _event(world, "im.message.recalled_v1", body)


def person(open_id: str) -> dict[str, str]:
    """The three ids of a person."""
    tail = open_id.removeprefix("ou_")
    return {"union_id": f"on_{tail}", "user_id": tail[:8], "open_id": open_id}


def mentions(world: World, *, bot: bool, people: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    """The mentions of a message, keyed @_user_1 and so on; the bot is the first."""
    options = world.options
    found = [(options.bot_open_id, options.bot_name, "bot")] if bot else []
    found += [(open_id, name, "user") for open_id, name in people]
    return [
        {
            "key": f"@_user_{number}",
            "id": person(open_id),
            "mentioned_type": kind,
            "name": name,
            "tenant_key": "emulator",
        }
        for number, (open_id, name, kind) in enumerate(found, start=1)
    ]


def _event(world: World, event_type: str, event: dict[str, Any]) -> dict[str, Any]:
    header = {
        "event_id": new_id("ev"),
        "event_type": event_type,
        "create_time": str(time.time_ns() // 1_000_000),
        "token": world.options.verification_token,
        "app_id": world.options.app_id,
        "tenant_key": "emulator",
    }
    return {"schema": "2.0", "header": header, "event": event}
