"""Webhook requests: which are to be believed, and the plain event inside.

https://open.feishu.cn/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from bot.errors import EnvelopeError

_BLOCK_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """Feishu asks whether this address is ours; the answer is `{"challenge": value}`."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A signed, decrypted event of our app. `body` is the whole of it."""

    type: str
    body: dict[str, Any]
    nonce: str


Opened = Challenge | Event


def open_envelope(
    body: bytes,
    headers: Mapping[str, str],
    *,
    encrypt_key: str,
    verification_token: str,
    app_id: str,
    now_s: float,
    window_s: float,
) -> Opened:
    """The challenge or event in a webhook request; EnvelopeError where it is not to be believed.

    Answer a refusal with its status alone: the code and the detail are for the log. Whatever is wrong with what an
    unsigned request holds is a 401, so that nobody can use the decryption as an oracle.
    """
    if not (encrypt_key and verification_token and app_id):
        # With an empty secret anybody could compute the signature.
        raise EnvelopeError("a secret of the webhook is not configured", code="envelope_unconfigured", status=401)
    nonce = _signed_nonce(body, headers, encrypt_key=encrypt_key, now_s=now_s, window_s=window_s)
    outer = _json_object(body)
    if outer is None:
        raise EnvelopeError("the body is not a JSON object", code="envelope_json", status=400)
    encrypted = "encrypt" in outer
    inner = _decrypt(outer["encrypt"], encrypt_key) if encrypted else outer
    if inner.get("type") == "url_verification":
        return _challenge(inner, verification_token)
    if nonce is None:
        raise EnvelopeError("an event without a signature", code="envelope_unsigned", status=401)
    if not encrypted:
        raise EnvelopeError("an event that is not encrypted", code="envelope_plain", status=401)
    return _event(inner, nonce, verification_token=verification_token, app_id=app_id)


def _signed_nonce(
    body: bytes, headers: Mapping[str, str], *, encrypt_key: str, now_s: float, window_s: float
) -> str | None:
    """The nonce of a rightly signed request, None where there is no signature at all."""
    lower = {name.lower(): value for name, value in headers.items()}
    signature = lower.get("x-lark-signature")
    if signature is None:
        return None
    timestamp, nonce = lower.get("x-lark-request-timestamp", ""), lower.get("x-lark-request-nonce", "")
    if not (timestamp and nonce):
        raise EnvelopeError("a signature without timestamp or nonce", code="envelope_signature", status=401)
    expected = hashlib.sha256(_bytes(timestamp + nonce + encrypt_key) + body).hexdigest()
    if not _same(signature.lower(), expected):
        raise EnvelopeError("the signature does not match", code="envelope_signature", status=401)
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise EnvelopeError("the timestamp is not in seconds", code="envelope_stale", status=401)
    if abs(now_s - int(timestamp)) > window_s:
        raise EnvelopeError("the timestamp is outside of the window", code="envelope_stale", status=401)
    return nonce


def _decrypt(ciphertext: object, encrypt_key: str) -> dict[str, Any]:
    refusal = EnvelopeError("not encrypted with our key", code="envelope_decrypt", status=401)
    if not isinstance(ciphertext, str):
        raise refusal
    try:
        sealed = base64.b64decode(_bytes(ciphertext), validate=True)
    except binascii.Error:
        raise refusal from None
    iv, blocks = sealed[:_BLOCK_BYTES], sealed[_BLOCK_BYTES:]
    if not blocks or len(blocks) % _BLOCK_BYTES:
        raise refusal
    decryptor = Cipher(algorithms.AES(hashlib.sha256(_bytes(encrypt_key)).digest()), modes.CBC(iv)).decryptor()
    padded = decryptor.update(blocks) + decryptor.finalize()
    unpadder = PKCS7(_BLOCK_BYTES * 8).unpadder()
    try:
        plain = unpadder.update(padded) + unpadder.finalize()
    except ValueError:
        raise refusal from None
    inner = _json_object(plain)
    if inner is None:
        raise refusal
    return inner


def _challenge(inner: dict[str, Any], verification_token: str) -> Challenge:
    _check_token(inner.get("token"), verification_token)
    value = inner.get("challenge")
    if not isinstance(value, str):
        raise EnvelopeError("a verification without a challenge", code="envelope_shape", status=401)
    return Challenge(value=value)


def _event(inner: dict[str, Any], nonce: str, *, verification_token: str, app_id: str) -> Event:
    """Schema 2.0 keeps type, token and app in `header`; 1.0 keeps the token outside and the rest in `event`."""
    header, event = inner.get("header"), inner.get("event")
    if isinstance(header, dict):
        token, event_type, event_app_id = header.get("token"), header.get("event_type"), header.get("app_id")
    elif isinstance(event, dict):
        token, event_type, event_app_id = inner.get("token"), event.get("type"), event.get("app_id")
    else:
        raise EnvelopeError("neither a header nor an event", code="envelope_shape", status=400)
    _check_token(token, verification_token)
    if event_app_id != app_id:
        raise EnvelopeError("an event of another app", code="envelope_app", status=401)
    if not isinstance(event_type, str) or not event_type:
        raise EnvelopeError("an event without a type", code="envelope_shape", status=400)
    return Event(type=event_type, body=inner, nonce=nonce)


def _check_token(token: object, verification_token: str) -> None:
    if not isinstance(token, str) or not _same(token, verification_token):
        raise EnvelopeError("the verification token does not match", code="envelope_token", status=401)


def _json_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(_bytes(left), _bytes(right))


def _bytes(text: str) -> bytes:
    # A header may hold bytes that are no UTF-8, which aiohttp keeps as lone surrogates.
    return text.encode("utf-8", "surrogatepass")
