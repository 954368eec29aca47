"""WinZip's AES encryption of ZIP entries (https://www.winzip.com/en/support/aes-encryption/)."""

from __future__ import annotations

import hashlib
import hmac
import struct
import zipfile
import zlib
from typing import Self

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

AES_METHOD = 99
AES_FIELD = 0x9901
_ITERATIONS = 1_000
_VERIFIER_BYTES = 2
_MAC_BYTES = 10
_BLOCK_BYTES = 16
#: By the strength that the entry names.
_KEY_BYTES = {1: 16, 2: 24, 3: 32}
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")


def decrypted(data: bytes, info: zipfile.ZipInfo, field: bytes, password: bytes) -> Decrypted:
    """The unpacked bytes of an entry; `field` is its AES extra field.

    Raises `RuntimeError` for a wrong password, as zipfile does, and `NotImplementedError` for what is not AES.
    """
    key_bytes = _KEY_BYTES.get(field[4] if len(field) >= 7 else 0)
    if key_bytes is None:
        raise NotImplementedError
    method = int.from_bytes(field[5:7], "little")
    payload = _payload(data, info)
    salt, rest = payload[: key_bytes // 2], payload[key_bytes // 2 :]
    keys = hashlib.pbkdf2_hmac("sha1", password, salt, _ITERATIONS, 2 * key_bytes + _VERIFIER_BYTES)
    packed, mac = rest[_VERIFIER_BYTES:-_MAC_BYTES], rest[-_MAC_BYTES:]
    is_right = hmac.compare_digest(keys[2 * key_bytes :], rest[:_VERIFIER_BYTES]) and hmac.compare_digest(
        hmac.digest(keys[key_bytes : 2 * key_bytes], packed, "sha1")[:_MAC_BYTES], mac
    )
    if not is_right:
        raise RuntimeError("the password does not open the entry, or its bytes were changed")
    return Decrypted(_in_counter_mode(keys[:key_bytes], packed), method)


def _payload(data: bytes, info: zipfile.ZipInfo) -> bytes:
    header = _LOCAL_HEADER.unpack_from(data, info.header_offset)
    start = info.header_offset + _LOCAL_HEADER.size + header[9] + header[10]
    return data[start : start + info.compress_size]


def _in_counter_mode(key: bytes, packed: bytes) -> bytes:
    """CTR with a counter that begins at 1 and grows from its first byte on, which no library's CTR does."""
    blocks = -(-len(packed) // _BLOCK_BYTES)
    counters = b"".join(number.to_bytes(_BLOCK_BYTES, "little") for number in range(1, blocks + 1))
    # The blocks are all different counters, so that ECB tells nothing here.
    stream = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(counters)[: len(packed)]  # noqa: S305 - as said
    return (int.from_bytes(packed, "little") ^ int.from_bytes(stream, "little")).to_bytes(len(packed), "little")


class Decrypted:
    """An entry to read from, once its encryption is off."""

    def __init__(self, packed: bytes, method: int) -> None:
        if method not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise NotImplementedError
        self._rest = packed
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if method == zipfile.ZIP_DEFLATED else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        """Nothing to close."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` unpacked bytes."""
        if self._inflate is None:
            piece, self._rest = self._rest[:size], self._rest[size:]
            return piece
        piece = self._inflate.decompress(self._rest, size)
        self._rest = self._inflate.unconsumed_tail
        return piece
