"""Frames from a child that may have been taken over, and the messages and descriptors of the control socket."""

from __future__ import annotations

import os
import socket
import struct
from typing import get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.content import (
    Block,
    Detected,
    Detection,
    Elsewhere,
    Ended,
    ExtractedImage,
    ExtractionWarning,
    MemberRead,
    PageCount,
    PageStarted,
    Picture,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.limits import ExtractLimits
from extractors.sandbox.channel import Channel
from extractors.sandbox.input_file import Description, describe, read_input, write_input
from extractors.sandbox.wire import (
    END_FRAME,
    Exited,
    Frames,
    Kill,
    Layer,
    Level,
    Run,
    WireError,
    decode_from_zygote,
    decode_to_zygote,
    encode,
    encode_block,
    level_of,
)

LIMITS = ExtractLimits(extract_text_max_chars=1_000, image_max_output_bytes=1_000, images_max_count=2)
TAGS = {block: tag for tag, block in enumerate(get_args(Block))}
TEXT = TAGS[Text]
END = len(TAGS)
#: Other jobs on the machine are none of a property's business.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = st.text(st.characters(codec="utf-8"), max_size=50)
detections = st.builds(Detection, media_type=words, extension_type=st.none() | words, conflict=st.booleans())
pictures = st.builds(ExtractedImage, st.binary(max_size=50), words, width=st.none() | st.integers(0, 9), name=words)
blocks = st.one_of(
    st.builds(Detected, words, detections),
    st.builds(Text, words),
    st.builds(Picture, pictures),
    st.builds(PageCount, st.integers(0, 2**63)),
    st.builds(Warned, st.builds(ExtractionWarning, problem=words, consequence=words), partial=st.booleans()),
    st.builds(Truncated, words),
    st.builds(MemberRead, words),
    st.builds(Elsewhere, words),
    st.builds(Ended, st.sampled_from(Status), words),
)


def frame(block: Block) -> bytes:
    return b"".join(encode_block(block))


def raw_frame(tag: int, payload: bytes) -> bytes:
    return struct.pack(">BI", tag, len(payload)) + payload


def fed(*chunks: bytes, limits: ExtractLimits = LIMITS) -> Frames:
    frames = Frames(limits)
    for chunk in chunks:
        frames.feed(chunk)
    return frames


@unhurried
@given(st.lists(blocks, max_size=6), st.integers(1, 40))
def test_blocks_arrive_whole_however_the_bytes_are_cut(sent, size):
    stream = b"".join(map(frame, sent)) + END_FRAME
    frames = fed(*(stream[i : i + size] for i in range(0, len(stream), size)))
    assert frames.blocks == sent
    assert frames.has_ended


@unhurried
@given(st.lists(st.binary(max_size=200), max_size=5))
def test_arbitrary_bytes_give_blocks_or_a_wire_error(chunks):
    try:
        fed(*chunks)
    except WireError:
        return


@unhurried
@given(
    st.sampled_from(sorted(TAGS.values())),
    st.recursive(st.none() | st.integers() | words, lambda inner: st.lists(inner) | st.dictionaries(words, inner)),
)
def test_well_formed_values_of_the_wrong_shape_give_a_wire_error_or_a_block(tag, value):
    try:
        payload = msgspec.msgpack.encode(value)
    except OverflowError:
        return
    try:
        frames = fed(raw_frame(tag, payload))
    except WireError:
        return
    assert len(frames.blocks) == 1


@unhurried
@given(blocks, st.data())
def test_damaged_frames_give_blocks_or_a_wire_error(block, data):
    damaged = bytearray(frame(block))
    position = data.draw(st.integers(0, len(damaged) - 1))
    damaged[position] = data.draw(st.integers(0, 255))
    try:
        fed(bytes(damaged))
    except WireError:
        return


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(raw_frame(END + 1, b""), id="unknown tag"),
        pytest.param(raw_frame(END, b"\0"), id="a last frame that is not empty"),
        pytest.param(struct.pack(">BI", TEXT, 2**32 - 1), id="a length of 4 GiB"),
        pytest.param(raw_frame(TEXT, encode_block(Text("x"))[1] + b"\0"), id="bytes after the value"),
        pytest.param(raw_frame(TEXT, b""), id="no value"),
        pytest.param(raw_frame(TEXT, b"\x91" * 60_000), id="60,000 nested lists"),
        pytest.param(
            raw_frame(TEXT, b"\x82\xa8markdown\xa1x\xa1y" + b"\x91" * 60_000), id="nested lists in a field to skip"
        ),
        pytest.param(raw_frame(TEXT, b"\xdd\xff\xff\xff\xff"), id="a list of 2**32 - 1"),
        pytest.param(raw_frame(TEXT, b"\x81\xa8markdown\xdb\xff\xff\xff\xff"), id="a string of 4 GiB"),
        pytest.param(raw_frame(TEXT, b"\x81\xa8markdown\xa2\xff\xff"), id="not UTF-8"),
        pytest.param(raw_frame(TEXT, b"\x81\xa8markdown\x01"), id="a number for a text"),
        pytest.param(raw_frame(TAGS[Ended], b"\x82\xa6status\xa5wrong\xa4note\xa0"), id="an unknown status"),
    ],
)
def test_malformed_frame_is_a_wire_error(stream):
    with pytest.raises(WireError):
        fed(stream)


