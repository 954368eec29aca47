"""Sound and film: facts and tags, read in a zygote of their own."""

from __future__ import annotations

import asyncio
import io
import sys
import wave
import zipfile
from collections.abc import Iterator

import pytest
from PIL import Image

from extractors.content import ExtractedContent, Kind, Status
from extractors.extract import extract_content
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

av = pytest.importorskip("av", reason="recordings are made with PyAV")


def sound(seconds: float = 2.0, *, channels: int = 1) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setnchannels(channels)
        recording.setsampwidth(2)
        recording.setframerate(8000)
        recording.writeframes(bytes(round(seconds * 8000) * 2 * channels))
    return file.getvalue()


def film(format_name: str = "mp4", **tags: str) -> bytes:
    """Three seconds of grey."""
    file = io.BytesIO()
    with av.open(file, "w", format=format_name) as container:
        container.metadata.update(tags)
        stream = container.add_stream("mpeg4", rate=5)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(15):
            container.mux(stream.encode(av.VideoFrame.from_image(Image.new("RGB", (64, 48), "grey"))))
        container.mux(stream.encode(None))
    return file.getvalue()


def read(data: bytes, name: str) -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxedAttachmentExtractor]:
    extractor = SandboxedAttachmentExtractor()
    yield extractor
    asyncio.run(extractor.close())


def test_sound_tells_its_length_codec_rate_and_channels():
    content = read(sound(75, channels=2), "voice.wav")
    assert (content.status, content.kind, content.media_type) == (Status.OK, Kind.AUDIO, "audio/wav")
    assert content.text == (
        "Audio: 0:01:15 long, WAV / WAVE\n\n- sound: PCM signed 16-bit little-endian, 8,000 Hz, stereo, 256 kbit/s"
    )
    assert content.note == "what is said and shown is not read: only facts about the recording are given"


@pytest.mark.parametrize(
    ("format_name", "container"), [("mp4", "MP4"), ("mov", "QuickTime / MOV"), ("avi", "AVI"), ("matroska", "Matroska")]
)
def test_film_tells_its_length_and_streams(format_name, container):
    content = read(film(format_name), "film")
    assert (content.status, content.kind) == (Status.OK, Kind.VIDEO)
    lines = str(content.text).split("\n")
    assert lines[0] == f"Video: 0:00:03 long, {container}"
    assert lines[2].startswith("- picture: MPEG-4 part 2, 64 x 48 px, 5 frames/s")


@pytest.mark.parametrize(
    ("format_name", "name"),
    [("asf", "a.wmv"), ("mpeg", "a.mpg"), ("mpegts", "a.mts"), ("3gp", "a.3gp")],
)
def test_film_of_older_programs_is_read_too(format_name, name):
    content = read(film(format_name), name)
    assert (content.status, content.kind) == (Status.OK, Kind.VIDEO)
    assert "64 x 48 px" in content.text


@pytest.mark.parametrize(("format_name", "codec", "name"), [("adts", "aac", "a.aac"), ("aiff", "pcm_s16be", "a.aif")])
def test_sound_of_other_kinds_is_read_too(format_name, codec, name):
    file = io.BytesIO()
    with av.open(file, "w", format=format_name) as container:
        stream = container.add_stream(codec, rate=8000, layout="mono")
        frame = av.AudioFrame(format="fltp" if codec == "aac" else "s16", layout="mono", samples=1024)
        frame.rate = 8000
        for plane in frame.planes:
            plane.update(bytes(plane.buffer_size))
        container.mux([*stream.encode(frame), *stream.encode(None)])
    content = read(file.getvalue(), name)
    assert (content.status, content.kind) == (Status.OK, Kind.AUDIO)
    assert "8,000 Hz, mono" in content.text


def test_tags_are_given_without_what_programs_write_about_themselves():
    content = read(film("mp4", title="季度\n会议", artist="Duwen"), "film.mp4")
    assert "- title: 季度 会议\n- artist: Duwen" in str(content.text)
    assert "Lavf" not in str(content.text)


def test_stream_of_an_unknown_codec_is_named_as_such():
    data = sound()
    unknown = data.replace(b"fmt \x10\0\0\0\x01\0", b"fmt \x10\0\0\0\x77\x77")
    assert unknown != data
    content = read(unknown, "voice.wav")
    assert (content.status, str(content.text).split("\n")[-1]) == (Status.OK, "- sound: unknown codec")


def test_long_tags_are_cut():
    assert len(str(read(film("mp4", comment="x" * 100_000), "film.mp4").text)) < 2000


@pytest.mark.parametrize(
    "data",
    [
        film()[:200],
        b"\0\0\0\x18ftypmp42" + bytes(500),
        b"ID3\x03" + bytes(100),
        b"RIFF\xff\xff\xff\xffWAVE",
        b"OggS\0" + bytes(50),
    ],
    ids=["cut", "no boxes", "only a tag", "no chunks", "no pages"],
)
def test_broken_recording_is_rejected(data):
    content = read(data, "broken")
    assert (content.status, content.note) == (Status.REJECTED, "the recording is broken or cut off")


def test_playlist_in_the_clothes_of_a_film_is_not_followed(tmp_path):
    (tmp_path / "secret.ts").write_bytes(b"secret")
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://{tmp_path}/secret.ts\n#EXT-X-ENDLIST\n".encode()
    for disguise in (b"", b"\0\0\0\x08ftypmp42"):
        content = read(disguise + playlist, "film.mp4")
        assert content.status in {Status.REJECTED, Status.OK}
        assert content.kind in {Kind.VIDEO, Kind.TEXT}
        assert "secret" not in str(content.text).replace(f"{tmp_path}/secret.ts", "")


def test_without_the_extra_it_is_said_which_one_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    content = read(sound(), "voice.wav")
    assert (content.status, content.kind) == (Status.UNSUPPORTED, Kind.AUDIO)
    assert content.note == "sound and film are read with the extra duwen[av]"


@pytest.mark.parametrize(("data", "name"), [(sound(), "voice.wav"), (film(), "film.mp4")])
async def test_sandbox_reads_as_it_is_read_without_one(sandbox, data, name):
    content = await sandbox.extract(data, file_metadata={"name": name})
    assert content == read(data, name)
    assert content.status is Status.OK


async def test_common_files_do_not_start_the_zygote_of_recordings(sandbox):
    fresh = SandboxedAttachmentExtractor()
    async with fresh:
        await fresh.extract(b"text", file_metadata={"name": "a.txt"})
        assert set(fresh._supplies) == {"main"}
        await fresh.extract(sound(), file_metadata={"name": "a.wav"})
        assert set(fresh._supplies) == {"main", "media"}


async def test_recording_inside_an_archive_is_named(sandbox):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("voice.wav", sound())
        members.writestr("note.txt", "beside it")
    content = await sandbox.extract(archive.getvalue(), file_metadata={"name": "files.zip"})
    assert content.status is Status.PARTIAL
    assert "beside it" in str(content.text)
    assert "voice.wav: audio is read only as a file of its own" in str(content.note)
