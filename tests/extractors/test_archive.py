"""Archives: every kind is opened, names come out right, and nothing hostile gets through or takes long."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import hmac
import importlib
import io
import lzma
import stat
import struct
import tarfile
import time
import zipfile
import zlib
from typing import Any

import py7zr
import pytest
import rars
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors import ExtractedContent, ExtractLimits, Status
from extractors._archives.names import decoded_names
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import Job
from extractors.extract import extract

MIB = 1024 * 1024
TWO = {"目录/文本.txt": "第一章 总则", "a.md": "# head"}


def read(data: bytes, name: str = "a.zip", password: str | None = None, **limits: int) -> ExtractedContent:
    budget = Budget(limits=ExtractLimits(**limits))
    job = Job(data=data, name=name, metadata={"password": password} if password else {})
    return assemble(extract(job, budget), size_bytes=len(data), limits=budget.limits)


def zipped(members: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members: dict[str, bytes | str], *infos: tarfile.TarInfo, encoding: str = "utf-8") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, encoding=encoding) as archive:
        for info in infos:
            archive.addfile(info)
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def seven_zipped(members: dict[str, bytes | str], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with py7zr.SevenZipFile(buffer, "w", **options) as archive:
        for name, data in members.items():
            archive.writestr(data, name)
    return buffer.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def rared(members: dict[str, bytes | str], **options: Any) -> bytes:
    builder = rars.RarBuilder(**options)
    for name, data in members.items():
        builder.add_bytes(data.encode() if isinstance(data, str) else data, name)
    packed: bytes = builder.to_bytes()
    return packed


# --- every kind -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(zipped(TWO), "a.zip", id="zip"),
        pytest.param(zipped(TWO, zipfile.ZIP_STORED), "a.zip", id="zip, stored"),
        pytest.param(zipped(TWO, zipfile.ZIP_BZIP2), "a.zip", id="zip, bzip2"),
        pytest.param(zipped(TWO, zipfile.ZIP_LZMA), "a.zip", id="zip, lzma"),
        pytest.param(tarred(TWO), "a.tar", id="tar"),
        pytest.param(gzip.compress(tarred(TWO)), "a.tgz", id="tgz"),
        pytest.param(gzip.compress(tarred(TWO)), "backup", id="tgz without a suffix"),
        pytest.param(bz2.compress(tarred(TWO)), "a.tar.bz2", id="tar.bz2"),
        pytest.param(lzma.compress(tarred(TWO)), "a.tar.xz", id="tar.xz"),
        pytest.param(seven_zipped(TWO), "a.7z", id="7z"),
        pytest.param(seven_zipped(TWO, filters=[{"id": py7zr.FILTER_ZSTD}]), "a.7z", id="7z, zstandard"),
        pytest.param(seven_zipped(TWO, filters=[{"id": py7zr.FILTER_BZIP2}]), "a.7z", id="7z, bzip2"),
        pytest.param(seven_zipped(TWO, filters=[{"id": py7zr.FILTER_COPY}]), "a.7z", id="7z, stored"),
    ],
)
def test_every_kind_of_archive_gives_its_files(data: bytes, name: str) -> None:
    content = read(data, name)

    assert content.status is Status.OK
    assert content.members == ("目录/文本.txt", "a.md")
    assert content.text == "--- File: 目录/文本.txt ---\n\n第一章 总则\n\n--- File: a.md ---\n\n# head"


@pytest.mark.parametrize("generation", ["RAR15", "RAR20", "RAR29", "RAR50", "RAR70"])
def test_rar_of_every_generation_gives_its_files(generation: str) -> None:
    members = {"a.txt": "第一章 总则 " * 50, "b/c.md": "# head"}
    content = read(rared(members, format=getattr(rars, generation)), "a.rar")

    assert content.status is Status.OK
    assert content.members == ("a.txt", "b/c.md")
    assert content.text is not None
    assert content.text.count("第一章") == 50


def test_rar_without_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("extractors._archives.rar_file"), "rars", None)
    content = read(b"Rar!\x1a\x07\x01\x00" + bytes(50), "a.rar")

    assert (content.status, content.note) == (Status.UNSUPPORTED, "no reader for RAR here: the package rars is missing")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (gzip.compress("第一章".encode("gb18030")), "说明.txt.gz"),
        (bz2.compress("第一章".encode()), "a.txt.bz2"),
        (lzma.compress("第一章".encode()), "a.txt.xz"),
        (gzip.compress("第一".encode()) + gzip.compress("章".encode()), "two streams.gz"),
        (gzip.compress("第一章".encode()) + bytes(700), "filled up.gz"),
    ],
)
def test_one_compressed_file_is_just_that_file(data: bytes, name: str) -> None:
    content = read(data, name)

    assert (content.status, content.text, content.members) == (Status.OK, "第一章", ())


def test_a_compressed_table_is_read_by_its_own_name() -> None:
    assert (read(gzip.compress(b"a,b\n1,2\n"), "x.csv.gz").text or "").startswith("| a | b |")


def test_the_name_that_gzip_has_kept_helps_where_there_is_no_other() -> None:
    buffer = io.BytesIO()
    with gzip.GzipFile("x.csv", "wb", fileobj=buffer) as file:
        file.write(b"a,b\n1,2\n")

    assert (read(buffer.getvalue(), "download").text or "").startswith("| a | b |")


def test_an_archive_without_files_is_said_to_be_empty() -> None:
    for data, name in ((zipped({}), "a.zip"), (tarred({}), "a.tar"), (seven_zipped({}), "a.7z")):
        content = read(data, name)
        assert content.status is Status.REJECTED
        assert content.text is None


def test_folders_are_no_files() -> None:
    assert read(zipped({"a/": "", "a/b.txt": "b"})).members == ("a/b.txt",)


def test_what_systems_add_is_no_loss() -> None:
    content = read(zipped({"a.txt": "a", "__MACOSX/._a.txt": "junk", ".DS_Store": "junk", "b/Thumbs.db": "junk"}))

    assert (content.status, content.members) == (Status.OK, ("a.txt",))
    assert "made by the system" in (content.text or "")


def test_a_7z_packed_in_a_way_that_is_not_safe_is_named() -> None:
    data = seven_zipped({"a.txt": "x" * 99}, filters=[{"id": py7zr.FILTER_PPMD, "order": 6, "mem": 24}])
    content = read(data, "a.7z")

    assert content.members == ()
    assert "a.txt (packed in a way that is not read)" in (content.text or "")


# --- names ------------------------------------------------------------------------------------------------------------


def zipped_in(encoding: str, names: list[str]) -> bytes:
    """As systems pack that know nothing of Unicode: bytes of their own and no mark."""
    marks = [f"{number:04}".ljust(len(name.encode(encoding)), "x") for number, name in enumerate(names)]
    data = zipped(dict.fromkeys(marks, "x"), zipfile.ZIP_STORED)
    for mark, name in zip(marks, names, strict=True):
        data = data.replace(mark.encode(), name.encode(encoding))
    return data


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gb18030", ["报告/季度.txt", "图片.txt", "合同（终稿）.txt"]),
        ("gb18030", ["图片.txt"]),  # its bytes are valid UTF-8 too
        ("gb18030", ["季度.txt"]),
        ("utf-8", ["报告/季度.txt", "a.txt"]),
        ("utf-8", ["résumé.txt"]),
        ("utf-8", ["Привет.txt"]),
        ("big5hkscs", ["季度報告.txt", "財務報表.txt"]),
        ("cp932", ["文章1.txt", "新しいフォルダー/テキスト.txt"]),
        ("cp949", ["보고서.txt", "회의록.txt", "새 폴더/견적서.txt", "계약서 최종.txt"]),
        ("cp437", ["résumé.txt", "naïve café.txt"]),
        ("ascii", ["plain.txt"]),
    ],
)
def test_names_come_out_in_the_encoding_of_the_system_that_packed_them(encoding: str, names: list[str]) -> None:
    assert list(read(zipped_in(encoding, names)).members) == names


def test_names_that_are_marked_as_utf8_and_are_not_come_out_right() -> None:
    names = ["报告/季度.txt", "图片.txt"]
    longer = [name + "x" * (len(name.encode("gbk")) - len(name)) for name in names]  # as long as their bytes in GBK
    data = zipped(
        {"0" * len(name): "PK\1\2" + "inside " * 100 for name in longer[:1]} | {"1" * len(longer[1]): "x"},
        zipfile.ZIP_STORED,
    )
    for mark, name in (("0" * len(longer[0]), names[0]), ("1" * len(longer[1]), names[1])):
        data = data.replace(mark.encode(), name.encode("gbk"))
    marked = data.replace(b"PK\1\2\x14\x03\x14\0\0\0", b"PK\1\2\x14\x03\x14\0\0\x08")
    marked = marked.replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\0\x08")
    content = read(marked)

    assert content.members == tuple(names)
    assert "PK\1\2inside" in (content.text or "")


def test_names_of_a_tar_are_decoded_as_well() -> None:
    assert read(tarred({"报告/季度.txt": "x"}, encoding="gb18030"), "a.tar").members == ("报告/季度.txt",)


def test_the_name_in_unicode_beside_another_is_taken() -> None:
    info = zipfile.ZipInfo("plain.txt")
    field = struct.pack("<BI", 1, zlib.crc32(b"plain.txt")) + "真名.txt".encode()
    info.extra = struct.pack("<HH", 0x7075, len(field)) + field
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "x")

    assert read(buffer.getvalue()).members == ("真名.txt",)


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=4))
def test_no_name_makes_the_decoding_fail(raw: list[bytes]) -> None:
    assert len(decoded_names(raw)) == len(raw)


# --- passwords --------------------------------------------------------------------------------------------------------


def aes_zipped(name: str, data: bytes, password: bytes, *, strength: int = 3) -> bytes:
    """A ZIP with one entry as WinZip encrypts it, put together by hand."""
    key_bytes = {1: 16, 2: 24, 3: 32}[strength]
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(data) + packer.flush()
    salt = bytes(range(key_bytes // 2))
    keys = hashlib.pbkdf2_hmac("sha1", password, salt, 1_000, 2 * key_bytes + 2)
    encryptor = Cipher(algorithms.AES(keys[:key_bytes]), modes.ECB()).encryptor()
    blocks = range(1, -(-len(packed) // 16) + 1)
    stream = b"".join(encryptor.update(number.to_bytes(16, "little")) for number in blocks)
    cipher = bytes(a ^ b for a, b in zip(packed, stream, strict=False))
    mac = hmac.digest(keys[key_bytes : 2 * key_bytes], cipher, "sha1")[:10]
    payload = salt + keys[2 * key_bytes :] + cipher + mac
    raw_name, extra = name.encode(), struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", strength, 8)
    fields = (51, 0x801, 99, 0, 0, 0, len(payload), len(data), len(raw_name), len(extra))
    local = struct.pack("<4s5H3L2H", b"PK\3\4", *fields) + raw_name + extra + payload
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 51, *fields, 0, 0, 0, 0, 0) + raw_name + extra
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)
    return local + entry + end


def crypted(data: bytes, password: bytes) -> bytes:
    """A ZIP with one stored entry under ZipCrypto, which the standard library reads but does not write."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def crc(value: int, byte: int) -> int:
        return (zlib.crc32(bytes([byte]), value ^ 0xFFFFFFFF) ^ 0xFFFFFFFF) & 0xFFFFFFFF

    def update(byte: int) -> None:
        keys[0] = crc(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = crc(keys[2], keys[1] >> 24)

    def encrypt(byte: int) -> int:
        low = (keys[2] | 2) & 0xFFFF
        update(byte)
        return byte ^ ((low * (low ^ 1)) >> 8) & 0xFF

    for byte in password:
        update(byte)
    checksum = zlib.crc32(data)
    payload = bytes(encrypt(byte) for byte in bytes(11) + bytes([checksum >> 24]) + data)
    fields = (20, 0x1, 0, 0, 0, checksum, len(payload), len(data), 5, 0)
    local = struct.pack("<4s5H3L2H", b"PK\3\4", *fields) + b"a.txt" + payload
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, *fields, 0, 0, 0, 0, 0) + b"a.txt"
    return local + entry + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)


