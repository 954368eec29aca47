"""Film: how long it is, what streams it has, and its tags."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._media import ZYGOTE, read_media
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind
from extractors.format import Format


def extract_video(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:  # noqa: ARG001 - the protocol of a format
    """Facts and tags; neither pictures nor speech."""
    return read_media(job.data, detection.media_type, heading="Video")


FORMAT = Format(
    name="video",
    kind=Kind.VIDEO,
    media_types=frozenset(
        {
            "video/mp4",
            "video/quicktime",
            "video/3gpp",
            "video/x-msvideo",
            "video/x-matroska",
            "video/webm",
            "video/ogg",
            "video/x-ms-wmv",
            "video/x-ms-asf",
            "video/x-flv",
            "video/mpeg",
            "video/mp2t",
        }
    ),
    extensions=frozenset(
        {
            "mp4",
            "m4v",
            "mov",
            "3gp",
            "avi",
            "mkv",
            "mka",
            "webm",
            "weba",
            "ogv",
            "wmv",
            "asf",
            "flv",
            "mpg",
            "mpeg",
            "mts",
            "m2ts",
        }
    ),
    extract=extract_video,
    limitations=(
        "Facts and tags only: no picture is shown, and what is said is not transcribed.",
        "Needs the extra duwen[av]; without it such files are named, not read.",
    ),
    keeps=("length", "streams with codec, size, rate and language", "tags"),
    libraries=("av",),
    zygote=ZYGOTE,
)
