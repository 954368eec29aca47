from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.errors import (
    CardClosed,
    CardRefused,
    FeishuError,
    FeishuPermission,
    FeishuRateLimited,
    FeishuTokenInvalid,
    FeishuUnavailable,
    MessageGone,
    ReplyRefused,
    ResourceRefused,
)
from bot.feishu.api import FeishuApi, segment
from bot.feishu.codes import error_for

from .conftest import SECRET, TOKEN_PATH, Clock, FakeFeishu, Naps

PATH = "/open-apis/thing"


async def test_twenty_calls_at_once_fetch_one_token(api: FeishuApi, feishu: FakeFeishu) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(api.call("GET", PATH))
    assert feishu.tokens == 1
    assert {call.headers["Authorization"] for call in feishu.of(PATH)} == {"Bearer t-1-abcdefgh"}


async def test_the_token_is_renewed_half_an_hour_before_its_end(
    api: FeishuApi, feishu: FakeFeishu, clock: Clock
) -> None:
    await api.call("GET", PATH)
    clock.now += 7200 - 1801
    await api.call("GET", PATH)
    assert feishu.tokens == 1
    clock.now += 1
    await api.call("GET", PATH)
    assert feishu.tokens == 2


async def test_a_short_lived_token_is_kept_for_half_of_its_life(
    api: FeishuApi, feishu: FakeFeishu, clock: Clock
) -> None:
    feishu.expire_s = 60
    await api.call("GET", PATH)
    clock.now += 29
    await api.call("GET", PATH)
    assert feishu.tokens == 1


@pytest.mark.parametrize("status", [200, 400, 401])
@pytest.mark.parametrize("code", [99991663, 99991661, 99991664, 99991668, 99991671])
async def test_a_token_that_is_not_taken_is_fetched_anew_whatever_the_status(
    api: FeishuApi, feishu: FakeFeishu, status: int, code: int
) -> None:
    feishu.answer(PATH, {"code": code, "msg": "Invalid access token"}, status=status)
    assert await api.call("POST", PATH, body={}) == {"code": 0, "data": {}}
    assert [call.headers["Authorization"] for call in feishu.of(PATH)] == [
        "Bearer t-1-abcdefgh",
        "Bearer t-2-abcdefgh",
    ]


async def test_twenty_calls_with_a_stale_token_fetch_one_new(api: FeishuApi, feishu: FakeFeishu) -> None:
    together = asyncio.Barrier(20)

    async def stale(request: web.Request) -> web.Response:
        await together.wait()
        return web.json_response({"code": 99991663, "msg": "Invalid access token"}, status=400)

    for _ in range(20):
        feishu.handle(PATH, stale)
    async with asyncio.TaskGroup() as group:
        for _ in range(20):
            group.create_task(api.call("GET", PATH))
    assert feishu.tokens == 2


async def test_a_late_refusal_of_the_old_token_does_not_drop_the_new_one(api: FeishuApi, feishu: FakeFeishu) -> None:
    renewed = asyncio.Event()

    async def late(request: web.Request) -> web.Response:
        await renewed.wait()
        return web.json_response({"code": 99991663, "msg": "Invalid access token"}, status=400)

    feishu.handle(PATH, late)
    async with asyncio.TaskGroup() as group:
        group.create_task(api.call("GET", PATH))
        await feishu.until(lambda: len(feishu.of(PATH)) == 1)
        feishu.answer("/open-apis/other", {"code": 99991663, "msg": "Invalid access token"})
        await api.call("GET", "/open-apis/other")
        renewed.set()
    assert feishu.tokens == 2


async def test_a_new_token_that_is_not_taken_either_is_an_error(api: FeishuApi, feishu: FakeFeishu) -> None:
    for _ in range(2):
        feishu.answer(PATH, {"code": 99991663, "msg": "token t-1-abcdefgh is invalid"}, status=200)
    with pytest.raises(FeishuTokenInvalid) as error:
        await api.call("GET", PATH)
    assert "abcdefgh" not in str(error.value)
    assert len(feishu.of(PATH)) == 2


async def test_a_wrong_secret_is_for_the_operator_and_is_not_told(api: FeishuApi, feishu: FakeFeishu) -> None:
    feishu.answer(TOKEN_PATH, {"code": 10014, "msg": "app secret invalid"})
    with pytest.raises(FeishuPermission) as error:
        await api.call("GET", PATH)
    assert SECRET not in f"{error.value!r}{error.value.__cause__!r}{error.value.__context__!r}"
    assert feishu.of(PATH) == []


