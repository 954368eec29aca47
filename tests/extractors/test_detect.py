"""What a file is taken for: content before names, names before nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import time
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


ODF = "application/vnd.oasis.opendocument"
PAGE = b"<!DOCTYPE html>\n<html><head><title>t</title></head><body><p>x</p></body></html>"
LETTER = (
    b"Received: by mx.example\r\nMessage-ID: <1@example>\r\nFrom: a@example\r\nTo: b@example\r\nSubject: x\r\n\r\nBody"
)
SAVED_PAGE = (
    b"From: <Saved by Blink>\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="b"\r\n\r\n--b\r\n'
)
FLAT = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<office:document xmlns:office="urn:oasis" '
    b'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body/></office:document>'
)
DRAWING = b'<?xml version="1.0"?><!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg"/>'
XHTML = b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">\n<html xmlns="h"/>'
WORDML = b'<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="w"/>'
ROWS = "姓名\t金额\n甲\t1\n乙\t2\n".encode()
MANIFEST = (
    b'<manifest:manifest xmlns:manifest="m"><manifest:file-entry manifest:media-type='
    b'"application/vnd.oasis.opendocument.spreadsheet" manifest:full-path="/"/></manifest:manifest>'
)
WEBM = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm" + bytes(9)


def tarred(name: str, data: bytes, tar_format: int = tarfile.USTAR_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tar_format) as archive:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def without_magic(tar: bytes) -> bytes:
    """The tar as it was before the magic word: the sum of the header is made right again."""
    header = bytearray(tar[:512])
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + tar[512:]


#: What people rename, systems export, and attackers try: (what it is, bytes, name, media type, in conflict).
RENAMED = [
    ("a page named doc", PAGE, "report.doc", "text/html", True),
    ("a page named pdf", PAGE, "report.pdf", "text/html", True),
    ("a page named txt", PAGE, "page.txt", "text/html", True),
    ("a page named csv", PAGE, "export.csv", "text/html", True),
    ("a page named json", PAGE, "error.json", "text/html", True),
    ("a page in utf-16 named xls", PAGE.decode().encode("utf-16"), "a.xls", "text/html", True),
    ("a page without a name", PAGE, None, "text/html", False),
    ("a page after a comment", b"<!-- saved from url -->\n<html></html>", None, "text/html", False),
    ("a table exported as xls", b"<table><tr><td>1</td></tr></table>", "a.xls", "text/html", True),
    ("a table exported as xlsx", b"<meta charset=gbk><table></table>", "a.xlsx", "text/html", True),
    ("a piece of a page in txt", b"<div>how to write a div</div>", "notes.txt", "text/plain", False),
    ("a piece of a page in md", b"<p align=center>Title</p>\n# Title", "README.md", "text/markdown", False),
    ("php that is a page", PAGE, "index.php", "text/plain", False),
    ("a template of a page", PAGE, "base.html.j2", "text/plain", False),
    ("a component that is a page", PAGE, "App.vue", "text/plain", False),
    ("xhtml", XHTML, "a.xhtml", "text/html", False),
    ("xhtml named xml", XHTML, "a.xml", "text/html", False),
    ("a letter", LETTER, "a.eml", "message/rfc822", False),
    ("a letter without a name", LETTER, None, "message/rfc822", False),
    ("a letter named txt", LETTER, "a.txt", "message/rfc822", True),
    ("a letter named msg", LETTER, "a.msg", "message/rfc822", True),
    ("a letter that only its name tells", b"Hello", "a.eml", "message/rfc822", False),
    ("a letter with parts", LETTER.replace(b"Subject", b"Content-Type: multipart/related\r\nSubject"), None,
     "message/rfc822", False),
    ("headings that are no letter", b"Subject: none\nTo do: much\n\ntext", "a.txt", "text/plain", False),
    ("mhtml", SAVED_PAGE, "a.mhtml", "multipart/related", False),
    ("mhtml named doc", SAVED_PAGE, "a.doc", "multipart/related", True),
    ("mhtml named html", SAVED_PAGE, "a.html", "multipart/related", True),
    ("mhtml without a name", SAVED_PAGE, None, "multipart/related", False),
    ("rtf after a blank line", b"\r\n{\\rtf1 x}", "a.rtf", "application/rtf", False),
    ("rtf named docx", b"{\\rtf1 x}", "a.docx", "application/rtf", True),
    ("values with tabs named xls", ROWS, "a.xls", "text/tab-separated-values", True),
    ("values with commas named xlsx", ROWS.replace(b"\t", b","), "a.xlsx", "text/csv", True),
    ("values with tabs named txt", ROWS, "a.txt", "text/plain", False),
    ("prose named xls", b"Dear all,\nsee below.\n", "a.xls", "text/plain", True),
    ("flat spreadsheet", FLAT, "a.fods", f"{ODF}.spreadsheet-flat-xml", False),
    ("flat spreadsheet named xml", FLAT, "a.xml", f"{ODF}.spreadsheet-flat-xml", False),
    ("flat spreadsheet without a name", FLAT, None, f"{ODF}.spreadsheet-flat-xml", False),
    ("flat text template", FLAT.replace(b"spreadsheet", b"text-template"), "a.fodt", f"{ODF}.text-flat-xml", False),
    ("drawing", DRAWING, "a.svg", "image/svg+xml", False),
    ("drawing named xml", DRAWING, "a.xml", "image/svg+xml", False),
    ("drawing named png", DRAWING, "a.png", "image/svg+xml", True),
    ("Word's xml of 2003", WORDML, "a.xml", "application/xml", False),
    ("xml without a declaration", b'<a xmlns="u"/>', None, "application/xml", False),
    ("open document under a false type", zipped({"mimetype": b"application/pdf"}), "a.pdf", "application/zip", True),
    ("epub", zipped({"mimetype": b"application/epub+zip"}), "a.epub", "application/epub+zip", False),
    ("epub named zip", zipped({"mimetype": b"application/epub+zip"}), "a.zip", "application/epub+zip", False),
    ("pages of 2009", zipped({"index.xml": b"", "buildVersionHistory.plist": b""}), "a.pages",
     "application/vnd.apple.pages", False),
    ("keynote as its folder", zipped({"T.key/Index.zip": b"", "T.key/Metadata/DocumentIdentifier": b""}), "T.key",
     "application/vnd.apple.keynote", False),
    ("archive with an index of its own", zipped({"index.xml": b"", "a.txt": b""}), "a.zip", "application/zip", False),
    ("archive that was to be split", b"PK00" + zipped({"a.txt": b"a"}), "a.zip", "application/zip", False),
    ("empty archive", zipped({}), "a.zip", "application/zip", False),
    ("drawing of Visio", zipped({"visio/document.xml": b""}), "a.vsdx", "application/vnd.ms-visio.drawing", False),
    ("app for phones", zipped({"AndroidManifest.xml": b""}), "a.apk", "application/vnd.android.package-archive", False),
    ("app for phones named zip", zipped({"AndroidManifest.xml": b""}), "a.zip",
     "application/vnd.android.package-archive", False),
    ("java classes", zipped({"META-INF/MANIFEST.MF": b""}), "a.jar", "application/java-archive", False),
    ("tar", tarred("a.txt", b"a"), "a.tar", "application/x-tar", False),
    ("tar of old without magic", without_magic(tarred("a.txt", b"a")), "a.tar", "application/x-tar", False),
    ("tar named zip", tarred("a.txt", b"a"), "a.zip", "application/x-tar", True),
    ("gzip", gzip.compress(b"a"), "a.tar.gz", "application/gzip", False),
    ("gzip named txt", gzip.compress(b"a"), "a.txt", "application/gzip", True),
    ("drawing in gzip", gzip.compress(DRAWING), "a.svgz", "application/gzip", False),
    ("bzip2", bz2.compress(b"a"), "a.tbz2", "application/x-bzip2", False),
    ("xz", lzma.compress(b"a"), "a.txz", "application/x-xz", False),
    ("7z named zip", b"7z\xbc\xaf\x27\x1c\0\4", "a.zip", "application/x-7z-compressed", True),
    ("rar 5", b"Rar!\x1a\x07\x01\0", "a.rar", "application/vnd.rar", False),
    ("rar 4 named zip", b"Rar!\x1a\x07\0", "a.zip", "application/vnd.rar", True),
    ("excel 2 without a container", b"\x09\0\x04\0\x02\0\x10\0", "a.xls", "application/vnd.ms-excel", False),
    ("word cut off", ole()[:512], "a.doc", "application/msword", False),
    ("word cut off without a name", ole()[:512], None, "application/x-ole-damaged", False),
    ("other compound file named doc", ole("SummaryInformation"), "a.doc", "application/x-ole-storage", True),
    ("powerpoint template", ole("PowerPoint Document"), "a.pot", "application/vnd.ms-powerpoint", False),
    ("translations", b'msgid ""\nmsgstr ""\n', "messages.pot", "text/plain", False),
    ("graph", b"digraph { a -> b }", "a.dot", "text/plain", False),
    ("key in pem", b"-----BEGIN PRIVATE KEY-----\n", "server.key", "text/plain", False),
    ("sound in the container of films", b"\0\0\0\x18ftypisom" + bytes(9), "a.m4a", "audio/mp4", False),
    ("film of a phone", b"\0\0\0\x18ftyp3gp5" + bytes(9), "a.3gp", "video/3gpp", False),
    ("opendocument without its first member", zipped({"content.xml": b"<x/>", "META-INF/manifest.xml": MANIFEST}),
     "a.ods", "application/vnd.oasis.opendocument.spreadsheet", False),
    ("opendocument with a broken first member", zipped({"mimetype": b"?", "META-INF/manifest.xml": MANIFEST}), None,
     "application/vnd.oasis.opendocument.spreadsheet", False),
    ("book without its first member", zipped({"META-INF/container.xml": b"<x/>", "a.opf": b"<x/>"}), "a.epub",
     "application/epub+zip", False),
    ("book of apple", zipped({"mimetype": b"application/x-ibooks+zip"}), "a.epub", "application/epub+zip", False),
    ("archive with a list of its own", zipped({"META-INF/manifest.xml": b"<manifest/>"}), "a.zip",
     "application/zip", False),
    ("webm", WEBM, "a.webm", "video/webm", False),
    ("webm behind a long head", WEBM.replace(b"\x42\x82", b"\xec\x40\x96" + bytes(150) + b"\x42\x82"), "a.webm",
     "video/webm", False),
    ("webm called matroska", WEBM, "a.mkv", "video/x-matroska", False),
    ("matroska called webm", WEBM.replace(b"webm", b"matr"), "a.webm", "video/webm", False),
    ("sound in webm", WEBM, "a.weba", "video/webm", False),
    ("matroska", WEBM.replace(b"webm", b"matr"), "a.mkv", "video/x-matroska", False),
    ("avif by its second brand", b"\0\0\0\x20ftypmif1\0\0\0\0avifmif1miaf", "a.avif", "image/avif", False),
    ("mp3 without tags", b"\xff\xfb\x90\x64" + bytes(9), "a.mp3", "audio/mpeg", False),
    ("aac behind tags", b"ID3\x03\0\0\0\0\0\x02\0\0\xff\xf1\x50\x80" + bytes(9), "a.aac", "audio/aac", False),
    ("flac behind tags", b"ID3\x04\0\0\0\0\0\x00fLaC" + bytes(9), "a.flac", "audio/flac", False),
    ("compress", b"\x1f\x9d\x90" + bytes(9), "a.tar.Z", "application/x-compress", False),
    ("bzip2 of nothing", bz2.compress(b""), "a.bz2", "application/x-bzip2", False),
    ("letter of few fields", b"From: a\nTo: b\nSubject: c\n\nbody\n", None, "message/rfc822", False),
    ("letter with its date first", b"Date: Tue\nFrom: a\nTo: b\nSubject: c\nX-Y: z\n\nbody\n",
     None, "message/rfc822", False),
    ("letter as a mailbox keeps it", b"From a@b Mon May  2 16:07:05 2005\nMIME-Version: 1.0\n\nbody\n",
     None, "message/rfc822", False),
    ("letter with its size before it", b"120  \nReceived: x\nFrom: a\n\nbody\n", "a.emlx", "message/rfc822", False),
    ("letter with blanks before colons", b"From  : a\nTo    : b\nSubject : c\n\nbody\n", None, "message/rfc822", False),
    ("head copied out of a mail program", b"From: a\nSent: Monday\nTo: b\nSubject: c\n\nbody\n",
     None, "text/plain", False),
    ("notes that begin like a letter", b"From: a\nTo: b\nSubject: c\nPlan: d\n\nbody\n", None, "text/plain", False),
    ("letters", b"From a 10:00\nMIME-Version: 1\n\nb\n\nFrom c 10:00\nTo: d\n\ne\n", None, "application/mbox", False),
    ("signed file", b"\x30\x82\x01\0\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02",
     "a.xml.p7m", "application/pkcs7-mime", False),
    ("text in utf-32 without a mark", "你好\n".encode("utf-32-le"), "a.csv", "text/csv", False),
    ("windows media", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", "a.wmv", "video/x-ms-wmv", False),
    ("program named as a picture of a document", b"MZ" + bytes(99), "invoice.pdf.exe",
     "application/vnd.microsoft.portable-executable", False),
    ("program behind a turned name", b"MZ" + bytes(99), "invoice\u202efdp.exe",
     "application/vnd.microsoft.portable-executable", False),
    ("program for the web", b"\0asm\1\0\0\0", "a.txt", "application/wasm", True),
    ("shortcut named pdf", b"L\0\0\0\x01\x14\x02\0" + bytes(9), "a.pdf", "application/x-ms-shortcut", True),
    ("database named txt", b"SQLite format 3\0" + bytes(9), "a.txt", "application/vnd.sqlite3", True),
    ("noise without a name", bytes(range(256)) * 4, None, OCTETS, False),
    ("noise under an unknown suffix", bytes(range(256)) * 4, "a.xyz", OCTETS, False),
    ("text under an unknown suffix", b"words", "a.xyz", "text/plain", False),
    ("log filled up with nothing", b"line\n" + bytes(500), "a.log", "text/plain", False),
    ("only nothing", bytes(500), "a.log", "text/plain", False),
    ("text in utf-32", "你好".encode("utf-32"), "a.txt", "text/plain", False),
    ("model number that looks like a drawing", b"AC10 is a model.", "a.txt", "text/plain", False),
    ("script without a suffix", b"#!/bin/sh\necho hi\n", "install", "text/plain", False),
    ("makefile", b"all:\n\techo\n", "Makefile", "text/plain", False),
    ("jenkinsfile", b"pipeline {}", "ci/Jenkinsfile", "text/plain", False),
    ("hidden settings", b"root = true", ".editorconfig", "text/plain", False),
    ("notebook", b'{"cells": []}', "a.ipynb", "application/x-ipynb+json", False),
    ("name that ends in blanks", PDF, "报告.pdf \u200b", "application/pdf", False),
    ("full-width suffix", PDF, "报告．ＰＤＦ", "application/pdf", False),
    ("name of nothing but dots", PDF, "...", "application/pdf", False),
    ("name with a line break", PDF, "a.pdf\nb.docx", "application/pdf", True),
]  # fmt: skip
CASES += [
    pytest.param(data, name, media_type, None, conflict, id=what) for what, data, name, media_type, conflict in RENAMED
]


@pytest.mark.parametrize(("data", "name", "media_type", "method", "conflict"), CASES)
def test_content_decides_and_the_name_fills_in(
    data: bytes, name: str | None, media_type: str, method: str | None, conflict: bool
) -> None:
    found = detect(Job(data=data, name=name))

    assert (found.media_type, found.conflict) == (media_type, conflict)
    assert method in {None, found.method}


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


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"<!-- " * 4_000, id="comments that never end"),
        pytest.param(b"<?xml " * 4_000, id="declarations that never end"),
        pytest.param(b"<!DOCTYPE x [" * 2_000, id="subsets that never end"),
        pytest.param(b"Received: x\r\n" + b" \t  \r\n" * 3_000, id="fields that never end"),
        pytest.param(b"<a " + b"x=" * 8_000, id="a root that never ends"),
        pytest.param(b"\n" * 16_000, id="blank lines"),
    ],
)
def test_no_text_makes_the_guessing_long(data: bytes) -> None:
    started = time.perf_counter()

    assert detect_media_type(data) in {"text/plain", "application/xml"}
    assert time.perf_counter() - started < 0.5


def test_a_mismatch_is_never_raised_for_an_encrypted_document() -> None:
    data = ole("EncryptionInfo", "EncryptedPackage")

    assert {detect(Job(data=data, name=name)).conflict for name in ("a.docx", "a.xlsx", "a.pptx", None)} == {False}


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
