"""What a Feishu message says, as text and attachments, whatever its type.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/im-v1/message/events/message_content
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.feishu.card_text import card_text
from bot.feishu.pieces import (
    Kind,
    Pieces,
    Resource,
    clean,
    json_object,
    list_of,
    object_of,
    resource,
    text_of,
    time_of,
)
from bot.feishu.post import read_post
from bot.models import AttachmentRef

#: The type of a merged forward.
FORWARD = "merge_forward"
_MENTION = re.compile(r"(@_user_\d+|@_all)([ \u00a0]?)")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The readable text of a message, and the resources that it names; not `known` where its type is new to us."""

    text: str = ""
    attachments: tuple[AttachmentRef, ...] = ()
    known: bool = True


def read_content(message_type: str, content: str, mentions: Mapping[str, str], message_id: str) -> Content:
    """Never raises: what can't be read is empty. Reads events and the items of `GET message` alike.

    `mentions` says what stands for each key, such as {"@_user_1": "@Tom"}; an empty string takes the mention out.
    """
    reader = READERS.get(message_type)
    if reader is None:
        return Content(known=False)
    pieces = reader(json_object(content))
    return Content(
        text=_with_mentions(pieces.text, mentions).strip(),
        attachments=tuple(_references(pieces.resources, message_id)),
    )


def _with_mentions(text: str, mentions: Mapping[str, str]) -> str:
    def name(match: re.Match[str]) -> str:
        replacement = mentions.get(match[1], "@all" if match[1] == "@_all" else match[1])
        return f"{clean(replacement)}{match[2]}" if replacement else ""

    return _MENTION.sub(name, text)


def _references(resources: Iterable[Resource], message_id: str) -> Iterator[AttachmentRef]:
    seen: set[str] = set()
    for found in resources:
        if found.key not in seen:
            seen.add(found.key)
            yield AttachmentRef(message_id=message_id, key=found.key, kind=found.kind, name=found.name)


def _text(fields: Mapping[str, Any]) -> Pieces:
    return Pieces(text=text_of(fields, "text"))


def _only(kind: Kind, key: str) -> Callable[[Mapping[str, Any]], Pieces]:
    return lambda fields: Pieces(resources=resource(kind, fields, key))


def _noted(label: str, *keys: str) -> Callable[[Mapping[str, Any]], Pieces]:
    """`[label] first, second` from the fields that are there."""

    def read(fields: Mapping[str, Any]) -> Pieces:
        values = (time_of(fields, key) if key.endswith("_time") else text_of(fields, key) for key in keys)
        return Pieces(text=f"[{label}] {', '.join(value for value in values if value)}".rstrip())

    return read


def _todo(fields: Mapping[str, Any]) -> Pieces:
    summary, due = read_post(object_of(fields, "summary")), time_of(fields, "due_time")
    text = f"[task] {summary.text}" + (f" (due {due})" if due else "")
    return Pieces(text=text, resources=summary.resources)


def _vote(fields: Mapping[str, Any]) -> Pieces:
    options = (clean(option) for option in list_of(fields, "options") if isinstance(option, str))
    return Pieces(text="\n".join((f"[vote] {text_of(fields, 'topic')}", *(f"- {option}" for option in options))))


def _system(fields: Mapping[str, Any]) -> Pieces:
    def value(match: re.Match[str]) -> str:
        names = ", ".join(name for name in list_of(fields, match[1]) if isinstance(name, str))
        return clean(names) or text_of(object_of(fields, match[1]), "text")

    return Pieces(text=_PLACEHOLDER.sub(value, text_of(fields, "template")))


READERS: Mapping[str, Callable[[Mapping[str, Any]], Pieces]] = {
    "text": _text,
    "post": read_post,
    "image": _only("image", "image_key"),
    "file": _only("file", "file_key"),
    "folder": _only("folder", "file_key"),
    "audio": _only("audio", "file_key"),
    "media": _only("media", "file_key"),
    "sticker": _only("sticker", "file_key"),
    "interactive": lambda fields: Pieces(text=card_text(fields)),
    FORWARD: lambda _: Pieces(text="[merged forward]"),
    "share_chat": _noted("shared chat", "chat_id"),
    "share_user": _noted("shared contact", "user_id"),
    "share_calendar_event": _noted("calendar event", "summary", "start_time", "end_time"),
    "calendar": _noted("calendar event", "summary", "start_time", "end_time"),
    "general_calendar": _noted("calendar event", "summary", "start_time", "end_time"),
    "location": _noted("location", "name", "longitude", "latitude"),
    "video_chat": _noted("video call", "topic", "start_time"),
    "todo": _todo,
    "vote": _vote,
    "hongbao": _text,
    "system": _system,
}