async def test_a_caller_that_is_cancelled_while_it_fetches_the_token_stops_nobody(
    api: FeishuApi, feishu: FakeFeishu
) -> None:
    gate = asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        await gate.wait()
        return web.json_response({"code": 0, "tenant_access_token": "t-late", "expire": 7200})

    feishu.handle(TOKEN_PATH, slow)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(api.call("GET", PATH))
        await feishu.until(lambda: len(feishu.of(TOKEN_PATH)) == 1)
        second = group.create_task(api.call("GET", PATH))
        first.cancel()
        assert (await second)["code"] == 0
        gate.set()


@pytest.mark.parametrize(
    ("status", "code"), [(429, 99991400), (400, 99991400), (200, 99991400), (400, 230020), (400, 11232), (429, None)]
)
async def test_a_rate_limit_is_waited_for_as_long_as_the_header_says(
    api: FeishuApi, feishu: FakeFeishu, naps: Naps, status: int, code: int | None
) -> None:
    body = {"code": code, "msg": "rate"} if code else {}
    feishu.answer(PATH, body, status=status, headers={"x-ogw-ratelimit-reset": "7"})
    await api.call("POST", PATH, body={})
    assert naps.taken == [7]
    assert len(feishu.of(PATH)) == 2


async def test_a_long_rate_limit_is_not_waited_for(api: FeishuApi, feishu: FakeFeishu, naps: Naps) -> None:
    feishu.answer(PATH, {"code": 99991400}, status=429, headers={"x-ogw-ratelimit-reset": "11"})
    with pytest.raises(FeishuRateLimited) as error:
        await api.call("GET", PATH)
    assert (error.value.retry_after_s, error.value.retryable, naps.taken) == (11, True, [])


async def test_a_rate_limit_is_waited_for_twice_at_most(api: FeishuApi, feishu: FakeFeishu, naps: Naps) -> None:
    for _ in range(3):
        feishu.answer(PATH, {"code": 99991400}, status=429)
    with pytest.raises(FeishuRateLimited):
        await api.call("GET", PATH)
    assert naps.taken == [1, 1]


@pytest.mark.parametrize("header", ["soon", "nan", "inf", "-1", ""])
async def test_a_reset_header_that_makes_no_sense_is_one_second(
    api: FeishuApi, feishu: FakeFeishu, naps: Naps, header: str
) -> None:
    feishu.answer(PATH, {"code": 99991400}, status=429, headers={"x-ogw-ratelimit-reset": header})
    await api.call("GET", PATH)
    assert naps.taken == [1]


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("PUT", {}), ("PATCH", {}), ("DELETE", None)])
async def test_what_can_be_repeated_is_tried_three_times(
    api: FeishuApi, feishu: FakeFeishu, naps: Naps, method: str, body: Any
) -> None:
    feishu.answer(PATH, {}, status=502)
    feishu.answer(PATH, {"code": 300120, "msg": "Server Internal Error"}, status=400)
    await api.call(method, PATH, body=body)
    assert naps.taken == [0.3, 1.0]
    for _ in range(3):
        feishu.answer(PATH, {}, status=503)
    with pytest.raises(FeishuUnavailable):
        await api.call(method, PATH, body=body)
    assert len(feishu.of(PATH)) == 6


async def test_a_post_is_repeated_after_an_unclear_failure_only_with_a_uuid(api: FeishuApi, feishu: FakeFeishu) -> None:
    feishu.answer(PATH, {}, status=500)
    with pytest.raises(FeishuUnavailable):
        await api.call("POST", PATH, body={"a": 1})
    assert len(feishu.of(PATH)) == 1
    feishu.answer(PATH, {}, status=500)
    await api.call("POST", PATH, body={"uuid": "u"})
    assert len(feishu.of(PATH)) == 3


async def test_a_post_is_repeated_when_it_was_the_token_that_failed(api: FeishuApi, feishu: FakeFeishu) -> None:
    feishu.answer(TOKEN_PATH, {}, status=500)
    await api.call("POST", PATH, body={})
    assert len(feishu.of(PATH)) == 1


async def test_a_post_that_found_no_connection_is_tried_again(naps: Naps, unused_tcp_port: int) -> None:
    async with aiohttp.ClientSession() as session:
        api = FeishuApi(
            session,
            base_url=f"http://127.0.0.1:{unused_tcp_port}",
            app_id="a",
            app_secret=SECRET,
            timeout_s=5,
            sleep=naps,
        )
        with pytest.raises(FeishuUnavailable) as error:
            await api.call("POST", PATH, body={})
    assert len(naps.taken) == 2
    assert SECRET not in str(error.value)


