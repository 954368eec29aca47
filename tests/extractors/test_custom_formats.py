"""Formats of other packages: how they are found, in which order they are tried, and what one that fails does."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractors import ExtractedContent, ExtractionWarning, Kind, SandboxedAttachmentExtractor, Status, extract_content
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, PageCount, Text
from extractors.format import Format, Unreadable

PACKAGE = """
import datetime
from extractors.content import Kind, Text
from extractors.format import Format

def extract(job, detection, budget):
    import colorsys  # what is imported late is loaded by the sample
    yield Text("custom: " + job.data.decode()[4:] + str(colorsys.rgb_to_hsv(0, 0, 0)[2]))

def samples():
    yield "sample.acme", b"ACMEsample"

def make():
    return Format(name="acme", kind=Kind.DOCUMENT, media_types=frozenset({"application/x-acme"}),
                  extensions=frozenset({"acme"}), extract=extract, limitations=("None that we know of.",),
                  samples=samples, order=50)  # it looks like text

FORMAT = make()
NOTHING = 7
"""


def text_format(name: str, *texts: str, order: int = 100, fails: Exception | None = None) -> Format:
    """A reader of plain text that gives these texts and then fails, if it is told to."""

    def extract(_job: Job, _detection: Detection, _budget: Budget) -> Iterator[Block]:
        yield PageCount(len(texts))
        for text in texts:
            yield Text(text)
        if fails is not None:
            raise fails

    return Format(
        name=name,
        kind=Kind.TEXT,
        media_types=frozenset({"text/plain"}),
        extensions=frozenset({"txt"}),
        extract=extract,
        limitations=("It reads nothing at all.",),
        order=order,
    )


def read(*formats: Format, data: bytes = b"ours", name: str = "a.txt") -> ExtractedContent:
    return extract_content(data, media_type="", name=name, formats=formats)


# --- order and fallback -----------------------------------------------------------------------------------------------


def test_a_lower_order_goes_first_and_ours_among_equals() -> None:
    assert read(text_format("first", "theirs", order=50)).text == "theirs"
    assert read(text_format("equal", "theirs")).text == "ours"
    assert read(text_format("last", "theirs", order=200)).text == "ours"


def test_orders_count_and_not_the_place_in_the_call() -> None:
    formats = [text_format(str(order), str(order), order=order) for order in (30, 10, 20)]
    assert read(*formats).text == "10"


@pytest.mark.parametrize(
    ("fails", "problem"),
    [
        (ValueError("secret"), "the first reader failed (ValueError)"),
        (Unreadable(Status.REJECTED, "it is broken"), "the first reader: it is broken"),
    ],
)
def test_a_reader_that_fails_before_it_gave_anything_hands_over_with_a_warning(fails: Exception, problem: str) -> None:
    content = read(text_format("first", " ", order=50, fails=fails))

    assert (content.text, content.status) == ("ours", Status.OK)
    assert content.warnings == (ExtractionWarning(problem=problem, consequence="another reader was tried"),)


def test_a_reader_that_gives_nothing_hands_over_in_silence() -> None:
    content = read(text_format("first", "", order=50))

    assert (content.text, content.total_pages, content.warnings) == ("ours", None, ())


def test_what_a_reader_gave_before_it_failed_is_kept_and_no_other_is_tried() -> None:
    content = read(text_format("first", "half", order=50, fails=ValueError()))

    assert (content.text, content.status) == ("half", Status.PARTIAL)


def test_when_all_fail_the_first_ones_reason_is_the_status() -> None:
    content = read(
        text_format("first", order=1, fails=Unreadable(Status.ENCRYPTED, "a password is needed")), data=b"  \n"
    )

    assert content.status is Status.ENCRYPTED
    assert (content.note or "").startswith("a password is needed")


def test_members_of_a_container_are_read_by_them_too() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "inside")

    content = read(text_format("first", "theirs", order=50), data=buffer.getvalue(), name="a.zip")

    assert content.text == "--- File: a.txt ---\n\ntheirs"


# --- which files they are asked for -----------------------------------------------------------------------------------


def acme(media_type: str = "application/x-acme") -> Format:
    return Format(
        name="acme",
        kind=Kind.DOCUMENT,
        media_types=frozenset({media_type}),
        extensions=frozenset({"acme", "pdf"}),
        extract=lambda job, _detection, _budget: iter([Text(f"{len(job.data)} bytes")]),
        limitations=("It counts bytes only.",),
    )


def test_a_suffix_that_we_do_not_know_leads_to_them() -> None:
    binary = bytes(range(32))

    assert read(acme(), data=binary, name="A.ACME").text == "32 bytes"
    assert read(acme(), data=binary, name="a.other").status is Status.UNSUPPORTED


def test_a_suffix_that_we_know_does_not_outweigh_the_content() -> None:
    assert read(acme(), data=b"some words in plain text", name="a.pdf").text == "some words in plain text"


def test_a_declared_type_leads_to_them() -> None:
    content = extract_content(bytes(range(32)), media_type="application/x-acme", formats=[acme()])

    assert (content.text, content.kind) == ("32 bytes", Kind.DOCUMENT)


# --- installed packages -----------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with a package that brings good and broken formats along."""
    (tmp_path / "acme_format.py").write_text(PACKAGE)
    facts = tmp_path / "acme_format-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-format\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[duwen.formats]\nacme = acme_format:make\nbroken = acme_format:missing\nnothing = acme_format:NOTHING\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


async def test_an_installed_format_is_read_in_the_sandbox_and_never_loaded_here(installed: Path) -> None:
    async with SandboxedAttachmentExtractor() as extractor:
        custom = await extractor.extract(b"ACME\xe8\xaf\xbb", file_metadata={"name": "a.acme"})
        ours = await extractor.extract(b"words", file_metadata={"name": "a.txt"})

    assert (custom.status, custom.text, custom.kind) == (Status.OK, "custom: 读0", Kind.DOCUMENT)
    assert ours.text == "words"
    assert "acme_format" not in sys.modules


@pytest.mark.parametrize("value", ["make", "FORMAT"])
def test_an_entry_point_is_a_format_or_makes_one_and_broken_ones_are_logged(
    installed: Path, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    from extractors.custom_formats import custom_formats, custom_samples

    entries = installed / "acme_format-1.0.dist-info" / "entry_points.txt"
    entries.write_text(entries.read_text().replace("acme_format:make", f"acme_format:{value}"))
    custom_formats.cache_clear()
    try:
        assert [fmt.name for fmt in custom_formats()] == ["acme"]
        assert list(custom_samples()) == [("sample.acme", b"ACMEsample")]
        assert sorted(record.args[0] for record in caplog.records if record.args) == ["broken", "nothing"]
    finally:
        custom_formats.cache_clear()
        sys.modules.pop("acme_format", None)
