"""What the first bytes say: signatures and the shape of text. Stdlib only."""

from __future__ import annotations

import re

from extractors._charset import KOREAN_SWITCH, wide_without_mark

OLE = "application/x-ole-storage"
ZIP = "application/zip"
TAR = "application/x-tar"
GZIP = "application/gzip"
EMF, WMF, SVM = "image/emf", "image/wmf", "image/x-svm"
PICT = "image/x-pict"
_PICT_VERSION = b"\0\x11\x02\xff"

TAR_BLOCK_BYTES = 512
_TAR_CHECKSUM = slice(148, 156)
#: A PDF reader looks for the header this far into the file.
PDF_HEADER_WITHIN_BYTES = 1024
TEXT_SAMPLE_BYTES = 64 * 1024
#: Text has hardly any control characters besides tab, line ends, form feed, backspace and escape (terminal logs).
MAX_CONTROL_SHARE = 0.01

#: (offset, bytes, media type); the first that fits counts.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"PK00PK\x03\x04", ZIP),  # the mark of an archive that was split, and is not
    (0, b"PK\x07\x08PK\x03\x04", ZIP),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"II+\0", "image/tiff"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"\x1f\x8b\x08", GZIP),
    (4, b"1AY&SY", "application/x-bzip2"),
    (4, b"\x17\x72\x45\x38\x50\x90", "application/x-bzip2"),  # of nothing
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"\x1f\x9d", "application/x-compress"),
    (0, b"\x04\x22\x4d\x18", "application/x-lz4"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\0asm", "application/wasm"),
    (0, b"L\0\0\0\x01\x14\x02\0", "application/x-ms-shortcut"),
    (0, b"MSCF\0\0\0\0", "application/vnd.ms-cab-compressed"),
    (0, b"!<arch>\n", "application/x-archive"),
    (0, b"ITSF\x03\0\0\0", "application/vnd.ms-htmlhelp"),
    (0, b"\x78\x9f\x3e\x22", "application/vnd.ms-tnef"),
    (0, b"!BDN", "application/vnd.ms-outlook-pst"),
    (0, b"bplist00", "application/x-bplist"),
    (0, b"8BPS\0\x01", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (0, b"\xff\x4f\xff\x51\0", "image/jp2"),  # without a box around it
    (0, b"\xd7\xcd\xc6\x9a", WMF),
    (0, b"\x01\0\x09\0\0\x03", WMF),  # without the header that says how large it is
    (0, b"\x02\0\x09\0\0\x03", WMF),
    (0, b"VCLMTF\x01\0", SVM),
    (0, b"\0\x01\0\0\0", "font/ttf"),
    (0, b"OTTO\0", "font/otf"),
    (0, b"wOFF\0", "font/woff"),
    (0, b"wOF2\0", "font/woff2"),
    (32769, b"CD001", "application/x-iso9660-image"),
    *((0, b"\xff" + bytes([layer]), "audio/mpeg") for layer in (0xFB, 0xFA, 0xF3, 0xF2)),
    *((0, b"\xff" + bytes([layer]), "audio/aac") for layer in (0xF1, 0xF9)),
    (0, b"fLaC\0", "audio/flac"),
    (0, b"OggS\0", "audio/ogg"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"\x1a\x45\xdf\xa3", "video/x-matroska"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\0\0\x01\xba", "video/mpeg"),
    (0, b"%!PS", "application/postscript"),
    (0, b"\x09\0\x04\0", "application/vnd.ms-excel"),  # Excel 2
    (0, b"\x09\x02\x06\0", "application/vnd.ms-excel"),  # Excel 3 and 4 had no container
    (0, b"\x09\x04\x06\0", "application/vnd.ms-excel"),
)
_RIFF_TYPES = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
#: Major brands of ISO media files; any other brand is video.
_FTYP_BRANDS = {
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
    **dict.fromkeys((b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"), "image/heic"),
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    **dict.fromkeys((b"3gp4", b"3gp5", b"3gp6"), "video/3gpp"),
    b"qt  ": "video/quicktime",
}
_BMP_HEADER_SIZES = frozenset({12, 40, 52, 56, 64, 108, 124})
#: What a Targa file ends with; its first bytes could be anything.
TARGA_END = b"TRUEVISION-XFILE.\0"
#: Kind, width and height of a portable map, with remarks between them.
_PORTABLE_MAP = re.compile(rb"P([1-6])" + rb"(?:\s+#[^\n]{0,200})*\s+(\d{1,6})" * 2 + rb"\s")
_PORTABLE_DIGITS_WITHIN_BYTES = 1024
#: Bits that a pixel takes at least, by the kind.
_PORTABLE_BITS = {b"4": 1, b"5": 8, b"6": 24}
_PDF_OBJECT = re.compile(rb"\b\d+ \d+ obj\b")
#: The element of a Matroska file that says what is made of it.
_IS_WEBM = re.compile(rb"\x42\x82[\x80-\xff]webm")
_WEBM_WITHIN_BYTES = 4096
_ID3_HEADER_BYTES = 10
_SIGNED_OR_SEALED = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"
_CONTROL = bytes(b for b in range(0x20) if b not in b"\t\n\r\f\b\x1b") + b"\x7f"


def type_of_signature(data: bytes) -> str | None:
    """The media type by magic bytes; what `ZIP` and `OLE` hold is another question."""
    if data.startswith(b"RIFF") and data[8:12] in _RIFF_TYPES:
        return _RIFF_TYPES[data[8:12]]
    if data.startswith(b"FORM") and data[8:12] in {b"AIFF", b"AIFC"}:
        return "audio/aiff"
    if data[4:8] == b"ftyp":
        return _type_of_brand(data)
    if data.startswith((b"ID3\2", b"ID3\3", b"ID3\4")):
        return _type_behind_tags(data)
    for offset, magic, media_type in _SIGNATURES:
        if data.startswith(magic, offset):
            is_webm = media_type == "video/x-matroska" and _IS_WEBM.search(data, 0, _WEBM_WITHIN_BYTES)
            return "video/webm" if is_webm else media_type
    return _weak_signature(data)


def _type_behind_tags(data: bytes) -> str:
    """A recording with ID3 tags before it, by what follows them."""
    size = 0
    for byte in data[6:_ID3_HEADER_BYTES]:
        size = size << 7 | byte & 0x7F
    sound = data[_ID3_HEADER_BYTES + size :][:4]
    return (
        "audio/flac" if sound == b"fLaC" else "audio/aac" if sound[:2] in {b"\xff\xf1", b"\xff\xf9"} else "audio/mpeg"
    )


def _type_of_brand(data: bytes) -> str:
    """An ISO media file by its major brand, and an image that is called by its family's name by the others."""
    media_type = _FTYP_BRANDS.get(data[8:12], "video/mp4")
    others = data[16 : min(int.from_bytes(data[:4], "big"), 256)]
    return "image/avif" if media_type == "image/heic" and b"avif" in others else media_type


def _weak_signature(data: bytes) -> str | None:
    """Signatures that are words too, so that something else must agree."""
    header_at = data.find(b"%PDF-", 0, PDF_HEADER_WITHIN_BYTES)
    found = {
        EMF: data.startswith(b"\x01\0\0\0") and data[40:44] == b" EMF",
        "image/bmp": data.startswith(b"BM") and int.from_bytes(data[14:18], "little") in _BMP_HEADER_SIZES,
        "application/vnd.microsoft.portable-executable": data.startswith(b"MZ") and b"\0" in data[:64],
        # What a file of its own begins with says nothing; in documents it is left away.
        PICT: _PICT_VERSION in {data[10:14], data[522:526]},
        "image/x-portable-anymap": data.startswith(b"P") and _is_portable_map(data),
        "image/x-tga": data.endswith(TARGA_END),
        "image/vnd.dwg": data.startswith(b"AC10") and b"\0" in data[6:12],
        "application/x-dex": data.startswith(b"dex\n0") and data[7:8] == b"\0",
        "application/pkcs7-mime": data[:1] == b"\x30" and _SIGNED_OR_SEALED in data[:24],
        "application/rtf": data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"),
        TAR: is_tar_header(data[:TAR_BLOCK_BYTES]),
        "application/pdf": header_at == 0 or (header_at > 0 and _PDF_OBJECT.search(data, header_at) is not None),
    }
    return next((media_type for media_type, is_it in found.items() if is_it), None)


def _is_portable_map(data: bytes) -> bool:
    """True where all the pixels are there that the first words promise, or nothing but numbers."""
    if (head := _PORTABLE_MAP.match(data)) is None:
        return False
    if (bits := _PORTABLE_BITS.get(head[1])) is None:
        return data[head.end() : _PORTABLE_DIGITS_WITHIN_BYTES].translate(None, b"0123456789 \t\r\n") == b""
    return len(data) - head.end() >= int(head[2]) * int(head[3]) * bits // 8 > 0


def is_tar_header(head: bytes) -> bool:
    """True for the first block of a tar of any age: the sum of its bytes stands in it."""
    digits = head[_TAR_CHECKSUM].strip(b" \0")
    if len(head) < TAR_BLOCK_BYTES or not digits or digits.translate(None, b"01234567"):
        return False
    blank = head[: _TAR_CHECKSUM.start] + b" " * 8 + head[_TAR_CHECKSUM.stop :]
    return int(digits, 8) == sum(blank)


def is_text(data: bytes) -> bool:
    """True when the bytes have the shape of text in some encoding."""
    # Logs are often filled up with NULs, which say nothing of what stands before them.
    sample = data[:TEXT_SAMPLE_BYTES].rstrip(b"\0") if data[:1] != b"\0" else data[:TEXT_SAMPLE_BYTES]
    if sample.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0\0\xfe\xff")):
        return True
    if b"\0" in sample:
        return wide_without_mark(data[:TEXT_SAMPLE_BYTES]) is not None
    shifts = b"\x0e\x0f" if KOREAN_SWITCH in sample else b""
    controls = len(sample.translate(None, shifts)) - len(sample.translate(None, _CONTROL))
    return bool(sample) and controls <= len(sample) * MAX_CONTROL_SHARE
