from __future__ import annotations

import asyncio
import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.errors import FeishuError, FeishuUnavailable, ResourceRefused
from bot.feishu.api import FeishuApi
from bot.feishu.disposition import file_name
from bot.feishu.resources import Fetched, Resources
from bot.models import AttachmentRef

from .conftest import FakeFeishu

PATH = "/open-apis/im/v1/messages/om_1/resources/key_1"


@pytest.fixture
def resources(api: FeishuApi) -> Resources:
    return Resources(api)


def ref(kind: Any = "file", name: str | None = None) -> AttachmentRef:
    return AttachmentRef(message_id="om_1", key="key_1", kind=kind, name=name)


def empty(folder: Path) -> bool:
    return list(folder.iterdir()) == []


def give(feishu: FakeFeishu, body: bytes, **headers: str) -> None:
    async def handler(request: web.Request) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=body, headers=named)

    feishu.handle(PATH, handler)


@pytest.mark.parametrize("size", [0, 1, 100_000, 3_000_000])
async def test_a_file_is_written_and_hashed(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, size: int
) -> None:
    data = bytes(index % 251 for index in range(1000)) * (size // 1000) + b"x" * (size % 1000)
    give(feishu, data, Content_Type="application/PDF; x=y", Content_Disposition='attachment; filename="a;b.pdf"')
    into = tmp_path / "incoming"
    fetched = await resources.fetch(ref(), into, max_bytes=5_000_000)
    assert fetched == Fetched(
        sha256=hashlib.sha256(data).hexdigest(), size_bytes=size, declared_type="application/pdf", name="a;b.pdf"
    )
    assert into.read_bytes() == data
    assert stat.S_IMODE(into.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("kind", "wanted"), [("image", "image"), ("file", "file"), ("audio", "file"), ("media", "file")]
)
async def test_only_pictures_are_asked_for_as_images(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, kind: Any, wanted: str
) -> None:
    give(feishu, b"x", Content_Disposition="attachment")
    await resources.fetch(ref(kind), tmp_path / "f", max_bytes=10)
    assert feishu.of(PATH)[0].query == {"type": wanted}


@pytest.mark.parametrize("kind", ["folder", "sticker"])
async def test_what_feishu_never_gives_is_refused_without_a_call(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, kind: Any
) -> None:
    with pytest.raises(ResourceRefused) as error:
        await resources.fetch(ref(kind), tmp_path / "f", max_bytes=10)
    assert error.value.code == "file_kind"
    assert feishu.calls == []


async def test_the_events_name_goes_first(resources: Resources, feishu: FakeFeishu, tmp_path: Path) -> None:
    give(feishu, b"x", Content_Disposition='attachment; filename="other.pdf"')
    assert (await resources.fetch(ref(name="合同.pdf"), tmp_path / "f", max_bytes=10)).name == "合同.pdf"


async def test_a_file_that_says_it_is_too_large_is_not_read(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    async def huge(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "11", "Content-Disposition": "attachment"})
        await response.prepare(request)
        await asyncio.sleep(3600)  # the refusal must come without a byte of the body
        return response

    feishu.handle(PATH, huge)
    async with asyncio.timeout(10):
        with pytest.raises(ResourceRefused) as error:
            await resources.fetch(ref(), tmp_path / "f", max_bytes=10)
    assert error.value.code == "file_too_large"
    assert len(feishu.of(PATH)) == 1
    assert empty(tmp_path)


async def test_a_file_that_grows_too_large_is_cut_off_and_removed(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Disposition": "attachment"})
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    feishu.handle(PATH, endless)
    with pytest.raises(ResourceRefused) as error:
        await resources.fetch(ref(), tmp_path / "f", max_bytes=1_000_000)
    assert error.value.code == "file_too_large"
    assert empty(tmp_path)


def breaking(sent: bytes) -> Any:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "500000", "Content-Disposition": "attachment"})
        await response.prepare(request)
        await response.write(sent)
        assert request.transport is not None
        request.transport.close()
        return response

    return handler


