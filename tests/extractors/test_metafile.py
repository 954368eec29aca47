"""Metafiles: the words in them, and what they draw, as files of their own and inside documents."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zlib

import pptx
import pytest
from PIL import Image
from pptx.util import Cm

from extractors import ExtractedContent, Status, extract_content
from extractors._metafile.drawing import Drawing, read_drawing
from extractors.detect import detect_media_type
from extractors.limits import ExtractLimits

from . import legacy_files
from .metafiles import (
    dib,
    emf,
    emf_bitmap,
    emf_brush,
    emf_font,
    emf_record,
    emf_text,
    svm,
    svm_action,
    svm_text,
    wmf,
    wmf_font,
    wmf_record,
    wmf_rectangle,
    wmf_text,
)

CHINESE = wmf_font(0, 200, "SimSun", charset=134)
PLUS_ALONE = struct.pack("<I", 16) + b"EMF+\1\x40\0\0" + bytes(20)
RED, BLUE = 0x0000FF, 0xFF0000  # as Windows writes them


def pixel(drawing: Drawing, across: float, along: float) -> tuple[int, ...]:
    """The colour at a place given as shares of the width and the height."""
    image = drawing.image()
    assert image is not None
    found = image.convert("RGB").getpixel((int(image.width * across), int(image.height * along)))
    assert isinstance(found, tuple)
    return found


def read(data: bytes, name: str = "a", **limits: int) -> ExtractedContent:
    return extract_content(data, media_type="", name=name, limits=ExtractLimits(**limits))


def points(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}h", *numbers)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [(emf(), "image/emf"), (wmf(), "image/wmf"), (wmf(placeable=True), "image/wmf"), (svm(), "image/x-svm")],
)
def test_they_are_known_by_how_they_begin(data: bytes, media_type: str) -> None:
    assert detect_media_type(data) == media_type


@pytest.mark.parametrize(
    "data",
    [
        emf(emf_text("first", (10, 50)), emf_text("second 第二", (10, 150)), emf_brush(1, RED)),
        wmf(wmf_text(b"first", (100, 500)), CHINESE, wmf_text("second 第二".encode("gbk"), (100, 1500))),
        svm(svm_text("first", (100, 500)), svm_text("second 第二", (100, 1500))),
    ],
)
def test_a_file_of_its_own_gives_its_lines_and_a_picture(data: bytes) -> None:
    content = read(data)
    assert (content.status, content.kind, content.note) == (Status.OK, "image", None)
    assert (content.text or "").splitlines()[:2] == ["first", "second 第二"]
    assert len(content.images) == 1


def test_runs_are_joined_in_the_order_they_are_read_whatever_the_order_of_the_file() -> None:
    lines = read_drawing(
        emf(
            emf_font(1, 20),
            emf_text("below", (10, 150)),
            emf_text("ld", (50, 50), advance=8),
            emf_text("wor", (10, 50), advance=13),
            emf_text("and more", (120, 50), advance=9),
        )
    ).words
    assert lines == ("world and more", "below")


def test_letters_that_are_drawn_twice_are_told_once() -> None:
    assert read_drawing(emf(emf_font(1, 20), emf_text("bold", (10, 50)), emf_text("bold", (11, 50)))).words == ("bold",)


def test_turned_text_is_told_after_the_upright() -> None:
    drawing = read_drawing(
        emf(emf_font(1, 20, angle=900), emf_text("axis", (20, 180)), emf_font(2, 20), emf_text("bar", (90, 180)))
    )
    assert drawing.words == ("bar", "axis")


def test_the_signs_of_symbol_fonts_are_what_they_show() -> None:
    drawing = read_drawing(wmf(wmf_font(0, 200, "Symbol", charset=2), wmf_text(b"a = S")))
    assert drawing.words == ("α = Σ",)


def test_numbers_of_glyphs_are_no_words() -> None:
    assert read_drawing(emf(emf_text("36", options=0x10))).words == ()


def test_one_level_line_is_said_and_not_shown_but_a_raised_letter_is_shown() -> None:
    assert not read_drawing(emf(emf_font(1, 20), emf_text("y = x"))).has_more
    raised = emf(emf_font(1, 20), emf_text("y = x", (10, 100), advance=10), emf_font(2, 12), emf_text("2", (62, 100)))
    assert read_drawing(raised).has_more
    assert read_drawing(raised).words == ("y = x2",)


def test_areas_lines_and_their_colours_are_drawn() -> None:
    box = emf_record(43, struct.pack("<4i", 0, 0, 200, 200))
    line = emf_record(27, struct.pack("<2i", 200, 150)) + emf_record(54, struct.pack("<2i", 400, 150))
    drawing = read_drawing(emf(emf_brush(1, RED), box, emf_brush(2, BLUE), line))
    assert pixel(drawing, 0.25, 0.5) == (255, 0, 0)
    assert max(pixel(drawing, 0.75, 0.75)) < 128
    assert pixel(drawing, 0.75, 0.25) == (255, 255, 255)


def test_outlines_inside_outlines_are_holes() -> None:
    content = struct.pack("<4iIIII", 0, 0, 0, 0, 2, 8, 4, 4)
    content += points(0, 0, 400, 0, 400, 200, 0, 200) + points(100, 50, 300, 50, 300, 150, 100, 150)
    drawing = read_drawing(emf(emf_brush(1, RED), emf_record(91, content)))
    assert pixel(drawing, 0.1, 0.5) == (255, 0, 0)
    assert pixel(drawing, 0.5, 0.5) == (255, 255, 255)


def test_paths_are_filled_and_clipping_is_kept() -> None:
    clip = emf_record(30, struct.pack("<4i", 0, 0, 200, 200))
    path = emf_record(59) + emf_record(27, struct.pack("<2i", 0, 0))
    path += b"".join(emf_record(54, struct.pack("<2i", *corner)) for corner in ((400, 0), (400, 200), (0, 200)))
    path += emf_record(61) + emf_record(60) + emf_record(62, struct.pack("<4i", 0, 0, 0, 0))
    drawing = read_drawing(emf(emf_brush(1, RED), clip, path, emf_text("far", (320, 100))))
    assert pixel(drawing, 0.25, 0.5) == (255, 0, 0)
    assert pixel(drawing, 0.6, 0.5) == (255, 255, 255)


def test_windows_and_saved_states_place_what_is_drawn() -> None:
    mapping = emf_record(17, struct.pack("<I", 8)) + emf_record(9, struct.pack("<2i", 4000, 2000))
    mapping += emf_record(11, struct.pack("<2i", 400, 200))
    moved = emf_record(33) + emf_record(10, struct.pack("<2i", -2000, 0))
    box = emf_record(43, struct.pack("<4i", 0, 0, 2000, 2000))
    back = emf_record(34, struct.pack("<i", -1))
    drawing = read_drawing(emf(emf_brush(1, RED), mapping, moved, box, back, emf_brush(2, BLUE), box))
    assert (pixel(drawing, 0.25, 0.5), pixel(drawing, 0.75, 0.5)) == ((0, 0, 255), (255, 0, 0))


def test_a_bitmap_that_covers_all_is_the_picture() -> None:
    image = read_drawing(emf(emf_bitmap((0, 128, 0), (0, 0), (400, 200), pixels=64))).image()
    assert image is not None
    assert (image.size, image.getpixel((5, 5))) == ((64, 64), (0, 128, 0))


def test_a_mask_and_its_picture_make_a_cut_out() -> None:
    ground = emf_brush(1, RED) + emf_record(43, struct.pack("<4i", 0, 0, 400, 200))
    mask = emf_bitmap((0, 0, 0), (100, 50), (200, 100), operation=0x8800C6)
    shown = emf_bitmap((0, 0, 255), (100, 50), (200, 100), operation=0xEE0086)
    drawing = read_drawing(emf(ground, mask, shown))
    assert (pixel(drawing, 0.5, 0.5), pixel(drawing, 0.1, 0.5)) == ((0, 0, 255), (255, 0, 0))


def test_wmf_shapes_and_bitmaps_are_drawn() -> None:
    brush = wmf_record(0x02FC, struct.pack("<HIH", 0, RED, 0)) + wmf_record(0x012D, struct.pack("<H", 0))
    bitmap = wmf_record(
        0x0F43, struct.pack("<IH8h", 0xCC0020, 0, 64, 64, 0, 0, 2000, 2000, 0, 2000) + dib((0, 0, 255), 64)
    )
    drawing = read_drawing(wmf(brush, wmf_rectangle(0, 0, 2000, 2000), bitmap, placeable=True))
    assert (pixel(drawing, 0.25, 0.5), pixel(drawing, 0.75, 0.5)) == ((255, 0, 0), (0, 0, 255))


def test_svm_shapes_are_drawn() -> None:
    fill = svm_action(133, struct.pack("<I", 0xFF0000) + b"\1")
    box = svm_action(103, struct.pack("<4i", 0, 0, 2000, 2000))
    drawing = read_drawing(svm(fill, box, svm_text("A", (3000, 500)), svm_text("B", (3000, 1500))))
    assert pixel(drawing, 0.25, 0.5) == (255, 0, 0)
    assert drawing.words == ("A", "B")


# --- inside documents -------------------------------------------------------------------------------------------------


def deck(*pictures: bytes, alternative: str = "", name: str = "image1.emf") -> bytes:
    """A slide with these metafiles as its pictures."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    for number, data in enumerate(pictures):
        placeholder = io.BytesIO()
        Image.new("RGB", (64, 64), (number, 0, 0)).save(placeholder, "PNG")
        shape = slide.shapes.add_picture(placeholder, Cm(1), Cm(1 + 3 * number))
        shape._element.nvPicPr.cNvPr.set("descr", alternative)
        part = shape.part.related_part(shape._element.blip_rId)
        part._blob = data
        part.partname = type(part.partname)(f"/ppt/media/{number}{name}")
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


