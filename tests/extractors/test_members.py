"""Files inside files: each read in its place, under one budget, and none of them able to fail the whole."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import docx
import pymupdf
import pytest
from PIL import Image

from extractors import ExtractedContent, ExtractLimits, Kind, Status, extract_content
from extractors._member_path import MAX_PATH_CHARS, leads_out, shown_path
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detection,
    Ended,
    ExtractionWarning,
    Job,
    LeftOut,
    Member,
    PageCount,
    Text,
    Truncated,
    Warned,
)
from extractors.extract import extract
from extractors.format import Format, Unreadable

MAGIC = b"dex\n035\0"


def zipped(members: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def read(members: dict[str, bytes | str], **limits: int) -> ExtractedContent:
    return extract_content(zipped(members), media_type="", name="a.zip", limits=ExtractLimits(**limits))


def container(*blocks: Block | Member | LeftOut) -> Format:
    """A format of its own whose files yield these blocks."""

    def blocks_of(_job: Job, _detection: Detection, _budget: Budget) -> Iterator[Block | Member | LeftOut]:
        yield from blocks

    return Format(
        name="made up",
        kind=Kind.ARCHIVE,
        media_types=frozenset({"application/x-dex"}),
        extensions=frozenset(),
        extract=blocks_of,
        limitations=("It is made up.",),
    )


def contained(*blocks: Block | Member | LeftOut, **limits: int) -> ExtractedContent:
    budget = Budget(limits=ExtractLimits(**limits))
    found = extract(Job(data=MAGIC), budget, formats=[container(*blocks)])
    return assemble(found, size_bytes=len(MAGIC), limits=budget.limits)


def document_with_picture() -> bytes:
    picture = io.BytesIO()
    Image.effect_noise((120, 90), 60).convert("RGB").save(picture, "PNG")
    picture.seek(0)
    document = docx.Document()
    document.add_paragraph("Before")
    document.add_picture(picture)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pdf(pages: int) -> bytes:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 72), f"text of page {number + 1}")
    data: bytes = document.tobytes()
    return data


def test_each_file_stands_under_its_path() -> None:
    content = read({"a.txt": "first", "b/c.csv": "x,y\n1,2\n"})

    assert content.kind is Kind.ARCHIVE
    assert content.status is Status.OK
    assert (
        content.text == "--- File: a.txt ---\n\nfirst\n\n--- File: b/c.csv ---\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"
    )
    assert content.members == ("a.txt", "b/c.csv")


def test_a_container_inside_a_container_keeps_the_whole_path() -> None:
    content = read({"in/inner.zip": zipped({"deep/a.txt": "deep"})})

    assert "--- File: in/inner.zip/deep/a.txt ---\n\ndeep" in (content.text or "")
    assert content.members == ("in/inner.zip/deep/a.txt",)


def test_containers_are_opened_to_the_depth_allowed_and_the_rest_is_named() -> None:
    data = zipped({"bottom.txt": "bottom"})
    for level in (3, 2, 1):
        data = zipped({f"{level}.zip": data, f"{level}.txt": f"level {level}"})

    content = extract_content(data, media_type="", name="a.zip", limits=ExtractLimits(members_max_depth=3))

    assert all(f"level {level}" in (content.text or "") for level in (1, 2, 3))
    assert content.status is Status.PARTIAL
    assert "[note: not read: bottom.txt (more than 3 containers around it)]" in (content.text or "")
    assert "1.zip/2.zip/3.zip/bottom.txt" in (content.note or "")


def test_a_container_that_contains_itself_ends() -> None:
    data = MAGIC
    budget = Budget(limits=ExtractLimits())
    found = list(extract(Job(data=data), budget, formats=[container(Member("again.dex", data))]))

    assert sum(isinstance(block, Text) for block in found) == 4
    assert budget.depth == 0


def test_files_over_the_number_allowed_are_named_and_counted() -> None:
    content = read({f"{number:03}.txt": "x" for number in range(150)}, members_max_count=10)

    assert len(content.members) == 10
    assert "010.txt, 011.txt" in (content.text or "")
    assert "and 120 more (only 10 files are read)" in (content.text or "")
    assert content.status is Status.PARTIAL


def test_the_number_is_shared_by_all_containers() -> None:
    inner = zipped({f"{number}.txt": "x" for number in range(5)})
    content = read({"a.zip": inner, "b.zip": inner}, members_max_count=8)

    assert len(content.members) == 6  # the two archives count as well


def test_a_file_that_is_too_large_is_named() -> None:
    content = read({"big.txt": "x" * 3_000, "small.txt": "small"}, member_max_bytes=2_000)

    assert content.members == ("small.txt",)
    assert "big.txt (larger than" in (content.text or "")


def test_all_files_together_have_a_limit() -> None:
    content = read({f"{name}.txt": name * 900 for name in "abcd"}, members_max_total_bytes=2_000)

    assert content.members == ("a.txt", "b.txt")
    assert "c.txt, d.txt" in (content.text or "")


def test_what_is_left_out_is_told_even_when_the_text_is_spent() -> None:
    content = read({"a.txt": "words " * 2_000, "b.txt": "b", "c.txt": "c"}, extract_text_max_chars=4_000)

    assert content.members == ("a.txt",)
    assert "[note: not read: b.txt, c.txt (no room for more text)]" in (content.text or "")
    assert len(content.text or "") <= 4_000


def test_no_file_is_read_after_the_time_is_over() -> None:
    budget = Budget(limits=ExtractLimits(), soft_deadline=0.0)
    found = list(extract(Job(data=zipped({"a.txt": "a"}), name="a.zip"), budget))

    assert Truncated("a.txt (no time was left)") in found


def test_a_bad_file_is_told_in_its_place_and_the_others_are_read() -> None:
    content = read({"bad.docx": b"PK\3\4" + bytes(50), "program": b"\x7fELF" + bytes(50), "good.txt": "good"})

    assert content.status is Status.PARTIAL
    assert content.members == ("good.txt",)
    assert "--- File: program ---\n\n[note: no reader for this type of file (application/x-executable)]" in (
        content.text or ""
    )
    assert any("program: no reader" in warning.problem for warning in content.warnings)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (Unreadable(Status.ENCRYPTED, "a password is needed"), "a password is needed"),
        (MemoryError(), "too large in memory"),
        (RuntimeError("secret words"), "the made up reader failed (RuntimeError)"),
    ],
)
def test_however_a_file_ends_the_next_is_read(ending: Exception, told: str) -> None:
    def ends(_job: Job, _detection: Detection, _budget: Budget) -> Iterator[Block]:
        yield Text("begun")
        raise ending

    fmt = Format(
        name="made up",
        kind=Kind.TEXT,
        media_types=frozenset({"application/x-dex"}),
        extensions=frozenset(),
        extract=ends,
        limitations=("It ends.",),
    )
    data = zipped({"a.dex": MAGIC, "b.txt": "after"})
    blocks = extract(Job(data=data, name="a.zip"), Budget(limits=ExtractLimits()), formats=[fmt])
    content = assemble(blocks, size_bytes=len(data), limits=ExtractLimits())

    assert f"begun\n\n[note: {told}]\n\n--- File: b.txt ---\n\nafter" in (content.text or "")
    assert content.warnings == (
        ExtractionWarning(problem=f"a.dex: {told}", consequence="what was read before is kept"),
    )
    assert content.members == ("a.dex", "b.txt")


def test_a_panic_of_a_rust_reader_is_a_failure_like_any_other() -> None:
    class PanicException(BaseException):
        """As pyo3 raises it."""

    def panics(_job: Job, _detection: Detection, _budget: Budget) -> Iterator[Block]:
        yield Text("begun")
        raise PanicException

    fmt = Format(
        name="made up",
        kind=Kind.TEXT,
        media_types=frozenset({"application/x-dex"}),
        extensions=frozenset(),
        extract=panics,
        limitations=("It panics.",),
    )
    found = list(extract(Job(data=MAGIC), Budget(limits=ExtractLimits()), formats=[fmt]))

    assert found[-1] == Ended(Status.FAILED, "the made up reader failed (PanicException)")


def test_warnings_and_cuts_of_a_file_bear_its_path() -> None:
    content = read({"a.pdf": pdf(3), "b.docx": "plain words"}, pdf_extract_max_pages=1)

    assert "[note: not included: pages 2 to 3 of 3]" in (content.text or "")
    assert "a.pdf: pages 2 to 3 of 3" in (content.note or "")
    assert any("b.docx: media type mismatch" in warning.problem for warning in content.warnings)


def test_pages_of_a_file_are_not_pages_of_its_container() -> None:
    assert read({"a.pdf": pdf(3)}).total_pages is None


def test_pictures_and_their_references_bear_the_path() -> None:
    content = read({"one.docx": document_with_picture(), "two.docx": document_with_picture()})

    names = [image.name for image in content.images]
    assert names == ["one.docx/image 1", "two.docx/image 1"]
    assert all(f"[image: {name}]" in (content.text or "") for name in names)


def test_a_path_with_brackets_does_not_break_a_reference() -> None:
    content = read({"one[1]|x.docx": document_with_picture()})

    assert [image.name for image in content.images] == ["one(1)/x.docx/image 1"]
    assert "[image: one(1)/x.docx/image 1]" in (content.text or "")


def test_an_empty_file_is_no_loss() -> None:
    content = read({"__init__.py": "", "a.txt": "a"})

    assert content.status is Status.OK
    assert "--- File: __init__.py ---\n\n[note: the file is empty]" in (content.text or "")


def test_a_file_that_is_all_there_is_stands_in_the_place_of_its_container() -> None:
    content = contained(Member("a.pdf", pdf(2), is_whole=True))

    assert content.total_pages == 2
    assert (content.text or "").startswith("--- Page 1 ---")
    assert content.members == ()


def test_what_a_container_says_itself_stays_as_it_is() -> None:
    content = contained(Text("Body"), PageCount(1), Member("a.txt", b"attached"), Text("End"))

    assert content.text == "Body\n\n--- File: a.txt ---\n\nattached\n\nEnd"
    assert content.total_pages == 1


def test_a_member_is_never_refused_for_its_name_only_shown_safely() -> None:
    content = contained(Member("C:\\Users\\me\\..\\a.txt", b"attached"), Member("\x00\u202e", b"unnamed one"))

    assert "--- File: Users/me/a.txt ---" in (content.text or "")
    assert "--- File: unnamed ---" in (content.text or "")


def test_what_is_no_loss_leaves_the_whole_complete() -> None:
    content = contained(Text("x"), LeftOut("a", "a link", is_loss=False))

    assert content.status is Status.OK
    assert "[note: not read: a (a link)]" in (content.text or "")


def test_what_was_left_out_is_told_before_the_end() -> None:
    budget = Budget(limits=ExtractLimits())
    found = list(
        extract(Job(data=MAGIC), budget, formats=[container(LeftOut("a", "damaged"), Ended(Status.FAILED, "x"))])
    )

    assert [type(block) for block in found[-3:]] == [Text, Truncated, Ended]


def test_a_warning_of_the_container_is_not_told_twice() -> None:
    warning = ExtractionWarning(problem="p", consequence="c")

    assert contained(Text("x"), Warned(warning)).text == "x"


def test_members_read_are_kept_within_the_limits_by_the_parent() -> None:
    content = read({f"{'x' * 250}{number}.txt": "x" for number in range(3)})

    assert all(len(path) <= MAX_PATH_CHARS for path in content.members)
    assert all(path.endswith(f"{number}.txt") for number, path in enumerate(content.members))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a/b.txt", "a/b.txt"),
        ("a\\b.txt", "a/b.txt"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\windows\\a.txt", "windows/a.txt"),
        ("a//b/./c", "a/b/c"),
        ("exe.\u202efdp", "exe.fdp"),
        ("a\nb\r.txt", "ab.txt"),
        ("  a .txt ", "a .txt"),
        ("..", ""),
    ],
)
def test_a_path_is_shown_without_what_leads_elsewhere(name: str, shown: str) -> None:
    assert shown_path(name) == shown


@pytest.mark.parametrize("name", ["../a", "a/../../b", "a\\..\\b", "/a", "\\a", "\\\\host\\share", "C:a", "c:/a"])
def test_a_path_that_leads_out_is_known(name: str) -> None:
    assert leads_out(name)


@pytest.mark.parametrize("name", ["a", "a/b", "a..b/c", "...", "报告/一.txt", "a/.hidden"])
def test_a_path_that_stays_inside_is_known(name: str) -> None:
    assert not leads_out(name)


# --- files that come again --------------------------------------------------------------------------------------------


def long_document(shade: int) -> bytes:
    picture = io.BytesIO()
    Image.new("L", (120, 90), shade).save(picture, "PNG")
    document = docx.Document()
    for number in range(50):
        document.add_paragraph(f"Line {number} of the text")
    document.add_picture(picture)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def lines(count: int) -> str:
    return "\n\n".join(f"Line {number} of the text" for number in range(count))


def test_a_file_that_says_what_another_said_is_named_once() -> None:
    content = read({"a.txt": lines(50), "b.txt": lines(50), "c.md": lines(50)})

    assert (content.text or "").count("Line 49") == 1
    assert "--- File: b.txt ---\n\n[note: the same as a.txt]\n\n--- File: c.md ---\n\n[note: the same as a.txt]" in (
        content.text or ""
    )
    assert content.members == ("a.txt", "b.txt", "c.md")
    assert (content.status, content.truncated) == (Status.OK, False)


def test_what_is_said_again_costs_no_text_and_no_pictures() -> None:
    members: dict[str, bytes | str] = {f"{number}.txt": lines(50) for number in range(20)}
    content = read(members, extract_text_max_chars=5_000)
    assert (content.text or "").count("the same as 0.txt") == 19

    members = {f"{number}.docx": long_document(99) for number in range(5)}
    content = read(members, images_max_count=2)
    assert (len(content.images), content.truncated) == (1, False)


def test_files_that_only_begin_alike_are_all_told() -> None:
    content = read({"a.txt": lines(50), "b.txt": lines(50) + "\n\nend", "c.txt": lines(49)})

    assert (content.text or "").count("Line 48") == 3
    assert "the same as" not in (content.text or "")


def test_a_short_text_is_told_again() -> None:
    assert "the same as" not in (read({"a.txt": "short", "b.txt": "short"}).text or "")


def test_the_same_text_with_another_picture_is_told() -> None:
    content = read({"a.docx": long_document(0), "b.docx": long_document(200)})

    assert (content.text or "").count("Line 49") == 2