async def test_a_download_that_breaks_off_is_begun_anew(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    feishu.handle(PATH, breaking(b"x" * 300_000))
    give(feishu, b"whole", Content_Disposition="attachment")
    fetched = await resources.fetch(ref(), tmp_path / "f", max_bytes=1_000_000)
    assert fetched.sha256 == hashlib.sha256(b"whole").hexdigest()
    assert (tmp_path / "f").read_bytes() == b"whole"


async def test_a_download_that_never_ends_well_leaves_nothing(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    for _ in range(2):
        feishu.handle(PATH, breaking(b"x" * 300_000))
    with pytest.raises(FeishuUnavailable):
        await resources.fetch(ref(), tmp_path / "f", max_bytes=1_000_000)
    assert empty(tmp_path)


async def test_a_cancelled_download_leaves_nothing(resources: Resources, feishu: FakeFeishu, tmp_path: Path) -> None:
    async def stalled(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Disposition": "attachment"})
        await response.prepare(request)
        await response.write(b"x" * 300_000)
        await asyncio.sleep(3600)
        return response

    feishu.handle(PATH, stalled)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(resources.fetch(ref(), tmp_path / "f", max_bytes=1_000_000))
        async with asyncio.timeout(10):
            while empty(tmp_path):  # noqa: ASYNC110  # a folder has no event
                await asyncio.sleep(0)
        task.cancel()
    assert empty(tmp_path)


async def test_an_existing_file_is_neither_overwritten_nor_removed(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    into = tmp_path / "f"
    into.write_text("mine")
    give(feishu, b"x", Content_Disposition="attachment")
    with pytest.raises(FileExistsError):
        await resources.fetch(ref(), into, max_bytes=10)
    assert into.read_text() == "mine"


@pytest.mark.parametrize("status", [200, 400])
async def test_a_token_that_is_not_taken_is_not_saved_as_the_file(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, status: int
) -> None:
    feishu.answer(PATH, {"code": 99991663, "msg": "Invalid access token"}, status=status)
    give(feishu, b"bytes", Content_Disposition="attachment")
    await resources.fetch(ref(), tmp_path / "f", max_bytes=10)
    assert (tmp_path / "f").read_bytes() == b"bytes"


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("content", [{"code": 0}, {"a": "b" * 200_000}, [1, 2], {"code": 7}])
async def test_a_json_file_is_a_file(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, content: Any, named: bool
) -> None:
    data = json.dumps(content).encode()
    give(feishu, data, Content_Type="application/json", **({"Content_Disposition": "attachment"} if named else {}))
    await resources.fetch(ref(), tmp_path / "f", max_bytes=1_000_000)
    assert (tmp_path / "f").read_bytes() == data


@pytest.mark.parametrize(
    ("code", "our_code"), [(234037, "file_too_large"), (234038, "file_confidential"), (230110, "message_gone")]
)
async def test_a_refusal_says_why(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path, code: int, our_code: str
) -> None:
    feishu.answer(PATH, {"code": code, "msg": "no"}, status=400)
    with pytest.raises(FeishuError) as refusal:
        await resources.fetch(ref(), tmp_path / "f", max_bytes=10)
    assert refusal.value.code == our_code
    assert len(feishu.of(PATH)) == 1


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (None, None),
        ("", None),
        ("attachment", None),
        ('attachment; filename="a;b.pdf"', "a;b.pdf"),
        ("attachment; filename=plain.pdf; size=3", "plain.pdf"),
        (r'attachment; filename="say \"hi\".txt"', 'say "hi".txt'),
        ("attachment; filename*=UTF-8''%E5%90%88%E5%90%8C.pdf", "合同.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=utf-8'zh'%E5%90%88.pdf", "合.pdf"),
        ("attachment; FILENAME*=gb18030''%BA%CF.pdf", "合.pdf"),
        ("attachment; filename*=nonsense''%E5%90%88.pdf", "合.pdf"),
        ("attachment; filename*=UTF-8''%FF.pdf", "\ufffd.pdf"),
        ('attachment; filename="合同.pdf"', "合同.pdf"),
        ('attachment; filename="' + "合同.pdf".encode().decode("latin-1") + '"', "合同.pdf"),
        ('attachment; filename="' + "合同.pdf".encode("gb18030").decode("utf-8", "surrogateescape") + '"', "合同.pdf"),
        ('attachment; filename="café.pdf"', "café.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="C:\\\\tmp\\\\a.txt"', "a.txt"),
        ('attachment; filename=".."', None),
        ('attachment; filename="a\x00\tb.pdf"', "a\tb.pdf"),
        ('attachment; filename="' + "x" * 500 + '"', "x" * 255),
        ('attachment; filename="', '"'),
    ],
)
def test_names_in_content_disposition(header: str | None, name: str | None) -> None:
    assert file_name(header) == name


async def test_raw_utf8_in_the_header_is_read_over_the_wire(
    resources: Resources, feishu: FakeFeishu, tmp_path: Path
) -> None:
    give(feishu, b"x", Content_Disposition='attachment; filename="合同.pdf"')
    assert (await resources.fetch(ref(), tmp_path / "f", max_bytes=10)).name == "合同.pdf"
