"""HEIC, as phones make it: decoded in a zygote that may start the decoder's thread, and fitted like other pictures."""

from __future__ import annotations

import asyncio
import io
import re
import struct
from collections.abc import Iterator

import pytest
from PIL import Image

from extractors.content import Status
from extractors.extract import extract_content
from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

av = pytest.importorskip("av", reason="pictures are made with PyAV")


def box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I", 8 + len(body)) + kind + body


def full_box(kind: bytes, *content: bytes, version: int = 0, flags: int = 0) -> bytes:
    return box(kind, struct.pack(">I", version << 24 | flags), *content)


def coded(size: tuple[int, int], colour: tuple[int, int, int]) -> tuple[bytes, bytes]:
    """One picture in HEVC: the decoder's configuration (hvcC) and the coded bytes, each unit after its length."""
    file = io.BytesIO()
    with av.open(file, "w", format="hevc") as container:
        stream = container.add_stream("libx265", rate=1, options={"x265-params": "log-level=none:pools=none"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        container.mux(stream.encode(av.VideoFrame.from_image(Image.new("RGB", size, colour))))
        container.mux(stream.encode(None))
    units = [unit for unit in re.split(rb"\x00\x00\x00?\x01", file.getvalue()) if unit]
    parameters = {unit[0] >> 1 & 63: unit for unit in units if unit[0] >> 1 & 63 in (32, 33, 34)}
    profile = parameters[33].replace(b"\0\0\3", b"\0\0")[3:15]
    head = b"\1" + profile + struct.pack(">HBBBBHBB", 0xF000, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0x0F, len(parameters))
    arrays = b"".join(struct.pack(">BHH", 0x80 | kind, 1, len(unit)) + unit for kind, unit in parameters.items())
    slices = b"".join(struct.pack(">I", len(unit)) + unit for unit in units if unit[0] >> 1 & 63 < 32)
    return head + arrays, slices


def heic(
    *colours: tuple[int, int, int],
    size: tuple[int, int] = (256, 128),
    claimed: tuple[int, int] | None = None,
    primary: int = 1,
) -> bytes:
    """A HEIC file of one picture for each colour; `primary` counts from 1, and `claimed` is what its header says."""
    pictures = [coded(size, colour) for colour in colours]
    numbers = range(1, len(pictures) + 1)
    ftyp = box(b"ftyp", b"heic\0\0\0\0mif1heic")
    entries = [full_box(b"infe", struct.pack(">HH4sB", number, 0, b"hvc1", 0), version=2) for number in numbers]
    properties = [
        prop for configuration, _ in pictures for prop in (box(b"hvcC", configuration), ispe(claimed or size))
    ]
    owned = b"".join(struct.pack(">HBBB", number, 2, 0x80 | 2 * number - 1, 2 * number) for number in numbers)
    fixed = (
        full_box(b"hdlr", b"\0\0\0\0pict" + bytes(13)),
        full_box(b"pitm", struct.pack(">H", primary)),
        full_box(b"iinf", struct.pack(">H", len(pictures)), *entries),
        box(b"iprp", box(b"ipco", *properties), full_box(b"ipma", struct.pack(">I", len(pictures)), owned)),
    )

    def located(offset: int) -> bytes:
        places = b""
        for number, (_, data) in zip(numbers, pictures, strict=True):
            places += struct.pack(">HHHII", number, 0, 1, offset, len(data))
            offset += len(data)
        return full_box(b"iloc", b"\x44\0", struct.pack(">H", len(pictures)), places)

    meta_bytes = len(full_box(b"meta", *fixed, located(0)))
    meta = full_box(b"meta", *fixed, located(len(ftyp) + meta_bytes + 8))
    return ftyp + meta + box(b"mdat", *(data for _, data in pictures))


def ispe(size: tuple[int, int]) -> bytes:
    return full_box(b"ispe", struct.pack(">II", *size))


def shown(data: bytes) -> tuple[int, ...]:
    """The colour in the middle."""
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    found = picture.getpixel((picture.width // 2, picture.height // 2))
    assert isinstance(found, tuple)
    return found


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxedAttachmentExtractor]:
    extractor = SandboxedAttachmentExtractor()
    yield extractor
    asyncio.run(extractor.close())


async def test_photo_is_decoded_in_the_sandbox(sandbox):
    content = await sandbox.extract(heic((200, 30, 30)), file_metadata={"name": "IMG_1.HEIC"})
    assert (content.status, content.text) == (Status.OK, "Image: 256 x 128 px, HEIF\n\n[image: image]")
    (image,) = content.images
    assert (image.width, image.height, image.media_type) == (256, 128, "image/png")
    assert all(abs(a - b) < 12 for a, b in zip(shown(image.data), (200, 30, 30), strict=True))
    assert sandbox.counters.crashes == sandbox.counters.forbidden_calls == 0


async def test_sandbox_reads_as_it_is_read_without_one(sandbox):
    data = heic((10, 200, 10), size=(3200, 1600))
    content = await sandbox.extract(data, file_metadata={"name": "large.heic"})
    assert content == extract_content(data, media_type="", name="large.heic")
    assert max(content.images[0].width or 0, content.images[0].height or 0) == ExtractLimits().image_max_side_px


def test_primary_picture_is_given_and_the_others_are_named():
    content = extract_content(heic((200, 30, 30), (30, 30, 200), primary=2), media_type="", name="several.heic")
    assert content.status is Status.PARTIAL
    assert content.note == "not included: 1 of 2 pictures, which are not the primary one"
    assert shown(content.images[0].data)[2] > 150


@pytest.mark.parametrize("claimed", [(11_000, 11_000), (20_000, 20_000)])
async def test_size_is_checked_before_anything_is_decoded(sandbox, claimed):
    content = await sandbox.extract(heic((9, 9, 9), claimed=claimed), file_metadata={"name": "bomb.heic"})
    assert (content.status, content.images) == (Status.REJECTED, ())
    assert str(content.note).startswith("the image has too many pixels")


async def test_broken_photo_is_rejected(sandbox):
    data = heic((9, 9, 9))
    content = await sandbox.extract(data[: len(data) // 2], file_metadata={"name": "cut.heic"})
    assert (content.status, content.images) == (Status.REJECTED, ())
