"""The `im.message.receive_v1` event: is it for us, and what does it ask?

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/events/receive
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec

from bot.errors import EnvelopeError, FeishuUnavailable
from bot.feishu.content import FORWARD, read_content
from bot.models import BotIdentity, Language, Message, RawEvent

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

_WRITTEN = frozenset({"text", "post"})

# The messages' ids become parts of addresses and keys.
Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.=-]{1,128}\Z")]
OptionalId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.=-]{0,128}\Z")]
Milliseconds = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,15}\Z")]


class _UserId(msgspec.Struct):
    open_id: str | None = None


# What is said of people is read generously: a refused event comes four times more and holds up those behind it.
class _Mention(msgspec.Struct):
    key: str
    id: _UserId | None = None
    name: str | None = None

    @property
    def open_id(self) -> str:
        return (self.id.open_id if self.id else None) or ""


class _Sender(msgspec.Struct):
    sender_id: _UserId | None = None
    sender_type: str = ""


class _Message(msgspec.Struct):
    message_id: Id
    chat_id: Id
    chat_type: str
    message_type: str
    content: str
    create_time: Milliseconds
    thread_id: OptionalId | None = None
    parent_id: OptionalId | None = None
    mentions: list[_Mention] | None = None


class _Event(msgspec.Struct):
    sender: _Sender
    message: _Message


class _Header(msgspec.Struct):
    event_type: str
    app_id: Id


class _Body(msgspec.Struct):
    header: _Header
    event: _Event


def receive_event(body: dict[str, Any]) -> RawEvent | None:
    """The event keyed for the inbox, None for other types of event; EnvelopeError where its shape is wrong.

    What goes on is without the verification token: it is checked by now, and no secret belongs in a database.
    """
    header = body.get("header")
    if not isinstance(header, dict) or header.get("event_type") != "im.message.receive_v1":
        return None
    read = _read(body)
    message = read.event.message
    return RawEvent(
        app_id=read.header.app_id,
        message_id=message.message_id,
        chat_id=message.chat_id,
        thread_id=message.thread_id or None,
        create_time_ms=int(message.create_time),
        body={**body, "header": {key: value for key, value in header.items() if key != "token"}},
    )


def read_message(
    event: RawEvent, identity: BotIdentity | None, *, language: Literal["auto", "zh", "en"] = "auto"
) -> Message | None:
    """The message if it is for us: from a person, and in a group one that mentions us.

    Raises FeishuUnavailable for a group's message while we don't know who we are, so that it is tried again.
    """
    read = _read(event.body).event
    sender, message = read.sender, read.message
    own_id = identity.open_id if identity else ""
    mentions = message.mentions or []
    sender_open_id = sender.sender_id.open_id if sender.sender_id else None
    if sender.sender_type != "user" or not sender_open_id:
        return None
    if message.chat_type != "p2p" and not _mentions_us(mentions, own_id):
        return None
    names = {
        mention.key: "" if own_id and mention.open_id == own_id else f"@{mention.name or ''}" for mention in mentions
    }
    content = read_content(message.message_type, message.content, names, message.message_id)
    words = content.text if message.message_type in _WRITTEN else ""  # the rest, such as a place, is in our own words
    return Message(
        app_id=event.app_id,
        message_id=message.message_id,
        chat_id=message.chat_id,
        chat_type="p2p" if message.chat_type == "p2p" else "group",
        thread_id=message.thread_id or None,
        parent_id=message.parent_id or None,
        sender_open_id=sender_open_id,
        create_time_ms=event.create_time_ms,
        question="" if message.message_type == FORWARD else content.text,
        attachments=content.attachments,
        language=_language(words, set(names.values())) if language == "auto" else language,
        is_forward=message.message_type == FORWARD,
        is_unknown=not content.known,
    )


def _read(body: dict[str, Any]) -> _Body:
    try:
        return msgspec.convert(body, _Body)
    except msgspec.ValidationError as error:
        # Its text names the field and the type, never a value.
        raise EnvelopeError(str(error), code="event_shape", status=400) from None


def _mentions_us(mentions: list[_Mention], own_id: str) -> bool:
    if not mentions:
        return False
    if not own_id:  # people of other tenants are mentioned without one
        raise FeishuUnavailable("a mention in a group, and our own open_id is not known", code="identity_unknown")
    return any(mention.open_id == own_id for mention in mentions)


def _language(question: str, names: set[str]) -> Language:
    """Chinese unless the question is in letters without any Chinese character; the names of people don't count."""
    for name in sorted(names, key=len, reverse=True):
        question = question.replace(name, " ")
    if _CJK.search(question) or not any(character.isalpha() for character in question):
        return "zh"
    return "en"
