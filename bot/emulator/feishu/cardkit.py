"""The CardKit calls: create a card entity, stream text into it, change its settings, replace it."""

from __future__ import annotations

import secrets
import time
from typing import Any

from aiohttp import web

from bot.emulator.feishu import cards
from bot.emulator.feishu.cards import CardEntity
from bot.emulator.feishu.fields import invalid, json_object, optional_text, required_text, sequence_field
from bot.emulator.feishu.rates import Rates
from bot.emulator.feishu.refusal import Refusal, succeeded
from bot.emulator.feishu.state import World


class CardKit:
    """Handlers under /open-apis/cardkit/v1."""

    def __init__(self, world: World, rates: Rates) -> None:
        self._world = world
        self._rates = rates

    def routes(self) -> list[web.RouteDef]:
        """The calls and where they are."""
        card = "/open-apis/cardkit/v1/cards/{card_id}"
        return [
            web.post("/open-apis/cardkit/v1/cards", self.create),
            web.put(card, self.update),
            web.patch(f"{card}/settings", self.settings),
            web.put(f"{card}/elements/{{element_id}}/content", self.stream),
        ]

    async def create(self, request: web.Request) -> web.Response:
        """POST /cards: a new entity, sendable once, alive for fourteen days."""
        card = _card_of(await json_object(request))
        now = time.monotonic()
        card_id = str(10**18 + secrets.randbelow(9 * 10**18))  # 19 digits, as the real ones
        entity = CardEntity(card_id=card_id, card=card, expires_at=now + self._world.scaled(cards.LIFETIME_S))
        self._replace(entity, card, now)
        self._world.cards[card_id] = entity
        return succeeded({"card_id": card_id})

    async def stream(self, request: web.Request) -> web.Response:
        """PUT /cards/{id}/elements/{element_id}/content: the whole text so far of one element."""
        body = await json_object(request)
        entity, sequence, uuid, now = self._operation(request, body)
        content = required_text(body, "content", longest=100_000)
        element_id = request.match_info["element_id"]
        if len(element_id) > 20:
            raise invalid("element_id", "longer than 20 characters")
        entity.card = cards.streamed(entity, element_id, content, now)
        return self._done(entity, sequence, uuid)

    async def settings(self, request: web.Request) -> web.Response:
        """PATCH /cards/{id}/settings: merges the config; switching streaming mode on starts its ten minutes anew."""
        body = await json_object(request)
        entity, sequence, uuid, now = self._operation(request, body)
        card = cards.configured(entity, required_text(body, "settings", longest=100_000))
        self._replace(entity, card, now)
        return self._done(entity, sequence, uuid)

    async def update(self, request: web.Request) -> web.Response:
        """PUT /cards/{id}: another card in the place of the old one; allowed whether it streams or not."""
        body = await json_object(request)
        entity, sequence, uuid, now = self._operation(request, body)
        card = body.get("card")
        if not isinstance(card, dict):
            raise invalid("card", "an object is needed")
        self._replace(entity, _card_of(card), now)
        return self._done(entity, sequence, uuid)

    def _operation(self, request: web.Request, body: dict[str, Any]) -> tuple[CardEntity, int, str | None, float]:
        entity = self._world.cards.get(request.match_info["card_id"])
        if entity is None:
            raise Refusal(200740, "ErrMsg: card entity not exist; ")
        if not self._world.options.relaxed_rates:
            self._rates.take_card(entity.card_id)
        sequence = sequence_field(body)
        uuid = optional_text(body, "uuid", longest=64)
        now = time.monotonic()
        cards.accept_operation(entity, sequence=sequence, uuid=uuid, now=now)
        return entity, sequence, uuid, now

    def _replace(self, entity: CardEntity, card: dict[str, Any], now: float) -> None:
        cards.replace_card(entity, card, now, self._world.scaled(cards.STREAMING_S))

    def _done(self, entity: CardEntity, sequence: int, uuid: str | None) -> web.Response:
        cards.done(entity, sequence=sequence, uuid=uuid)
        self._world.changes.touch()
        return succeeded()


def _card_of(body: dict[str, Any]) -> dict[str, Any]:
    if body.get("type") != "card_json":
        raise invalid("type", "the emulator knows card_json only")
    return cards.parse_card(required_text(body, "data", longest=3_000_000))