LOCKED = [
    pytest.param(aes_zipped("a.txt", b"hidden", b"secret", strength=1), "a.zip", id="zip, AES-128"),
    pytest.param(aes_zipped("a.txt", b"hidden", b"secret", strength=3), "a.zip", id="zip, AES-256"),
    pytest.param(crypted(b"hidden", b"secret"), "a.zip", id="zip, ZipCrypto"),
    pytest.param(seven_zipped({"a.txt": "hidden"}, password="secret"), "a.7z", id="7z"),
    pytest.param(
        seven_zipped({"a.txt": "hidden"}, password="secret", header_encryption=True), "a.7z", id="7z with its names"
    ),
]


@pytest.mark.parametrize(("data", "name"), LOCKED)
def test_a_locked_archive_opens_with_its_password_alone(data: bytes, name: str) -> None:
    opened, without, wrong = read(data, name, "secret"), read(data, name), read(data, name, "wrong")

    assert (opened.status, opened.members) == (Status.OK, ("a.txt",))
    assert (opened.text or "").endswith("hidden")
    assert (without.status, wrong.status) == (Status.ENCRYPTED, Status.ENCRYPTED)
    assert "a password is needed" in (without.note or "")
    assert "the password does not open" in (wrong.note or "")
    assert "hidden" not in f"{without.text}{wrong.text}"


