from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from bot.errors import EnvelopeError
from bot.feishu.envelope import Challenge, Event, Opened, _decrypt, open_envelope

KEY, TOKEN, APP = "test key", "verification-token", "cli_test"
NOW_S = 1_700_000_000


def seal(plain: bytes, key: str = KEY, *, pad: bool = True) -> str:
    iv = bytes(range(16))
    padding = 16 - len(plain) % 16
    padded = plain + bytes([padding]) * padding if pad else plain
    encryptor = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.CBC(iv)).encryptor()
    return base64.b64encode(iv + encryptor.update(padded) + encryptor.finalize()).decode()


def sealed(value: Any, key: str = KEY) -> bytes:
    return json.dumps({"encrypt": seal(json.dumps(value).encode(), key)}).encode()


def signed(body: bytes, *, timestamp: str = str(NOW_S), nonce: str = "n-1", key: str = KEY) -> dict[str, str]:
    signature = hashlib.sha256((timestamp + nonce + key).encode() + body).hexdigest()
    return {
        "X-Lark-Request-Timestamp": timestamp,
        "X-Lark-Request-Nonce": nonce,
        "X-Lark-Signature": signature,
    }


def event(**header: Any) -> dict[str, Any]:
    full = {"event_id": "e-1", "event_type": "im.message.receive_v1", "token": TOKEN, "app_id": APP} | header
    return {"schema": "2.0", "header": full, "event": {"message": {}}}


def verification(**fields: Any) -> dict[str, Any]:
    return {"challenge": 'a"b', "token": TOKEN, "type": "url_verification"} | fields


def open_it(body: bytes, headers: dict[str, str] | None = None, **overrides: Any) -> Opened:
    values = {
        "encrypt_key": KEY,
        "verification_token": TOKEN,
        "app_id": APP,
        "now_s": float(NOW_S),
        "window_s": 300.0,
    } | overrides
    return open_envelope(body, headers or {}, **values)


def test_the_documents_vector_is_decrypted_and_then_refused_as_it_holds_no_object() -> None:
    published = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="
    decryptor = Cipher(
        algorithms.AES(hashlib.sha256(KEY.encode()).digest()), modes.CBC(base64.b64decode(published)[:16])
    ).decryptor()
    assert decryptor.update(base64.b64decode(published)[16:]) == b"hello world" + bytes([5]) * 5
    with pytest.raises(EnvelopeError):
        _decrypt(published, KEY)
    assert _decrypt(seal(b'{"hello": "world"}'), KEY) == {"hello": "world"}


def test_a_signed_event_is_opened() -> None:
    body = sealed(event())
    assert open_it(body, signed(body)) == Event(type="im.message.receive_v1", body=event(), nonce="n-1")


@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_header_names_are_taken_in_any_case(case: Any) -> None:
    body = sealed(event())
    headers = {case(name): value for name, value in signed(body).items()}
    assert isinstance(open_it(body, headers), Event)


def test_an_event_of_schema_1_is_opened() -> None:
    body = sealed({"uuid": "u", "token": TOKEN, "type": "event_callback", "event": {"type": "p2p", "app_id": APP}})
    opened = open_it(body, signed(body))
    assert isinstance(opened, Event)
    assert opened.type == "p2p"


@pytest.mark.parametrize("shift_s", [-300, 0, 300])
def test_a_timestamp_within_the_window_is_taken(shift_s: int) -> None:
    body = sealed(event())
    assert isinstance(open_it(body, signed(body, timestamp=str(NOW_S + shift_s))), Event)


@pytest.mark.parametrize("body", [sealed(verification()), json.dumps(verification()).encode()])
def test_an_unsigned_verification_is_answered_encrypted_or_plain(body: bytes) -> None:
    assert open_it(body) == Challenge(value='a"b')


def test_a_signed_verification_is_answered_too() -> None:
    body = sealed(verification())
    assert open_it(body, signed(body)) == Challenge(value='a"b')


EVENT = sealed(event())
PLAIN_EVENT = json.dumps(event()).encode()
DEEP = b'{"a":' * 20_000 + b"1" + b"}" * 20_000


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in signed(EVENT).items() if key != name}


