"""CardKit: what a card may hold, and in which order and for how long it may change."""

from __future__ import annotations

import copy
import json
import time

import pytest

from bot.emulator.feishu.card_content import count_tables, has_external_image

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def body_of(*elements):
    return {"schema": "2.0", "body": {"elements": list(elements)}}


def markdown(content, **fields):
    return {"tag": "markdown", "content": content} | fields


async def sent_card(api, card):
    """A card entity that hangs under a message; returns both ids."""
    message_id = await api.chat.say("hi")
    card_id = (await api.create_card(card)).data["card_id"]
    content = json.dumps({"type": "card", "data": {"card_id": card_id}})
    await api.reply(message_id, msg_type="interactive", content=content)
    return message_id, card_id


async def test_streamed_text_stands_in_the_card_people_see(api, card):
    message_id, card_id = await sent_card(api, card)
    await api.stream(card_id, "Hel", 1)
    await api.stream(card_id, "Hello", 2)
    [reply] = await api.chat.replies(message_id)
    assert (reply.text, reply.streaming, reply.msg_type) == ("Hello", "open", "interactive")
    settings = {"settings": json.dumps({"config": {"streaming_mode": False}}), "sequence": 3}
    assert (await api.call("PATCH", f"cardkit/v1/cards/{card_id}/settings", settings)).code == 0
    [reply] = await api.chat.wait_for_replies(message_id, timeout_s=5)
    assert (reply.text, reply.streaming) == ("Hello", "closed")
    assert (await api.chat.stats()).open_cards == ()
    assert (await api.stream(card_id, "Hello!", 4)).code == 300309


async def test_sequence_must_rise_over_all_operations_of_a_card(api, card):
    card_id = (await api.create_card(card)).data["card_id"]
    assert (await api.stream(card_id, "a", 5)).code == 0
    assert (await api.stream(card_id, "ab", 5)).code == 300317
    update = {"card": {"type": "card_json", "data": json.dumps(card)}, "sequence": 4}
    assert (await api.call("PUT", f"cardkit/v1/cards/{card_id}", update)).code == 300317
    assert (await api.call("PUT", f"cardkit/v1/cards/{card_id}", update | {"sequence": 6})).code == 0
    assert (await api.stream(card_id, "ab", 2**31)).code == 99992402


async def test_eleventh_operation_within_a_second_is_refused(api, card):
    card_id = (await api.create_card(card)).data["card_id"]
    answers = [await api.stream(card_id, "a" * n, n) for n in range(1, 12)]
    assert [answer.code for answer in answers] == [0] * 10 + [99991400]
    assert (answers[-1].status, answers[-1].headers["x-ogw-ratelimit-reset"]) == (429, "1")
    other = (await api.create_card(card)).data["card_id"]
    assert (await api.stream(other, "a", 1)).code == 0


async def test_streaming_ends_by_itself_after_ten_minutes(start, card):
    async with start(time_scale=0.001, relaxed_rates=True) as api:  # ten minutes are 0.6 s
        card_id = (await api.create_card(card)).data["card_id"]
        began, codes = time.monotonic(), [0]
        while codes[-1] == 0:
            codes.append((await api.stream(card_id, "text", len(codes))).code)
        assert time.monotonic() - began > 0.5
        sequence = len(codes)
        assert codes[-1] == 200850
        assert (await api.stream(card_id, "more", sequence + 1)).code == 300309
        settings = {"settings": json.dumps({"config": {"streaming_mode": True}}), "sequence": sequence + 2}
        assert (await api.call("PATCH", f"cardkit/v1/cards/{card_id}/settings", settings)).code == 0
        assert (await api.stream(card_id, "more", sequence + 3)).code == 0


async def test_card_entity_is_sent_only_once(api, card):
    message_id, card_id = await sent_card(api, card)
    content = json.dumps({"type": "card", "data": {"card_id": card_id}})
    again = await api.reply(message_id, msg_type="interactive", content=content)
    assert again.code == 230099
    assert len(await api.chat.replies(message_id)) == 1


