"""Blocks become content, and no block from a hostile child gets past a limit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.assembly import MAX_NOTE_CHARS, MAX_PHRASE_CHARS, Assembly, assemble
from extractors.content import (
    Block,
    Detected,
    Detection,
    Ended,
    ExtractedContent,
    ExtractedImage,
    ExtractionWarning,
    Kind,
    MemberRead,
    PageCount,
    Picture,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.limits import ExtractLimits

PDF = Detected("pdf", Detection(media_type="application/pdf", method="magic"))
#: The header of a picture of 40 x 40 px.
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 40, 40) + bytes(50)


def put(*blocks: Block, **limits: int) -> ExtractedContent:
    return assemble(blocks, size_bytes=7, sha256="f" * 64, limits=ExtractLimits(**limits))


def picture(
    data: bytes = PNG, media_type: str = "image/png", width: int | None = 40, height: int | None = 40, name: str = "p"
) -> Picture:
    return Picture(ExtractedImage(data, media_type, width=width, height=height, name=name))


def warned(problem: str, *, partial: bool = False) -> Warned:
    return Warned(ExtractionWarning(problem=problem, consequence="so what"), partial=partial)


def test_texts_are_joined_by_blank_lines() -> None:
    content = put(PDF, PageCount(2), Text("one"), Text("two"))

    assert content.text == "one\n\ntwo"
    assert (content.kind, content.media_type, content.total_pages) == (Kind.PDF, "application/pdf", 2)
    assert (content.status, content.truncated, content.note) == (Status.OK, False, None)
    assert (content.size_bytes, content.sha256) == (7, "f" * 64)


def test_nothing_at_all_is_unknown_and_empty() -> None:
    content = put()

    assert (content.kind, content.text, content.images, content.status) == (Kind.UNKNOWN, None, (), Status.OK)


@pytest.mark.parametrize(
    "status", [Status.REJECTED, Status.ENCRYPTED, Status.UNSUPPORTED, Status.TIMEOUT, Status.FAILED]
)
def test_an_end_before_anything_was_read_is_the_status(status: Status) -> None:
    content = put(PDF, Ended(status, "because"))

    assert (content.status, content.note, content.truncated) == (status, "because", False)


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.FAILED, Status.REJECTED])
def test_an_end_after_something_was_read_is_partial_and_says_so(status: Status) -> None:
    content = put(PDF, Text("kept"), Ended(status, "the time ran out"))

    assert (content.status, content.truncated, content.text) == (Status.PARTIAL, True, "kept")
    assert content.note == "the time ran out; what was read before is kept"


def test_the_parent_may_end_a_reading_at_any_moment() -> None:
    assembly = Assembly(limits=ExtractLimits(), size_bytes=7)
    assembly.add(PDF)
    assembly.add(picture())

    content = assembly.finish(Ended(Status.TIMEOUT, "the time ran out"))

    assert content.status is Status.PARTIAL
    assert len(content.images) == 1


def test_what_the_child_said_of_its_end_comes_before_what_the_parent_saw() -> None:
    assembly = Assembly(limits=ExtractLimits(), size_bytes=7)
    assembly.add(Ended(Status.ENCRYPTED, "a password is needed"))

    assert assembly.finish(Ended(Status.FAILED, "the process ended")).status is Status.ENCRYPTED


def test_a_limit_makes_the_content_partial_and_says_what_is_missing() -> None:
    content = put(PDF, Text("one"), Truncated("pages 2 to 9 of 9"))

    assert (content.status, content.truncated) == (Status.PARTIAL, True)
    assert content.note == "not included: pages 2 to 9 of 9"


def test_a_warning_makes_it_partial_only_when_something_is_missing() -> None:
    assert put(Text("x"), warned("odd")).status is Status.OK
    assert put(Text("x"), warned("odd", partial=True)).status is Status.PARTIAL


def test_the_note_names_the_first_warnings_and_counts_the_others() -> None:
    content = put(*(warned(f"problem {number}") for number in range(5)))

    assert content.note == ("problem 0: so what; problem 1: so what; problem 2: so what; and 2 more warnings")
    assert len(content.warnings) == 5


def test_the_same_warning_counts_once_and_their_number_is_limited() -> None:
    content = put(warned("same"), warned("same"), *(warned(str(n)) for n in range(99)), warnings_max_count=10)

    assert len(content.warnings) == 10


def test_characters_over_the_limit_are_cut() -> None:
    content = put(*(Text("x" * 30) for _ in range(1_000)), extract_text_max_chars=100)

    assert len(content.text or "") <= 100
    assert content.status is Status.PARTIAL
    assert content.note == "not included: text after the first 100 characters"


def test_no_text_follows_where_text_was_cut() -> None:
    content = put(Text("a" * 90), Text("b" * 90), Text("c"), extract_text_max_chars=100)

    assert "c" not in (content.text or "")


def test_images_over_the_limit_are_left_out() -> None:
    content = put(*(picture() for _ in range(9)), images_max_count=3)

    assert len(content.images) == 3
    assert content.note == "not included: images after the first 3"


@pytest.mark.parametrize(
    "unfit",
    [
        pytest.param(picture(data=PNG + bytes(2_000)), id="too many bytes"),
        pytest.param(picture(width=5_000), id="too wide"),
        pytest.param(picture(width=39), id="another size than the bytes"),
        pytest.param(picture(data=PNG[:12]), id="no header"),
        pytest.param(picture(width=None), id="size not known"),
        pytest.param(picture(height=-1), id="size below nothing"),
        pytest.param(picture(media_type="text/html"), id="no image type"),
        pytest.param(picture(media_type="image/jpeg"), id="another type than the bytes"),
        pytest.param(picture(data=b"<script>"), id="no image bytes"),
    ],
)
def test_an_image_that_cannot_be_verified_is_not_passed_on(unfit: Picture) -> None:
    content = put(unfit, image_max_output_bytes=1_000)

    assert content.images == ()
    assert content.status is Status.PARTIAL


def test_words_of_the_child_are_one_line_of_bounded_length() -> None:
    long = "line\n" * 10_000

    content = put(
        Detected("nonsense", Detection(media_type=long, extension_type=long)),
        picture(name=long),
        warned(long),
        Truncated(long),
        Ended(Status.FAILED, long),
        PageCount(10**12),
    )

    words = [content.media_type, content.warnings[0].problem, content.images[0].name or ""]
    assert all(len(word) <= MAX_PHRASE_CHARS and "\n" not in word for word in words)
    assert len(content.note or "") <= MAX_NOTE_CHARS
    assert "\n" not in (content.note or "")
    assert content.kind is Kind.UNKNOWN
    assert (content.total_pages or 0) <= 10_000_000


def test_only_the_first_detection_counts() -> None:
    other = Detected("text", Detection(media_type="text/plain"))

    assert put(PDF, other).media_type == "application/pdf"


words = st.text(max_size=400)
blocks = st.one_of(
    st.builds(Text, words),
    st.builds(Truncated, words),
    st.builds(PageCount, st.integers()),
    st.builds(Ended, st.sampled_from(Status), words),
    st.builds(warned, words, partial=st.booleans()),
    st.builds(
        picture, st.sampled_from([PNG, b"junk"]), st.sampled_from(["image/png", "x"]), st.integers(), st.integers()
    ),
)


@given(st.lists(blocks, max_size=60))
def test_whatever_comes_the_limits_hold(given_blocks: list[Block]) -> None:
    content = put(*given_blocks, extract_text_max_chars=200, images_max_count=2, warnings_max_count=5)

    assert len(content.text or "") <= 200
    assert len(content.images) <= 2
    assert len(content.warnings) <= 5
    assert content.truncated == (content.status is Status.PARTIAL)


def test_members_are_listed_within_their_number_and_length() -> None:
    content = put(PDF, MemberRead("a.txt"), MemberRead("b\n" + "x" * 1_000), MemberRead("c"), members_max_count=2)

    assert content.members[0] == "a.txt"
    assert content.members[1].startswith("b x")
    assert [len(path) <= MAX_PHRASE_CHARS for path in content.members] == [True, True]


def test_names_with_lone_surrogates_come_out_as_something_that_can_be_written() -> None:
    content = put(PDF, MemberRead("\udce3报告.txt"), warned("\ud800: broken"), Truncated("\udfff.txt"))

    assert content.members == ("?报告.txt",)
    (content.note or "").encode()