CHART = emf(emf_brush(1, RED), emf_record(43, struct.pack("<4i", 0, 0, 100, 200)), emf_text("Sales", (120, 50)))


@pytest.mark.parametrize("data", [CHART, gzip.compress(CHART)])
def test_a_drawing_in_a_document_is_shown_with_its_words(data: bytes) -> None:
    content = read(deck(data, alternative="Our chart"), "a.pptx")
    assert (content.status, content.note) == (Status.OK, None)
    assert "[image: image 1] (Our chart; in the picture: Sales)" in (content.text or "")
    assert len(content.images) == 1


def test_a_drawing_of_one_line_is_told_like_an_alternative_text() -> None:
    content = read(deck(emf(emf_text("E = mc"))), "a.pptx")
    assert (content.status, content.images) == (Status.OK, ())
    assert "[image: E = mc]" in (content.text or "")
    named = read(deck(emf(emf_text("E = mc")), alternative="Energy"), "a.pptx")
    assert "[image: Energy] (in the picture: E = mc)" in (named.text or "")


def test_words_are_told_where_there_is_room_for_no_more_pictures() -> None:
    more = [CHART, emf(emf_brush(1, BLUE), emf_record(43, struct.pack("<4i", 0, 0, 9, 200)), emf_text("Costs"))]
    content = read(deck(*more), "a.pptx", images_max_count=1)
    assert "[an image that is left out] (in the picture: Costs)" in (content.text or "")
    assert "1 more images" in (content.note or "")


