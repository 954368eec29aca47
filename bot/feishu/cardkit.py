"""Card entities: made once, then changed in place.

https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/streaming-updates-openapi-overview
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.errors import FeishuUnavailable
from bot.feishu.api import FeishuApi, segment
from bot.feishu.pieces import object_of, text_of

_MAX_UUID_CHARS = 64


class CardKit:
    """The card APIs of one app: at most ten operations a second on one card.

    Every `sequence` must be above all earlier ones of its card, whatever the operation, and fit an int32.
    """

    def __init__(self, api: FeishuApi) -> None:
        self._api = api

    async def create(self, card: Mapping[str, Any]) -> str:
        """The id of a new entity, which can be sent once and lives for 14 days."""
        answer = await self._api.call("POST", "/open-apis/cardkit/v1/cards", body=_card_json(card))
        card_id = text_of(object_of(answer, "data"), "card_id")
        if not card_id:
            raise FeishuUnavailable("the answer holds no card_id")
        return card_id

    async def put_text(self, card_id: str, element_id: str, text: str, *, sequence: int) -> None:
        """Sets an element's whole text, 1 to 100,000 characters; a text that continues the last one is typed out."""
        path = f"{_path(card_id)}/elements/{segment(element_id)}/content"
        await self._operate("PUT", path, card_id, sequence, {"content": text})

    async def settings(self, card_id: str, settings: Mapping[str, Any], *, sequence: int) -> None:
        """Changes the card's `config`, such as its streaming mode."""
        body = {"settings": json.dumps(settings, ensure_ascii=False)}
        await self._operate("PATCH", f"{_path(card_id)}/settings", card_id, sequence, body)

    async def update(self, card_id: str, card: Mapping[str, Any], *, sequence: int) -> None:
        """Replaces the whole card."""
        await self._operate("PUT", _path(card_id), card_id, sequence, {"card": _card_json(card)})

    async def _operate(self, method: str, path: str, card_id: str, sequence: int, body: Mapping[str, Any]) -> None:
        uuid = f"{card_id}-{sequence}"[-_MAX_UUID_CHARS:]
        await self._api.call(method, path, body={**body, "sequence": sequence, "uuid": uuid})


def _path(card_id: str) -> str:
    return f"/open-apis/cardkit/v1/cards/{segment(card_id)}"


def _card_json(card: Mapping[str, Any]) -> dict[str, str]:
    return {"type": "card_json", "data": json.dumps(card, ensure_ascii=False)}