def test_a_locked_rar_opens_with_its_password_alone() -> None:
    for options in ({}, {"encrypt_headers": True}):
        data = rared({"a.txt": "hidden"}, format=rars.RAR50, password="secret", **options)
        assert (read(data, "a.rar", "secret").text or "").endswith("hidden")
        assert read(data, "a.rar").status is Status.ENCRYPTED
        assert read(data, "a.rar", "wrong").status is Status.ENCRYPTED


def test_a_password_in_another_encoding_opens_a_zip() -> None:
    assert read(crypted(b"hidden", "密码".encode("gb18030")), password="密码").status is Status.OK
    assert read(crypted(b"hidden", "密码".encode()), password="密码").status is Status.OK


def test_a_changed_byte_of_an_encrypted_file_is_noticed() -> None:
    data = bytearray(aes_zipped("a.txt", b"hidden" * 20, b"secret"))
    data[75] ^= 1

    assert read(bytes(data), password="secret").members == ()


def test_the_password_opens_what_is_inside_too() -> None:
    inner = seven_zipped({"deep.txt": "hidden"}, password="secret")

    assert read(zipped({"in.7z": inner}), password="secret").members == ("in.7z/deep.txt",)


def test_one_locked_file_among_others_is_told() -> None:
    # The directory of a locked archive, with an open file behind: by hand, since nothing here writes such a ZIP.
    locked = crypted(b"hidden", b"secret")
    local = locked[: locked.index(b"PK\1\2")]
    entry = locked[locked.index(b"PK\1\2") : locked.index(b"PK\5\6")]
    plain = zipped({"b.txt": "plain"}, zipfile.ZIP_STORED)
    plain_local = plain[: plain.index(b"PK\1\2")]
    plain_entry = bytearray(plain[plain.index(b"PK\1\2") : plain.index(b"PK\5\6")])
    plain_entry[42:46] = struct.pack("<L", len(local))
    directory = entry + bytes(plain_entry)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, len(directory), len(local) + len(plain_local), 0)
    content = read(local + plain_local + directory + end)

    assert (content.status, content.members) == (Status.PARTIAL, ("b.txt",))
    assert "[note: not read: a.txt (a password is needed)]" in (content.text or "")


