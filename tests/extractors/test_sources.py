"""Documents from bytes, paths, streams and addresses; and what an address must not do."""

from __future__ import annotations

import asyncio
import gzip
import io
import ipaddress
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from extractors import Document, DocumentSource, ExtractedContent, SourceError, Status, extract_source
from extractors.spool import MEMORY_MAX_BYTES, clean_name, spool
from extractors.web import is_public

NOT_PUBLIC = "the address is not a public one, so it was not opened"

Serve = Callable[[web.Application], Awaitable[str]]


def allows_loopback(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return str(address) == "127.0.0.1"


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a web server on 127.0.0.1 and gives its address."""
    servers: list[TestServer] = []

    async def start(application: web.Application) -> str:
        servers.append(TestServer(application))
        await servers[-1].start_server()
        return str(servers[-1].make_url("")).rstrip("/")

    yield start
    for server in servers:
        await server.close()


def answering(body: bytes = b"text", *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Application:
    async def handle(_request: web.Request) -> web.Response:
        return web.Response(body=body, status=status, headers=headers)

    application = web.Application()
    application.router.add_get("/{path:.*}", handle)
    return application


def redirecting(*locations: str) -> web.Application:
    """`/0` leads to the first location, `/1` to the second, and so on; everything else is a document."""

    async def handle(request: web.Request) -> web.Response:
        if request.path[1:].isdecimal():
            location = locations[int(request.path[1:])].replace("PORT", str(request.url.port))
            return web.Response(status=302, headers={"Location": location})
        return web.Response(body=b"text")

    application = web.Application()
    application.router.add_get("/{path:.*}", handle)
    return application


async def refusal(source: DocumentSource) -> tuple[Status, str]:
    with pytest.raises(SourceError) as caught:
        async with source:
            pass
    return caught.value.status, caught.value.note


# --- bytes, paths and streams -----------------------------------------------------------------------------------------


async def test_bytes_are_at_hand_as_often_as_they_are_asked_for() -> None:
    source = DocumentSource.from_bytes(b"text", name="a.txt", media_type="text/plain")

    for _ in range(2):
        async with source as document:
            assert (document.read(), document.read()) == (b"text", b"text")
            assert (document.name, document.media_type, document.size_bytes) == ("a.txt", "text/plain", 4)
        assert document.file.closed


async def test_a_path_gives_its_name_and_is_read_again_after_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "报告.txt"
    source = DocumentSource.from_path(path)
    for text in (b"one", b"two"):
        path.write_bytes(text)
        async with source as document:
            assert (document.name, document.read()) == ("报告.txt", text)


async def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert await refusal(DocumentSource.from_path(tmp_path / "pipe")) == (
        Status.REJECTED,
        "this is not a regular file",
    )
    assert (await refusal(DocumentSource.from_path(tmp_path)))[0] is Status.REJECTED
    assert (await refusal(DocumentSource.from_path("/dev/zero")))[0] is Status.REJECTED
    assert await refusal(DocumentSource.from_path(tmp_path / "none")) == (
        Status.REJECTED,
        "the file could not be opened (No such file or directory)",
    )


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def fed_reader() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(b"text")
    reader.feed_eof()
    return reader


@pytest.mark.parametrize(
    "make", [lambda: io.BytesIO(b"text"), fed_reader, lambda: chunks(b"te", b"xt")], ids=["file", "reader", "chunks"]
)
async def test_streams_of_every_kind_are_read_to_their_end(make: Callable[[], Any]) -> None:
    async with DocumentSource.from_stream(make(), name="s.txt") as document:
        assert (document.read(), document.size_bytes, document.name) == (b"text", 4, "s.txt")


async def test_a_stream_stays_the_callers_to_close() -> None:
    stream = io.BytesIO(b"text")
    async with DocumentSource.from_stream(stream):
        pass
    assert not stream.closed


async def test_too_much_is_refused_while_it_comes(tmp_path: Path) -> None:
    endless = (b"x" * 10 for _ in range(10**9))
    (tmp_path / "a").write_bytes(b"x" * 11)

    class Endless:
        def read(self, _size: int, /) -> bytes:
            return next(endless)

    note = (Status.REJECTED, "the document is larger than 10 bytes")
    assert await refusal(DocumentSource.from_stream(Endless(), max_bytes=10)) == note
    assert await refusal(DocumentSource.from_path(tmp_path / "a", max_bytes=10)) == note


async def test_small_documents_stay_in_memory_and_large_ones_go_to_a_file() -> None:
    part = bytes(MEMORY_MAX_BYTES // 2)
    for parts, is_on_disk in (((part, part), False), ((part, part, b"x"), True)):
        file, size_bytes = await spool(chunks(*parts), max_bytes=MEMORY_MAX_BYTES * 2)
        with file:
            assert size_bytes == sum(map(len, parts))
            assert file._rolled is is_on_disk  # type: ignore[attr-defined] # where it is kept is what the test is about


async def test_a_broken_stream_is_a_source_error() -> None:
    class Broken:
        def read(self, _size: int, /) -> bytes:
            raise OSError("cable")

    assert await refusal(DocumentSource.from_stream(Broken())) == (
        Status.FAILED,
        "the stream could not be read (OSError)",
    )


async def test_a_source_of_ones_own_is_closed_too() -> None:
    file = io.BytesIO(b"text")

    async def load() -> Document:
        return Document(file=file, size_bytes=4, name="mine")

    async with DocumentSource(load) as document:
        assert document.read() == b"text"
    assert file.closed


# --- addresses --------------------------------------------------------------------------------------------------------


async def test_a_document_is_fetched_with_what_the_server_says_of_it(serve: Serve) -> None:
    address = await serve(answering(b"%PDF-", headers={"Content-Type": "Application/PDF; x=y"}))

    async with DocumentSource.from_url(f"{address}/a/%E6%8A%A5%E5%91%8A.pdf?x=1", allows=allows_loopback) as document:
        assert document.read() == b"%PDF-"
        assert (document.name, document.media_type) == ("报告.pdf", "application/pdf")


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="a b.docx"', "a b.docx"),
        ("attachment; filename=plain.txt; size=1", "plain.txt"),
        ("attachment; filename=\"x.txt\"; filename*=UTF-8''%E6%8A%A5%E5%91%8A.docx", "报告.docx"),
        ("attachment; filename*=gb18030''%B1%A8%B8%E6.docx", "报告.docx"),
        ("attachment; filename*=nonsense''a.docx", "a.docx"),
        ('attachment; filename="%E6%8A%A5%E5%91%8A.docx"', "报告.docx"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        (r'attachment; filename="C:\\temp\\a.txt"', "a.txt"),
        ("inline", "last.bin"),
        ('attachment; filename=""', None),
    ],
)
async def test_the_name_comes_from_the_header_and_leads_nowhere(
    serve: Serve, disposition: str, name: str | None
) -> None:
    address = await serve(answering(headers={"Content-Disposition": disposition}))

    async with DocumentSource.from_url(f"{address}/x/last.bin", allows=allows_loopback) as document:
        assert document.name == name


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
async def test_a_name_in_raw_bytes_is_read(encoding: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        name = "报告.txt".encode(encoding)
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Disposition: attachment; filename="')
        writer.write(name + b'"\r\n\r\ntext')
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with DocumentSource.from_url(f"http://127.0.0.1:{port}/", allows=allows_loopback) as document:
            assert document.name == "报告.txt"


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "ftp://example.com/a", "data:text/plain,x", "a.pdf", "http://", "http://[::1"]
)
async def test_nothing_but_http_is_opened(address: str) -> None:
    assert (await refusal(DocumentSource.from_url(address)))[0] is Status.REJECTED


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433", "127.1"]
)
async def test_nothing_behind_our_own_walls_is_reached(serve: Serve, host: str) -> None:
    asked: list[str] = []
    application = answering()
    application.on_response_prepare.append(lambda request, _: asyncio.sleep(0, asked.append(request.path)))
    port = (await serve(application)).rpartition(":")[2]

    status, _ = await refusal(DocumentSource.from_url(f"http://{host}:{port}/secret"))

    assert status in {Status.REJECTED, Status.FAILED}  # failed where the address is not even a legal one
    assert asked == []


async def test_what_was_refused_is_said() -> None:
    assert await refusal(DocumentSource.from_url("http://localhost:1/")) == (Status.REJECTED, NOT_PUBLIC)


@pytest.mark.parametrize(
    ("location", "note"),
    [
        ("http://127.0.0.2:PORT/", NOT_PUBLIC),
        ("http://[::1]:PORT/", NOT_PUBLIC),
        ("//169.254.169.254/", NOT_PUBLIC),
        ("file:///etc/passwd", "only http and https addresses are opened"),
        ("http://[", "the address is malformed"),
    ],
)
async def test_a_redirect_is_checked_like_the_first_address(serve: Serve, location: str, note: str) -> None:
    address = await serve(redirecting(location))

    assert await refusal(DocumentSource.from_url(f"{address}/0", allows=allows_loopback)) == (Status.REJECTED, note)


async def test_redirects_are_followed_and_the_last_one_names_the_document(serve: Serve) -> None:
    address = await serve(redirecting("/1", "found/last.txt"))

    async with DocumentSource.from_url(f"{address}/0", allows=allows_loopback) as document:
        assert (document.read(), document.name) == (b"text", "last.txt")


async def test_a_circle_of_redirects_ends(serve: Serve) -> None:
    address = await serve(redirecting("/0"))

    assert await refusal(DocumentSource.from_url(f"{address}/0", allows=allows_loopback)) == (
        Status.REJECTED,
        "the address redirects more than 5 times",
    )


@pytest.mark.parametrize(
    ("code", "status"), [(404, Status.REJECTED), (403, Status.REJECTED), (503, Status.FAILED), (429, Status.FAILED)]
)
async def test_only_what_may_pass_is_called_a_failure(serve: Serve, code: int, status: Status) -> None:
    address = await serve(answering(status=code))

    assert await refusal(DocumentSource.from_url(address, allows=allows_loopback)) == (
        status,
        f"the server answered with status {code}",
    )


async def test_large_documents_are_refused_by_their_header_or_while_they_come(serve: Serve) -> None:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x" * 1000)
        return response

    application = web.Application()
    application.router.add_get("/stream", stream)
    zipped = gzip.compress(bytes(10**6))
    addresses = [
        await serve(answering(b"x" * 2000)),
        await serve(application) + "/stream",
        await serve(answering(zipped, headers={"Content-Encoding": "gzip"})),
    ]

    for address in addresses:
        source = DocumentSource.from_url(address, max_bytes=1999, allows=allows_loopback)
        assert await refusal(source) == (Status.REJECTED, "the document is larger than 1,999 bytes")


async def test_a_server_that_breaks_off_is_a_failure_without_its_address() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        source = DocumentSource.from_url(f"http://me:secret@127.0.0.1:{port}/", allows=allows_loopback)
        assert await refusal(source) == (Status.FAILED, "the document could not be fetched (ClientPayloadError)")


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
        "::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
        "2002:7f00:1::", "2001::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


# --- names and the extractor ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("a/b/c.txt", "c.txt"),
        (r"..\..\c.txt", "c.txt"),
        ("..", None),
        ("/", None),
        (None, None),
        ("a\nb\x00\u202e.txt", "ab.txt"),
        ("x" * 500 + ".txt", "x" * 196 + ".txt"),
        ("y" * 500, "y" * 200),
        ("报告 1.docx ", "报告 1.docx"),
    ],
)
def test_names_are_cleaned(name: str | None, clean: str | None) -> None:
    assert clean_name(name) == clean


class Recorder:
    """An extractor that tells what it was given."""

    async def extract(
        self, data: bytes, *, file_metadata: Mapping[str, Any], media_type: str | None = None
    ) -> ExtractedContent:
        return ExtractedContent(text=f"{data!r} {dict(file_metadata)} {media_type}")


async def test_a_source_is_read_with_what_is_said_of_it() -> None:
    source = DocumentSource.from_bytes(b"x", name="a.txt", media_type="text/plain")

    content = await extract_source(Recorder(), source, file_metadata={"password": "p"})

    assert content.text == "b'x' {'name': 'a.txt', 'mime_type': 'text/plain', 'password': 'p'} None"


async def test_a_source_that_cannot_be_had_is_a_status_and_a_note() -> None:
    content = await extract_source(Recorder(), DocumentSource.from_path("/nowhere"))

    assert (content.status, content.text) == (Status.REJECTED, None)
    assert content.note == "the file could not be opened (No such file or directory)"