def test_blocks_before_a_malformed_frame_are_kept():
    frames = Frames(LIMITS)
    with pytest.raises(WireError):
        frames.feed(frame(Text("before")) + b"\xff" * 10)
    assert frames.blocks == [Text("before")]


def test_stream_without_the_last_frame_has_not_ended():
    assert not fed(frame(Text("text"))).has_ended


@pytest.mark.parametrize("trailing", [b"\0", frame(Text("text")), END_FRAME])
def test_bytes_after_the_last_frame_are_a_wire_error(trailing):
    with pytest.raises(WireError):
        fed(END_FRAME + trailing)
    with pytest.raises(WireError):
        fed(END_FRAME, trailing)


def test_many_empty_blocks_are_too_much():
    with pytest.raises(WireError, match="larger than the limits allow"):
        fed(frame(Text("")) * 50_000)


def test_single_frame_is_capped_by_its_type():
    picture = Picture(ExtractedImage(bytes(LIMITS.image_max_output_bytes), "image/png"))
    assert fed(frame(picture)).blocks == [picture]
    with pytest.raises(WireError):
        fed(raw_frame(TEXT, bytes(4 * LIMITS.extract_text_max_chars + 64 * 1024 + 1)))


def test_whole_result_is_capped_however_small_its_frames():
    flood = frame(Text("x" * 1_000)) * 10_000
    with pytest.raises(WireError, match="larger than the limits allow"):
        fed(flood)


def test_text_of_single_letters_up_to_the_limit_fits():
    letters = [Text("读")] * LIMITS.extract_text_max_chars
    assert len(fed(b"".join(map(frame, letters))).blocks) == len(letters)


@unhurried
@given(st.binary(max_size=60))
def test_arbitrary_messages_are_refused(data):
    for decode in (decode_to_zygote, decode_from_zygote):
        with pytest.raises(WireError):
            decode(data)


@pytest.mark.parametrize("message", [Run(id=1), Kill(id=2)])
def test_message_to_the_zygote_comes_back_as_it_was(message):
    assert decode_to_zygote(encode(message)) == message
    with pytest.raises(WireError):
        decode_from_zygote(encode(message))


def test_level_adds_the_layers_up():
    def layers(**on: bool) -> tuple[Layer, ...]:
        return tuple(Layer(name=name, is_on=is_on, detail="") for name, is_on in on.items())

    assert level_of(layers(landlock=True, seccomp=True, memory=True)) is Level.FULL
    assert level_of(layers(landlock=True, seccomp=True, memory=False)) is Level.SECCOMP
    assert level_of(layers(landlock=False, seccomp=True)) is Level.SECCOMP
    assert level_of(layers(landlock=True, seccomp=False)) is Level.LANDLOCK
    assert level_of(layers(landlock=False, seccomp=False, limits=True)) is Level.LIMITS
    assert level_of(()) is Level.LIMITS


# --- the control socket -----------------------------------------------------------------------------------------------


@pytest.fixture
def channels():
    ours, theirs = map(Channel, socket.socketpair())
    yield ours, theirs
    ours.close()
    theirs.close()


def test_messages_arrive_whole_with_their_descriptors_in_order(channels):
    ours, theirs = channels
    pipes = [os.pipe() for _ in range(3)]
    for i, (read_end, write_end) in enumerate(pipes):
        ours.send(encode(Run(id=i)), [read_end])
        os.close(read_end)
        os.write(write_end, b"%d" % i)
        os.close(write_end)
    received: list[bytes] = []
    while len(received) < 3:
        received += theirs.receive() or []
    assert [decode_to_zygote(raw) for raw in received] == [Run(id=i) for i in range(3)]
    for i in range(3):
        fd = theirs.take_fd()
        assert os.read(fd, 10) == b"%d" % i
        os.close(fd)


