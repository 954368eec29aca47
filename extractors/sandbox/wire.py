"""What crosses the sandbox's walls: typed msgpack with length caps, and never pickle.

Parent and zygote exchange messages over a `Channel`; a child writes frames to its result pipe, one per block and a last
empty one: a byte for the block's type, four bytes for the payload's length (big endian), and the payload.
"""

from __future__ import annotations

import struct
from enum import IntEnum, StrEnum
from typing import Any, Final, TypeVar, get_args

import msgspec

from extractors.content import Block, PageStarted, Picture, Text
from extractors.limits import MIB, ExtractLimits

T = TypeVar("T")


class WireError(Exception):
    """The other side broke the protocol."""


class ExitCode(IntEnum):
    """How a child ends by itself. Numbers, since a child without memory cannot compose a sentence."""

    DONE = 0
    OUT_OF_MEMORY = 81
    BROKE = 82
    UNCONFINED = 83  # a layer could not be closed around the child, so it did not touch the file


class Level(StrEnum):
    """How much of the sandbox was verified to hold on this machine, best first."""

    FULL = "full"
    SECCOMP = "seccomp"
    LANDLOCK = "landlock"
    LIMITS = "limits"


LEVELS: Final = tuple(Level)


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """One layer of the sandbox: on only when an attempt to get past it was denied."""

    name: str
    is_on: bool
    detail: str


def level_of(layers: tuple[Layer, ...]) -> Level:
    """The level that these layers add up to."""
    on = {layer.name for layer in layers if layer.is_on}
    if layers and len(on) == len(layers):
        return Level.FULL
    if "seccomp" in on:
        return Level.SECCOMP
    return Level.LANDLOCK if "landlock" in on else Level.LIMITS


# --- parent and zygote ------------------------------------------------------------------------------------------------


#: The kind of zygote that reads all but what is heavy and rare.
MAIN: Final = "main"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a zygote is started with."""

    #: Where Python looks for modules.
    path: tuple[str, ...]
    #: "module:name" of the callable that turns a job and a budget into blocks.
    entry: str
    #: "module:name" of the callable that gives small files by name, which are read before anything is closed.
    samples: str = "extractors.sandbox.warmup:samples"
    #: The kind of zygote: which readers are loaded.
    zygote: str = MAIN
    #: Let children start threads, for a decoder that cannot do without; processes stay denied.
    allows_threads: bool = False
    limits: ExtractLimits
    timeout_s: float
    #: What a child may take on top of what the preloaded zygote has.
    memory_bytes: int
    #: Names of layers to leave off, so that a test can show that its attack is real.
    off: frozenset[str] = frozenset()
    #: Do without what only Linux has.
    portable: bool = False


class Run(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Parent: read a file. Two descriptors travel with it: the input, and the pipe for the result."""

    id: int