# --- hostile archives -------------------------------------------------------------------------------------------------


def test_names_that_lead_out_are_refused_and_told() -> None:
    content = read(zipped({"../../evil.txt": "evil", "/etc/evil": "evil", "C:\\evil": "evil", "ok.txt": "fine"}))

    assert content.members == ("ok.txt",)
    assert content.text is not None
    assert "evil\n" not in content.text
    assert "(its name leads out of the archive)" in content.text


def test_links_and_devices_of_a_tar_are_not_followed() -> None:
    links = [
        special("soft", tarfile.SYMTYPE, "/etc/passwd"),
        special("hard", tarfile.LNKTYPE, "../../etc/passwd"),
        special("device", tarfile.CHRTYPE),
        special("pipe", tarfile.FIFOTYPE),
    ]
    content = read(tarred({"a.txt": "fine"}, *links), "a.tar")

    assert (content.status, content.members) == (Status.OK, ("a.txt",))
    assert "[note: not read: soft, hard, device, pipe (a link or a device, not a file)]" in (content.text or "")


def test_a_link_in_a_zip_is_not_a_file() -> None:
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "/etc/passwd")
        archive.writestr("a.txt", "fine")
    content = read(buffer.getvalue())

    assert content.members == ("a.txt",)
    assert "/etc/passwd" not in (content.text or "")


def test_a_size_that_lies_is_not_believed() -> None:
    data = bytearray(zipped({"a.txt": bytes(30 * MIB)}))
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    started = time.perf_counter()
    content = read(bytes(data))

    assert content.members == ()
    assert content.status is Status.PARTIAL
    assert time.perf_counter() - started < 2


def test_a_tiny_file_that_unpacks_to_much_is_a_bomb() -> None:
    content = read(zipped({"zeros.txt": b"0" * (10 * MIB), "a.txt": "fine"}))

    assert content.members == ("a.txt",)
    assert "zeros.txt (it unpacks to more than" in (content.text or "")


