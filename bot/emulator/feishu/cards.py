"""The rules of CardKit: what a card may hold, in which order it may change, how long it streams.

Codes and limits: open.feishu.cn/document/cardkit-v1 and the errors people report; facts of 2026-11.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.feishu.card_content import check_content, elements_of, serialized
from bot.emulator.feishu.fields import invalid, object_in
from bot.emulator.feishu.refusal import Refusal

STREAMING_S = 600.0
LIFETIME_S = 14 * 24 * 3600.0


@dataclass(slots=True, kw_only=True)
class CardEntity:
    """One card entity. Moments are on the monotonic clock; `streaming_until` is None while streaming mode is off."""

    card_id: str
    card: dict[str, Any]
    expires_at: float
    streaming_until: float | None = None
    #: Streaming mode ran out of its ten minutes, and nobody was told yet.
    timed_out: bool = False
    last_sequence: int = 0
    message_id: str | None = None
    uuids: set[str] = field(default_factory=set)


def parse_card(data: str) -> dict[str, Any]:
    """The card inside a JSON string, checked; raises what CardKit would answer."""
    card = object_in(data, Refusal(200220, "Failed to generate card content. parse card json err"))
    if not card:
        raise Refusal(300307, "ErrMsg: card DSL is empty; ")
    if card.get("schema") != "2.0":
        raise Refusal(200220, "Failed to generate card content. schema 2.0 is required")
    if config_of(card).get("update_multi", True) is not True:
        raise Refusal(300302, "ErrMsg: update_multi must be true; ")
    check_content(card)
    return card


def config_of(card: dict[str, Any]) -> dict[str, Any]:
    """The card's `config`, empty where it has none."""
    config = card.get("config", {})
    if not isinstance(config, dict):
        raise Refusal(200220, "Failed to generate card content. config is not an object")
    return config


def is_streaming(entity: CardEntity, now: float) -> bool:
    """True while streaming mode is on; notices when its time has run out."""
    if entity.streaming_until is not None and now >= entity.streaming_until:
        entity.streaming_until = None
        entity.timed_out = True
    return entity.streaming_until is not None


def accept_operation(entity: CardEntity, *, sequence: int, uuid: str | None, now: float) -> None:
    """Checks what every operation on a card must keep; nothing is changed by a refused one."""
    if now >= entity.expires_at:
        raise Refusal(200750, "ErrMsg: card entity expired; ")
    if uuid is not None and uuid in entity.uuids:
        raise Refusal(200770, "ErrMsg: uuid conflict; ")
    if sequence <= entity.last_sequence:
        raise Refusal(300317, "ErrMsg: sequence number compare failed; ")


def done(entity: CardEntity, *, sequence: int, uuid: str | None) -> None:
    """Counts an operation that went through."""
    entity.last_sequence = sequence
    if uuid is not None:
        entity.uuids.add(uuid)


def streamed(entity: CardEntity, element_id: str, content: str, now: float) -> dict[str, Any]:
    """The card with the whole text of one element replaced; streaming mode must be on."""
    if not is_streaming(entity, now):
        if entity.timed_out:
            entity.timed_out = False
            raise Refusal(200850, "ErrMsg: card streaming timeout; ")
        raise Refusal(300309, "ErrMsg: streaming mode is closed; ")
    card = copy.deepcopy(entity.card)
    for element in elements_of(card):
        if element.get("element_id") == element_id:
            text_of(element)["content"] = content
            check_content(card)
            return card
    raise Refusal(300313, f"ErrMsg: not find elementID : {element_id}; ")


def configured(entity: CardEntity, settings: str) -> dict[str, Any]:
    """The card with `config` and `card_link` merged in from a settings string."""
    changes = object_in(settings, Refusal(300122, "ErrMsg: update card config failed; "))
    if not changes or set(changes) - {"config", "card_link"}:
        raise Refusal(300122, "ErrMsg: update card config failed; ")
    card = copy.deepcopy(entity.card)
    card["config"] = config_of(card) | config_of(changes)
    if "card_link" in changes:
        card["card_link"] = changes["card_link"]
    return parse_card(serialized(card))


def replace_card(entity: CardEntity, card: dict[str, Any], now: float, streaming_s: float) -> None:
    """Makes `card` the entity's state; its ten minutes begin when its config says that it streams."""
    entity.card = card
    entity.timed_out = False
    streaming = config_of(card).get("streaming_mode") is True
    entity.streaming_until = now + streaming_s if streaming else None


def text_of(element: dict[str, Any]) -> dict[str, Any]:
    """The object that holds the text of a markdown or plain_text element."""
    if element.get("tag") in ("markdown", "plain_text"):
        return element
    text = element.get("text")
    if isinstance(text, dict):
        return text
    raise invalid("element_id", "only plain_text and markdown can be streamed")


def card_reference(content: str) -> str | None:
    """The card_id a message's content refers to; None when the content is a card itself."""
    value = json.loads(content)
    if value.get("type") != "card":
        return None
    data = value.get("data")
    card_id = data.get("card_id") if isinstance(data, dict) else None
    return card_id if isinstance(card_id, str) else ""
