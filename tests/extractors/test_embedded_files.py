"""Files that people put into Word documents: each is read as what it is, after the document, and none of them twice."""

from __future__ import annotations

import io
import struct
import zipfile

import olefile

from extractors import ExtractedContent, Status, extract_content

from .legacy_files import Para, WordParts, doc, field_text, label, ole, para, sprm, workbook8
from .test_word import p, word

NAMES = 'xmlns:o="urn:schemas-microsoft-com:office:office"'


def read(data: bytes, name: str) -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


def wrapped(name: str, data: bytes, codec: str = "gb18030") -> bytes:
    """A file as Windows' packager wraps it, with its name in the code page of the machine."""
    old, path = name.encode(codec), b"C:\\a\0"
    native = struct.pack("<H", 2) + old + b"\0" + path + struct.pack("<HHI", 0, 3, len(path)) + path
    return native + struct.pack("<I", len(data)) + data


def native(name: str, data: bytes) -> bytes:
    content = wrapped(name, data)
    return ole({"\x01Ole10Native": struct.pack("<I", len(content)) + content})


def with_objects(objects: dict[str, bytes]) -> bytes:
    body = "".join(
        f'<w:p><w:r><w:t>see</w:t><w:object {NAMES}><o:OLEObject Type="Embed" r:id="o{number}"/></w:object></w:r></w:p>'
        for number in range(len(objects))
    )
    parts = {f"embeddings/{name}": data for name, data in objects.items()}
    return word(body, parts, {f"o{n}": ("package", f"embeddings/{name}") for n, name in enumerate(objects)})


def test_files_in_a_docx_are_read_under_their_names() -> None:
    inner = word(p("附件正文"))
    content = read(
        with_objects(
            {
                "Doc1.docx": inner,
                "oleObject1.bin": native("报价单.txt", "单价 100 元".encode()),
                "oleObject2.bin": ole({"Package": word(p("in a package"))}),
            }
        ),
        "a.docx",
    )
    assert content.text == (
        "see\n\nsee\n\nsee\n\n--- File: Doc1.docx ---\n\n附件正文\n\n--- File: 报价单.txt ---\n\n单价 100 元\n\n"
        "--- File: oleObject2 ---\n\nin a package"
    )
    assert content.members == ("Doc1.docx", "报价单.txt", "oleObject2")
    assert content.status is Status.OK


def test_a_file_that_stands_twice_is_read_once() -> None:
    inner = word(p("once"))
    text = read(with_objects({"a.docx": inner, "b.docx": inner}), "a.docx").text or ""
    assert text.count("once") == 1


def test_an_object_of_a_program_that_nobody_reads_does_not_make_the_document_partial() -> None:
    objects = {"oleObject1.bin": ole({"Equation Native": b"x"}), "oleObject2.bin": native("a.exe", b"MZ" + bytes(300))}
    content = read(with_objects(objects), "a.docx")
    assert (content.status, content.note) == (Status.OK, None)
    assert "--- File: a.exe ---" in (content.text or "")


def test_a_broken_object_is_passed_over() -> None:
    content = read(with_objects({"oleObject1.bin": bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100)}), "a.docx")
    assert (content.text, content.status) == ("see", Status.OK)


def test_other_documents_and_files_in_a_doc_are_read() -> None:
    def inside(data: bytes, folder: str) -> dict[str, bytes]:
        with olefile.OleFileIO(io.BytesIO(data)) as found:
            return {f"ObjectPool/{folder}/{path[0]}": found.openstream(path).read() for path in found.listdir()}

    streams = inside(doc([para("inner words")]), "_11")
    streams |= {"ObjectPool/_12/Workbook": workbook8({"Sheet1": label(0, 0, "in a sheet")})}
    content = wrapped("说明.txt", b"by the packager")
    streams |= {"ObjectPool/_13/\x01Ole10Native": struct.pack("<I", len(content)) + content}
    runs: list[tuple[str, bytes]] = []
    for number in (11, 12, 13):
        place = sprm(0x6A03, number, "<I") + sprm(0x080A, 1)
        runs += [("\x13 EMBED X ", b""), ("\x14", place), ("\x15", b"")]
    text = read(doc([para("outer"), Para(runs)], WordParts(streams=streams)), "a.doc").text or ""
    assert text.startswith("outer\n\n--- File: object 1.doc ---\n\ninner words")
    assert "--- File: object 2.xls ---" in text
    assert "in a sheet" in text
    assert "--- File: 说明.txt ---\n\nby the packager" in text


def test_files_in_an_rtf_are_read_and_links_to_files_are_not() -> None:
    def object_of(kind: bytes, data: bytes, form: int = 2) -> str:
        head = struct.pack("<III", 0x501, form, len(kind) + 1) + kind + b"\0" + struct.pack("<II", 0, 0)
        return rf"{{\object{{\*\objdata {(head + struct.pack('<I', len(data)) + data).hex()}}}{{\result x}}}}"

    body = object_of(b"Package", wrapped("合同.txt", "甲方".encode()))
    body += object_of(b"Word.Document.12", ole({"Package": word(p("in a package"))}))
    body += object_of(b"Package", wrapped("link.txt", b"never"), form=1)
    text = read(rf"{{\rtf1\ansi see {body}}}".encode(), "a.rtf").text or ""
    assert "--- File: 合同.txt ---\n\n甲方" in text
    assert "--- File: object 2 ---\n\nin a package" in text
    assert "never" not in text


def test_a_chunk_of_another_format_is_read_where_it_stands() -> None:
    archive = (
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
        "--b\nContent-Type: text/html; charset=utf-8\n\n<p>导出的网页</p>\n--b--\n"
    )
    chunks = {"c.mht": archive, "d.rtf": r"{\rtf1 from rtf}", "e.docx": word(p("from docx"))}
    for name, words in zip(chunks, ("导出的网页", "from rtf", "from docx"), strict=True):
        data = word(f'{p("before")}<w:altChunk r:id="x"/>{p("after")}', {name: chunks[name]}, {"x": ("aFChunk", name)})
        content = read(data, "a.docx")
        assert content.text == f"before\n\n--- File: {name} ---\n\n{words}\n\n[note: the end of {name}]\n\nafter"
        assert content.status is Status.OK


def test_a_bomb_inside_an_object_is_bounded() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 30_000_000)
    inner = buffer.getvalue()
    for _ in range(6):
        inner = with_objects({"a.docx": inner})
    assert read(inner, "a.docx").status in {Status.OK, Status.PARTIAL}


def test_the_result_of_a_field_with_an_object_is_kept() -> None:
    assert read(doc([para(field_text(" EMBED Excel.Sheet.8 ", "shown"))]), "a.doc").text == "shown"
