"""What Exchange packs into winmail.dat is read like any other letter, alone and inside the letter that carries it."""

from __future__ import annotations

import base64
import io
import random
import struct
import zipfile

import pytest

from extractors.content import ExtractedContent, Status
from extractors.detect import detect_media_type
from extractors.extract import extract_content
from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

SIGNATURE = b"\x78\x9f\x3e\x22\x01\x00"
LETTER_OBJECT = bytes.fromhex("0703020000000000c000000000000046")
STORAGE_OBJECT = bytes.fromhex("0b00000000000000c000000000000046")
STRING8, WIDE, BINARY, OBJECT, NUMBER, TIME = 0x1E, 0x1F, 0x102, 0x0D, 0x03, 0x40
Value = tuple[int, int, "bytes | str | int"]


def attribute(level: int, name: int, data: bytes) -> bytes:
    return struct.pack("<BHHI", level, name, 6, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)


def sized(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data + bytes(-len(data) % 4)


def listed(*values: Value) -> bytes:
    """MAPI properties: kind, name, value."""
    out = struct.pack("<I", len(values))
    for kind, name, value in values:
        out += struct.pack("<HH", kind, name)
        if isinstance(value, int):
            out += struct.pack("<q" if kind == TIME else "<i", value)
        else:
            raw = value if isinstance(value, bytes) else f"{value}\0".encode("utf-16-le" if kind == WIDE else "gbk")
            out += struct.pack("<I", 1) + sized(raw)
    return out


def letter(*values: Value, people: tuple[bytes, ...] = ()) -> bytes:
    rows = struct.pack("<I", len(people)) + b"".join(people)
    return attribute(1, 0x9003, listed(*values)) + (attribute(1, 0x9004, rows) if people else b"")


def attached(data: bytes | None, *values: Value, title: bytes = b"SHORT~1.TXT\0") -> bytes:
    return (
        attribute(2, 0x9002, bytes(14))
        + (attribute(2, 0x800F, data) if data is not None else b"")
        + attribute(2, 0x8010, title)
        + attribute(2, 0x9005, listed(*values))
    )


def packed(*attributes: bytes, page: int = 936) -> bytes:
    return SIGNATURE + attribute(1, 0x9007, struct.pack("<II", page, 0)) + b"".join(attributes)


def read(data: bytes, name: str = "winmail.dat", limits: ExtractLimits | None = None) -> ExtractedContent:
    return extract_content(data, media_type="", name=name, limits=limits)


def mail(tnef: bytes, body: str = "", media_type: str = "application/ms-tnef", name: str = "winmail.dat") -> bytes:
    return (
        'From: a@example.com\nSubject: Outer\nContent-Type: multipart/mixed; boundary="B"\n\n'
        f"--B\nContent-Type: text/plain; charset=utf-8\n\n{body}\n"
        f'--B\nContent-Type: {media_type}; name="{name}"\nContent-Transfer-Encoding: base64\n\n'
        f"{base64.encodebytes(tnef).decode()}\n--B--\n"
    ).encode()


def rtf_in_literals(rtf: bytes) -> bytes:
    content = b"".join(b"\0" + rtf[at : at + 8] for at in range(0, len(rtf), 8))
    return struct.pack("<II4sI", len(content) + 12, len(rtf), b"LZFu", 0) + content


def test_it_is_known_by_its_first_bytes():
    assert detect_media_type(packed()) == "application/vnd.ms-tnef"


def test_fields_body_and_attachments_are_read():
    people = (
        listed((WIDE, 0x3001, "李四"), (WIDE, 0x39FE, "li@example.com"), (NUMBER, 0x0C15, 1)),
        listed((STRING8, 0x3001, "王五"), (STRING8, 0x3003, "wang@example.com"), (NUMBER, 0x0C15, 2)),
    )
    data = packed(
        letter(
            (WIDE, 0x0037, "季度会议"),
            (WIDE, 0x0C1A, "张三"),
            (TIME, 0x0039, 133_594_344_000_000_000),
            (WIDE, 0x1000, "正文在此\r\n"),
            people=people,
        ),
        attached("内容".encode(), (WIDE, 0x3707, "很长的附件名称.txt")),
    )
    result = read(data)
    assert result.text == (
        "From: 张三\nTo: 李四 <li@example.com>\nCc: 王五 <wang@example.com>\nRecipients: 2\n"
        "Date: 2024-05-06 02:00:00 UTC\nSubject: 季度会议\nAttachments: 很长的附件名称.txt\nContent:\n\n正文在此\n\n"
        "--- File: 很长的附件名称.txt ---\n\n内容"
    )
    assert result.status is Status.OK
    assert result.members == ("很长的附件名称.txt",)


def test_what_old_programs_wrote_without_mapi_is_read():
    sender = "张三".encode("gbk") + b"\0"
    address = b"SMTP:zhang@example.com\0"
    data = packed(
        attribute(1, 0x8000, struct.pack("<HHHH", 4, 99, len(sender), len(address)) + sender + address),
        attribute(1, 0x8004, "会议通知".encode("gbk") + b"\0"),
        attribute(1, 0x800C, "正文在此".encode("gbk") + b"\0"),
        attached(b"text", title="附件.txt".encode("gbk") + b"\0"),
    )
    text = read(data).text or ""
    assert text.startswith(
        "From: 张三 <zhang@example.com>\nSubject: 会议通知\nAttachments: 附件.txt\nContent:\n\n正文在此"
    )


@pytest.mark.parametrize(
    "body",
    [
        (BINARY, 0x1013, "<p>正文<b>在此</b></p>".encode("gbk")),
        (BINARY, 0x1009, rtf_in_literals(b"{\\rtf1\\ansi\\ansicpg936 \\'d5\\'fd\\'ce\\'c4\\'d4\\'da\\'b4\\'cb\\par}")),
        (WIDE, 0x1000, "正文在此"),
    ],
)
def test_the_body_is_read_in_any_form(body: Value):
    assert (read(packed(letter(body))).text or "").endswith("正文在此")


def test_named_and_repeated_properties_are_passed_over():
    guid = bytes(16)
    extra = (
        struct.pack("<HH", NUMBER, 0x8001) + guid + struct.pack("<IIi", 0, 7, 5),
        struct.pack("<HH", WIDE, 0x8002) + guid + struct.pack("<I", 1) + sized("Keywords\0".encode("utf-16-le"))
        + struct.pack("<I", 1) + sized("x\0".encode("utf-16-le")),
        struct.pack("<HHI", 0x1000 | NUMBER, 0x6001, 2) + bytes(8),
        struct.pack("<HHI", 0x1000 | WIDE, 0x6002, 2) + sized(b"a\0") + sized(b"b\0"),
        struct.pack("<HH", 0x0B, 0x6003) + bytes(4),
        struct.pack("<HH", 0x48, 0x6004) + bytes(16),
    )  # fmt: skip
    last = listed((WIDE, 0x1000, "正文"))[4:]
    result = read(packed(attribute(1, 0x9003, struct.pack("<I", len(extra) + 1) + b"".join(extra) + last)))
    assert (result.text, result.status) == ("正文", Status.OK)


def test_the_topic_is_the_subject_where_there_is_no_other():
    assert read(packed(letter((WIDE, 0x0070, "议题")))).text == "Subject: 议题"


def test_a_letter_inside_is_a_member_with_its_own_attachments():
    inner = packed(
        letter((WIDE, 0x0037, "内层"), (WIDE, 0x1000, "内文")), attached(b"deep", (WIDE, 0x3707, "deep.txt"))
    )
    data = packed(attached(None, (WIDE, 0x3001, "转发"), (OBJECT, 0x3701, LETTER_OBJECT + inner)))
    result = read(data)
    assert result.members == ("转发.tnef", "转发.tnef/deep.txt")
    assert "Subject: 内层" in (result.text or "")
    assert "内文" in (result.text or "")


def test_an_embedded_document_is_read_without_the_class_before_it():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("note.txt", "in the object")
    data = packed(attached(None, (WIDE, 0x3707, "files.zip"), (OBJECT, 0x3701, STORAGE_OBJECT + file.getvalue())))
    assert read(data).members == ("files.zip/note.txt",)


def test_letters_in_letters_end_at_the_depth_allowed():
    data = packed(letter((WIDE, 0x1000, "core")))
    for _ in range(20):
        data = packed(attached(None, (WIDE, 0x3001, "m"), (OBJECT, 0x3701, LETTER_OBJECT + data)))
    result = read(data)
    assert "containers around it" in (result.text or "")
    assert "core" not in (result.text or "")


def test_attachments_count_against_the_limits():
    data = packed(*(attached(b"x", (WIDE, 0x3707, f"{number}.txt")) for number in range(5)))
    result = read(data, limits=ExtractLimits(members_max_count=2))
    assert result.members == ("0.txt", "1.txt")
    assert "not read: 2.txt, 3.txt, 4.txt" in (result.text or "")


# --- inside a letter --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", ["application/ms-tnef", "application/vnd.ms-tnef", "application/octet-stream"])
def test_in_a_letter_the_attachments_are_the_letters_own(media_type: str):
    tnef = packed(letter((WIDE, 0x1000, "The same body")), attached(b"text", (WIDE, 0x3707, "附件.txt")))
    result = read(mail(tnef, "The body", media_type), name="letter.eml")
    assert result.members == ("附件.txt",)
    assert result.text == (
        "From: a@example.com\nSubject: Outer\nAttachments: 附件.txt\nContent:\n\nThe body\n\n"
        "--- File: 附件.txt ---\n\ntext"
    )
    assert result.status is Status.OK


def test_in_a_letter_without_a_body_the_packed_one_is_read():
    result = read(mail(packed(letter((WIDE, 0x1000, "Packed body")))), name="letter.eml")
    assert result.text == "From: a@example.com\nSubject: Outer\nContent:\n\nPacked body"


def test_what_only_bears_the_name_is_an_attachment_like_any_other():
    result = read(mail(b"just text", "Body", "application/octet-stream"), name="letter.eml")
    assert "--- File: winmail.dat ---\n\njust text" in (result.text or "")


def test_a_packed_letter_in_an_archive_is_read():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("winmail.dat", packed(letter((WIDE, 0x1000, "In the archive"))))
    assert "In the archive" in (read(file.getvalue(), "a.zip").text or "")


# --- damage -----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_cut_off_gives_what_it_has_and_says_so():
    data = packed(letter((WIDE, 0x1000, "正文")), attached(b"text" * 100, (WIDE, 0x3707, "a.txt")))
    result = read(data[:-300])
    assert "正文" in (result.text or "")
    assert result.status is Status.PARTIAL


def test_counts_beyond_the_file_are_not_believed():
    data = packed(attribute(1, 0x9003, struct.pack("<IHHI", 0xFFFFFFFF, 0x1003, 0x6001, 0xFFFFFFFF) + bytes(8)))
    assert read(data).status is Status.PARTIAL


def test_no_damage_breaks_the_reader():
    whole = packed(
        letter((WIDE, 0x0037, "s"), (WIDE, 0x1000, "b"), people=(listed((WIDE, 0x3001, "p")),)),
        attached(b"text", (WIDE, 0x3707, "a.txt")),
    )
    dice = random.Random(7)
    for _ in range(300):
        data = bytearray(whole[: dice.randrange(4, len(whole))])
        for _ in range(3):
            data[dice.randrange(4, len(data)) if len(data) > 4 else 0] = dice.randrange(256)
        assert read(bytes(data)).status is not Status.FAILED


async def test_it_is_read_in_the_sandbox():
    tnef = packed(letter((WIDE, 0x1000, "正文")), attached("附件内容".encode(), (WIDE, 0x3707, "附件.txt")))
    async with SandboxedAttachmentExtractor() as extractor:
        alone = await extractor.extract(tnef, file_metadata={"name": "winmail.dat"})
        carried = await extractor.extract(mail(tnef), file_metadata={"name": "letter.eml"})
    for result in (alone, carried):
        assert result.status is Status.OK, result.note
        assert "附件内容" in (result.text or "")
