"""What every call of the open platform meets: tokens, limits, unknown paths, faults."""

from __future__ import annotations

import aiohttp
import pytest

from bot.emulator.wire import Fault

MESSAGE = "im/v1/messages/om_unknown"


async def test_wrong_secret_gets_no_token(api):
    answer = await api.call(
        "POST", "auth/v3/tenant_access_token/internal", {"app_id": "cli_emulator", "app_secret": "wrong"}
    )
    assert (answer.status, answer.code) == (200, 10014)
    assert "tenant_access_token" not in answer.body


async def test_call_without_a_right_token_is_refused(api):
    api.token = ""
    for header, code in (
        ({}, 99991661),
        ({"Authorization": "Bearer t-0123456789abcdef"}, 99991663),
        ({"Authorization": "t-0123456789abcdef"}, 99991671),
        ({"Authorization": "Bearer 0123456789abcdef"}, 99991671),
    ):
        answer = await api.call("GET", "bot/v3/info", **header)
        assert (answer.status, answer.code) == (400, code)


async def test_token_expires_and_a_new_one_is_issued_beside_the_old_one(start):
    async with start(token_expire_s=0.4, relaxed_rates=True) as api:
        first = api.token
        assert (await api.call("GET", "bot/v3/info")).code == 0
        while (await api.call("GET", "bot/v3/info")).code == 0:
            pass
        expired = await api.call("GET", "bot/v3/info")
        assert (expired.status, expired.code) == (401, 99991663)
        await api.login()
        assert api.token != first
        assert (await api.call("GET", "bot/v3/info")).code == 0


async def test_token_is_the_same_while_it_has_time_left(api):
    first = api.token
    answer = await api.login()
    assert api.token == first
    assert 0 < answer.body["expire"] <= 7200


async def test_unknown_path_is_plain_404_with_a_log_id(api):
    answer = await api.call("GET", "im/v1/nothing")
    assert answer.status == 404
    assert answer.body["text"] == "404 page not found"
    assert answer.headers["X-Tt-Logid"]


async def test_bot_info_is_under_bot_and_not_under_data(api):
    answer = await api.call("GET", "bot/v3/info")
    assert answer.body["bot"]["open_id"] == "ou_emulator_bot"
    assert "data" not in answer.body


async def test_fifty_first_call_within_a_second_is_told_when_to_come_back(api):
    answers = [await api.call("GET", MESSAGE) for _ in range(60)]
    refused = [answer for answer in answers if answer.code == 99991400]
    assert refused
    assert all(answer.code == 230001 for answer in answers[:50])
    assert (refused[0].status, refused[0].headers["x-ogw-ratelimit-reset"]) == (429, "1")
    assert refused[0].headers["x-ogw-ratelimit-limit"] == "50"


async def test_relaxed_rates_let_everything_through(start):
    async with start(relaxed_rates=True) as api:
        codes = {(await api.call("GET", MESSAGE)).code for _ in range(60)}
        assert codes == {230001}


async def test_fault_answers_as_often_as_it_was_told_to(api):
    await api.chat.fail(Fault(match=r"^GET .*/bot/v3/info$", code=11232, status=500, times=2))
    codes = [(await api.call("GET", "bot/v3/info")).code for _ in range(3)]
    assert codes == [11232, 11232, 0]


async def test_fault_without_a_status_cuts_the_connection(api):
    # A POST, because aiohttp sends a GET or PUT a second time when a kept-alive connection drops.
    message_id = await api.chat.say("hi")
    await api.chat.fail(Fault(match="/reply$"))
    with pytest.raises(aiohttp.ClientError):
        await api.reply(message_id)
    assert await api.chat.replies(message_id) == []
    assert (await api.reply(message_id)).code == 0


async def test_fault_after_the_work_loses_only_the_answer(api):
    message_id = await api.chat.say("hi")
    await api.chat.fail(Fault(match="/reply$", mode="after", status=502, html="<html>bad gateway</html>"))
    lost = await api.reply(message_id, uuid="once")
    assert (lost.status, lost.body["text"]) == (502, "<html>bad gateway</html>")
    again = await api.reply(message_id, uuid="once")
    replies = await api.chat.replies(message_id)
    assert [reply.message_id for reply in replies] == [again.data["message_id"]]


async def test_journal_holds_calls_with_their_codes_and_bodies(api):
    message_id = await api.chat.say("hi")
    await api.reply(message_id, "well")
    await api.call("GET", MESSAGE)
    calls = await api.chat.calls()
    assert [(call.method, call.status, call.code) for call in calls[-2:]] == [("POST", 200, 0), ("GET", 400, 230001)]
    assert calls[-2].body["msg_type"] == "text"
    assert calls[-2].path.endswith(f"{message_id}/reply")
