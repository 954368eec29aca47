"""The `im.message.receive_v1` event: is it for us, and what does it ask?

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/events/receive
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec

from bot.errors import EnvelopeError, FeishuUnavailable
from bot.feishu.content import read_content
from bot.models import BotIdentity, Language, Message, RawEvent

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

# The messages' ids become parts of addresses and keys.
Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.=-]{1,128}\Z")]
OptionalId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.=-]{0,128}\Z")]
Milliseconds = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,15}\Z")]


class _UserId(msgspec.Struct):
    open_id: str | None = None


class _Mention(msgspec.Struct):
    key: str
    id: _UserId
    name: str = ""


class _Sender(msgspec.Struct):
    sender_id: _UserId
    sender_type: str


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
    if sender.sender_type != "user" or not sender.sender_id.open_id:
        return None
    if message.chat_type != "p2p" and not _mentions_us(mentions, own_id):
        return None
    names = {mention.key: "" if own_id and mention.id.open_id == own_id else f"@{mention.name}" for mention in mentions}
    content = read_content(message.message_type, message.content, names, message.message_id)
    return Message(
        app_id=event.app_id,
        message_id=message.message_id,
        chat_id=message.chat_id,
        chat_type="p2p" if message.chat_type == "p2p" else "group",
        thread_id=message.thread_id or None,
        parent_id=message.parent_id or None,
        sender_open_id=sender.sender_id.open_id,
        create_time_ms=event.create_time_ms,
        question=content.text,
        attachments=content.attachments,
        language=_language(content.text, set(names.values())) if language == "auto" else language,
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
    return any(mention.id.open_id == own_id for mention in mentions)


def _language(question: str, names: set[str]) -> Language:
    """Chinese unless the question is in letters without any Chinese character; the names of people don't count."""
    for name in sorted(names, key=len, reverse=True):
        question = question.replace(name, " ")
    if _CJK.search(question) or not any(character.isalpha() for character in question):
        return "zh"
    return "en"