async def test_uuid_of_an_operation_is_taken_once(api, card):
    card_id = (await api.create_card(card)).data["card_id"]
    assert (await api.stream(card_id, "a", 1, uuid="once")).code == 0
    assert (await api.stream(card_id, "ab", 2, uuid="once")).code == 200770


async def test_unknown_card_and_unknown_element_are_told_apart(api, card):
    card_id = (await api.create_card(card)).data["card_id"]
    assert (await api.stream("7355372766134157313", "a", 1)).code == 200740
    missing = await api.stream(card_id, "a", 1, element="nowhere")
    assert missing.code == 300313
    assert "nowhere" in missing.body["msg"]
    assert (await api.stream(card_id, "a", 1, element="e" * 21)).code == 99992402
    assert (await api.stream(card_id, "", 1)).code == 99992402
    assert (await api.stream(card_id, "a" * 100_001, 1)).code == 99992402


REFUSED_CARDS = [
    ({}, 300307),
    ({"body": {"elements": []}}, 200220),
    (body_of() | {"config": {"update_multi": False}}, 300302),
    (body_of(markdown("x" * 30 * 1024)), 200860),
    (body_of(*[markdown("x")] * 201), 300305),
    (body_of(markdown("a", element_id="one"), markdown("b", element_id="one")), 300301),
    (body_of(markdown("a", element_id="1_digit_first")), 99992402),
    (body_of(markdown(f"{TABLE}\n" * 6)), 230099),
    (body_of(*[{"tag": "table", "columns": []}] * 5, markdown(TABLE)), 230099),
    (body_of(markdown("![chart](https://example.com/a.png)")), 230099),
    (body_of({"tag": "action", "actions": []}), 230099),
]


async def test_card_that_breaks_a_rule_is_not_created(api):
    for card, code in REFUSED_CARDS:
        assert (await api.create_card(card)).code == code, card


async def test_refused_text_leaves_the_card_as_it_was(api, card):
    message_id, card_id = await sent_card(api, card)
    await api.stream(card_id, "good", 1)
    refused = await api.stream(card_id, f"{TABLE}\n" * 6, 2)
    assert (refused.code, "ErrCode: 11310" in refused.body["msg"]) == (230099, True)
    assert (await api.stream(card_id, "x" * 30_700, 3)).code == 200860
    assert [reply.text for reply in await api.chat.replies(message_id)] == ["good"]
    assert (await api.stream(card_id, "good too", 2)).code == 0


async def test_update_replaces_the_card_and_ends_streaming(api, card):
    message_id, card_id = await sent_card(api, card)
    final = copy.deepcopy(card)
    final["config"]["streaming_mode"] = False
    final["body"]["elements"][0]["content"] = "the end"
    update = {"card": {"type": "card_json", "data": json.dumps(final)}, "sequence": 1}
    assert (await api.call("PUT", f"cardkit/v1/cards/{card_id}", update)).code == 0
    [reply] = await api.chat.replies(message_id)
    assert (reply.text, reply.streaming) == ("the end", "closed")


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        (TABLE, 1),
        (f"{TABLE}\n{TABLE}", 2),
        (f"```\n{TABLE}```\n", 0),
        (f"~~~~\n```\n{TABLE}~~~~\n{TABLE}", 1),
        ("a | b\n:-: | -:\n", 1),
        ("a - b\n-----\n", 0),
        ("| no delimiter |\n| here |\n", 0),
    ],
)
def test_tables_are_counted_outside_of_code(text, tables):
    assert count_tables(text) == tables


@pytest.mark.parametrize(
    ("text", "external"),
    [
        ("![a](img_v3_02ab)", False),
        ("![a](https://example.com/a.png)", True),
        ("![](< http://example.com>)", True),
        ("![a](data:image/png;base64,AA)", True),
        ("`![a](https://example.com)`", False),
        ("```\n![a](https://example.com)\n```", False),
        ("[a](https://example.com)", False),
    ],
)
def test_only_images_that_feishu_holds_may_be_embedded(text, external):
    assert has_external_image(text) is external
