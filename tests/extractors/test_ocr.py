"""Words in scans and pictures: found behind the picture they stand in, or honestly said not to be."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import msgspec
import pymupdf
import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractedImage, ExtractLimits, SandboxedAttachmentExtractor, Status
from extractors.content import Block, Picture, Text, Truncated, Warned
from extractors.sandbox import recognition
from extractors.sandbox.outcome import Outcome, Reading
from extractors.sandbox.recognition import Ocr
from extractors.sandbox.wire import Level, level_of

pytestmark = pytest.mark.slow

#: Stands in for rapidocr in the zygote. What it does with a picture is chosen by the picture's width.
ENGINE = """
import socket, threading, time

class Lines(list):
    tolist = list.copy

class Found:
    def __init__(self, *lines):
        self.txts = lines
        self.boxes = Lines([[0, 40 * y], [90, 40 * y], [90, 40 * y + 20], [0, 40 * y + 20]] for y in range(len(lines)))

def attempt(action):
    try:
        action()
    except (OSError, RuntimeError) as error:
        return f"denied: {error}"
    return "possible"

ATTACKS = {
    "file": lambda: open("/etc/passwd").close(),
    "written": lambda: open("ocr-was-here", "w").close(),
    "socket": lambda: socket.socket().close(),
    "thread": lambda: threading.Thread(target=time.sleep, args=(0,)).start(),
}

class RapidOCR:
    def __init__(self, params):
        self.params = params

    def __call__(self, picture):
        match picture.width:
            case 301:
                raise ValueError("a secret of the document")
            case 302:
                time.sleep(60)
            case 303:
                return Found(*(f"{name} {attempt(attack)}" for name, attack in ATTACKS.items()))
            case 304:
                return Found("x" * 50_000, "y" * 50_000)
        return Found(f"width {picture.width}")
