"""The webhook: what is stored, what is refused, and what is acknowledged."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yarl
from pydantic import SecretStr
from sqlalchemy import text

from bot.config import FeishuSettings, WebhookSettings
from bot.emulator.feishu.sealing import sealed, signature_headers
from bot.errors import ConfigError
from bot.intake import webhook as webhook_module
from bot.intake.accept import Accept
from bot.intake.webhook import PATH, webhook_routes
from bot.metrics import Metrics
from bot.store.database import Database
from bot.store.inbox import Inbox

KEY = "the encrypt key"
FEISHU = FeishuSettings(app_id="cli_1", encrypt_key=SecretStr(KEY), verification_token=SecretStr("the token"))
BODY_MAX_BYTES = 64 * 1024


def message_event(message_id: str = "om_1", **changed: Any) -> dict[str, Any]:
    """A receive event as Feishu sends it; `changed` replaces fields of the header."""
    header = {"event_id": "e1", "event_type": "im.message.receive_v1", "token": "the token", "app_id": "cli_1"}
    message = {
        "message_id": message_id,
        "create_time": str(time.time_ns() // 1_000_000),
        "chat_id": "oc_1",
        "chat_type": "p2p",
        "message_type": "text",
        "content": '{"text":"你好"}',
    }
    sender = {"sender_id": {"open_id": "ou_1"}, "sender_type": "user"}
    return {"schema": "2.0", "header": header | changed, "event": {"sender": sender, "message": message}}


def signed(event: dict[str, Any], key: str = KEY) -> tuple[bytes, dict[str, str]]:
    """Body and headers of the request that delivers the event."""
    body = sealed(event, key)
    return body, signature_headers(body, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The webhook as a stranger sees it, and what is behind it."""

    url: str
    session: aiohttp.ClientSession
    database: Database
    inbox: Inbox
    metrics: Metrics
    woken: list[bool]

    async def post(self, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        async with self.session.post(self.url, data=body, headers=headers) as response:
            return response.status, await response.json()

    async def rows(self) -> int:
        counts = await self.inbox.counts()
        return sum(counts.values())

    def outcomes(self) -> dict[str, float]:
        samples = next(iter(self.metrics.requests.collect())).samples
        return {sample.labels["outcome"]: sample.value for sample in samples if sample.name.endswith("_total")}


@pytest.fixture
async def door(tmp_path: Path, serve) -> AsyncIterator[Door]:
    database, metrics, woken = Database(tmp_path / "duwen.db"), Metrics(), []
    await database.open()
    inbox = Inbox(database)
    url = await serve(
        webhook_routes(
            accept=Accept(inbox=inbox, wake=lambda: woken.append(True)),
            feishu=FEISHU,
            webhook=WebhookSettings(body_max_bytes=BODY_MAX_BYTES),
            metrics=metrics,
        )
    )
    async with aiohttp.ClientSession() as session:
        yield Door(url=url + PATH, session=session, database=database, inbox=inbox, metrics=metrics, woken=woken)
    await database.close()


async def test_a_signed_event_is_stored_acknowledged_and_relayed(door: Door) -> None:
    assert await door.post(*signed(message_event())) == (200, {})
    (event,) = await door.inbox.waiting()
    assert (event.app_id, event.message_id, event.conversation) == ("cli_1", "om_1", "oc_1")
    assert event.body["event"]["message"]["content"] == '{"text":"你好"}'
    assert door.woken == [True]
    assert door.outcomes() == {"stored": 1}


async def test_five_deliveries_at_once_are_all_acknowledged_and_become_one_row(door: Door) -> None:
    answers = await asyncio.gather(*(door.post(*signed(message_event())) for _ in range(5)))
    assert answers == [(200, {})] * 5
    assert await door.rows() == 1
    assert door.woken == [True]
    assert door.outcomes() == {"stored": 1, "duplicate": 4}


async def test_the_very_same_request_again_is_acknowledged_without_asking_the_database(door: Door) -> None:
    request = signed(message_event())
    assert [await door.post(*request) for _ in range(2)] == [(200, {})] * 2
    assert door.outcomes() == {"stored": 1, "replayed": 1}


async def test_what_could_not_be_stored_is_taken_when_it_comes_again(door: Door) -> None:
    request = signed(message_event())
    await door.database.run(lambda connection: connection.execute(text("ALTER TABLE inbox RENAME TO gone")))
    assert await door.post(*request) == (500, {})
    await door.database.run(lambda connection: connection.execute(text("ALTER TABLE gone RENAME TO inbox")))
    assert await door.post(*request) == (200, {})
    assert await door.rows() == 1
    assert door.outcomes() == {"failed": 1, "stored": 1}


async def test_the_challenge_comes_back_though_it_is_not_signed(door: Door) -> None:
    event = {"type": "url_verification", "token": "the token", "challenge": "c-1"}
    assert await door.post(sealed(event, KEY)) == (200, {"challenge": "c-1"})


async def test_events_of_other_types_are_acknowledged_and_not_stored(door: Door) -> None:
    event = message_event(event_type="im.message.reaction.created_v1")
    assert await door.post(*signed(event)) == (200, {})
    assert await door.rows() == 0
    assert door.outcomes() == {"ignored": 1}


async def test_whatever_is_not_believed_is_refused_without_a_reason_and_leaves_nothing(door: Door) -> None:
    body, headers = signed(message_event())
    an_hour_ago = str(int(time.time()) - 3600)
    old = {
        "X-Lark-Request-Timestamp": an_hour_ago,
        "X-Lark-Request-Nonce": "n",
        "X-Lark-Signature": hashlib.sha256(f"{an_hour_ago}n{KEY}".encode() + body).hexdigest(),
    }
    garbage = b"\x00\xff not json"
    forged = {
        "unsigned": (body, {}),
        "another key": signed(message_event(), "another key"),
        "body changed": (body + b" ", headers),
        "too old": (body, old),
        "not encrypted": (
            json.dumps(message_event()).encode(),
            signature_headers(json.dumps(message_event()).encode(), KEY),
        ),
        "wrong token": signed(message_event(token="another token")),
        "another app": signed(message_event(app_id="cli_2")),
        "challenge with a wrong token": (
            sealed({"type": "url_verification", "token": "no", "challenge": "c"}, KEY),
            {},
        ),
        "garbage": (garbage, signature_headers(garbage, KEY)),
        "no message": signed({**message_event(), "event": {}}),
        "empty": (b"", {}),
    }
    answers = {name: await door.post(*request) for name, request in forged.items()}
    assert {name: answer for name, answer in answers.items() if answer[0] not in (400, 401) or answer[1]} == {}
    assert await door.rows() == 0
    assert door.outcomes() == {"refused": len(forged)}


async def _chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 8192 + 1):
        yield b"x" * 8192


