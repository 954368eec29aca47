"""PDFs: pictures and drawings on pages that have text come out once each, whole, in their place, the largest first."""

from __future__ import annotations

import io
import math

import pymupdf
import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractLimits, Status, extract_content
from extractors.budget import Budget
from extractors.content import Job, Picture, Progress
from extractors.extract import extract

WORDS = "There is quite enough text on this page for it to be read and not to be drawn as a whole."


def read(document: pymupdf.Document, **limits: int) -> ExtractedContent:
    data = document.tobytes()
    return extract_content(data, media_type="application/pdf", name="a.pdf", limits=ExtractLimits(**limits))


def text_page(document: pymupdf.Document, *, rotation: int = 0) -> pymupdf.Page:
    page = document.new_page()
    page.insert_text((72, 60), WORDS, fontsize=10)
    page.insert_text((72, 760), "The end of the page.", fontsize=10)
    page.set_rotation(rotation)
    return page


def picture(width: int = 200, height: int = 150, colour: str = "red") -> Image.Image:
    image = Image.new("RGB", (width, height), colour)
    image.paste("blue", (0, 0, width // 2, height // 2))
    return image


def png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def pixel(content: ExtractedContent, number: int, x: float, y: float) -> tuple[int, ...]:
    image = Image.open(io.BytesIO(content.images[number].data)).convert("RGB")
    found = image.getpixel((int(x * image.width), int(y * image.height)))
    assert isinstance(found, tuple)
    return found


def is_blue(found: tuple[int, ...]) -> bool:
    return found[2] > 200 and found[0] < 60


def bars(page: pymupdf.Page, *, x: float = 120, y: float = 400) -> None:
    page.draw_line((x, y - 150), (x, y))
    page.draw_line((x, y), (x + 220, y))
    for number, height in enumerate((40, 120, 80, 60, 100)):
        left = x + 15 + number * 40
        page.draw_rect((left, y - height, left + 22, y), fill=(0.2, 0.4, 0.8))
        page.insert_text((left, y + 14), f"Q{number}", fontsize=8)


def test_a_picture_stands_between_the_texts_above_and_below_it() -> None:
    document = pymupdf.open()
    page = text_page(document)
    page.insert_image((100, 200, 300, 350), stream=png(picture()))
    page.insert_text((100, 370), "Figure 1: two colours", fontsize=10)

    content = read(document)

    text = content.text or ""
    order = [text.index(words) for words in (WORDS, "[image: image 1]", "Figure 1: two colours", "The end")]
    assert order == sorted(order)
    assert [image.name for image in content.images] == ["image 1"]
    assert is_blue(pixel(content, 0, 0.25, 0.25))
    assert pixel(content, 0, 0.9, 0.9)[0] > 200
    assert (content.status, content.note) == (Status.OK, None)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_picture_on_a_turned_page_is_given_as_it_is_seen(rotation: int) -> None:
    document = pymupdf.open()
    page = text_page(document, rotation=rotation)
    page.insert_image(pymupdf.Rect(100, 200, 300, 350) * page.derotation_matrix, stream=png(picture()), rotate=rotation)

    content = read(document)

    assert [image.name for image in content.images] == ["image 1"]
    image = content.images[0]
    assert (image.width or 0) / (image.height or 1) == pytest.approx(4 / 3, abs=0.05)
    assert is_blue(pixel(content, 0, 0.25, 0.25))
    assert not is_blue(pixel(content, 0, 0.75, 0.75))


def test_a_picture_that_was_cut_into_bands_and_tiles_is_one() -> None:
    document = pymupdf.open()
    page, whole = text_page(document), picture(240, 240)
    for row in range(12):
        for column in range(2):
            tile = whole.crop((column * 120, row * 20, column * 120 + 120, row * 20 + 20))
            x, y = 100 + column * 120, 200 + row * 20
            page.insert_image((x, y, x + 120, y + 20), stream=png(tile))

    content = read(document)

    assert len(content.images) == 1
    assert content.images[0].width == content.images[0].height
    assert is_blue(pixel(content, 0, 0.4, 0.4))
    assert not is_blue(pixel(content, 0, 0.6, 0.6))


def test_the_same_picture_is_given_once_and_referred_to_each_time() -> None:
    document = pymupdf.open()
    for _ in range(2):
        page = text_page(document)
        page.insert_image((100, 200, 400, 420), stream=png(picture()))
        page.insert_image((100, 500, 300, 650), stream=png(picture(colour="green")))

    content = read(document)

    assert [image.name for image in content.images] == ["image 1", "image 2"]
    assert (content.text or "").count("[image: image 1]") == 2
    assert (content.text or "").count("[image: image 2]") == 2


def test_different_pictures_that_have_the_same_size_are_all_given() -> None:
    document = pymupdf.open()
    for colour in ("red", "green", "black"):
        text_page(document).insert_image((100, 200, 400, 420), stream=png(picture(colour=colour)))

    assert len(read(document).images) == 3


def test_bullets_rules_grounds_under_text_and_repeated_logos_are_no_figures() -> None:
    document = pymupdf.open()
    for _ in range(4):
        page = text_page(document)
        page.insert_text((72, 400), WORDS)
        page.insert_image(page.rect, stream=png(picture(60, 80, "white")), overlay=False)
        page.insert_image((60, 20, 160, 50), stream=png(picture(200, 60)))
        page.insert_image((72, 100, 80, 108), stream=png(picture(8, 8)))
        page.insert_image((72, 120, 500, 122), stream=png(picture(400, 2)))
        page.insert_image((900, 120, 1_300, 500), stream=png(picture(400, 2)))

    content = read(document)

    assert content.images == ()
    assert "[image" not in (content.text or "")
    assert content.status is Status.OK


def test_a_chart_of_strokes_is_a_picture_with_the_words_at_its_axes() -> None:
    document = pymupdf.open()
    bars(text_page(document))

    content = read(document)

    assert [image.name for image in content.images] == ["image 1"]
    assert "[image: image 1]" in (content.text or "")
    assert "Q4" in (content.text or "")
    image = content.images[0]
    assert (image.height or 0) >= 2.4 * 160  # from its axis to the words under it, sharp enough to be read


def test_a_curve_is_a_picture() -> None:
    document = pymupdf.open()
    page = text_page(document)
    points = [(100 + step * 3, 350 - 80 * math.sin(step / 12)) for step in range(100)]
    page.draw_polyline(points)

    assert len(read(document).images) == 1


def test_plots_in_rows_are_one_picture() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), WORDS)
    for row in range(3):
        for column in range(2):
            bars(page, x=60 + column * 250, y=300 + row * 200)

    assert len(read(document).images) == 1


