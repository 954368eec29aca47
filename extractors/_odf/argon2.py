"""Argon2id without threads: lanes are computed one after another, as a confined process must."""

from __future__ import annotations

from _argon2_cffi_bindings import ffi, lib

_VERSION = 0x13


def argon2id(secret: bytes, *, salt: bytes, key_bytes: int, rounds: int, memory_kib: int, lanes: int) -> bytes:
    """The derived key. `ValueError` for parameters that RFC 9106 does not allow, `MemoryError` for want of memory."""
    key = ffi.new("uint8_t[]", key_bytes)
    context = ffi.new(
        "argon2_context *",
        {
            "version": _VERSION,
            "out": key,
            "outlen": key_bytes,
            "pwd": ffi.from_buffer("uint8_t[]", secret),
            "pwdlen": len(secret),
            "salt": ffi.from_buffer("uint8_t[]", salt),
            "saltlen": len(salt),
            "t_cost": rounds,
            "m_cost": memory_kib,
            "lanes": lanes,
            "threads": 1,
            "flags": lib.ARGON2_DEFAULT_FLAGS,
        },
    )
    result = lib.argon2_ctx(context, lib.Argon2_id)
    if result == lib.ARGON2_MEMORY_ALLOCATION_ERROR:
        raise MemoryError
    if result != lib.ARGON2_OK:
        raise ValueError(f"Argon2 error {result}")
    return bytes(ffi.buffer(key))