async def test_a_connection_that_breaks_is_tried_again(api: FeishuApi, feishu: FakeFeishu) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    feishu.handle(PATH, broken)
    assert (await api.call("GET", PATH))["code"] == 0


async def test_an_answer_in_half_is_unavailable(api: FeishuApi, feishu: FakeFeishu) -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100", "Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(b'{"code": 0')
        assert request.transport is not None
        request.transport.abort()
        return response

    feishu.handle(PATH, half)
    with pytest.raises(FeishuUnavailable):
        await api.call("POST", PATH, body={})


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"", b"\xff", b'{"a":' * 20_000])
async def test_an_answer_that_is_not_an_object_is_unavailable(api: FeishuApi, feishu: FakeFeishu, body: bytes) -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(body=body)

    feishu.handle(PATH, page)
    with pytest.raises(FeishuUnavailable):
        await api.call("POST", PATH, body={})


async def test_an_endless_answer_is_not_read_to_its_end(api: FeishuApi, feishu: FakeFeishu) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 65536)

    feishu.handle(PATH, endless)
    with pytest.raises(FeishuUnavailable, match="more than"):
        await api.call("POST", PATH, body={})


async def test_redirects_are_not_followed(api: FeishuApi, feishu: FakeFeishu) -> None:
    async def elsewhere(request: web.Request) -> web.Response:
        raise web.HTTPFound("/elsewhere")

    feishu.handle(PATH, elsewhere)
    with pytest.raises(FeishuError):
        await api.call("POST", PATH, body={})
    assert feishu.of("/elsewhere") == []


async def test_a_refusal_carries_feishus_code_and_log_id(api: FeishuApi, feishu: FakeFeishu, naps: Naps) -> None:
    feishu.answer(PATH, {"code": 230002, "msg": "Bot out"}, status=400, headers={"X-Tt-Logid": "log-1"})
    with pytest.raises(ReplyRefused) as error:
        await api.call("GET", PATH)
    assert error.value.feishu_code == 230002
    assert "Bot out" in error.value.detail
    assert "log-1" in error.value.detail
    assert naps.taken == []


@pytest.mark.parametrize(
    ("code", "status", "error", "our_code", "retryable"),
    [
        (99991672, 400, FeishuPermission, "feishu_permission", False),
        (99991403, 429, FeishuPermission, "feishu_permission", False),
        (230110, 400, MessageGone, "message_gone", False),
        (230011, 200, MessageGone, "message_gone", False),
        (230025, 400, CardRefused, "card_refused", False),
        (230099, 400, CardRefused, "card_refused", False),
        (230035, 400, ReplyRefused, "reply_refused", False),
        (230049, 400, FeishuUnavailable, "feishu_unavailable", True),
        (234037, 400, ResourceRefused, "file_too_large", False),
        (234038, 400, ResourceRefused, "file_confidential", False),
        (234003, 400, ResourceRefused, "file_gone", False),
        (234009, 400, ResourceRefused, "file_external", False),
        (234043, 400, ResourceRefused, "file_kind", False),
        (234042, 500, ResourceRefused, "file_refused", False),
        (234019, 400, FeishuUnavailable, "feishu_unavailable", True),
        (200850, 400, CardClosed, "card_closed", False),
        (300309, 400, CardClosed, "card_closed", False),
        (200860, 400, CardRefused, "card_refused", False),
        (200810, 400, FeishuUnavailable, "feishu_unavailable", True),
        (424242, 400, FeishuError, "feishu", False),
        (424242, 500, FeishuUnavailable, "feishu_unavailable", True),
        (0, 404, FeishuError, "feishu", False),
    ],
)
def test_every_code_has_its_error(
    code: int, status: int, error: type[FeishuError], our_code: str, retryable: bool
) -> None:
    made = error_for(code, "msg", status=status)
    assert type(made) is error
    assert (made.code, made.retryable, made.feishu_code) == (our_code, retryable, code)


@pytest.mark.parametrize("value", ["", ".", "..", "a/b", "a\\b", "a b", "a?b", "a%2e", "a\n", "读", "x" * 257])
def test_an_id_that_could_lead_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(FeishuError):
        segment(value)


def test_ids_of_feishu_pass() -> None:
    assert segment("file_v3_00ab-1f2e-4d5c-9a8b-g") == "file_v3_00ab-1f2e-4d5c-9a8b-g"
