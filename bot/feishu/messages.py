"""Reading, answering and marking messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from bot.errors import FeishuError, ReplyRefused
from bot.feishu.api import FeishuApi, segment
from bot.feishu.codes import NO_THREAD_REPLY
from bot.feishu.pieces import list_of, object_of, text_of

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedItem:
    """A message as `GET message` gives it; a forward has one for itself and one for each message in it.

    `content` and `mentions` are as `read_content` takes them. `sender` is an open_id, or an app id for a bot.
    """

    message_id: str
    type: str
    content: str
    sender: str
    mentions: Mapping[str, str] = field(default_factory=dict)
    deleted: bool = False


class Messages:
    """The message APIs of one app."""

    def __init__(self, api: FeishuApi) -> None:
        self._api = api

    async def get(self, message_id: str) -> tuple[QuotedItem, ...]:
        """The message, with cards in the form they were sent in: the simplified one loses much of a 2.0 card."""
        answer = await self._api.call(
            "GET", _path(message_id), params={"card_msg_content_type": "user_card_content", "user_id_type": "open_id"}
        )
        items = list_of(object_of(answer, "data"), "items")
        return tuple(_quoted(item) for item in items if isinstance(item, dict))

    async def reply(
        self, message_id: str, *, msg_type: str, content: Mapping[str, Any], uuid: str, in_thread: bool
    ) -> str:
        """Answers the message and returns the new one's id, which is empty if Feishu does not repeat it.

        The same `uuid` (at most 50 characters) is posted at most once within an hour, so a second call is a success.
        Where the chat has no threads the answer is a plain reply.
        """
        try:
            return await self._reply(message_id, msg_type, content, uuid, in_thread=in_thread)
        except ReplyRefused as error:
            if not in_thread or error.feishu_code not in NO_THREAD_REPLY:
                raise
        return await self._reply(message_id, msg_type, content, uuid, in_thread=False)

    async def react(self, message_id: str, emoji_type: str) -> str | None:
        """Adds a reaction and returns its id, or None: a reaction is an ornament, and never fails a job."""
        body = {"reaction_type": {"emoji_type": emoji_type}}
        try:
            answer = await self._api.call("POST", f"{_path(message_id)}/reactions", body=body)
        except FeishuError as error:
            log.debug("no reaction", code=error.code, feishu_code=error.feishu_code)
            return None
        return text_of(object_of(answer, "data"), "reaction_id") or None

    async def unreact(self, message_id: str, reaction_id: str | None) -> None:
        """Takes the reaction away again, if there is one."""
        if reaction_id is None:
            return
        try:
            await self._api.call("DELETE", f"{_path(message_id)}/reactions/{segment(reaction_id)}")
        except FeishuError as error:
            log.debug("reaction not removed", code=error.code, feishu_code=error.feishu_code)

    async def _reply(
        self, message_id: str, msg_type: str, content: Mapping[str, Any], uuid: str, *, in_thread: bool
    ) -> str:
        body = {
            "msg_type": msg_type,
            "content": json.dumps(content, ensure_ascii=False),
            "reply_in_thread": in_thread,
            "uuid": uuid,
        }
        answer = await self._api.call("POST", f"{_path(message_id)}/reply", body=body)
        return text_of(object_of(answer, "data"), "message_id")


def _path(message_id: str) -> str:
    return f"/open-apis/im/v1/messages/{segment(message_id)}"


def _quoted(item: Mapping[str, Any]) -> QuotedItem:
    mentions = (mention for mention in list_of(item, "mentions") if isinstance(mention, dict))
    return QuotedItem(
        message_id=text_of(item, "message_id"),
        type=text_of(item, "msg_type"),
        content=text_of(object_of(item, "body"), "content"),
        sender=text_of(object_of(item, "sender"), "id"),
        mentions={text_of(mention, "key"): f"@{text_of(mention, 'name')}" for mention in mentions},
        deleted=item.get("deleted") is True,
    )
