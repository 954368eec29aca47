"""Everything the local Feishu knows, in memory."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.changes import Changes
from bot.emulator.feishu.cards import CardEntity
from bot.emulator.wire import Call, Delivery, FeishuOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file somebody put into the chat."""

    key: str
    name: str
    kind: str
    media_type: str
    data: bytes
    claimed_bytes: int


@dataclass(slots=True, kw_only=True)
class Message:
    """A message of a person or of the bot; `content` is the JSON string as it goes over the wire."""

    message_id: str
    chat_id: str
    chat_type: str
    msg_type: str
    content: str
    sender_id: str
    by_bot: bool
    create_time_ms: int
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    upper_message_id: str | None = None
    #: The message a reply was sent to; in a thread `parent_id` names the root instead.
    reply_to: str | None = None
    mentions: list[dict[str, Any]] = field(default_factory=list)
    card_id: str | None = None
    reactions: dict[str, str] = field(default_factory=dict)
    recalled: bool = False
    children: list[Message] = field(default_factory=list)


class World:
    """Chats, files, cards and journals. Options may be replaced while running."""

    def __init__(self, options: FeishuOptions) -> None:
        self.options = options
        self.changes = Changes()
        self.messages: dict[str, Message] = {}
        self.files: dict[str, StoredFile] = {}
        self.cards: dict[str, CardEntity] = {}
        #: uuid of a reply -> (message id, when Feishu forgets it, on the monotonic clock).
        self.uuids: dict[str, tuple[str, float]] = {}
        self.calls: list[Call] = []
        self.deliveries: list[Delivery] = []
        self.undelivered = 0
        self._last_ms = 0

    def scaled(self, seconds: float) -> float:
        """One of Feishu's long times as it passes here."""
        return seconds * self.options.time_scale

    def next_time_ms(self) -> int:
        """The time in milliseconds, strictly rising so that messages have an order."""
        self._last_ms = max(self._last_ms + 1, time.time_ns() // 1_000_000)
        return self._last_ms

    def add(self, message: Message) -> Message:
        """Puts a message into its chat."""
        self.messages[message.message_id] = message
        self.changes.touch()
        return message

    def message_of_uuid(self, uuid: str) -> Message | None:
        """The message a reply with this uuid made within the last hour."""
        message_id, until = self.uuids.get(uuid, ("", 0.0))
        return self.messages.get(message_id) if time.monotonic() < until else None

    def remember_uuid(self, uuid: str, message: Message) -> None:
        """Keeps a reply's uuid for one hour."""
        self.uuids[uuid] = (message.message_id, time.monotonic() + self.scaled(3600))

    def replies_to(self, message_id: str) -> list[Message]:
        """What the bot answered to one message."""
        return [message for message in self.messages.values() if message.reply_to == message_id]


def new_id(prefix: str) -> str:
    """An id in Feishu's manner, such as om_3f..."""
    return f"{prefix}_{secrets.token_hex(16)}"