def flipped(body: bytes, index: int) -> bytes:
    """The body with one bit of the ciphertext changed."""
    data = bytearray(base64.b64decode(json.loads(body)["encrypt"]))
    data[index] ^= 1
    return json.dumps({"encrypt": base64.b64encode(bytes(data)).decode()}).encode()


def ciphertext(value: Any) -> bytes:
    return json.dumps({"encrypt": value}).encode()


REFUSED: dict[str, tuple[bytes, dict[str, str] | None, str, int]] = {
    "no signature": (EVENT, None, "envelope_unsigned", 401),
    "no signature, not encrypted": (PLAIN_EVENT, None, "envelope_unsigned", 401),
    "signed but not encrypted": (PLAIN_EVENT, signed(PLAIN_EVENT), "envelope_plain", 401),
    "empty signature": (EVENT, signed(EVENT) | {"X-Lark-Signature": ""}, "envelope_signature", 401),
    "no timestamp": (EVENT, without("X-Lark-Request-Timestamp"), "envelope_signature", 401),
    "no nonce": (EVENT, without("X-Lark-Request-Nonce"), "envelope_signature", 401),
    "signature of another key": (EVENT, signed(EVENT, key="other"), "envelope_signature", 401),
    "signature with the verification token": (EVENT, signed(EVENT, key=TOKEN), "envelope_signature", 401),
    "signature without a key": (EVENT, signed(EVENT, key=""), "envelope_signature", 401),
    "signature of another body": (EVENT, signed(EVENT + b" "), "envelope_signature", 401),
    "another nonce": (EVENT, signed(EVENT) | {"X-Lark-Request-Nonce": "n-2"}, "envelope_signature", 401),
    "a later timestamp": (
        EVENT,
        signed(EVENT) | {"X-Lark-Request-Timestamp": str(NOW_S + 1)},
        "envelope_signature",
        401,
    ),
    "non-ascii signature": (EVENT, signed(EVENT) | {"X-Lark-Signature": "é" * 64}, "envelope_signature", 401),
    "surrogates in headers": (EVENT, signed(EVENT) | {"X-Lark-Request-Nonce": "\udcff"}, "envelope_signature", 401),
    "a day old": (EVENT, signed(EVENT, timestamp=str(NOW_S - 86_400)), "envelope_stale", 401),
    "just outside": (EVENT, signed(EVENT, timestamp=str(NOW_S - 301)), "envelope_stale", 401),
    "from the future": (EVENT, signed(EVENT, timestamp=str(NOW_S + 301)), "envelope_stale", 401),
    "milliseconds": (EVENT, signed(EVENT, timestamp=f"{NOW_S}000"), "envelope_stale", 401),
    "a word for a timestamp": (EVENT, signed(EVENT, timestamp="now"), "envelope_stale", 401),
    "nan": (EVENT, signed(EVENT, timestamp="nan"), "envelope_stale", 401),
    "arabic digits": (EVENT, signed(EVENT, timestamp="١٧"), "envelope_stale", 401),
    "endless digits": (EVENT, signed(EVENT, timestamp="9" * 5000), "envelope_stale", 401),
    "nothing": (b"", None, "envelope_json", 400),
    "not JSON": (b"<xml/>", None, "envelope_json", 400),
    "a list": (b"[]", None, "envelope_json", 400),
    "not UTF-8": (b'{"a":"\xff"}', None, "envelope_json", 400),
    "a lone surrogate": (b'{"a":"\\ud800"}', None, "envelope_json", 400),
    "nested too deep": (DEEP, None, "envelope_json", 400),
    "signed garbage": (b"\x00", signed(b"\x00"), "envelope_json", 400),
    "ciphertext is a number": (ciphertext(1), None, "envelope_decrypt", 401),
    "ciphertext is null": (ciphertext(None), None, "envelope_decrypt", 401),
    "ciphertext is not base64": (ciphertext("*"), None, "envelope_decrypt", 401),
    "ciphertext is not ascii": (ciphertext("读文"), None, "envelope_decrypt", 401),
    "ciphertext is empty": (ciphertext(""), None, "envelope_decrypt", 401),
    "only an iv": (ciphertext(base64.b64encode(bytes(16)).decode()), None, "envelope_decrypt", 401),
    "half a block": (ciphertext(base64.b64encode(bytes(40)).decode()), None, "envelope_decrypt", 401),
    "of another key": (sealed(verification(), "other"), None, "envelope_decrypt", 401),
    "last block changed": (flipped(sealed(verification()), -17), None, "envelope_decrypt", 401),
    "padding of zeros": (ciphertext(seal(bytes(16), pad=False)), None, "envelope_decrypt", 401),
    "padding of 17": (ciphertext(seal(bytes([17]) * 32, pad=False)), None, "envelope_decrypt", 401),
    "uneven padding": (ciphertext(seal(b'{"a":1}' + bytes(8) + b"\x03", pad=False)), None, "envelope_decrypt", 401),
    "encrypted list": (sealed([1]), None, "envelope_decrypt", 401),
    "verification without a token": (sealed(verification(token=None)), None, "envelope_token", 401),
    "verification of another token": (sealed(verification(token="x")), None, "envelope_token", 401),
    "plain verification of another token": (
        json.dumps(verification(token="x")).encode(),
        None,
        "envelope_token",
        401,
    ),
    "verification with the encrypt key as token": (sealed(verification(token=KEY)), None, "envelope_token", 401),
    "challenge is an object": (sealed(verification(challenge={})), None, "envelope_shape", 401),
    "unsigned event that says it verifies inside": (
        sealed(event() | {"event": verification()}),
        None,
        "envelope_unsigned",
        401,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_to_be_believed_is_refused(name: str) -> None:
    body, headers, code, status = REFUSED[name]
    with pytest.raises(EnvelopeError) as refusal:
        open_it(body, headers)
    assert (refusal.value.code, refusal.value.status) == (code, status)
    assert not any(secret in str(refusal.value) for secret in (KEY, TOKEN))


@pytest.mark.parametrize(
    ("inner", "code", "status"),
    [
        (event(token="x"), "envelope_token", 401),
        (event(token=None), "envelope_token", 401),
        (event(token=[TOKEN]), "envelope_token", 401),
        (event(app_id="cli_other"), "envelope_app", 401),
        (event(app_id=None), "envelope_app", 401),
        (event(event_type=""), "envelope_shape", 400),
        (event(event_type=5), "envelope_shape", 400),
        ({"header": []}, "envelope_shape", 400),
        ({}, "envelope_shape", 400),
        ({"event": {"type": "p2p", "app_id": APP}}, "envelope_token", 401),
        ({"token": TOKEN, "event": {"type": "p2p"}}, "envelope_app", 401),
        (event() | {"type": "url_verification"}, "envelope_token", 401),
    ],
)
def test_a_signed_event_must_be_ours(inner: dict[str, Any], code: str, status: int) -> None:
    body = sealed(inner)
    with pytest.raises(EnvelopeError) as refusal:
        open_it(body, signed(body))
    assert (refusal.value.code, refusal.value.status) == (code, status)


@pytest.mark.parametrize("missing", ["encrypt_key", "verification_token", "app_id"])
def test_an_empty_secret_refuses_everything(missing: str) -> None:
    body = sealed(event(token="", app_id=""), key="")
    for headers in (None, signed(body, key="")):
        with pytest.raises(EnvelopeError) as refusal:
            open_it(body, headers, **{missing: ""})
        assert refusal.value.code == "envelope_unconfigured"


def test_every_flaw_of_an_unsigned_ciphertext_has_the_same_status() -> None:
    good = sealed(event())
    size = len(base64.b64decode(json.loads(good)["encrypt"]))
    statuses = set()
    for index in range(0, size, 7):
        with pytest.raises(EnvelopeError) as refusal:
            open_it(flipped(good, index))
        statuses.add(refusal.value.status)
    assert statuses == {401}