def test_message_in_pieces_is_put_together():
    raw, end = socket.socketpair()
    channel = Channel(end)
    with raw:
        message = struct.pack(">I", 5) + b"hello" + struct.pack(">I", 2)
        for i in range(len(message)):
            raw.send(message[i : i + 1])
            assert channel.receive() == ([b"hello"] if i == 8 else [])
    assert channel.receive() is None
    channel.close()


def test_message_without_its_descriptor_is_a_wire_error(channels):
    with pytest.raises(WireError):
        channels[1].take_fd()


def test_message_of_absurd_length_is_a_wire_error():
    raw, end = socket.socketpair()
    channel = Channel(end)
    with raw:
        raw.send(struct.pack(">I", 2**31))
        with pytest.raises(WireError):
            channel.receive()
    channel.close()


def test_descriptors_nobody_took_are_closed_with_the_channel():
    ours, theirs = map(Channel, socket.socketpair())
    read_end, write_end = os.pipe()
    ours.send(encode(Run(id=1)), [write_end])
    os.close(write_end)
    assert theirs.receive()
    theirs.close()
    assert os.read(read_end, 1) == b""
    os.close(read_end)
    ours.close()


def test_exit_of_a_child_crosses_as_numbers():
    message = Exited(id=2**40, status=9)
    assert decode_from_zygote(encode(message)) == message


# --- the input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("portable", [False, True])
@unhurried
@given(data=st.binary(max_size=100), name=st.none() | st.text(max_size=20))
def test_input_reads_back_as_it_was_written(portable, data, name):
    description = describe({"name": name} if name is not None else {}, None)
    fd = write_input(data, description, portable=portable)
    try:
        assert read_input(fd) == (description, data)
    finally:
        os.close(fd)


def test_argument_goes_before_the_type_in_the_metadata():
    metadata = {"name": "a", "mime_type": "text/plain"}
    assert describe(metadata, None).declared_type == "text/plain"
    assert describe(metadata, "text/html") == Description(name="a", declared_type="text/html", metadata=metadata)


@pytest.mark.parametrize(
    ("sent", "arrived"),
    [
        (MemberRead("a\udce3.txt"), MemberRead("a?.txt")),
        (
            Warned(ExtractionWarning(problem="\ud800", consequence="b"), partial=True),
            Warned(ExtractionWarning(problem="?", consequence="b"), partial=True),
        ),
        (
            Picture(ExtractedImage(b"\xff", "image/png", name="\udfff")),
            Picture(ExtractedImage(b"\xff", "image/png", name="?")),
        ),
    ],
)
def test_lone_surrogate_does_not_stop_a_block(sent: Block, arrived: Block) -> None:
    assert fed(frame(sent)).blocks == [arrived]


# --- pages ------------------------------------------------------------------------------------------------------------


def test_marks_of_pages_are_no_blocks_and_the_latest_is_known() -> None:
    frames = fed(frame(PageStarted(1)), frame(Text("a")), frame(PageStarted(2, "owed")))
    assert frames.blocks == [Text("a")]
    assert frames.page == PageStarted(2, "owed")


@pytest.mark.parametrize("number", [0, -1, 10**8, 2**63])
def test_page_that_cannot_be_is_refused(number: int) -> None:
    with pytest.raises(WireError, match="is none that may come now"):
        fed(frame(PageStarted(number)))


def test_next_child_goes_on_after_the_page_and_not_before() -> None:
    frames = fed(frame(Text("a")), frame(PageStarted(3)), frame(Text("cut"))[:4])
    frames.restart(first_page=4)
    assert frames.page is None
    frames.feed(frame(PageStarted(4)) + frame(Text("b")))
    assert frames.blocks == [Text("a"), Text("b")]
    with pytest.raises(WireError):
        frames.feed(frame(PageStarted(3)))


def test_children_of_one_file_share_what_may_come_in_all() -> None:
    frames = Frames(LIMITS)

    def children(count: int) -> None:
        for _ in range(count):
            frames.feed(frame(Text("x" * 900)) * 10)
            frames.restart(first_page=1)

    with pytest.raises(WireError, match="larger than the limits allow"):
        children(10_000)
