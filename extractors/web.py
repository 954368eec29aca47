"""A download that cannot be led astray: http and https only, no address that is not public, caps on size and time."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import unquote

import aiohttp
from yarl import URL

from extractors.content import Status
from extractors.spool import Document, SourceError, check_size, clean_name, spool

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Allows = Callable[[IPAddress], bool]

CONNECT_TIMEOUT_S: Final = 20.0
READ_TIMEOUT_S: Final = 60.0
TOTAL_TIMEOUT_S: Final = 300.0
MAX_REDIRECTS: Final = 5
_CHUNK_BYTES: Final = 1 << 18
_SCHEMES: Final = frozenset({"http", "https"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PASSING: Final = frozenset({408, 425, 429})
_HEADERS: Final = {"User-Agent": "duwen-extractors", "Accept": "*/*", "Accept-Encoding": "identity"}
#: Names as servers send them in bytes that no standard allows, the likeliest first.
_NAME_ENCODINGS: Final = ("utf-8", "gb18030")
_GLOBAL_UNICAST_V6: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_EXTENDED_NAME: Final = re.compile(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)", re.IGNORECASE)
_PLAIN_NAME: Final = re.compile(r'filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))', re.IGNORECASE)


def is_public(address: IPAddress) -> bool:
    """True for an address that anybody on the internet could reach, not for one behind our own walls."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL_UNICAST_V6:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def download(url: str, *, max_bytes: int, allows: Allows) -> Document:
    """The document at `url` after its redirects; `SourceError` where it cannot or must not be had."""
    gate = _Gate(allows)
    try:
        async with _session(gate) as session, _answer(session, _checked(url)) as response:
            check_size(response.content_length or 0, max_bytes)
            file, size_bytes = await spool(response.content.iter_chunked(_CHUNK_BYTES), max_bytes=max_bytes)
            return Document(file=file, size_bytes=size_bytes, name=_name(response), media_type=_type(response))
    except TimeoutError as exc:
        raise SourceError(Status.TIMEOUT, "the server did not answer in time") from exc
    except (aiohttp.ClientError, OSError, ValueError) as exc:
        if gate.has_refused:
            raise SourceError(Status.REJECTED, "the address is not a public one, so it was not opened") from exc
        # Only the class: a message may quote the address, and that a password.
        raise SourceError(Status.FAILED, f"the document could not be fetched ({type(exc).__name__})") from exc


class _Gate:
    """Looks at each address at the very moment a connection to it is made: no name resolves again in between."""

    def __init__(self, allows: Allows) -> None:
        self._allows = allows
        self.has_refused = False

    def open_socket(self, target: aiohttp.AddrInfoType) -> socket.socket:
        """The socket that aiohttp connects to `target`; `OSError` where it must not."""
        family, kind, protocol, _, address = target
        if not self._allows(ipaddress.ip_address(str(address[0]).partition("%")[0])):
            self.has_refused = True
            raise OSError("the address is not allowed")
        return socket.socket(family=family, type=kind, proto=protocol)


def _session(gate: _Gate) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(socket_factory=gate.open_socket, limit=1),
        timeout=aiohttp.ClientTimeout(total=TOTAL_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, sock_read=READ_TIMEOUT_S),
        headers=_HEADERS,
        trust_env=False,  # a proxy would connect where the gate does not look
    )


@asynccontextmanager
async def _answer(session: aiohttp.ClientSession, url: URL) -> AsyncIterator[aiohttp.ClientResponse]:
    """The response that is no redirect, each redirect having been checked like the first address."""
    for _ in range(MAX_REDIRECTS + 1):
        async with session.get(url, allow_redirects=False) as response:
            if response.status not in _REDIRECTS:
                _check_status(response.status)
                yield response
                return
            url = _checked(response.headers.get("Location", ""), response.url)
    raise SourceError(Status.REJECTED, f"the address redirects more than {MAX_REDIRECTS} times")


def _checked(untrusted: str, referrer: URL | None = None) -> URL:
    try:
        url = URL(untrusted.strip())
        url = referrer.join(url) if referrer is not None else url
    except ValueError as exc:
        raise SourceError(Status.REJECTED, "the address is malformed") from exc
    if url.scheme not in _SCHEMES or not url.host:
        raise SourceError(Status.REJECTED, "only http and https addresses are opened")
    return url


def _check_status(status: int) -> None:
    if status == 200:
        return
    is_passing = status >= 500 or status in _PASSING
    raise SourceError(Status.FAILED if is_passing else Status.REJECTED, f"the server answered with status {status}")


def _type(response: aiohttp.ClientResponse) -> str | None:
    claimed = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return claimed[:200] or None


def _name(response: aiohttp.ClientResponse) -> str | None:
    """The name in Content-Disposition, else the last segment of the address."""
    disposition = response.headers.get("Content-Disposition", "")
    if found := _EXTENDED_NAME.search(disposition):
        name = _unquoted(found[2], found[1])
    elif found := _PLAIN_NAME.search(disposition):
        name = re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2].strip()
        name = _unquoted(_from_wire(name))
    else:
        name = response.url.name
    return clean_name(name)


def _unquoted(text: str, encoding: str = "utf-8") -> str:
    try:
        return unquote(text, encoding=encoding)
    except LookupError:  # a charset that does not exist
        return unquote(text)


def _from_wire(header: str) -> str:
    """The header's text where the server has put raw bytes into it."""
    raw = header.encode("utf-8", "surrogateescape")
    for encoding in _NAME_ENCODINGS:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")
