"""The cards and posts we send, as JSON (cards in schema 2.0, which refuses unknown properties).

https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure
"""

from __future__ import annotations

import json
from typing import Any

#: The element that the answer is streamed into.
ANSWER_ELEMENT = "answer"


def streaming_card(*, title: str, placeholder: str) -> dict[str, Any]:
    """A card in streaming mode with one text to fill; without a title it has no header. Chats preview `placeholder`."""
    card = _card([_markdown(placeholder, element_id=ANSWER_ELEMENT)], summary=placeholder, streaming=True)
    if title:
        card["header"] = {"title": _plain(title)}
    return card


def final_card(
    *,
    body_markdown: str,
    files_markdown: str,
    footer: str,
    summary: str,
    files_title: str = "",
    files_expanded: bool = False,
) -> dict[str, Any]:
    """The finished answer, with the files that were read and a footer where there are any.

    The files stand under `files_title`, folded away unless expanded, or in small print where there is no title.
    """
    elements = [_markdown(body_markdown, element_id=ANSWER_ELEMENT)]
    if files_markdown and files_title:
        elements.append(_panel(files_title, files_markdown, expanded=files_expanded))
    small = [text for text in (files_markdown if not files_title else "", footer) if text]
    if small:
        elements.append({"tag": "hr"})
        elements.extend(_markdown(text, text_size="notation") for text in small)
    return _card(elements, summary=summary, streaming=False)


def static_card(markdown: str) -> dict[str, Any]:
    """A card that is sent as it is."""
    return _card([_markdown(markdown, element_id=ANSWER_ELEMENT)])


def card_reference(card_id: str) -> dict[str, Any]:
    """The content of an `interactive` message that shows a card entity."""
    return {"type": "card", "data": {"card_id": card_id}}


def post(markdown: str) -> dict[str, Any]:
    """The content of a `post` message; every client shows the one language there is."""
    return {"zh_cn": {"content": [[{"tag": "md", "text": markdown}]]}}


def wire_bytes(text: str) -> int:
    """The bytes that a text takes in a card's JSON, which is what Feishu's limit of 30 KB counts."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def _card(elements: list[dict[str, Any]], *, summary: str = "", streaming: bool | None = None) -> dict[str, Any]:
    config: dict[str, Any] = {"update_multi": True}
    if streaming is not None:
        config["streaming_mode"] = streaming
    if summary:
        config["summary"] = {"content": summary}
    return {"schema": "2.0", "config": config, "body": {"elements": elements}}


def _markdown(content: str, **properties: str) -> dict[str, Any]:
    return {"tag": "markdown", "content": content, **properties}


def _plain(content: str) -> dict[str, Any]:
    return {"tag": "plain_text", "content": content}


def _panel(title: str, markdown: str, *, expanded: bool) -> dict[str, Any]:
    return {
        "tag": "collapsible_panel",
        "expanded": expanded,
        "header": {"title": _plain(title)},
        "elements": [_markdown(markdown, text_size="notation")],
    }