async def test_a_body_over_the_cap_is_cut_off_whatever_its_header_says(door: Door) -> None:
    large = b"x" * (BODY_MAX_BYTES + 1)
    assert await door.post(large) == (413, {})
    assert await door.post(_chunks(BODY_MAX_BYTES)) == (413, {})  # chunked: no length is announced
    assert await door.post(gzip.compress(large * 100), {"Content-Encoding": "gzip"}) == (413, {})
    assert await door.rows() == 0
    assert door.outcomes() == {"too_large": 3}


async def test_a_body_that_does_not_come_is_not_waited_for(door: Door, monkeypatch) -> None:
    monkeypatch.setattr(webhook_module, "READ_TIMEOUT_S", 0.01)
    held = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield b"{"
        await held.wait()

    assert await door.post(endless()) == (408, {})
    assert door.outcomes() == {"too_slow": 1}


async def test_a_request_broken_off_in_its_middle_leaves_nothing(door: Door) -> None:
    url = yarl.URL(door.url)
    _, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(f"POST {url.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(20):
        while not door.outcomes():  # noqa: ASYNC110 # a counter has no event to wait for
            await asyncio.sleep(0)
    assert door.outcomes() == {"broken_off": 1}
    assert await door.rows() == 0


@pytest.mark.parametrize("missing", ["app_id", "encrypt_key", "verification_token"])
def test_without_its_secrets_the_door_does_not_open(missing: str) -> None:
    async def accept(_event: object) -> bool:
        raise AssertionError

    feishu = FEISHU.model_copy(update={missing: type(getattr(FEISHU, missing))("")})
    with pytest.raises(ConfigError, match=f"feishu.{missing}"):
        webhook_routes(accept=accept, feishu=feishu, webhook=WebhookSettings(), metrics=Metrics())
