"""Pushes: signature, encryption, order, and Feishu's retry schedule."""

from __future__ import annotations

import base64
import hashlib
import json
from itertools import pairwise

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.emulator.feishu.sealing import encrypted
from bot.emulator.wire import Post

KEY = "emulator-encrypt-key"


def opened(body: bytes, key: str = KEY) -> dict:
    """Decrypts a push with a few lines of its own."""
    sealed = base64.b64decode(json.loads(body)["encrypt"])
    cipher = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.CBC(sealed[:16])).decryptor()
    padded = cipher.update(sealed[16:]) + cipher.finalize()
    return json.loads(padded[: -padded[-1]])


async def test_event_is_encrypted_and_signed_over_the_bytes_that_are_sent(start, webhook):
    async with start(webhook_url=webhook.url) as api:
        message_id = await api.chat.say("你好", chat_id="oc_g", chat_type="group", mention_bot=True)
        await api.chat.wait_for_deliveries(1, timeout_s=10)
    [(body, headers)] = webhook.requests
    signed = headers["X-Lark-Request-Timestamp"] + headers["X-Lark-Request-Nonce"] + KEY
    assert headers["X-Lark-Signature"] == hashlib.sha256(signed.encode() + body).hexdigest()
    event = opened(body)
    assert event["schema"] == "2.0"
    assert event["header"]["event_type"] == "im.message.receive_v1"
    assert event["header"]["token"] == "emulator-verification-token"
    message = event["event"]["message"]
    assert message["message_id"] == message_id
    assert json.loads(message["content"]) == {"text": "@_user_1 你好"}
    assert message["mentions"][0]["id"]["open_id"] == "ou_emulator_bot"
    assert "thread_id" not in message


def test_encryption_reads_like_the_documents_vector():
    published = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="
    cipher = Cipher(
        algorithms.AES(hashlib.sha256(b"test key").digest()), modes.CBC(base64.b64decode(published)[:16])
    ).decryptor()
    assert cipher.update(base64.b64decode(published)[16:]) + cipher.finalize() == b"hello world" + b"\x05" * 5
    ours = json.dumps({"encrypt": encrypted(b'{"hello": "world"}', "test key")}).encode()
    assert opened(ours, "test key") == {"hello": "world"}


async def test_without_an_encrypt_key_the_event_is_plain_and_unsigned(start, webhook):
    async with start(webhook_url=webhook.url, encrypt_key="") as api:
        await api.chat.say("hi")
        await api.chat.wait_for_deliveries(1, timeout_s=10)
    [(body, headers)] = webhook.requests
    assert json.loads(body)["event"]["message"]["message_type"] == "text"
    assert "X-Lark-Signature" not in headers


async def test_refused_event_is_retried_on_the_schedule_until_it_is_taken(start, webhook):
    webhook.statuses = [500, 302, 401]
    async with start(webhook_url=webhook.url, time_scale=0.0002) as api:  # 3 ms, 60 ms, 0.72 s, 4.3 s
        message_id = await api.chat.say("hi")
        attempts = await api.chat.wait_for_deliveries(4, timeout_s=20)
        assert [attempt.status for attempt in attempts] == [500, 302, 401, 200]
        assert {attempt.message_id for attempt in attempts} == {message_id}
        assert len({attempt.event_id for attempt in attempts}) == 1
        waits = [later.at_s - earlier.at_s for earlier, later in pairwise(attempts)]
        assert waits[0] >= 0.003
        assert waits[1] >= 0.06
        assert waits[2] >= 0.72
        assert (await api.chat.stats()).undelivered == 0


async def test_event_is_given_up_after_the_fifth_attempt(start, webhook):
    webhook.statuses = [500] * 99
    async with start(webhook_url=webhook.url, time_scale=0.00001) as api:
        await api.chat.say("hi")
        await api.chat.wait_for_deliveries(5, timeout_s=10)
        await api.chat.say("again")
        deliveries = await api.chat.wait_for_deliveries(10, timeout_s=10)
        assert [delivery.attempt for delivery in deliveries] == [0, 1, 2, 3, 4] * 2
        assert (await api.chat.stats()).undelivered == 2


async def test_webhook_that_is_not_there_is_recorded_and_retried(start, webhook):
    async with start(webhook_url="http://127.0.0.1:9/", time_scale=0.001) as api:
        await api.chat.say("hi")
        [failed, *_] = await api.chat.wait_for_deliveries(1, timeout_s=10)
        assert failed.status == 0
        assert failed.error
        await api.chat.configure(webhook_url=webhook.url)
        deliveries = await api.chat.until(api.chat.deliveries, lambda found: found[-1].status == 200, timeout_s=10)
        assert deliveries[-1].message_id == failed.message_id


async def test_copies_and_order_of_deliveries_are_as_asked(start, webhook):
    async with start(webhook_url=webhook.url) as api:
        posts = [Post(content={"text": str(number)}) for number in range(4)]
        posted = await api.chat.post(*posts, copies=3, shuffle_seed=7)
        deliveries = await api.chat.wait_for_deliveries(12, timeout_s=10)
    ids = [delivery.message_id for delivery in deliveries]
    assert sorted(ids) == sorted(posted * 3)
    assert {delivery.copy for delivery in deliveries} == {0, 1, 2}
    arrived = [opened(body)["event"]["message"]["message_id"] for body, _ in webhook.requests]
    assert arrived != [message_id for message_id in posted for _ in range(3)]


async def test_recall_is_pushed(start, webhook):
    async with start(webhook_url=webhook.url) as api:
        message_id = await api.chat.say("hi")
        await api.chat.wait_for_deliveries(1, timeout_s=10)
        await api.chat.recall(message_id)
        await api.chat.wait_for_deliveries(2, timeout_s=10)
        assert (await api.chat.messages("oc_private"))[0].recalled
    event = opened(webhook.requests[-1][0])
    assert event["header"]["event_type"] == "im.message.recalled_v1"
    assert event["event"]["message_id"] == message_id


async def test_group_message_without_mention_does_not_arrive_without_the_scope(start, webhook):
    async with start(webhook_url=webhook.url, group_msg_scope=False) as api:
        await api.chat.say("among ourselves", chat_id="oc_g", chat_type="group")
        asked = await api.chat.say("you", chat_id="oc_g", chat_type="group", mention_bot=True)
        deliveries = await api.chat.wait_for_deliveries(1, timeout_s=10)
        assert [delivery.message_id for delivery in deliveries] == [asked]


@pytest.mark.parametrize("passes", [True, False])
async def test_url_verification_wants_its_challenge_back(start, webhook, passes):
    def answer(body: dict) -> dict:
        event = opened(json.dumps(body).encode())
        assert event["type"] == "url_verification"
        return {"challenge": event["challenge"] if passes else "something else"}

    webhook.answer = answer
    async with start(webhook_url=webhook.url) as api:
        assert (await api.chat.verify_url()).passed is passes
    assert "X-Lark-Signature" not in webhook.requests[0][1]
