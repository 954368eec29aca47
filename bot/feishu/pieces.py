"""Reading the untrusted fields of a message's content, and what a message is put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

Kind = Literal["image", "file", "audio", "media", "folder", "sticker"]

# NUL breaks databases, the rest of the control characters break terminals and logs. Tab and line feed are text.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A key that the message names, with what it stands for."""

    kind: Kind
    key: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Text and resources of a message or a part of one. Mentions are still keys such as `@_user_1`."""

    text: str = ""
    resources: tuple[Resource, ...] = ()


def join(parts: Iterable[Pieces], separator: str) -> Pieces:
    """The parts as one; empty texts leave no separator behind."""
    parts = tuple(parts)
    return Pieces(
        text=separator.join(part.text for part in parts if part.text),
        resources=tuple(resource for part in parts for resource in part.resources),
    )


def resource(kind: Kind, fields: Mapping[str, Any], key: str, name: str = "file_name") -> tuple[Resource, ...]:
    """The resource whose key is in `fields[key]`, if there is one."""
    value = text_of(fields, key)
    return (Resource(kind=kind, key=value, name=text_of(fields, name) or None),) if value else ()


def json_object(content: object) -> dict[str, Any]:
    """The object in a string of JSON; empty for anything else."""
    if not isinstance(content, str):
        return {}
    try:
        value = msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text_of(fields: Mapping[str, Any], key: str) -> str:
    """The string under `key` without control characters; empty where there is none."""
    value = fields.get(key)
    return clean(value) if isinstance(value, str) else ""


def object_of(fields: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under `key`; empty where there is none."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def list_of(fields: Mapping[str, Any], key: str) -> list[Any]:
    """The list under `key`; empty where there is none."""
    value = fields.get(key)
    return value if isinstance(value, list) else []


def time_of(fields: Mapping[str, Any], key: str) -> str:
    """Milliseconds since 1970 under `key` as a readable time; empty where there is none."""
    value = text_of(fields, key)
    if not (value.isascii() and value.isdigit() and len(value) <= 14):
        return ""
    return f"{datetime.fromtimestamp(int(value) / 1000, tz=UTC):%Y-%m-%d %H:%M} UTC"


def clean(text: str) -> str:
    """The text without control characters, with `\\n` as its only line break."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
