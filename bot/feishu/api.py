"""Calls to Feishu's open platform: token, rate limits, retries, and errors by Feishu's own code."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from bot.errors import FeishuError, FeishuRateLimited, FeishuTokenInvalid, FeishuUnavailable
from bot.feishu.codes import error_for
from bot.feishu.token import TenantToken

T = TypeVar("T")

_MAX_ANSWER_BYTES = 8 * 1024 * 1024
_MAX_ERROR_BYTES = 64 * 1024
_BACKOFF_S = (0.3, 1.0)
_MAX_WAITS = 2
_MAX_WAIT_S = 10.0
_SEGMENT = re.compile(r"(?!\.*\Z)[A-Za-z0-9_.=~+*@:-]{1,256}")


class _NotSent(FeishuUnavailable):
    """There was no connection or no token, so nothing was done: even a POST may be tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    path: str
    params: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None

    @property
    def repeatable(self) -> bool:
        """Whether Feishu takes it at most once, however often it comes."""
        return self.method != "POST" or (self.body is not None and "uuid" in self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """An answer that is bytes, with its error check behind it."""

    headers: Mapping[str, str]
    head: bytes  # read already, to see whether it is an error
    rest: aiohttp.StreamReader

    async def chunks(self, max_chunk_bytes: int) -> AsyncIterator[bytes]:
        """The bytes as they come; FeishuUnavailable where the connection breaks before the end."""
        if self.head:
            yield self.head
        try:
            async for chunk in self.rest.iter_chunked(max_chunk_bytes):
                yield chunk
        except (aiohttp.ClientError, TimeoutError) as error:
            raise FeishuUnavailable(f"the download broke off: {type(error).__name__}") from None


def segment(value: str) -> str:
    """An id as a part of a path; FeishuError where it could lead elsewhere."""
    if not _SEGMENT.fullmatch(value):
        raise FeishuError("an id with characters that no id of Feishu has")
    return quote(value, safe="")


class FeishuApi:
    """A client of one app. `path` begins with `/open-apis/`; ids in it have gone through `segment`.

    `failed` hears our code of every call that did not go well, those included that did when tried again.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        base_url: str,
        app_id: str,
        app_secret: str,
        timeout_s: float,
        failed: Callable[[str], None] = lambda _code: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._failed = failed
        self._session = session
        self._base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._sleep = sleep
        sign_in = _Request(
            method="POST",
            path="/open-apis/auth/v3/tenant_access_token/internal",
            body={"app_id": app_id, "app_secret": app_secret},
        )
        self._token = TenantToken(partial(self._send, sign_in, None), clock)

    async def call(
        self, method: str, path: str, *, params: Mapping[str, str] | None = None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The whole JSON answer of a call that succeeded; else an error of the FeishuError family.

        A POST without a `uuid` is not sent again where Feishu may have taken it already.
        """
        request = _Request(method=method, path=path, params=params, body=body)
        attempt = partial(self._with_token, partial(self._send, request))
        return await self._until_done(attempt, repeatable=request.repeatable)

    @asynccontextmanager
    async def stream(self, path: str, params: Mapping[str, str] | None = None) -> AsyncIterator[Download]:
        """The bytes of a GET. Leaving the context drops what was not read, and the connection with it."""
        request = _Request(method="GET", path=path, params=params)
        attempt = partial(self._with_token, partial(self._open, request))
        response, head = await self._until_done(attempt, repeatable=True)
        try:
            yield Download(headers=response.headers, head=head, rest=response.content)
        finally:
            response.close()

    async def _until_done(self, attempt: Callable[[], Awaitable[T]], *, repeatable: bool) -> T:
        renewals = waits = failures = 0
        while True:
            try:
                return await self._counted(attempt)
            except FeishuTokenInvalid:
                renewals += 1
                if renewals > 1:
                    raise
            except FeishuRateLimited as error:
                waits += 1
                if waits > _MAX_WAITS or error.retry_after_s > _MAX_WAIT_S:
                    raise
                await self._sleep(error.retry_after_s)
            except FeishuUnavailable as error:
                failures += 1
                if failures > len(_BACKOFF_S) or not (repeatable or isinstance(error, _NotSent)):
                    raise
                await self._sleep(_BACKOFF_S[failures - 1])

    async def _counted(self, attempt: Callable[[], Awaitable[T]]) -> T:
        try:
            return await attempt()
        except FeishuError as error:
            self._failed(error.code)
            raise

    async def _with_token(self, attempt: Callable[[str], Awaitable[T]]) -> T:
        try:
            token = await self._token.get()
        except FeishuUnavailable as error:
            raise _NotSent(error.detail, feishu_code=error.feishu_code) from None
        try:
            return await attempt(token)
        except FeishuTokenInvalid:
            self._token.invalidate(token)
            raise

    async def _send(self, request: _Request, token: str | None) -> dict[str, Any]:
        response = await self._respond(request, token, aiohttp.ClientTimeout(total=self._timeout_s))
        async with response:
            answer = _json_answer(await _read(response, _MAX_ANSWER_BYTES))
        if answer is None:
            raise _error(response, {}) if response.status >= 400 else FeishuUnavailable("an answer that is not JSON")
        if response.status >= 300 or answer.get("code") != 0:
            raise _error(response, answer)
        return answer

    async def _open(self, request: _Request, token: str) -> tuple[aiohttp.ClientResponse, bytes]:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._timeout_s, sock_read=self._timeout_s)
        response = await self._respond(request, token, timeout)
        try:
            return response, await _head(response)
        except BaseException:
            response.close()
            raise

    async def _respond(
        self, request: _Request, token: str | None, timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        headers = {"Accept-Encoding": "identity"}  # so that Content-Length is the file's size
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        try:
            return await self._session.request(
                request.method,
                URL(self._base_url + request.path, encoded=True),
                params=request.params,
                json=request.body,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise _NotSent(f"no connection: {type(error).__name__}") from None
        except (aiohttp.ClientError, TimeoutError) as error:
            raise FeishuUnavailable(f"no answer: {type(error).__name__}") from None


async def _head(response: aiohttp.ClientResponse) -> bytes:
    """What had to be read to know that the answer is no error. Feishu also sends errors with HTTP 200."""
    is_file = "Content-Disposition" in response.headers or response.content_type != "application/json"
    if response.status == 200 and is_file:
        return b""
    head = await _read(response, _MAX_ERROR_BYTES, whole=False)
    answer = _json_answer(head)
    if response.status != 200 or (answer is not None and answer.get("code") and "msg" in answer):
        raise _error(response, answer or {})
    return head


async def _read(response: aiohttp.ClientResponse, max_bytes: int, *, whole: bool = True) -> bytes:
    data = bytearray()
    try:
        while len(data) <= max_bytes and (chunk := await response.content.read(max_bytes + 1 - len(data))):
            data += chunk
    except (aiohttp.ClientError, TimeoutError) as error:
        raise FeishuUnavailable(f"the answer broke off: {type(error).__name__}") from None
    if whole and len(data) > max_bytes:
        raise FeishuUnavailable(f"an answer of more than {max_bytes} bytes")
    return bytes(data)


def _json_answer(data: bytes) -> dict[str, Any] | None:
    try:
        answer = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _error(response: aiohttp.ClientResponse, answer: Mapping[str, Any]) -> FeishuError:
    code, msg = answer.get("code"), answer.get("msg")
    return error_for(
        code if isinstance(code, int) else 0,
        msg if isinstance(msg, str) else "",
        status=response.status,
        log_id=response.headers.get("X-Tt-Logid", ""),
        retry_after_s=_retry_after_s(response.headers.get("x-ogw-ratelimit-reset")),
    )


def _retry_after_s(header: str | None) -> float:
    """Seconds from `x-ogw-ratelimit-reset`; one second where it is missing or makes no sense."""
    try:
        seconds = float(header) if header else 1.0
    except ValueError:
        return 1.0
    return seconds if math.isfinite(seconds) and seconds >= 0 else 1.0