class Kill(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Parent: kill this job's child. Only sent where the parent cannot, for want of pidfds or of the right."""

    id: int


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Zygote: everything is loaded and closed; the layers as verified."""

    layers: tuple[Layer, ...]


class Unready(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Zygote: it cannot serve, and why."""

    problem: str


class Started(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Zygote: the child runs. Its pidfd travels with the message where there are pidfds."""

    id: int


class Exited(msgspec.Struct, frozen=True, kw_only=True, tag=True, forbid_unknown_fields=True):
    """Zygote: the child is gone. `status` is that of wait(2)."""

    id: int
    status: int


ToZygote = Run | Kill
FromZygote = Ready | Unready | Started | Exited

_encoder: Final = msgspec.msgpack.Encoder()
_to_zygote: Final[msgspec.msgpack.Decoder[ToZygote]] = msgspec.msgpack.Decoder(ToZygote)
_from_zygote: Final[msgspec.msgpack.Decoder[FromZygote]] = msgspec.msgpack.Decoder(FromZygote)


def encode(message: msgspec.Struct) -> bytes:
    """A message as bytes."""
    return _encoder.encode(message)


def decode_to_zygote(data: bytes) -> ToZygote:
    """A message of the parent."""
    return _decode(_to_zygote, data)


def decode_from_zygote(data: bytes) -> FromZygote:
    """A message of the zygote."""
    return _decode(_from_zygote, data)


# --- child to parent --------------------------------------------------------------------------------------------------

_HEADER: Final = struct.Struct(">BI")
#: Both sides run this very code, so the order of the union may serve as the numbering.
_BLOCKS: Final[tuple[type[Block], ...]] = get_args(Block)
_TAGS: Final = {block_type: tag for tag, block_type in enumerate(_BLOCKS)}
_DECODERS: Final[tuple[msgspec.msgpack.Decoder[Block], ...]] = tuple(
    msgspec.msgpack.Decoder(block_type) for block_type in _BLOCKS
)
_END_TAG: Final = len(_BLOCKS)
#: Says that nothing was lost: a child that is killed does not get to write it.
END_FRAME: Final = _HEADER.pack(_END_TAG, 0)
#: Room for a block's field names and short strings.
_SMALL_BYTES: Final = 64 * 1024
_MAX_PAGES: Final = 10_000_000
#: What of a text's payload is not the text.
_NAMES_BYTES: Final = 16
#: What a block costs the parent in memory besides its payload, so that many empty ones are not free.
_BLOCK_COST_BYTES: Final = 256


def encode_block(block: Block) -> tuple[bytes, bytes]:
    """A block as the header and the payload of its frame."""
    try:
        payload = _encoder.encode(block)
    except UnicodeEncodeError:
        payload = _encoder.encode(_speakable(msgspec.to_builtins(block, builtin_types=(bytes,))))
    return _HEADER.pack(_TAGS[type(block)], len(payload)), payload


def _speakable(value: Any) -> Any:
    """The same without lone surrogates, which names of strangers' files may have and no wire can carry."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {key: _speakable(item) for key, item in value.items()}
        case _:
            return value


class Frames:
    """Turns the bytes of a child into blocks as they come, and stops it from sending more than the limits allow."""

    def __init__(self, limits: ExtractLimits) -> None:
        text_bytes = 4 * limits.extract_text_max_chars + _SMALL_BYTES
        picture_bytes = limits.image_max_output_bytes + _SMALL_BYTES
        self._caps = {_TAGS[Text]: text_bytes, _TAGS[Picture]: picture_bytes, _END_TAG: 0}
        # What may come in all. Letters may come one by one, as blocks of their own.
        self._left = {_TAGS[Text]: text_bytes, _TAGS[Picture]: limits.images_max_count * picture_bytes}
        self._other_left = _BLOCK_COST_BYTES * limits.extract_text_max_chars + 4 * MIB
        self._buffer = bytearray()
        self._first_page = 1
        #: What has arrived so far; stays when a later frame is refused.
        self.blocks: list[Block] = []
        #: The latest page that has begun.
        self.page: PageStarted | None = None
        #: True once the last frame has come.
        self.has_ended = False

    def feed(self, untrusted: bytes) -> None:
        """Adds the blocks that these bytes complete; `WireError` when they break the protocol."""
        self._buffer += untrusted
        start = 0
        with memoryview(self._buffer) as view:
            while not self.has_ended and (end := self._frame_end(start)) is not None:
                self._take(self._buffer[start], view[start + _HEADER.size : end])
                start = end
        del self._buffer[:start]
        if self.has_ended and self._buffer:
            raise WireError("bytes after the last frame")

    def restart(self, *, first_page: int) -> None:
        """Another child goes on from this page; what came stays, and so does what may come in all."""
        self._buffer.clear()
        self._first_page = first_page
        self.page = None

    def _take(self, tag: int, untrusted: memoryview) -> None:
        if tag == _END_TAG:
            self.has_ended = True
            return
        self._other_left -= _BLOCK_COST_BYTES
        if tag in self._left:
            self._left[tag] -= max(0, len(untrusted) - _NAMES_BYTES)
        else:
            self._other_left -= len(untrusted)
        if min(self._other_left, *self._left.values()) < 0:
            raise WireError("the result is larger than the limits allow")
        block = _decode(_DECODERS[tag], untrusted)
        if not isinstance(block, PageStarted):
            self.blocks.append(block)
        elif self._first_page <= block.number <= _MAX_PAGES:
            self.page = block
        else:
            raise WireError(f"page {block.number} is none that may come now")

    def _frame_end(self, start: int) -> int | None:
        """Where the frame at `start` ends; None while some of it is missing."""
        if len(self._buffer) - start < _HEADER.size:
            return None
        tag, size_bytes = _HEADER.unpack_from(self._buffer, start)
        if tag > _END_TAG:
            raise WireError(f"no block has the tag {tag}")
        if size_bytes > self._caps.get(tag, _SMALL_BYTES):
            raise WireError(f"a frame of {size_bytes} bytes is too large for its type")
        end = start + _HEADER.size + size_bytes
        return end if end <= len(self._buffer) else None


def _decode(decoder: msgspec.msgpack.Decoder[T], untrusted: bytes | memoryview) -> T:
    try:
        return decoder.decode(untrusted)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
        raise WireError(f"malformed {decoder.type}") from exc
