"""Sound: how long it is, how it is coded, and its tags."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._media import ZYGOTE, read_media
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind
from extractors.format import Format


def extract_audio(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:  # noqa: ARG001 - the protocol of a format
    """Facts and tags; what is said is not transcribed."""
    return read_media(job.data, detection.media_type, heading="Audio")


FORMAT = Format(
    name="audio",
    kind=Kind.AUDIO,
    media_types=frozenset(
        {
            "audio/mpeg",
            "audio/wav",
            "audio/mp4",
            "audio/ogg",
            "audio/flac",
            "audio/amr",
            "audio/aac",
            "audio/aiff",
            "audio/x-ms-wma",
        }
    ),
    extensions=frozenset({"mp3", "wav", "m4a", "ogg", "opus", "flac", "amr", "aac", "aif", "aiff", "wma"}),
    extract=extract_audio,
    limitations=(
        "Facts and tags only: what is said is not transcribed.",
        "Needs the extra duwen[av]; without it such files are named, not read.",
    ),
    keeps=("length", "codec, rate and channels", "tags"),
    libraries=("av",),
    zygote=ZYGOTE,
)
