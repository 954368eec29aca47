"""What can be said of sound and film by their headers, through PyAV; nothing is decoded for its own sake."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Final, NoReturn

from extractors.content import Block, ExtractionWarning, Status, Text, Warned
from extractors.format import Unreadable

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.stream import Stream
    from av.video.stream import VideoStream

#: The zygote that has PyAV loaded.
ZYGOTE: Final = "media"
#: The one demuxer for each type, so that no file chooses a playlist, a device or a network protocol.
_DEMUXERS: Final = {
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/mp4": "mp4",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "audio/amr": "amr",
    "audio/aac": "aac",
    "audio/aiff": "aiff",
    "audio/x-ms-wma": "asf",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/x-msvideo": "avi",
    "video/x-matroska": "matroska",
    "video/webm": "matroska",
    "video/3gpp": "mov",
    "video/ogg": "ogg",
    "video/x-ms-wmv": "asf",
    "video/x-ms-asf": "asf",
    "video/x-flv": "flv",
    "video/mpeg": "mpeg",
    "video/mp2t": "mpegts",
}
_MAX_STREAMS: Final = 20
_MAX_TAGS: Final = 30
_MAX_TAG_CHARS: Final = 500
#: What programs write about themselves.
_TECHNICAL_TAGS: Final = frozenset(
    {
        "major_brand",
        "minor_version",
        "compatible_brands",
        "encoder",
        "software",
        "handler_name",
        "vendor_id",
        "wmfsdkversion",
        "wmfsdkneeded",
        "isvbr",
    }
)
_NOT_READ: Final = Warned(
    ExtractionWarning(
        problem="what is said and shown is not read", consequence="only facts about the recording are given"
    )
)


def read_media(data: bytes, media_type: str, *, heading: str) -> Iterator[Block]:
    """A line for the whole, one for each stream, and the tags. May raise `Unreadable`."""
    with _opened(data, media_type) as container:
        yield Text(f"{heading}: {_joined(_container_facts(container))}")
        streams = [f"- {_stream(stream)}" for stream in islice(container.streams, _MAX_STREAMS)]
        if (more := len(container.streams) - _MAX_STREAMS) > 0:
            streams.append(f"- and {more} more streams")
        yield Text("\n".join(streams))
        if tags := [f"- {name}: {value}" for name, value in _tags(container.metadata)]:
            yield Text("\n".join(tags))
    yield _NOT_READ


@contextmanager
def _opened(data: bytes, media_type: str) -> Iterator[InputContainer]:
    try:
        import av  # noqa: PLC0415 - a parser loads with the first file that needs it
    except ImportError:
        raise Unreadable(Status.UNSUPPORTED, "sound and film are read with the extra duwen[av]") from None

    try:
        with av.open(
            io.BytesIO(data),
            "r",
            format=_DEMUXERS[media_type],
            metadata_errors="replace",
            io_open=_open_nothing,
            options={"protocol_whitelist": "pipe"},
        ) as container:
            yield container
    except (av.FFmpegError, ValueError) as exc:
        raise Unreadable(Status.REJECTED, "the recording is broken or cut off") from exc


def _open_nothing(url: str, flags: int, options: Mapping[str, str]) -> NoReturn:  # noqa: ARG001 - PyAV's protocol
    raise PermissionError("a recording may not refer to other files")


def _container_facts(container: InputContainer) -> Iterator[str]:
    if container.duration is not None and container.duration > 0:
        yield f"{_clock(container.duration / 1_000_000)} long"
    yield container.format.long_name.split(" (")[0]


def _stream(stream: Stream) -> str:
    language = stream.metadata.get("language", "und")
    facts = [*_stream_facts(stream)] + ([] if language == "und" else [f"language {_one_line(language)}"])
    kind = {"video": "picture", "audio": "sound", "subtitle": "subtitles"}.get(stream.type, stream.type)
    if stream.type == "video" and "attached_pic" in str(stream.disposition):
        kind = "cover picture"
    return f"{kind}: {_joined(facts)}"


def _stream_facts(stream: Stream) -> Iterator[str]:
    codec = getattr(stream, "codec_context", None)  # None for a codec that is not known, whatever PyAV's types say
    if codec is None:
        yield "unknown codec"
        return
    yield codec.codec.long_name.split(" / ")[0]
    if stream.type == "video":
        yield from _video_facts(stream)  # type: ignore[arg-type] # PyAV tells its streams apart by this word
    elif stream.type == "audio":
        yield from _audio_facts(stream)  # type: ignore[arg-type] # PyAV tells its streams apart by this word
    if codec.bit_rate:
        yield f"{round(codec.bit_rate / 1000):,} kbit/s"


def _video_facts(stream: VideoStream) -> Iterator[str]:
    yield f"{stream.codec_context.width:,} x {stream.codec_context.height:,} px"
    if stream.average_rate:
        yield f"{float(stream.average_rate):.4g} frames/s"


def _audio_facts(stream: AudioStream) -> Iterator[str]:
    yield f"{stream.codec_context.sample_rate:,} Hz"
    channels = stream.codec_context.layout.nb_channels
    yield {1: "mono", 2: "stereo"}.get(channels, f"{channels} channels")


def _tags(metadata: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    told = ((name, value) for name, value in metadata.items() if name.lower() not in _TECHNICAL_TAGS)
    for name, value in islice(told, _MAX_TAGS):
        yield _one_line(name), _one_line(value)


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds, the way players show them."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _joined(facts: Iterable[str]) -> str:
    return ", ".join(facts)


def _one_line(text: str) -> str:
    return " ".join(text[:_MAX_TAG_CHARS].split())
