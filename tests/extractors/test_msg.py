from __future__ import annotations

import random
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from extractors._mail.lzfu import decompress
from extractors.content import ExtractedContent, Status
from extractors.detect import detect_media_type
from extractors.extract import extract_content
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

Tree = Mapping[str, "bytes | Tree"]
NO_SECTOR, END, FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR, MINI, CUTOFF = 512, 64, 4096


@dataclass(kw_only=True)
class Entry:
    name: str
    content: bytes | None
    child: int = NO_SECTOR
    sibling: int = NO_SECTOR
    start: int = END


def compound(tree: Tree) -> bytes:
    """An OLE file of nested storages (dicts) and streams (bytes)."""
    entries = [Entry(name="Root Entry", content=None)]

    def add(parent: Entry, inside: Tree) -> None:
        previous: Entry | None = None
        for name, content in inside.items():
            entry = Entry(name=name, content=content if isinstance(content, bytes) else None)
            entries.append(entry)
            number = len(entries) - 1
            if previous is None:
                parent.child = number
            else:
                previous.sibling = number
            previous = entry
            if not isinstance(content, bytes):
                add(entry, content)

    add(entries[0], tree)
    sectors: list[bytes] = []
    fat: list[int] = []
    mini, mini_fat = b"", list[int]()

    def store(data: bytes) -> int:
        pieces = [data[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(data), SECTOR)]
        if not pieces:
            return END
        first = len(sectors)
        sectors.extend(pieces)
        fat.extend([*range(first + 1, first + len(pieces)), END])
        return first

    for entry in entries[1:]:
        if entry.content is None or not entry.content:
            continue
        if len(entry.content) >= CUTOFF:
            entry.start = store(entry.content)
            continue
        entry.start = len(mini_fat)
        count = -(-len(entry.content) // MINI)
        mini += entry.content.ljust(count * MINI, b"\0")
        mini_fat += [*range(entry.start + 1, entry.start + count), END]
    entries[0].start, entries[0].content = store(mini), None
    mini_fat_start = store(struct.pack(f"<{len(mini_fat)}L", *mini_fat))
    directory = store(b"".join(directory_entry(number, entry, len(mini)) for number, entry in enumerate(entries)))
    fat_sectors = -(-(len(fat) + 8) // (SECTOR // 4 - 1))
    first_fat = len(sectors)
    fat += [FAT_SECTOR] * fat_sectors
    fat += [NO_SECTOR] * (fat_sectors * SECTOR // 4 - len(fat))
    sectors.append(struct.pack(f"<{len(fat)}L", *fat))
    difat = [*range(first_fat, first_fat + fat_sectors)] + [NO_SECTOR] * (109 - fat_sectors)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    numbers = (0, fat_sectors, directory, 0, CUTOFF, mini_fat_start, bool(mini_fat), END, 0)
    return header + struct.pack("<9L", *numbers) + struct.pack("<109L", *difat) + b"".join(sectors)


def directory_entry(number: int, entry: Entry, mini_size: int) -> bytes:
    name = entry.name.encode("utf-16-le")
    kind = 5 if number == 0 else 1 if entry.content is None else 2
    size = mini_size if number == 0 else len(entry.content or b"")
    return (
        name.ljust(64, b"\0")
        + struct.pack("<HBBLLL", len(name) + 2, kind, 1, NO_SECTOR, entry.sibling, entry.child)
        + bytes(36)
        + struct.pack("<LQ", entry.start, size)
    )


def properties(header_bytes: int, **values: int) -> bytes:
    """The properties of fixed size: p0039_0040=... is a time, p3FFD_0003=... a number."""
    entries = (struct.pack("<HHIq", int(name[6:], 16), int(name[1:5], 16), 6, value) for name, value in values.items())
    return bytes(header_bytes) + b"".join(entries)


def wide(**texts: str) -> dict[str, bytes]:
    return {f"__substg1.0_{name[1:]}001F": text.encode("utf-16-le") for name, text in texts.items()}


def narrow(codec: str, **texts: str) -> dict[str, bytes]:
    return {f"__substg1.0_{name[1:]}001E": text.encode(codec) for name, text in texts.items()}


def msg(streams: Tree, header_bytes: int = 32, **values: int) -> dict[str, bytes | Tree]:
    return {"__properties_version1.0": properties(header_bytes, **values), **streams}


def attachment(streams: Tree, **values: int) -> dict[str, bytes | Tree]:
    return msg(streams, 8, **values)


def read(tree: Tree) -> ExtractedContent:
    return extract_content(compound(tree), media_type="", name="letter.msg")


def test_the_test_files_are_taken_for_letters():
    assert detect_media_type(compound(msg(wide(p0037="s")))) == "application/vnd.ms-outlook"


def test_fields_and_body_are_read():
    people = {
        "__recip_version1.0_#00000000": msg(wide(p3001="李四", p39FE="li@example.com"), 8, p0C15_0003=1),
        "__recip_version1.0_#00000001": msg(wide(p3001="'bob@example.com'", p3003="bob@example.com"), 8, p0C15_0003=2),
        "__recip_version1.0_#00000002": msg(
            wide(p3001="Eve", p3003="/O=ORG/OU=X/CN=RECIPIENTS/CN=EVE"), 8, p0C15_0003=3
        ),
    }
    texts = wide(p0037="季度  会议", p0042="张三", p5D02="zhang@example.com", p1000="第一行\r\n\r\n\r\n\r\n> 引用\r\n")
    result = read(msg({**texts, **people}, p0039_0040=133_594_344_000_000_000))
    assert result.text == (
        "From: 张三 <zhang@example.com>\nTo: 李四 <li@example.com>\nCc: bob@example.com\nBcc: Eve <EVE>\n"
        "Recipients: 3\nDate: 2024-05-06 02:00:00 UTC\nSubject: 季度 会议\nContent:\n\n第一行\n\n> 引用"
    )
    assert result.status is Status.OK


def test_who_sends_for_another_is_told_beside_him():
    people = wide(p0042="Boss", p5D02="boss@example.com", p0C1A="Aide", p5D01="aide@example.com")
    assert read(msg(people)).text == "From: Boss <boss@example.com>\nSent by: Aide <aide@example.com>"
    alone = wide(p0042="Boss", p5D02="boss@example.com", p0C1A="Boss", p5D01="BOSS@example.com")
    assert read(msg(alone)).text == "From: Boss <boss@example.com>"


@pytest.mark.parametrize(
    ("page", "codec", "text"),
    [
        (950, "cp950", "格式測試：高票當選"),  # unstructured#2481: letters without Unicode were garbled
        (950, "big5hkscs", "香港啲嘢測試"),
        (936, "gbk", "朱镕基总理的讲话"),  # msg-extractor#462, #373, #430: gb2312 broke on Chinese senders
        (20936, "gb18030", "朱镕基总理的讲话"),
        (932, "cp932", "会議の資料です"),
        (1252, "cp1252", "Réunion déjà prévue"),
        (1252, "gbk", "会议改到周五下午三点"),  # the page of the machine, not of the text
        (65001, "utf-8", "会议改到周五"),
        (99999, "gbk", "会议改到周五下午三点"),
    ],
)
def test_narrow_strings_are_read_by_their_code_page(page, codec, text):
    result = read(msg(narrow(codec, p0037=text, p0C1A=text, p1000=text), p3FFD_0003=page))
    assert result.text == f"From: {text}\nSubject: {text}\nContent:\n\n{text}"


def test_the_page_of_the_internet_counts_where_the_other_is_missing():
    assert "格式測試" in (read(msg(narrow("cp950", p1000="格式測試：高票當選"), p3FDE_0003=950)).text or "")


@pytest.mark.parametrize(
    ("language", "codec", "text"),
    [(0x0407, "cp1252", "öäü"), (0x0419, "cp1251", "авто"), (0x0404, "cp950", "格式測試"), (0x0411, "cp932", "会議")],
)
def test_the_language_tells_the_code_page_where_it_is_not_named(language, codec, text):
    result = read(msg(narrow(codec, p0037=text), p3FF1_0003=language, p3FDE_0003=65001))
    assert f"Subject: {text}" in result.text


def test_a_damaged_narrow_string_is_read_all_the_same():
    streams = {"__substg1.0_0037001E": "高票當選".encode("cp950") + b"\xff\xfe"}
    assert "高票當選" in (read(msg(streams, p3FFD_0003=950)).text or "")


def test_html_is_read_where_there_is_no_plain_body():
    streams = {"__substg1.0_10130102": "<p>正文<b>加粗</b></p>".encode("gbk")}
    assert (read(msg(streams, p3FDE_0003=936)).text or "").endswith("正文加粗")


def rtf_in_literals(rtf: bytes) -> bytes:
    """RTF in the packing of Outlook, without a single back reference."""
    packed = b"".join(b"\0" + rtf[at : at + 8] for at in range(0, len(rtf), 8))
    return struct.pack("<II4sI", len(packed) + 12, len(rtf), b"LZFu", 0) + packed


def test_rtf_is_read_where_there_is_no_other_body():
    rtf = b"{\\rtf1\\ansi\\ansicpg936 \\'d5\\'fd\\'ce\\'c4\\par Second\\par}"
    texts = (read(msg({"__substg1.0_10090102": rtf_in_literals(rtf)})).text or "").split("\n\n")
    assert texts[-2:] == ["正文", "Second"]


def test_packed_rtf_with_references_is_unpacked():
    # The example of MS-OXRTFCP, 4.1.1.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert decompress(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


@pytest.mark.parametrize(
    "data", [b"", b"short", bytes(16), struct.pack("<II4sI", 99, 0xFFFFFFFF, b"LZFu", 0) + b"\xff" * 40]
)
def test_broken_rtf_packing_gives_what_can_be_had(data):
    assert len(decompress(data)) < 1_000


def test_an_attachment_is_read_under_its_long_name():
    inside = attachment(
        {**wide(p3707="工资表.csv", p3704="GONGZI~1.CSV"), "__substg1.0_37010102": b"a,b\n1,2"}, p3705_0003=1
    )
    result = read(msg({**wide(p1000="Hi"), "__attach_version1.0_#00000000": inside}))
    assert "Attachments: 工资表.csv" in (result.text or "")
    assert "| 1 | 2 |" in (result.text or "")
    assert result.members == ("工资表.csv",)


def test_a_letter_inside_a_letter_is_read_with_its_own_attachments():
    innermost = attachment({**wide(p3707="deep.txt"), "__substg1.0_37010102": b"Deep text"}, p3705_0003=1)
    inner = msg({**wide(p0037="Inner", p1000="Inner body"), "__attach_version1.0_#00000000": innermost}, 24)
    holder = attachment({**wide(p3001="Inner"), "__substg1.0_3701000D": inner}, p3705_0003=5)
    result = read(msg({**wide(p0037="Outer", p1000="Outer body"), "__attach_version1.0_#00000000": holder}))
    text = result.text or ""
    assert text.index("Outer body") < text.index("Subject: Inner") < text.index("Inner body") < text.index("Deep text")
    assert result.members == ("Inner.msg", "Inner.msg/deep.txt")


def test_a_file_that_is_only_linked_is_named():
    linked = attachment(wide(p3707="plan.docx", p370D="https://example.com/plan.docx"), p3705_0003=7)
    text = read(msg({**wide(p1000="Hi"), "__attach_version1.0_#00000000": linked})).text or ""
    assert "Linked file: plan.docx https://example.com/plan.docx" in text


@pytest.mark.parametrize(
    "streams",
    [
        {**wide(p001A="IPM.Note.SMIME", p0037="s"),
         "__attach_version1.0_#00000000": attachment({**wide(p3707="smime.p7m"), "__substg1.0_37010102": b"0\x80x"})},
        {**wide(p0037="s"),
         "__attach_version1.0_#00000000": attachment(
             {**wide(p3707="a.pgp", p370E="application/pgp-encrypted"), "__substg1.0_37010102": b"Version: 1"})},
    ],
)  # fmt: skip
def test_an_encrypted_letter_is_called_so(streams):
    result = read(msg(streams))
    assert result.status is Status.ENCRYPTED
    assert "a password is needed" in (result.note or "")
    assert "Subject: s" in (result.text or "")


def test_a_signed_letter_is_read_from_its_signature():
    content = b"Content-Type: multipart/signed; boundary=B\n\n--B\n\nSigned text\n--B--\n"
    holder = attachment({**wide(p3707="smime.p7m"), "__substg1.0_37010102": content}, p3705_0003=1)
    streams = {**wide(p001A="IPM.Note.SMIME.MultipartSigned", p0037="s"), "__attach_version1.0_#00000000": holder}
    assert "Signed text" in (read(msg(streams)).text or "")


def test_a_letter_signed_in_the_open_is_read_without_its_signature():
    content = (
        b"MIME-Version: 1.0\nContent-Type: multipart/signed; boundary=B\n\n--B\n\nSigned text\n--B\n"
        b"Content-Type: application/x-pkcs7-signature; name=smime.p7s\n\nMIAGCSqGSIb3DQEH\n--B--\n"
    )
    holder = attachment({**wide(p370E="multipart/signed"), "__substg1.0_37010102": content}, p3705_0003=1)
    streams = {**wide(p001A="IPM.Note.SMIME.MultipartSigned", p0037="s"), "__attach_version1.0_#00000000": holder}
    result = read(msg(streams))
    assert (result.text or "").endswith("--- File: signed message.eml ---\n\nSigned text")
    assert result.status is Status.OK


def test_a_letter_to_hundreds_is_read_in_a_moment():
    people = {
        f"__recip_version1.0_#{number:08X}": msg(wide(p3001=f"Person {number}", p39FE=f"p{number}@example.com"), 8)
        for number in range(700)
    }
    data = compound(msg({**people, **wide(p1000="Body")}))
    started = time.process_time()
    result = extract_content(data, media_type="", name="letter.msg")
    assert time.process_time() - started < 2
    assert "Recipients: 700" in (result.text or "")


def test_a_stream_longer_than_the_file_costs_nothing():
    """A chain of sectors that leads back to itself fills any length that the directory claims."""
    holder = attachment({**wide(p3707="a.bin"), "__substg1.0_37010102": b"x" * 5000}, p3705_0003=1)
    data = bytearray(compound(msg({**wide(p1000="Body"), "__attach_version1.0_#00000000": holder})))
    at = data.find("__substg1.0_37010102".encode("utf-16-le"))
    start, _ = struct.unpack_from("<LQ", data, at + 116)
    struct.pack_into("<LQ", data, at + 116, start, 0xF0000000)
    fat = int.from_bytes(data[76:80], "little")
    struct.pack_into("<L", data, (fat + 1) * SECTOR + 4 * start, start)
    result = extract_content(bytes(data), media_type="", name="a.msg")
    assert "Body" in (result.text or "")
    assert "the file is empty" in (result.text or "")


def test_no_damage_makes_the_reader_fail():
    whole = compound(msg({**narrow("gbk", p0037="会议", p1000="正文"), **wide(p0C1A="张三")}, p3FFD_0003=936))
    chance = random.Random(5)
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 5, 30))):
            damaged[chance.randrange(8, len(damaged))] = chance.randrange(256)
        assert extract_content(bytes(damaged), media_type="", name="a.msg").status is not Status.FAILED


async def test_it_is_read_inside_the_sandbox():
    rtf = b"{\\rtf1\\ansi\\ansicpg936 \\'d5\\'fd\\'ce\\'c4\\par}"
    data = compound(
        msg({**narrow("cp950", p0037="格式測試"), "__substg1.0_10090102": rtf_in_literals(rtf)}, p3FFD_0003=950)
    )
    async with SandboxedAttachmentExtractor() as extractor:
        confined = await extractor.extract(data, file_metadata={"name": "letter.msg"})
    assert confined.text == "Subject: 格式測試\nContent:\n\n正文"