def test_files_that_share_their_data_are_refused() -> None:
    data = bytearray(zipped({"a.txt": "first " * 9, "b.txt": "second " * 9}, zipfile.ZIP_STORED))
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)
    data[second + 42 : second + 46] = struct.pack("<L", 1)
    content = read(bytes(data))

    assert content.members == ("a.txt",)
    assert "b.txt (its data overlap another file's)" in (content.text or "")


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "a.gz"), (bz2.compress, "a.bz2"), (lzma.compress, "a.xz")])
def test_a_compressed_bomb_is_cut(pack: Any, name: str) -> None:
    data = pack(b"0123456789abcde\n" * (4 * MIB // 16))
    started = time.perf_counter()
    content = read(data, name, member_max_bytes=MIB)

    assert content.status is Status.PARTIAL
    assert "what follows the first" in (content.note or "")
    assert time.perf_counter() - started < 2


def test_a_tar_of_much_is_cut_where_the_bytes_are_spent() -> None:
    members = {f"{number}.txt": bytes([48 + number]) * (3 * MIB) for number in range(4)}
    content = read(gzip.compress(tarred(members)), "a.tgz", office_zip_max_uncompressed_bytes=7 * MIB)

    assert content.status is Status.PARTIAL
    assert "the file unpacks to more than 7 MiB" in (content.note or "")


def test_a_solid_block_is_not_unpacked_without_end() -> None:
    data = seven_zipped({"z.txt": b"0" * (12 * MIB), "a.txt": "behind"})
    reached = read(data, "a.7z", member_max_bytes=MIB)
    refused = read(data, "a.7z", member_max_bytes=MIB, office_zip_max_uncompressed_bytes=4 * MIB)

    assert reached.members == ("a.txt",)
    assert refused.members == ()
    assert "a.txt (too much is packed before it)" in (refused.text or "")


def test_a_tar_whose_header_points_back_ends() -> None:
    data = bytearray(tarred({"a.txt": "x" * 600, "b.txt": "b"}))
    data[124:136] = b"\xff" * 12  # a size of -1
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    started = time.perf_counter()
    content = read(bytes(data), "a.tar")

    assert content.status is not Status.OK
    assert time.perf_counter() - started < 2


def test_very_many_files_are_counted_quickly() -> None:
    started = time.perf_counter()
    content = read(zipped(dict.fromkeys(map(str, range(20_000)), ""), zipfile.ZIP_STORED), members_max_count=5)

    assert "19,975 more" in (content.text or "")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("make", [zipped, tarred, seven_zipped, lambda files: gzip.compress(tarred(files))])
def test_an_archive_cut_in_the_middle_ends_cleanly(make: Any) -> None:
    data = make({f"{number}.txt": f"text {number} " * 200 for number in range(20)})
    content = read(data[: len(data) // 2], "a")

    assert content.status in {Status.REJECTED, Status.PARTIAL}
    assert "failed (" not in (content.note or "")


def test_what_unpacks_of_a_compressed_file_that_is_cut_off_is_read() -> None:
    words = b"".join(hashlib.sha256(bytes([number])).hexdigest().encode() + b"\n" for number in range(200))
    for data, name in ((gzip.compress(words), "a.txt.gz"), (lzma.compress(words), "a.txt.xz")):
        content = read(data[: len(data) * 2 // 3], name)
        assert content.status is Status.PARTIAL
        assert (content.text or "").startswith(words[:64].decode())
        assert "damaged or cut off" in (content.note or "")


@pytest.mark.parametrize("place", range(0, 260, 13))
def test_a_damaged_byte_never_fails_the_reader(place: int) -> None:
    for data, name in (
        (seven_zipped(TWO), "a.7z"),
        (zipped(TWO), "a.zip"),
        (tarred(TWO), "a.tar"),
        (crypted(b"hidden", b"secret"), "a.zip"),
        (aes_zipped("a.txt", b"hidden", b"secret"), "a.zip"),
    ):
        damaged = bytearray(data)
        damaged[place % len(damaged)] ^= 0xFF
        content = read(bytes(damaged), name, "secret")
        assert "failed (" not in (content.note or ""), (name, place)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([b"7z\xbc\xaf\x27\x1c\0\4", b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\0",
                        b"Rar!\x1a\x07\0", b"Rar!\x1a\x07\x01\0"]), st.binary(max_size=300))  # fmt: skip
def test_no_bytes_fail_the_reader(magic: bytes, rest: bytes) -> None:
    content = read(magic + rest, "a")

    assert content.status is not Status.OK
    assert "failed (" not in (content.note or "")


def test_a_pax_record_of_an_impossible_length_is_a_damaged_archive() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("é" * 60))
    data = bytearray(file.getvalue())
    record = b"9" * 30 + b" path=a\n"
    data[tarfile.BLOCKSIZE : tarfile.BLOCKSIZE + len(record)] = record
    content = read(bytes(data), "a.tar")
    assert content.status is Status.REJECTED
    assert "damaged" in (content.note or "")