def test_an_empty_drawing_is_passed_over() -> None:
    content = read(deck(emf()), "a.pptx")
    assert (content.status, content.note, content.text) == (Status.OK, None, "--- Slide 1 ---")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (emf(end=False), "a Windows metafile (EMF) cannot be drawn"),
        (emf(emf_record(70, PLUS_ALONE)), "a Windows metafile (EMF) cannot be drawn"),
        (bytes(522) + b"\0\x11\2\xff" + bytes(90), "the image is a Macintosh drawing, which is not drawn"),
    ],
)
def test_one_that_cannot_be_drawn_is_said_and_leaves_the_document_whole(data: bytes, problem: str) -> None:
    content = read(deck(data), "a.pptx")
    assert content.status is Status.OK
    assert problem in (content.note or "")
    assert "[an image that is left out]" in (content.text or "")


def test_packed_drawings_of_old_files_are_read() -> None:
    packed = zlib.compress(CHART)
    head = bytes(16) + struct.pack("<I4i2iIBB", len(CHART), 0, 0, 0, 0, 0, 0, len(packed), 0, 0xFE)
    blip = legacy_files.record(0xF01A, head + packed, instance=0x3D4)
    entry = legacy_files.record(0xF007, bytes(36) + blip, version=2)
    group = legacy_files.box(0x040B, legacy_files.box(0xF000, legacy_files.box(0xF001, entry)))
    picture = legacy_files.shape(2, legacy_files.properties(p260=1), legacy_files.placed(0, 0, 100, 100))
    content = read(legacy_files.ppt([legacy_files.SlideFile([picture])], document_extra=group), "a.ppt")
    assert "[image: image 1] (in the picture: Sales)" in (content.text or "")
    assert (content.status, len(content.images)) == (Status.OK, 1)


def test_broken_drawings_end_cleanly_and_soon() -> None:
    chance = random.Random(7)
    samples = [
        CHART,
        wmf(wmf_font(0, 200, "Symbol"), wmf_text(b"abc"), wmf_rectangle(0, 0, 9, 9)),
        svm(svm_text("abc")),
    ]
    for _ in range(300):
        data = bytearray(chance.choice(samples))
        for _ in range(chance.randrange(1, 12)):
            data[chance.randrange(44, len(data))] = chance.randrange(256)
        assert read(bytes(data)).status in {Status.OK, Status.PARTIAL, Status.UNSUPPORTED}
