"""One file in, blocks out: detected first, within its budget, and never an exception."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors import ExtractLimits, Kind, Status, extract_content
from extractors.budget import Budget
from extractors.content import Block, Detected, Detection, Ended, Job, Picture, Text, Truncated, Warned
from extractors.detect import detect
from extractors.extract import extract
from extractors.format import Format
from extractors.registry import FORMATS, format_for
from extractors.text_cut import charged


def blocks_of(data: bytes, name: str | None = None, **limits: int) -> list[Block]:
    return list(extract(Job(data=data, name=name), Budget(limits=ExtractLimits(**limits))))


def test_the_first_block_says_what_was_detected() -> None:
    first = blocks_of(b"hello", "a.txt")[0]

    assert isinstance(first, Detected)
    assert first.kind == Kind.TEXT
    assert first.detection.media_type == "text/plain"


def test_an_empty_file_is_refused_with_its_kind_known() -> None:
    content = extract_content(b"", media_type="", name="a.pdf")

    assert (content.kind, content.status, content.note) == (Kind.PDF, Status.REJECTED, "the file is empty")


def test_a_file_without_a_reader_is_named() -> None:
    content = extract_content(b"\x7fELF" + bytes(99), media_type="", name="program")

    assert (content.kind, content.status) == (Kind.UNKNOWN, Status.UNSUPPORTED)
    assert content.note == "no reader for this type of file (application/x-executable)"
    assert content.media_type == "application/x-executable"


def test_content_that_contradicts_the_name_is_read_and_named() -> None:
    content = extract_content("合同条款".encode("gbk"), media_type="", name="a.pdf")

    assert content.text == "合同条款"
    assert content.status is Status.OK
    assert "application/pdf" in (content.note or "")
    assert "text/plain" in (content.note or "")


def test_size_and_hash_are_those_of_the_file() -> None:
    content = extract_content(b"hello", media_type="text/plain")

    assert content.size_bytes == 5
    assert content.sha256 == hashlib.sha256(b"hello").hexdigest()


def test_text_over_the_budget_is_cut_and_the_reading_ends() -> None:
    found = blocks_of(b"word\n" * 1_000, "a.txt", extract_text_max_chars=100)

    texts = [block for block in found if isinstance(block, Text)]
    assert sum(len(text.markdown) + 2 for text in texts) <= 100
    assert found[-1] == Truncated("text after the first 100 characters")


def test_nothing_is_asked_of_a_format_once_the_text_is_spent() -> None:
    asked: list[int] = []

    def endless(_job: Job, _detection: Detection, _budget: Budget) -> Iterator[Block]:
        while True:
            asked.append(1)
            yield Text("0123456789")

    fmt = Format(
        name="endless",
        kind=Kind.TEXT,
        media_types=frozenset({"application/x-dex"}),
        extensions=frozenset(),
        extract=endless,
        limitations=("It never ends.",),
    )
    budget = Budget(limits=ExtractLimits(extract_text_max_chars=50))

    found = list(extract(Job(data=b"dex\n035\0"), budget, formats=[fmt]))

    assert len(asked) == 5
    assert isinstance(found[-1], Truncated)


def test_text_that_exactly_fills_the_budget_is_not_called_cut() -> None:
    found = blocks_of(b"x" * 98, "a.txt", extract_text_max_chars=100)

    assert found[-1] == Text("x" * 98)


def test_what_no_wire_can_carry_is_taken_out() -> None:
    assert list(charged(Budget(limits=ExtractLimits()), Text("a\0b\ud800c"))) == [Text("ab?c")]


def test_images_are_left_out_when_none_are_wanted() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect((10, 10, 500, 500), fill=(1, 0, 0))

    found = blocks_of(document.tobytes(), "a.pdf", images_max_count=0)

    assert not any(isinstance(block, Picture) for block in found)
    assert any(isinstance(block, Truncated) for block in found)


def test_a_reader_that_breaks_ends_with_the_name_of_the_error_only() -> None:
    found = blocks_of(b"PK\x03\x04" + bytes(60) + b"word/document.xml", "a.docx")

    assert isinstance(found[-1], Ended)
    assert all(not isinstance(block, Text | Picture) for block in found)


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from([b"", b"%PDF-1.7\n", b"PK\x03\x04", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"a,b\n"]),
    st.binary(max_size=200),
    st.sampled_from(["a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.png", "a.csv", "a.ipynb", None]),
)
def test_no_bytes_make_it_raise(magic: bytes, rest: bytes, name: str | None) -> None:
    content = extract_content(magic + rest, media_type="", name=name)

    assert content.status in set(Status)
    assert content.note or content.status is Status.OK


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_every_extension_of_a_format_leads_to_it(fmt) -> None:  # type: ignore[no-untyped-def] # a value of FORMATS
    for extension in fmt.extensions:
        first = next(known for known in FORMATS if extension in known.extensions)
        found = format_for(detect(Job(data=b"", name=f"a.{extension}")))
        assert found is not None
        assert found.name == first.name, extension


def test_every_format_says_what_it_loses() -> None:
    assert all(fmt.limitations for fmt in FORMATS)
    assert len({fmt.name for fmt in FORMATS}) == len(FORMATS)


def test_an_unknown_type_has_no_format() -> None:
    assert format_for(Detection(media_type="application/x-unheard-of")) is None


def test_a_mismatch_is_a_warning_and_not_a_loss() -> None:
    warned = [block for block in blocks_of(b"hello", "a.pdf") if isinstance(block, Warned)]

    assert len(warned) == 1
    assert not warned[0].partial
    assert "media type mismatch" in warned[0].warning.problem
