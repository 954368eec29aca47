"""The letter inside an opaque S/MIME signature (RFC 5652), and what else such a file may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_OID = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07"
_DATA, _SIGNED = _OID + b"\x01", _OID + b"\x02"
_SEQUENCE, _OCTETS, _OID_TAG, _CONTEXT_0, _OCTETS_IN_PIECES = 0x30, 0x04, 0x06, 0xA0, 0x24
_MAX_DEPTH = 8


class _Item(NamedTuple):
    tag: int
    content: bytes


def signed_content(data: bytes) -> bytes | None:
    """The signed content, not verified; None where the file is encrypted or something else."""
    outer = list(_items(_content_of(data, _SEQUENCE)))
    if len(outer) < 2 or outer[0] != (_OID_TAG, _SIGNED):
        return None
    for item in _items(_content_of(outer[1].content, _SEQUENCE)):
        inner = list(_items(item.content)) if item.tag == _SEQUENCE else []
        if len(inner) > 1 and inner[0] == (_OID_TAG, _DATA) and inner[1].tag == _CONTEXT_0:
            return _octets(inner[1].content, _MAX_DEPTH)
    return None


def is_signature(data: bytes) -> bool:
    """True for a signature, with what it signs or without."""
    return next(_items(_content_of(data, _SEQUENCE)), None) == (_OID_TAG, _SIGNED)


def _octets(data: bytes, depth: int) -> bytes:
    """An octet string, whole or in pieces."""
    pieces = []
    for item in _items(data):
        if item.tag == _OCTETS:
            pieces.append(item.content)
        elif item.tag == _OCTETS_IN_PIECES and depth:
            pieces.append(_octets(item.content, depth - 1))
    return b"".join(pieces)


def _content_of(data: bytes, tag: int) -> bytes:
    first = next(_items(data), None)
    return first.content if first is not None and first.tag == tag else b""


def _items(data: bytes) -> Iterator[_Item]:
    """The items of a BER list, as far as they can be read."""
    at = 0
    while at + 2 <= len(data) and data[at : at + 2] != b"\0\0":
        start, end, after = _extent(data, at, _MAX_DEPTH * 2)
        yield _Item(data[at], data[start:end])
        at = after


def _extent(data: bytes, at: int, depth: int) -> tuple[int, int, int]:
    """Where the content of the item at `at` starts and ends, and where the next item begins."""
    if at + 2 > len(data):
        return len(data), len(data), len(data)
    length, start = data[at + 1], at + 2
    if length == 0x80:  # of unknown length: up to the two zeros that close it
        end = start
        while end + 2 <= len(data) and data[end : end + 2] != b"\0\0" and depth:
            end = _extent(data, end, depth - 1)[2]
        return start, end, end + 2
    if length > 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(data[start : start + size], "big"), start + size
    end = min(start + length, len(data))
    return start, end, end
