"""What the first bytes say: signatures and the shape of text. Stdlib only."""

from __future__ import annotations

import re

from extractors._charset import utf16_without_mark

OLE = "application/x-ole-storage"
ZIP = "application/zip"

#: A PDF reader looks for the header this far into the file.
PDF_HEADER_WITHIN_BYTES = 1024
TEXT_SAMPLE_BYTES = 64 * 1024
#: Text has hardly any control characters besides tab, line ends, form feed, backspace and escape (terminal logs).
MAX_CONTROL_SHARE = 0.01

#: (offset, bytes, media type); the first that fits counts.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"II+\0", "image/tiff"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (4, b"1AY&SY", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"ID3\x02", "audio/mpeg"),
    (0, b"ID3\x03", "audio/mpeg"),
    (0, b"ID3\x04", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"fLaC\0", "audio/flac"),
    (0, b"OggS\0", "audio/ogg"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"\x1a\x45\xdf\xa3", "video/x-matroska"),
    (0, b"%!PS", "application/postscript"),
    (0, b"\x09\x02\x06\0", "application/vnd.ms-excel"),  # Excel 3 and 4 had no container
    (0, b"\x09\x04\x06\0", "application/vnd.ms-excel"),
)
_RIFF_TYPES = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
#: Major brands of ISO media files; any other brand is video.
_FTYP_BRANDS = {
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
    **dict.fromkeys((b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"), "image/heic"),
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_BMP_HEADER_SIZES = frozenset({12, 40, 52, 56, 64, 108, 124})
_PDF_OBJECT = re.compile(rb"\b\d+ \d+ obj\b")
_CONTROL = bytes(b for b in range(0x20) if b not in b"\t\n\r\f\b\x1b") + b"\x7f"
_HTML = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body|table|meta)\b", re.I | re.S)
_XML = re.compile(rb"\s*<\?xml\b")
_MHTML = re.compile(rb"^content-type:\s*multipart/related", re.I | re.M)


def type_of_signature(data: bytes) -> str | None:
    """The media type by magic bytes; what `ZIP` and `OLE` hold is another question."""
    if data.startswith(b"RIFF") and data[8:12] in _RIFF_TYPES:
        return _RIFF_TYPES[data[8:12]]
    if data[4:8] == b"ftyp":
        return _FTYP_BRANDS.get(data[8:12], "video/mp4")
    for offset, magic, media_type in _SIGNATURES:
        if data.startswith(magic, offset):
            return media_type
    return _weak_signature(data)


def _weak_signature(data: bytes) -> str | None:
    """Signatures that are words too, so that something else must agree."""
    if data.startswith(b"BM") and int.from_bytes(data[14:18], "little") in _BMP_HEADER_SIZES:
        return "image/bmp"
    if data.startswith(b"MZ") and b"\0" in data[:64]:
        return "application/vnd.microsoft.portable-executable"
    header_at = data.find(b"%PDF-", 0, PDF_HEADER_WITHIN_BYTES)
    if header_at == 0 or (header_at > 0 and _PDF_OBJECT.search(data, header_at)):
        return "application/pdf"
    return None


def is_text(data: bytes) -> bool:
    """True when the bytes have the shape of text in some encoding."""
    sample = data[:TEXT_SAMPLE_BYTES]
    if sample.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    if b"\0" in sample:
        return utf16_without_mark(sample) is not None
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    return bool(sample) and controls <= len(sample) * MAX_CONTROL_SHARE


def type_of_text(data: bytes) -> str:
    """The kind of text by how it begins."""
    head = data[:4096].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe")
    if _HTML.match(head):
        return "text/html"
    if _XML.match(head):
        return "image/svg+xml" if b"<svg" in head else "application/xml"
    return "multipart/related" if _MHTML.search(head) and b"MIME-Version:" in head else "text/plain"
