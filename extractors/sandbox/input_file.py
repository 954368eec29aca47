"""The file to read and what is said about it, as one descriptor that the child can only read.

Four bytes for the length of the description (big endian), the description in msgpack, the file's bytes. The zygote
passes the descriptor on without looking inside: strangers' names and bytes are first seen by a confined child.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from extractors.content import Progress

_LENGTH: Final = struct.Struct(">I")
_MAX_FIELD_CHARS: Final = 1024
_MAX_METADATA_FIELDS: Final = 32


class Description(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said about a file; what is not marked as ours comes from strangers."""

    name: str | None = None
    declared_type: str | None = None
    metadata: dict[str, str] = {}
    #: Ours: where the reader goes on.
    progress: Progress = Progress()


_decoder: Final = msgspec.msgpack.Decoder(Description)


def describe(file_metadata: Mapping[str, Any], media_type: str | None) -> Description:
    """The strings of the metadata, clipped; `media_type` goes before the metadata's `mime_type`."""
    strings = ((key, value) for key, value in file_metadata.items() if isinstance(key, str) and isinstance(value, str))
    metadata = {_clip(key): _clip(value) for key, value in islice(strings, _MAX_METADATA_FIELDS)}
    name, declared = file_metadata.get("name"), media_type or file_metadata.get("mime_type")
    return Description(
        name=_clip(name) if isinstance(name, str) else None,
        declared_type=_clip(declared) if isinstance(declared, str) else None,
        metadata=metadata,
    )


def write_input(data: bytes, description: Description, *, portable: bool) -> int:
    """A new descriptor that holds the file; sealed where there is memfd_create. The caller closes it."""
    header = msgspec.msgpack.encode(description)
    fd = _open_file(portable=portable)
    try:
        for part in (_LENGTH.pack(len(header)) + header, data):
            _write_all(fd, part)
        _seal(fd, portable=portable)
    except BaseException:
        os.close(fd)
        raise
    return fd


def read_input(fd: int) -> tuple[Description, bytes]:
    """The description and the bytes of the file, in the child."""
    size_bytes = os.lseek(fd, 0, os.SEEK_END)  # fstat is denied: with a path, the same call tells what files exist
    (header_bytes,) = _LENGTH.unpack(os.pread(fd, _LENGTH.size, 0))
    body = _LENGTH.size + header_bytes
    return _decoder.decode(os.pread(fd, header_bytes, _LENGTH.size)), os.pread(fd, size_bytes - body, body)


def _open_file(*, portable: bool) -> int:
    if sys.platform == "linux" and not portable:
        return os.memfd_create("input", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile() as unlinked:
        return os.dup(unlinked.fileno())


def _seal(fd: int, *, portable: bool) -> None:
    """Freezes the content, so that parent and child cannot surprise each other through it."""
    if sys.platform == "linux" and not portable:
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _clip(text: str) -> str:
    """At most a field's length, and no lone surrogate, which no wire can carry."""
    return text[:_MAX_FIELD_CHARS].encode("utf-8", "replace").decode()
