"""Requests that Feishu did not send, or sent too long ago: refused, and nothing stored. Against the running bot."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.emulator.wire import FeishuOptions

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPTIONS = FeishuOptions()


def event(**changed: Any) -> dict[str, Any]:
    """A private text message as Feishu pushes it; `changed` replaces parts of the header."""
    message_id = f"om_forged_{os.urandom(6).hex()}"
    header = {
        "event_id": message_id,
        "event_type": "im.message.receive_v1",
        "create_time": "1700000000000",
        "token": OPTIONS.verification_token,
        "app_id": OPTIONS.app_id,
        "tenant_key": "tenant",
    }
    message = {
        "message_id": message_id,
        "chat_id": "oc_forged",
        "chat_type": "p2p",
        "message_type": "text",
        "create_time": "1700000000000",
        "content": '{"text":"hello"}',
    }
    sender = {"sender_id": {"open_id": "ou_x"}, "sender_type": "user"}
    return {"schema": "2.0", "header": {**header, **changed}, "event": {"sender": sender, "message": message}}


def encrypted(plain: bytes, key: str = OPTIONS.encrypt_key) -> bytes:
    """AES-256-CBC with PKCS7, as Feishu does it."""
    padder = padding.PKCS7(128).padder()
    iv = os.urandom(16)
    cipher = Cipher(algorithms.AES256(hashlib.sha256(key.encode()).digest()), modes.CBC(iv)).encryptor()
    sealed = cipher.update(padder.update(plain) + padder.finalize()) + cipher.finalize()
    return json.dumps({"encrypt": base64.b64encode(iv + sealed).decode()}).encode()


@dataclass(kw_only=True)
class Request:
    """A request and how it is signed; a case changes one thing."""

    body: bytes = field(default_factory=lambda: encrypted(json.dumps(event()).encode()))
    key: str = OPTIONS.encrypt_key
    timestamp: str = field(default_factory=lambda: str(int(time.time())))
    nonce: str = field(default_factory=lambda: os.urandom(8).hex())
    signature: str | None = None
    without: tuple[str, ...] = ()
    sent: bytes | None = None  # another body than the one that was signed

    def headers(self) -> dict[str, str]:
        text = f"{self.timestamp}{self.nonce}{self.key}".encode()
        signature = self.signature if self.signature is not None else hashlib.sha256(text + self.body).hexdigest()
        named = {
            "X-Lark-Request-Timestamp": self.timestamp,
            "X-Lark-Request-Nonce": self.nonce,
            "X-Lark-Signature": signature,
        }
        return {name: value for name, value in named.items() if name not in self.without}


def sealed(value: Any, **signing: Any) -> Request:
    """A rightly signed and encrypted request with this content."""
    plain = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Request(body=encrypted(plain), **signing)


def flipped(body: bytes) -> bytes:
    """One bit of the ciphertext turned."""
    data = bytearray(base64.b64decode(json.loads(body)["encrypt"]))
    data[20] ^= 1
    return json.dumps({"encrypt": base64.b64encode(bytes(data)).decode()}).encode()


CASES: dict[str, tuple[int, Callable[[], Request]]] = {
    "unsigned": (401, lambda: Request(without=("X-Lark-Signature",))),
    "without any header": (
        401,
        lambda: Request(without=("X-Lark-Signature", "X-Lark-Request-Timestamp", "X-Lark-Request-Nonce")),
    ),
    "without a timestamp": (401, lambda: Request(without=("X-Lark-Request-Timestamp",))),
    "without a nonce": (401, lambda: Request(without=("X-Lark-Request-Nonce",))),
    "with an empty signature": (401, lambda: Request(signature="")),
    "with zeros as signature": (401, lambda: Request(signature="0" * 64)),
    "with a signature that is not ASCII": (401, lambda: Request(signature="ä" * 64)),
    "signed with another key": (401, lambda: Request(key="another key")),
    "signed with the verification token": (401, lambda: Request(key=OPTIONS.verification_token)),
    "signed with an empty key": (401, lambda: Request(key="")),
    "with another body than the signed one": (
        401,
        lambda: Request(sent=encrypted(json.dumps(event()).encode())),
    ),
    "with a bit turned": (401, lambda: (request := Request(), setattr(request, "sent", flipped(request.body)))[0]),
    "with something behind the body": (
        401,
        lambda: (request := Request(), setattr(request, "sent", request.body + b" "))[0],
    ),
    "six minutes old": (401, lambda: Request(timestamp=str(int(time.time()) - 360))),
    "a day old": (401, lambda: Request(timestamp=str(int(time.time()) - 86_400))),
    "six minutes ahead": (401, lambda: Request(timestamp=str(int(time.time()) + 360))),
    "with a timestamp in words": (401, lambda: Request(timestamp="yesterday")),
    "with a timestamp that is no number": (401, lambda: Request(timestamp="nan")),
    "with an endless timestamp": (401, lambda: Request(timestamp="9" * 400)),
    "encrypted with another key": (401, lambda: Request(body=encrypted(json.dumps(event()).encode(), "another"))),
    "not encrypted, though signed": (401, lambda: Request(body=json.dumps(event()).encode())),
    "with the wrong verification token": (401, lambda: sealed(event(token="guess"))),
    "without a verification token": (401, lambda: sealed(event(token=None))),
    "of another app": (401, lambda: sealed(event(app_id="cli_other"))),
    "empty": (400, lambda: Request(body=b"", without=("X-Lark-Signature",))),
    "empty, though signed": (400, lambda: Request(body=b"")),
    "no JSON": (400, lambda: Request(body=b"\x00\xff garbage")),
    "JSON, but a list": (400, lambda: Request(body=b"[1,2,3]")),
    "JSON, deep": (400, lambda: Request(body=b"[" * 100_000)),
    "with no base64 inside": (401, lambda: Request(body=b'{"encrypt":"***"}')),
    "with too little ciphertext": (401, lambda: Request(body=b'{"encrypt":"AAAA"}')),
    "with a number as ciphertext": (401, lambda: Request(body=b'{"encrypt":1}')),
    "with garbage inside the encryption": (401, lambda: sealed(b"\x00\xff garbage")),
    "with a list inside the encryption": (401, lambda: sealed([1, 2])),
    "an event without its message": (400, lambda: sealed({**event(), "event": {}})),
    "an event with a number as message_id": (
        400,
        lambda: sealed({**event(), "event": {"message": {"message_id": 1}, "sender": {}}}),
    ),
    "a challenge with the wrong token": (
        401,
        lambda: Request(
            body=json.dumps({"type": "url_verification", "challenge": "x", "token": "guess"}).encode(),
            without=("X-Lark-Signature",),
        ),
    ),
    "an encrypted challenge with the wrong token": (
        401,
        lambda: sealed({"type": "url_verification", "challenge": "x", "token": "guess"}, without=("X-Lark-Signature",)),
    ),
    "over the size": (413, lambda: Request(body=b'{"encrypt":"' + b"A" * (1024 * 1024) + b'"}')),
}


@pytest_asyncio.fixture(loop_scope="session")
async def client():
    async with aiohttp.ClientSession() as session:
        yield session


async def _stored(world, client) -> int:
    async with client.get(world.webhook.replace("/feishu/event", "/healthz")) as response:
        return sum((await response.json())["inbox"].values())


async def _send(world, client, request: Request) -> tuple[int, Any]:
    body = request.sent if request.sent is not None else request.body
    async with client.post(world.webhook, data=io.BytesIO(body), headers=request.headers()) as response:
        return response.status, await response.json()


@pytest.mark.parametrize(("status", "make"), CASES.values(), ids=[name.replace(" ", "_") for name in CASES])
async def test_a_request_is_refused_and_not_stored(world, client, status, make) -> None:
    before = await _stored(world, client)
    assert await _send(world, client, make()) == (status, {})
    assert await _stored(world, client) == before


async def test_the_same_request_rightly_made_is_stored_so_the_cases_above_are_real(world, client) -> None:
    before = await _stored(world, client)
    assert (await _send(world, client, Request()))[0] == 200
    assert await _stored(world, client) == before + 1


async def test_a_replayed_request_is_acknowledged_and_not_stored_again(world, client) -> None:
    request = Request()
    assert (await _send(world, client, request))[0] == 200
    before = await _stored(world, client)
    assert [(await _send(world, client, request))[0] for _ in range(3)] == [200, 200, 200]
    assert await _stored(world, client) == before


async def test_a_compressed_body_is_not_inflated(world, client) -> None:
    request = Request(body=gzip.compress(b"0" * 50_000_000))
    before = await _stored(world, client)
    headers = request.headers() | {"Content-Encoding": "gzip"}
    async with client.post(world.webhook, data=request.body, headers=headers) as response:
        assert response.status == 400, "rightly signed, and no JSON as it stands"
    assert await _stored(world, client) == before


async def test_refusals_are_counted(world, client) -> None:
    async def refused() -> float:
        async with client.get(world.webhook.replace("/feishu/event", "/metrics")) as response:
            lines = (await response.text()).splitlines()
        counts = [
            line.split()[-1] for line in lines if line.startswith('duwen_webhook_requests_total{outcome="refused"')
        ]
        return float(counts[0]) if counts else 0.0

    before = await refused()
    await _send(world, client, Request(signature="0" * 64))
    assert await refused() == before + 1
