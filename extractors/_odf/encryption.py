"""Passwords of OpenDocument: each part by itself (ODF 1.0 to 1.3), or the whole package as one part (1.4).

A password becomes a start key (SHA-1 or SHA-256), that a key (PBKDF2 or Argon2id), and that opens the deflated part
(Blowfish, AES-CBC or AES-GCM). Facts: OpenDocument 1.2 part 3, chapter 3.4, and LibreOffice's `package` module.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import io
import zlib
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.decrepit.ciphers import algorithms as old_algorithms
from cryptography.hazmat.decrepit.ciphers import modes as old_modes
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from extractors._gallery import MAX_PICTURE_BYTES
from extractors._inflating import Element, Inflating
from extractors._odf.argon2 import argon2id
from extractors._odf.names import LOEXT, MANIFEST, whole
from extractors._odf.source import CONTENT, ZippedSource
from extractors._parts import open_archive
from extractors.content import Status
from extractors.format import Unreadable

_WHOLE_PACKAGE = "encrypted-package"
_NEEDED = "a password is needed to open this file"
_WRONG = "the password does not open this file"
_UNKNOWN = "a password is needed to open this file, and it is encrypted in a way that is not read here"
#: What a file may ask of one key. Programs write 100,000 rounds of PBKDF2, or 64 MiB and 3 rounds of Argon2id.
_MAX_PBKDF2_ROUNDS = 2_000_000
_MAX_ARGON2_KIB = 256 * 1024
_MAX_ARGON2_ROUNDS = 16
_MAX_ARGON2_LANES = 16
_GCM_NONCE_BYTES = 12
_CHECKED_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """How one part is encrypted, as the manifest says it."""

    cipher: str
    start_vector: bytes
    start_key: str
    derivation: str
    salt: bytes
    key_bytes: int
    rounds: int
    memory_kib: int
    lanes: int
    checksum_type: str
    checksum: bytes

    def opened(self, data: bytes, password: str) -> bytes:
        """The deflated part. Raises `Unreadable` where the password is wrong or the way is not known."""
        key = self._key(password)
        try:
            plain = self._deciphered(key, data)
        except ValueError as exc:
            raise Unreadable(Status.REJECTED, "the file is damaged: it cannot be decrypted") from exc
        digest = hashlib.sha256 if "sha256" in self.checksum_type.lower() else hashlib.sha1
        if self.checksum and not hmac.compare_digest(digest(plain[:_CHECKED_BYTES]).digest(), self.checksum):
            raise Unreadable(Status.ENCRYPTED, _WRONG)
        return plain

    def _key(self, password: str) -> bytes:
        digest = hashlib.sha256 if self.start_key.lower().endswith("sha256") else hashlib.sha1
        start_key = digest(password.encode("utf-8", "surrogatepass")).digest()
        if self.derivation.lower().endswith("pbkdf2"):
            if not 0 < self.rounds <= _MAX_PBKDF2_ROUNDS:
                raise Unreadable(Status.ENCRYPTED, _UNKNOWN)
            return hashlib.pbkdf2_hmac("sha1", start_key, self.salt, self.rounds, self.key_bytes)
        if not self.derivation.endswith("argon2id"):
            raise Unreadable(Status.ENCRYPTED, _UNKNOWN)
        return self._argon2(start_key)

    def _argon2(self, start_key: bytes) -> bytes:
        if (
            self.rounds > _MAX_ARGON2_ROUNDS
            or self.memory_kib > _MAX_ARGON2_KIB
            or not 0 < self.lanes <= _MAX_ARGON2_LANES
        ):
            raise Unreadable(Status.ENCRYPTED, _UNKNOWN)
        try:
            return argon2id(
                start_key,
                salt=self.salt,
                key_bytes=self.key_bytes,
                rounds=self.rounds,
                memory_kib=self.memory_kib,
                lanes=self.lanes,
            )
        except ValueError as exc:
            raise Unreadable(Status.ENCRYPTED, _UNKNOWN) from exc

    def _deciphered(self, key: bytes, data: bytes) -> bytes:
        cipher = self.cipher.lower()
        if cipher.endswith("-gcm"):
            return self._authenticated(key, data)
        if cipher.endswith("-cbc"):
            plain = _run(Cipher(algorithms.AES(key), modes.CBC(self.start_vector)).decryptor(), data)
            return plain[: len(plain) - plain[-1]] if plain and 0 < plain[-1] <= 16 else plain
        if "blowfish" in cipher:
            return _run(Cipher(old_algorithms.Blowfish(key), old_modes.CFB(self.start_vector)).decryptor(), data)
        raise Unreadable(Status.ENCRYPTED, _UNKNOWN)

    def _authenticated(self, key: bytes, data: bytes) -> bytes:
        try:
            # The nonce stands before the data as well as in the manifest.
            return AESGCM(key).decrypt(data[:_GCM_NONCE_BYTES], data[_GCM_NONCE_BYTES:], None)
        except InvalidTag as exc:
            raise Unreadable(Status.ENCRYPTED, _WRONG) from exc


def _run(decryptor: CipherContext, data: bytes) -> bytes:
    return decryptor.update(data) + decryptor.finalize()


@dataclass(slots=True, kw_only=True)
class LockedSource(ZippedSource):
    """A document whose parts are encrypted one by one."""

    locks: dict[str, Lock]
    password: str
    #: Parts as they were decrypted: making a key takes as long as reading the part.
    _plain: dict[str, bytes] = field(default_factory=dict)

    def opened(self, part: str) -> Inflating:
        """A part to read from, decrypted where it is locked."""
        name = part.lower()
        stored = Inflating(self.archive.open(self.entry(name)), self.budget)
        if name not in self.locks:
            return stored
        if name not in self._plain:
            self._plain[name] = self.locks[name].opened(stored.whole(MAX_PICTURE_BYTES), self.password)
        return Inflating(io.BufferedReader(_Deflated(self._plain[name])), self.budget)


class _Deflated(io.RawIOBase):
    """Deflated bytes as a file that gives what they inflate to."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._pending = data
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer as far as there is something."""
        piece = self._inflater.decompress(self._pending, len(buffer))
        self._pending = self._inflater.unconsumed_tail
        buffer[: len(piece)] = piece
        return len(piece)


def is_encrypted(manifest: Element) -> bool:
    """True where any part of the document is locked."""
    return next(manifest.iter(f"{MANIFEST}encryption-data"), None) is not None


def unlocked(source: ZippedSource, manifest: Element, password: str | None) -> ZippedSource:
    """The document behind the password. Raises `Unreadable` where there is none, or it is wrong."""
    if password is None:
        raise Unreadable(Status.ENCRYPTED, _NEEDED)
    locks = {
        entry.get(f"{MANIFEST}full-path", "").lower(): _lock(entry)
        for entry in manifest.iter(f"{MANIFEST}file-entry")
        if entry.find(f"{MANIFEST}encryption-data") is not None
    }
    locked = LockedSource(
        archive=source.archive, budget=source.budget, entries=source.entries, locks=locks, password=password
    )
    if source.has(_WHOLE_PACKAGE):
        archive, entries = open_archive(locked.read(_WHOLE_PACKAGE, max_bytes=MAX_PICTURE_BYTES), source.budget)
        return ZippedSource(archive=archive, budget=source.budget, entries=entries)
    with locked.opened(CONTENT):  # a wrong password shows here
        return locked


def _lock(entry: Element) -> Lock:
    data = entry.find(f"{MANIFEST}encryption-data")
    parts = {} if data is None else {str(child.tag): child for child in data}
    algorithm, derivation, start = (
        parts.get(f"{MANIFEST}{name}") for name in ("algorithm", "key-derivation", "start-key-generation")
    )
    if data is None or algorithm is None or derivation is None:  # for the keys of persons (OpenPGP)
        raise Unreadable(Status.ENCRYPTED, _UNKNOWN)
    cipher = algorithm.get(f"{MANIFEST}algorithm-name", "")
    return Lock(
        cipher=cipher,
        start_vector=_decoded(algorithm.get(f"{MANIFEST}initialisation-vector")),
        start_key="sha1" if start is None else start.get(f"{MANIFEST}start-key-generation-name", ""),
        derivation=derivation.get(f"{MANIFEST}key-derivation-name", ""),
        salt=_decoded(derivation.get(f"{MANIFEST}salt")),
        key_bytes=whole(derivation.get(f"{MANIFEST}key-size"), 32 if "256" in cipher else 16, most=32, least=16),
        rounds=_number(derivation, "iteration-count") or _number(derivation, "argon2-iterations"),
        memory_kib=_number(derivation, "argon2-memory"),
        lanes=_number(derivation, "argon2-lanes"),
        checksum_type=data.get(f"{MANIFEST}checksum-type", ""),
        checksum=_decoded(data.get(f"{MANIFEST}checksum")),
    )


def _number(item: Element, name: str) -> int:
    return whole(item.get(f"{MANIFEST}{name}") or item.get(f"{LOEXT}{name}"), 0, most=2**31)


def _decoded(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "")
    except (binascii.Error, ValueError):
        return b""
