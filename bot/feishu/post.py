"""Feishu's rich text, `post`: rows of tagged pieces, plain or once per language, with files beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.feishu.pieces import Pieces, Resource, join, list_of, resource, text_of

_LANGUAGES = ("zh_cn", "en_us", "ja_jp", "zh_hk", "zh_tw")
_MARKDOWN_IMAGE = re.compile(r"!\[[^\]\n]*\]\((img_[\w.-]+)\)")


def read_post(fields: Mapping[str, Any]) -> Pieces:
    """Title, rows and files of a post.

    `content_v2` (rows of Markdown) and `files` are not in Feishu's documents, but are what clients send for text and
    files in one bubble. Both contents say the same, so the second one's text is taken only where the first has none.
    """
    document = _localised(fields)
    rows, rows_v2 = _rows(document, "content"), _rows(document, "content_v2")
    title = Pieces(text=text_of(document, "title"))
    body = join((title, rows if rows.text else Pieces(text=rows_v2.text)), "\n")
    files = _files(document) or _files(fields)
    return Pieces(text=body.text, resources=rows.resources + rows_v2.resources + files)


def _localised(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    if "content" in fields or "content_v2" in fields:
        return fields
    named = [fields[language] for language in _LANGUAGES if language in fields]
    for candidate in (*named, *fields.values()):
        if isinstance(candidate, dict) and ("content" in candidate or "content_v2" in candidate):
            return candidate
    return fields


def _rows(document: Mapping[str, Any], key: str) -> Pieces:
    return join((_row(row) for row in list_of(document, key)), "\n")


def _row(row: object) -> Pieces:
    elements = row if isinstance(row, list) else [row]
    return join((read_element(element) for element in elements if isinstance(element, dict)), "")


def read_element(element: Mapping[str, Any]) -> Pieces:
    """One tagged piece of a row. What has an unknown tag is read by its text."""
    reader = _TAGS.get(text_of(element, "tag"))
    return reader(element) if reader else Pieces(text=text_of(element, "text"))


def _link(element: Mapping[str, Any]) -> Pieces:
    text, address = text_of(element, "text"), text_of(element, "href")
    return Pieces(text=f"[{text}]({address})" if text and address and text != address else text or address)


def _at(element: Mapping[str, Any]) -> Pieces:
    key, name = text_of(element, "user_id"), text_of(element, "user_name")
    if key.startswith("@_"):
        return Pieces(text=key)
    return Pieces(text="@_all" if key in {"all", "@all"} else f"@{name}" if name else "")


def _emotion(element: Mapping[str, Any]) -> Pieces:
    emoji = text_of(element, "emoji_type")
    return Pieces(text=f"[{emoji}]" if emoji else "")


def _code(element: Mapping[str, Any]) -> Pieces:
    code = text_of(element, "text").rstrip("\n")
    return Pieces(text=f"```{text_of(element, 'language').lower()}\n{code}\n```")


def _markdown(element: Mapping[str, Any]) -> Pieces:
    text = text_of(element, "text")
    keys = _MARKDOWN_IMAGE.findall(text)
    return Pieces(text=_MARKDOWN_IMAGE.sub("", text), resources=tuple(Resource(kind="image", key=key) for key in keys))


def _files(document: Mapping[str, Any]) -> tuple[Resource, ...]:
    return tuple(
        found
        for file in list_of(document, "files")
        if isinstance(file, dict)
        for found in resource("folder" if file.get("is_folder") is True else "file", file, "file_key")
    )


_TAGS: Mapping[str, Callable[[Mapping[str, Any]], Pieces]] = {
    "a": _link,
    "at": _at,
    "img": lambda element: Pieces(resources=resource("image", element, "image_key")),
    "media": lambda element: Pieces(resources=resource("media", element, "file_key")),
    "emotion": _emotion,
    "hr": lambda _: Pieces(text="---"),
    "code_block": _code,
    "md": _markdown,
}