def test_tables_boxes_around_text_and_marks_are_no_drawings() -> None:
    document = pymupdf.open()
    page = text_page(document)
    for row in range(8):
        for column in range(4):
            x, y = 72 + column * 90, 120 + row * 24
            page.draw_rect((x, y, x + 90, y + 24), fill=(0.9, 0.9, 1) if row == 0 else None)
            page.insert_text((x + 4, y + 16), f"{row}.{column}")
    page.draw_rect((72, 400, 400, 460), fill=(1, 1, 0.8), radius=0.2)
    page.insert_text((80, 430), "A remark in a box with round corners.")
    for row in range(10):
        page.insert_text((90, 500 + row * 20), f"item {row}")
        page.draw_circle((80, 497 + row * 20), 2, fill=(0, 0, 0))
        page.draw_line((90, 502 + row * 20), (140, 502 + row * 20))

    content = read(document)

    assert "| 1.0 | 1.1 |" in (content.text or "")
    assert content.images == ()


def test_the_largest_pictures_of_the_document_are_given_and_the_number_of_the_others_is_told() -> None:
    document = pymupdf.open()
    for number in range(8):
        size = 300 if number in {2, 7} else 90
        page = text_page(document)
        page.insert_image(
            (100, 200, 100 + size, 200 + size), stream=png(picture(60 + number, 60)), keep_proportion=False
        )

    content = read(document, pdf_max_figures=2)

    text = content.text or ""
    assert [image.name for image in content.images] == ["image 1", "image 2"]
    assert text.index("Page 3") < text.index("[image: image 1]") < text.index("Page 4")
    assert text.index("Page 8") < text.index("[image: image 2]")
    assert content.note == "not included: 6 more images"
    assert content.status is Status.PARTIAL


def test_pictures_of_whole_pages_and_figures_share_what_a_file_may_have() -> None:
    document = pymupdf.open()
    for number in range(3):
        text_page(document).insert_image((100, 200, 300, 350), stream=png(picture(60 + number)))
    page = document.new_page()
    page.insert_image(page.rect, stream=png(picture()))

    content = read(document, images_max_count=2)

    assert len(content.images) == 2
    assert "1 more images" in (content.note or "")
    assert "page 4 (no usable text layer" in (content.note or "")


def test_a_scan_with_recognised_text_is_shown_where_there_is_room_and_not_missed_where_there_is_none() -> None:
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        page.insert_image(page.rect, stream=png(picture(60 + number, 80)), keep_proportion=False)
        for row in range(5):
            page.insert_text((72, 72 + row * 20), WORDS, fontsize=9, render_mode=3)

    content = read(document, pdf_max_figures=2)

    assert len(content.images) == 2
    assert (content.text or "").count(WORDS) == 15
    assert "hidden" not in (content.text or "")
    assert (content.status, content.note) == (Status.OK, None)


def test_a_figure_beside_a_paragraph_does_not_break_it() -> None:
    document = pymupdf.open()
    page = text_page(document)
    for row in range(10):
        page.insert_text((72, 200 + row * 13), f"line {row} of a paragraph", fontsize=10)
    page.insert_image((350, 230, 500, 300), stream=png(picture()))

    text = read(document).text or ""

    assert "\n".join(f"line {row} of a paragraph" for row in range(10)) in text
    assert "[image: image 1]" in text


def test_a_picture_of_too_many_pixels_is_not_decoded_and_told() -> None:
    document = pymupdf.open()
    text_page(document).insert_image((100, 200, 300, 350), stream=png(picture()))

    content = read(document, image_decode_max_pixels=1_000)

    assert content.images == ()
    assert "image 1 could not be drawn" in (content.note or "")
    assert WORDS in (content.text or "")


def test_the_bookmarks_of_pages_that_are_not_read_are_given() -> None:
    document = pymupdf.open()
    for _ in range(5):
        text_page(document)
    document.set_toc([[1, "First chapter", 1], [1, "Second chapter", 4], [2, "Its costs", 5]])

    text = read(document, pdf_extract_max_pages=3).text or ""

    assert text.endswith("left out]\n- Second chapter (page 4)\n  - Its costs (page 5)")
    assert "First chapter" not in text
    assert "chapter" not in (read(document).text or "")


def test_a_reader_that_goes_on_after_a_stuck_page_gives_no_name_twice() -> None:
    document = pymupdf.open()
    for number in range(3):
        text_page(document).insert_image((100, 200, 300, 350), stream=png(picture(60 + number)))
    limits = ExtractLimits()

    def names(progress: Progress) -> set[str | None]:
        job = Job(data=document.tobytes(), name="a.pdf", progress=progress)
        return {block.image.name for block in extract(job, Budget(limits=limits)) if isinstance(block, Picture)}

    after = names(Progress(next_page=2, images=1))

    assert len(after) == 2
    assert not after & names(Progress())
