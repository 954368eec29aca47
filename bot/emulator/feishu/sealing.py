"""How an event leaves Feishu: encrypted with the Encrypt Key, and signed over the bytes that are sent."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import time
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7


def sealed(event: dict[str, Any], encrypt_key: str) -> bytes:
    """The request body: the event itself, or `{"encrypt": ...}` where there is a key."""
    plain = json.dumps(event, ensure_ascii=False).encode()
    return json.dumps({"encrypt": encrypted(plain, encrypt_key)}).encode() if encrypt_key else plain


def encrypted(plain: bytes, encrypt_key: str) -> str:
    """AES-256-CBC under sha256(key) with PKCS#7, the random 16 bytes of the start in front, base64."""
    padder = PKCS7(128).padder()
    padded = padder.update(plain) + padder.finalize()
    start = os.urandom(16)
    encryptor = Cipher(algorithms.AES(hashlib.sha256(encrypt_key.encode()).digest()), modes.CBC(start)).encryptor()
    return base64.b64encode(start + encryptor.update(padded) + encryptor.finalize()).decode()


def signature_headers(body: bytes, encrypt_key: str) -> dict[str, str]:
    """The three headers of a signed request; none without a key."""
    if not encrypt_key:
        return {}
    timestamp, nonce = str(int(time.time())), secrets.token_hex(8)
    signature = hashlib.sha256(f"{timestamp}{nonce}{encrypt_key}".encode() + body).hexdigest()
    return {"X-Lark-Request-Timestamp": timestamp, "X-Lark-Request-Nonce": nonce, "X-Lark-Signature": signature}