"""
BREAKS, HANGS, ATTACKS, TALKS = 301, 302, 303, 304


def drawn(*lines: str, width: int = 400, image_format: str = "PNG") -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=width, height=40 + 50 * len(lines))
    for number, line in enumerate(lines):
        font = "helv" if line.isascii() else "china-s"
        for column, cell in enumerate(line.split("\t")):
            page.insert_text((20 + 250 * column, 50 + 50 * number), cell, fontsize=24, fontname=font)
    pixels = page.get_pixmap()
    file = io.BytesIO()
    Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples).save(file, image_format)
    return file.getvalue()


def scanned(*pictures: bytes) -> bytes:
    document = pymupdf.open()
    for picture in pictures:
        size = pymupdf.Pixmap(picture)
        document.new_page(width=size.width, height=size.height).insert_image(
            (0, 0, size.width, size.height), stream=picture
        )
    data: bytes = document.tobytes()
    return data


async def read(extractor: SandboxedAttachmentExtractor, data: bytes, name: str) -> ExtractedContent:
    return await extractor.extract(data, file_metadata={"name": name})


def words(content: ExtractedContent) -> str:
    """The text without blanks, which OCR is free with."""
    return "".join((content.text or "").split())


@pytest.fixture(scope="module")
def scans() -> Iterator[SandboxedAttachmentExtractor]:
    extractor = SandboxedAttachmentExtractor(ocr="scans")
    yield extractor
    asyncio.run(extractor.close())


def make_with_engine(folder: Path, source: str) -> SandboxedAttachmentExtractor:
    """An extractor whose OCR zygote finds this module where it looks for rapidocr."""
    (folder / "rapidocr.py").write_text(source)
    (folder / "models").mkdir()
    for part in ("det", "cls", "rec"):
        (folder / "models" / f"a_{part}_b.onnx").touch()
    extractor = SandboxedAttachmentExtractor(ocr="scans", limits=ExtractLimits(ocr_image_timeout_s=2.0))
    path = (str(folder), *extractor._settings.path)
    extractor._settings = msgspec.structs.replace(extractor._settings, path=path)
    return extractor


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Iterator[SandboxedAttachmentExtractor]:
    extractor = make_with_engine(tmp_path_factory.mktemp("engine"), ENGINE)
    yield extractor
    asyncio.run(extractor.close())


@pytest.mark.parametrize("image_format", ["PNG", "JPEG"])
async def test_words_of_a_picture_follow_it_in_latin_and_chinese(scans, image_format):
    picture = drawn("Contract No. 5006", "合同总价为五千元整", image_format=image_format)
    result = await read(scans, picture, f"a.{image_format.lower()}")
    assert result.status is Status.OK
    before, mark, after = str(result.text).partition("[image: image]\n\n[words recognised in image, not exact]\n\n")
    assert before.startswith("Image: 400 x 140 px")
    assert mark
    assert "".join(after.split()) == "ContractNo.5006合同总价为五千元整"
    assert str(result.note).startswith("words in 1 image were recognised by OCR: some of them may be wrong")
    assert len(result.images) == 1


async def test_words_of_scanned_pages_stand_on_their_pages(scans):
    data = scanned(drawn("第一页的合同"), drawn("第二页的发票"))
    result = await read(scans, data, "scan.pdf")
    first, second = words(result).split("---Page2---")
    assert first.endswith("[image:page1][wordsrecognisedinpage1,notexact]第一页的合同")
    assert second == "[image:page2][wordsrecognisedinpage2,notexact]第二页的发票"
    assert "words in 2 images were recognised by OCR" in str(result.note)


async def test_cells_of_a_row_stay_on_one_line(scans):
    result = await read(scans, drawn("Total\t5006", "Tax\t300", width=500), "a.png")
    lines = [line.split() for line in str(result.text).splitlines()]
    assert ["Total", "5006"] in lines
    assert ["Tax", "300"] in lines


async def test_picture_without_words_is_left_as_it_is(scans):
    blank = io.BytesIO()
    Image.new("RGB", (300, 100), "white").save(blank, "PNG")
    result = await read(scans, blank.getvalue(), "a.png")
    assert (result.text, result.note) == ("Image: 300 x 100 px, PNG\n\n[image: image]", None)


def with_picture() -> bytes:
    document = docx.Document()
    document.add_paragraph("before")
    document.add_picture(io.BytesIO(drawn("Total 5006")))
    document.add_paragraph("after")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


async def test_picture_inside_a_document_is_searched_only_when_all_are(scans):
    assert "[words" not in str((await read(scans, with_picture(), "a.docx")).text)
    async with SandboxedAttachmentExtractor(ocr="always") as always:
        result = await read(always, with_picture(), "a.docx")
    assert words(result) == "before[image:image1][wordsrecognisedinimage1,notexact]Total5006after"


async def test_ocr_is_off_unless_asked_for():
    async with SandboxedAttachmentExtractor() as extractor:
        result = await read(extractor, scanned(drawn("Alpha 111")), "scan.pdf")
        assert list(extractor._supplies) == ["main"]
    assert result.text == "--- Page 1 ---\n\n[image: page 1]"


def test_unknown_mode_is_refused_at_once():
    with pytest.raises(ValueError, match="sometimes"):
        SandboxedAttachmentExtractor(ocr="sometimes")


@pytest.mark.parametrize("name", ["page 3", "inner/scan.pdf/page 12", "image", "photos.zip/a.png/image", "part 2"])
def test_pages_and_whole_pictures_are_scans(name):
    assert recognition._SCAN.fullmatch(name)


@pytest.mark.parametrize("name", ["image 1", "frame 2", "slide 1", "a page 3", "page 3/image 1"])
def test_pictures_inside_documents_are_no_scans(name):
    assert not recognition._SCAN.fullmatch(name)


async def test_without_the_extra_the_note_says_what_to_install(tmp_path):
    async with make_with_engine(tmp_path, "raise ImportError('not installed')") as extractor:
        result = await read(extractor, scanned(drawn("Alpha")), "scan.pdf")
    assert (result.status, len(result.images)) == (Status.OK, 1)
    assert str(result.note).startswith("words in images are not recognised: for that, install duwen[ocr]")
    assert result.text == "--- Page 1 ---\n\n[image: page 1]"


async def test_engine_that_does_not_start_costs_the_words_only(tmp_path):
    async with make_with_engine(tmp_path, "raise OSError('libgomp is not there')") as extractor:
        result = await read(extractor, drawn("Alpha"), "a.png")
    assert (result.status, len(result.images)) == (Status.PARTIAL, 1)
    assert "words in image (the sandbox could not be started: OSError: libgomp is not there" in str(result.note)


async def test_engine_that_was_taken_over_reaches_nothing(hostile):
    result = await read(hostile, drawn("Alpha", width=ATTACKS), "a.png")
    for door in ("file", "written", "socket", "thread"):
        assert f"\n{door} denied: " in str(result.text)
    assert level_of(hostile._supplies[recognition.ZYGOTE].layers) is Level.FULL


@pytest.mark.parametrize("door", ["file", "written", "socket", "thread"])
def test_each_attack_succeeds_where_there_is_no_sandbox(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    exec(ENGINE, scope)
    assert scope["attempt"](scope["ATTACKS"][door]) == "possible"


async def test_engine_that_breaks_costs_the_words_only(hostile):
    result = await read(hostile, drawn("Alpha", width=BREAKS), "a.png")
    assert (result.status, len(result.images)) == (Status.PARTIAL, 1)
    assert result.note == "not included: words in image (the reader crashed)"


async def test_picture_that_takes_too_long_costs_its_words_only(hostile):
    result = await read(hostile, drawn("Alpha", width=HANGS), "a.png")
    assert (result.status, len(result.images)) == (Status.PARTIAL, 1)
    assert result.note == "not included: words in image (extraction timed out after 2 s)"


async def test_words_count_against_the_characters_of_the_file(hostile):
    result = await read(hostile, drawn("Alpha", width=TALKS), "a.png")
    assert 79_000 < len(str(result.text)) <= 80_000
    assert "text after the first 80,000 characters" in str(result.note)


async def test_more_pages_are_drawn_when_they_are_searched(hostile):
    assert ExtractLimits().pdf_render_max_pages == 4
    result = await read(hostile, scanned(*(drawn("Alpha", width=100 + number) for number in range(6))), "scan.pdf")
    assert str(result.text).count("[words recognised") == 6


# --- the second pass by itself ----------------------------------------------------------------------------------------


def finished(*names: str) -> Reading:
    blocks = [block for name in names for block in (Text(name), Picture(ExtractedImage(b"", "image/png", name=name)))]
    return Reading(blocks=blocks, outcome=Outcome.DONE, ended=None)


async def second_pass(names: list[str], find: recognition.ReadWords, **limits: float) -> list[Block]:
    found = await recognition.with_words(finished(*names), Ocr.SCANS, ExtractLimits(**limits), find)
    return [block for block in found.blocks if not isinstance(block, Picture)]


async def says_its_name(_picture: bytes, name: str) -> Reading:
    await asyncio.sleep(60 if name == "page 2" else 0)
    return Reading(blocks=[Text(f"words of {name}")], outcome=Outcome.DONE, ended=None)


async def test_words_stand_behind_their_own_picture():
    warned, *texts = await second_pass(["page 1", "image 7", "page 3"], says_its_name)
    assert texts == [Text(text) for text in ("page 1", "words of page 1", "image 7", "page 3", "words of page 3")]
    assert isinstance(warned, Warned)


async def test_pictures_beyond_the_limit_are_named():
    blocks = await second_pass(["page 1", "page 3", "page 4"], says_its_name, ocr_max_images=1)
    assert Truncated("words in page 3, page 4 (beyond the limit of 1)") in blocks


async def test_all_pictures_of_a_file_share_one_time():
    blocks = await second_pass(["page 1", "page 2"], says_its_name, ocr_timeout_s=0.2)
    assert Text("words of page 1") in blocks
    assert Truncated("words in page 2 (no time was left)") in blocks


async def test_reading_without_scans_stays_as_it_is():
    assert await second_pass(["image 1"], says_its_name) == [Text("image 1")]


# --- where it is asked for --------------------------------------------------------------------------------------------


def test_the_command_takes_it(tmp_path):
    (tmp_path / "a.png").write_bytes(drawn("合同总价"))
    arguments = [sys.executable, "-m", "extractors", "--ocr", "scans", str(tmp_path / "a.png")]
    ended = subprocess.run(arguments, capture_output=True, check=True, timeout=60, encoding="utf-8")
    assert "合同总价" in ended.stdout


def test_modes_are_what_the_command_offers():
    assert [mode.value for mode in Ocr] == ["off", "scans", "always"]
