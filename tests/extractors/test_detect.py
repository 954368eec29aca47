"""What a file is taken for: content before names, names before nothing."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from extractors.content import Job
from extractors.detect import ENCRYPTED_OFFICE, detect, detect_media_type, media_type_from_metadata

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml"
OCTETS = "application/octet-stream"


def zipped(members: dict[str, bytes], *, prefix: bytes = b"") -> bytes:
    buffer = io.BytesIO(prefix)
    buffer.seek(0, io.SEEK_END)
    with zipfile.ZipFile(buffer, "a") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def ooxml(main_type: str, part: str = "word/document.xml") -> bytes:
    types = f'<Types><Override PartName="/{part}" ContentType="{main_type}"/></Types>'
    return zipped({"[Content_Types].xml": types.encode(), part: b"<x/>"})


def ole(*root_names: str, inside_storage: tuple[str, ...] = ()) -> bytes:
    """A compound file with one sector of directory: the root, a chain of siblings, a storage with names of its own."""

    def entry(name: str, kind: int, *, right: int = 0xFFFFFFFF, child: int = 0xFFFFFFFF) -> bytes:
        encoded = (name + "\0").encode("utf-16-le")
        head = encoded.ljust(64, b"\0") + struct.pack("<HBB", len(encoded), kind, 1)
        return (head + struct.pack("<III", 0xFFFFFFFF, right, child)).ljust(128, b"\0")

    names = list(root_names)
    entries = [entry("Root Entry", 5, child=1 if names else 0xFFFFFFFF)]
    for index, name in enumerate(names, start=1):
        is_last = index == len(names)
        inner = len(names) + 1 if is_last and inside_storage else 0xFFFFFFFF
        entries.append(entry(name, 2, right=0xFFFFFFFF if is_last else index + 1, child=inner))
    entries += [entry(name, 2) for name in inside_storage]
    directory = b"".join(entries).ljust(1024, b"\0")
    header = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0"))
    header[30:32] = struct.pack("<H", 9)
    header[48:52] = struct.pack("<I", 1)
    header[76:80] = struct.pack("<I", 0)
    table = struct.pack("<IIII", 0xFFFFFFFD, 2, 0xFFFFFFFE, 0xFFFFFFFF).ljust(512, b"\xff")
    return bytes(header) + table + directory


PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
CASES = [
    pytest.param(PDF, "a.pdf", "application/pdf", "magic", False, id="pdf with its name"),
    pytest.param(PDF, "a.docx", "application/pdf", "magic", True, id="pdf named docx"),
    pytest.param(PDF, None, "application/pdf", "magic", False, id="pdf without a name"),
    pytest.param(b"HTTP/1.1 200 OK\r\n\r\n" + PDF, "a.pdf", "application/pdf", "magic", False, id="pdf after a header"),
    pytest.param(b"How %PDF- begins.", "a.txt", "text/plain", "text", False, id="prose about pdf"),
    pytest.param(b"\xff\xd8\xff\xe0" + bytes(9), "a.JPG", "image/jpeg", "magic", False, id="jpeg in capitals"),
    pytest.param(PNG, "a.jpg", "image/png", "magic", True, id="png named jpg"),
    pytest.param(b"GIF89a" + bytes(9), "a.gif", "image/gif", "magic", False, id="gif"),
    pytest.param(b"RIFF\0\0\0\0WEBPVP8 ", "a.webp", "image/webp", "magic", False, id="webp"),
    pytest.param(b"RIFF\0\0\0\0WAVEfmt ", "a.wav", "audio/wav", "magic", False, id="wav"),
    pytest.param(b"BM" + bytes(12) + b"\x28\0\0\0" + bytes(9), "a.bmp", "image/bmp", "magic", False, id="bmp"),
    pytest.param(b"BMW and others", "cars.txt", "text/plain", "text", False, id="prose that begins with BM"),
    pytest.param(b"II*\0" + bytes(9), "a.tif", "image/tiff", "magic", False, id="tiff"),
    pytest.param(b"\0\0\0\x18ftypheic" + bytes(9), "a.heic", "image/heic", "magic", False, id="heic"),
    pytest.param(b"\0\0\0\x18ftypavif" + bytes(9), "a.avif", "image/avif", "magic", False, id="avif"),
    pytest.param(b"\0\0\0\x18ftypisom" + bytes(9), "a.mp4", "video/mp4", "magic", False, id="mp4"),
    pytest.param(b"\0\0\1\0\1\0" + bytes(9), "a.ico", "image/x-icon", "magic", False, id="ico"),
    pytest.param(
        ooxml(f"{WORD}.document.main+xml"), "a.docx", f"{WORD}.document", "container", False, id="docx with its name"
    ),
    pytest.param(ooxml(f"{WORD}.document.main+xml"), "a", f"{WORD}.document", "container", False, id="docx, no suffix"),
    pytest.param(
        ooxml(f"{WORD}.document.main+xml"), "a.doc", f"{WORD}.document", "container", True, id="docx named doc"
    ),
    pytest.param(
        ooxml(f"{WORD}.document.main+xml"), "a.zip", f"{WORD}.document", "container", False, id="docx named zip"
    ),
    pytest.param(
        ooxml("application/vnd.ms-word.document.macroEnabled.main+xml"),
        "a.docm",
        "application/vnd.ms-word.document.macroenabled.12",
        "container",
        False,
        id="docm",
    ),
    pytest.param(
        ooxml("application/vnd.ms-word.template.macroEnabledTemplate.main+xml"),
        "a.dotm",
        "application/vnd.ms-word.template.macroenabled.12",
        "container",
        False,
        id="dotm",
    ),
    pytest.param(ooxml(f"{SHEET}.template.main+xml"), "a.xltx", f"{SHEET}.template", "container", False, id="xltx"),
    pytest.param(
        ooxml("application/vnd.ms-excel.sheet.binary.macroEnabled.main"),
        "a.xlsb",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "container",
        False,
        id="xlsb",
    ),
    pytest.param(ooxml(f"{SLIDES}.slideshow.main+xml"), "a.ppsx", f"{SLIDES}.slideshow", "container", False, id="ppsx"),
    pytest.param(
        zipped({"xl/workbook.xml": b"<x/>"}), "a.xlsx", f"{SHEET}.sheet", "container", False, id="xlsx by its members"
    ),
    pytest.param(
        ooxml(f"{SLIDES}.presentation.main+xml", "ppt/presentation.xml")[:-30],
        "a.pptx",
        f"{SLIDES}.presentation",
        "container",
        False,
        id="pptx without the end of its directory",
    ),
    pytest.param(
        zipped({"xl/workbook.xml": b""}, prefix=b"PK\3\4junk"),
        None,
        f"{SHEET}.sheet",
        "container",
        False,
        id="prefixed",
    ),
    pytest.param(
        zipped({"mimetype": b"application/vnd.oasis.opendocument.text"}),
        "a.odt",
        "application/vnd.oasis.opendocument.text",
        "container",
        False,
        id="odt",
    ),
    pytest.param(
        zipped({"Index/Document.iwa": b""}), "a.key", "application/vnd.apple.keynote", "container", False, id="keynote"
    ),
    pytest.param(zipped({"a.txt": b"a"}), "a.zip", "application/zip", "container", False, id="other zip"),
    pytest.param(zipped({"a.txt": b"a"}), "a.docx", "application/zip", "container", True, id="other zip named docx"),
    pytest.param(ole("WordDocument"), "a.doc", "application/msword", "container", False, id="doc"),
    pytest.param(ole("Workbook"), "a.xls", "application/vnd.ms-excel", "container", False, id="xls"),
    pytest.param(
        ole("Workbook", "MBD01", inside_storage=("WordDocument",)),
        "a.xls",
        "application/vnd.ms-excel",
        "container",
        False,
        id="xls with a doc inside",
    ),
    pytest.param(
        ole("EncryptionInfo", "EncryptedPackage"), "a.xlsx", ENCRYPTED_OFFICE, "container", False, id="encrypted xlsx"
    ),
    pytest.param(
        ole("__properties_version1.0"), "a.msg", "application/vnd.ms-outlook", "container", False, id="outlook"
    ),
    pytest.param("合同条款".encode("gb18030"), "a.docx", "text/plain", "text", True, id="gbk text named docx"),
    pytest.param(b"<html><body>x</body></html>", "a.xls", "text/html", "text", True, id="html named xls"),
    pytest.param(b"a,b\n1,2\n", "a.csv", "text/csv", "text", False, id="csv"),
    pytest.param(b"# Title", "README.md", "text/markdown", "text", False, id="markdown"),
    pytest.param(b"FROM scratch", "Dockerfile", "text/plain", "text", False, id="name without suffix"),
    pytest.param("你好".encode("utf-16"), "a.txt", "text/plain", "text", False, id="utf-16 with its mark"),
    pytest.param("你好 hi\n".encode("utf-16-be"), None, "text/plain", "text", False, id="utf-16 without mark"),
    pytest.param(b"{\\rtf1 x}", "a.doc", "application/rtf", "magic", True, id="rtf named doc"),
    pytest.param(
        b"MZ" + bytes(99), "报告.pdf", "application/vnd.microsoft.portable-executable", "magic", True, id="program"
    ),
    pytest.param(b"\x7fELF" + bytes(9), "a.txt", "application/x-executable", "magic", True, id="elf named txt"),
    pytest.param(bytes(range(32)), "a.pdf", "application/pdf", "extension", False, id="unknown bytes with a name"),
    pytest.param(bytes(range(32)), None, OCTETS, "none", False, id="unknown bytes"),
    pytest.param(PDF, "报告.pdf.docx", "application/pdf", "magic", True, id="two suffixes, the last counts"),
    pytest.param(b"", "a.pdf.download", "application/pdf", "extension", False, id="unknown last suffix"),
    pytest.param(b"", "a.pdf (1)", "application/pdf", "extension", False, id="second copy"),
    pytest.param(b"", "..\\..\\a.PNG", "image/png", "extension", False, id="path in the name"),
    pytest.param(b"", "合同．docx", f"{WORD}.document", "extension", False, id="full-width dot"),
]


@pytest.mark.parametrize(("data", "name", "media_type", "method", "conflict"), CASES)
def test_content_decides_and_the_name_fills_in(
    data: bytes, name: str | None, media_type: str, method: str, conflict: bool
) -> None:
    found = detect(Job(data=data, name=name))

    assert (found.media_type, found.method, found.conflict) == (media_type, method, conflict)


def test_every_claim_is_kept_beside_the_decision() -> None:
    found = detect(Job(data=PDF, name="a.docx", declared_type="image/jpg; charset=binary"))

    assert found.extension_type == f"{WORD}.document"
    assert found.transport_type == "image/jpeg"
    assert found.detected_type == "application/pdf"
    assert found.conflict


def test_a_sender_that_says_nothing_contradicts_nothing() -> None:
    found = detect(Job(data=PDF, declared_type=OCTETS))

    assert found.transport_type is None
    assert not found.conflict


def test_a_name_that_agrees_outweighs_a_sender_that_does_not() -> None:
    assert not detect(Job(data=b"let x;", name="a.ts", declared_type="video/mp2t")).conflict
    assert detect(Job(data=b"let x;", declared_type="video/mp2t")).conflict


def test_text_follows_the_more_telling_claim() -> None:
    assert detect(Job(data=b"a,b", name="a.txt", declared_type="text/csv")).media_type == "text/csv"
    assert detect(Job(data=b"a,b", name="a.csv", declared_type="text/plain")).media_type == "text/csv"
    assert detect(Job(data=b"a,b", declared_type="text/x-unheard-of")).media_type == "text/plain"


def test_a_zip_of_very_many_entries_is_named_without_reading_them_all() -> None:
    data = zipped({f"{number}.txt": b"" for number in range(5_000)})

    assert detect_media_type(data) == "application/zip"


@pytest.mark.parametrize("cut", range(4, 900, 37))
def test_a_container_cut_anywhere_is_still_named(cut: int) -> None:
    assert detect_media_type(ole("WordDocument")[: 512 + cut]) is not None
    assert detect_media_type(ooxml(f"{WORD}.document.main+xml")[:cut]) is not None


def test_metadata_alone_gives_the_declared_type_then_the_name_then_octets() -> None:
    assert media_type_from_metadata({"mime_type": "application/x-pdf", "name": "a.png"}) == "application/pdf"
    assert media_type_from_metadata({"mime_type": OCTETS, "name": "a.png"}) == "image/png"
    assert media_type_from_metadata({"name": 7, "mime_type": None}) == OCTETS


CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside this checkout")
@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("docx", f"{WORD}.document"),
        ("xlsx", f"{SHEET}.sheet"),
        ("pptx", f"{SLIDES}.presentation"),
        ("doc", "application/msword"),
        ("xls", "application/vnd.ms-excel"),
        ("ppt", "application/vnd.ms-powerpoint"),
        ("msg", "application/vnd.ms-outlook"),
        ("pdf", "application/pdf"),
        ("rtf", "application/rtf"),
    ],
)
def test_real_files_are_named_by_content_alone(folder: str, expected: str) -> None:
    found = {path.name: detect_media_type(path.read_bytes()) for path in (CORPUS / folder).iterdir()}

    assert {name: media_type for name, media_type in found.items() if media_type != expected} == {}
