"""The model client against real servers: every documented way to fail, and every concession it makes."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from contextlib import aclosing

import pytest
from aiohttp import web
from PIL import Image

from bot.models import Answer

from .conftest import Scripted, answered, asking, event, failed, refusing, saying


def picture() -> dict:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


# --- ways in which it goes well ---------------------------------------------------------------------------------------


async def test_an_answer_comes_in_pieces_with_its_usage_and_times(client_for):
    answer = await answered(await client_for(), asking("What is this?"))
    assert (answer.state, answer.model) == ("complete", "stand-in")
    assert "stand-in" in answer.text
    assert answer.prompt_tokens > 0
    assert answer.completion_tokens > 0
    assert 0 <= answer.first_token_s <= answer.seconds


@pytest.mark.parametrize("mode", ["null-delta", "empty-choices", "reasoning", "think", "split-utf8"])
async def test_an_odd_but_whole_stream_is_an_answer(client_for, mode):
    answer = await answered(await client_for(model=f"fault-{mode}"), asking("What is this?"))
    assert answer.state == "complete"
    assert answer.text.startswith("汉字😀" if mode == "split-utf8" else "(I am a local stand-in")
    assert "thoughts" not in answer.text


async def test_an_answer_cut_at_its_length_says_so(client_for):
    answer = await answered(await client_for(model="fault-length"), asking("What is this?"))
    assert answer.state == "length"


async def test_a_model_that_thinks_until_its_length_is_over_is_not_asked_again(client_for):
    error = await failed(await client_for(model="fault-thinks-only"), asking("What is this?"))
    assert (error.code, error.retryable) == ("model_no_room", False)


async def test_a_refusal_in_a_field_of_its_own_is_the_answer(client_for):
    async def refuse(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(event({"choices": [{"index": 0, "delta": {"refusal": "I cannot help with that."}}]}))
        await response.write(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
        return response

    answer = await answered(await client_for(Scripted([refuse])), asking("?"))
    assert (answer.text, answer.state) == ("I cannot help with that.", "complete")


async def test_a_call_of_a_tool_that_nobody_offered_is_no_answer(client_for):
    async def call(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        calls = [{"index": 0, "id": "c", "type": "function", "function": {"name": "browse", "arguments": "{}"}}]
        await response.write(event({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}))
        await response.write(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))
        return response

    assert (await failed(await client_for(Scripted([call])), asking("?"))).code == "model_empty"


async def test_a_stream_that_stalls_after_its_finish_is_whole(client_for):
    never = asyncio.Event()
    client = await client_for(Scripted([saying("done", after=never.wait)]), idle_timeout_s=0.2)
    assert (await answered(client, asking("?"))).text == "done"


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["<thi", "nk>a", "b</th", "ink>\n\nyes"], "yes"),
        (["\n", "<think>", "</think>", "yes"], "yes"),
        (["<b>", "bold"], "<b>bold"),
        (["<thi"], "<thi"),
        (["say ", "<think>x</think>"], "say <think>x</think>"),
    ],
)
async def test_only_thoughts_at_the_beginning_are_left_out(client_for, pieces, text):
    answer = await answered(await client_for(Scripted([saying(*pieces)])), asking("?"))
    assert answer.text == text


# --- ways in which it goes wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "code", "retryable", "partial"),
    [
        ("html", "model_bad_stream", False, False),
        ("json-error", "model_unavailable", True, False),
        ("error-string", "model_param", False, False),
        ("redirect", "model_unavailable", False, False),
        ("quota", "model_quota", False, False),
        ("rate-limit", "model_rate", True, False),
        ("server-error", "model_unavailable", True, False),
        ("context", "model_context", False, False),
        ("too-large", "model_body", False, False),
        ("filtered-prompt", "model_filtered", False, False),
        ("no-finish", "model_cut", True, True),
        ("error-event", "model_unavailable", True, True),
        ("error-mid-stream", "model_unavailable", True, True),
        ("broken-json", "model_bad_stream", True, True),
        ("cut", "model_cut", True, True),
        ("content-filter", "model_filtered", False, True),
        ("empty", "model_empty", True, False),
    ],
)
async def test_every_failure_has_its_code_and_keeps_what_was_said(client_for, mode, code, retryable, partial):
    error = await failed(await client_for(model=f"fault-{mode}"), asking("What is this?"))
    assert (error.code, error.retryable, bool(error.partial_text)) == (code, retryable, partial)


@pytest.mark.parametrize(("mode", "partial"), [("keep-alive", False), ("stall", True)])
async def test_silence_ends_a_stream_even_when_the_connection_is_kept_alive(client_for, mode, partial):
    client = await client_for(model=f"fault-{mode}", first_token_timeout_s=0.5, idle_timeout_s=0.5)
    error = await failed(client, asking("What is this?"))
    assert (error.code, error.retryable, bool(error.partial_text)) == ("model_stalled", True, partial)


async def test_an_answer_that_never_ends_is_ended(client_for):
    async def drip(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:
            await response.write(event({"choices": [{"index": 0, "delta": {"content": "drop "}}]}))
            await asyncio.sleep(0.01)

    client = await client_for(Scripted([drip]), total_timeout_s=0.5)
    error = await failed(client, asking("?"))
    assert error.code == "model_stalled"
    assert error.partial_text


@pytest.mark.parametrize(("model", "key", "code"), [("no-such", "sk-emulator", "model_not_found")])
async def test_a_model_that_does_not_exist_is_not_tried_again(client_for, model, key, code):
    error = await failed(await client_for(model=model), asking("?"))
    assert (error.code, error.retryable) == (code, False)


async def test_an_endpoint_that_is_not_there_may_be_tried_again(client_for):
    client = await client_for()
    client._sdk.base_url = "http://127.0.0.1:1/v1"
    error = await failed(client, asking("?"))
    assert (error.code, error.retryable) == ("model_unavailable", True)


async def test_a_busy_endpoint_is_tried_again_before_the_first_text(client_for):
    scripted = Scripted([refusing(503, "{}"), saying("yes")])
    answer = await answered(await client_for(scripted, max_retries=2), asking("?"))
    assert answer.text == "yes"
    assert len(scripted.bodies) == 2


async def test_a_redirect_does_not_carry_the_documents_away(client_for):
    scripted = Scripted([refusing(307, "")])
    await failed(await client_for(scripted), asking("secret"))
    assert len(scripted.bodies) == 1


async def test_leaving_the_stream_closes_the_connection(client_for):
    left = asyncio.Event()

    async def endless(request):
        try:
            return await saying("first", finish=None, after=asyncio.Event().wait)(request)
        except asyncio.CancelledError:
            left.set()
            raise

    client = await client_for(Scripted([endless]))
    async with aclosing(client.stream(asking("?"))) as pieces:
        assert (await anext(pieces)).text == "first"
    async with asyncio.timeout(10):
        await left.wait()


async def test_no_more_requests_run_at_once_than_allowed(client_for):
    running, most = 0, 0
    both_in = asyncio.Event()

    async def count(request):
        nonlocal running, most
        running += 1
        most = max(most, running)
        if most == 2:
            both_in.set()
        await both_in.wait()
        response = await saying("ok")(request)
        running -= 1
        return response

    client = await client_for(Scripted([count]), concurrency=2)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(answered(client, asking("?")))
    assert most == 2


# --- concessions ------------------------------------------------------------------------------------------------------


async def test_a_text_only_model_is_asked_again_without_images_and_remembered(client_for):
    scripted = Scripted(
        [
            refusing(400, '{"error": {"message": "unknown variant `image_url`, expected `text`"}}'),
            saying("text alone"),
        ]
    )
    client = await client_for(scripted)
    prompt = asking("look:", picture(), "well?", images=1)
    assert (await answered(client, prompt)).images_dropped
    assert isinstance(scripted.bodies[1]["messages"][1]["content"], str)
    await answered(client, prompt)
    assert len(scripted.bodies) == 3  # the third request was without images at once


async def test_what_was_learned_is_forgotten_in_time(client_for):
    refusal = refusing(400, '{"error": "this model does not support images"}')
    scripted = Scripted([refusal, saying("a"), saying("b")])
    client = await client_for(scripted, remember_s=0)
    await answered(client, asking("look:", picture(), images=1))
    assert not (await answered(client, asking("look:", picture(), images=1))).images_dropped


async def test_as_many_images_are_sent_as_the_endpoint_takes(client_for):
    scripted = Scripted(
        [refusing(400, '{"message": "At most 2 image(s) may be provided in one request."}'), saying("ok")]
    )
    answer = await answered(await client_for(scripted), asking("look:", *[picture()] * 5, images=5))
    kinds = [part["type"] for part in scripted.bodies[1]["messages"][1]["content"]]
    assert kinds.count("image_url") == 2
    assert answer.images_dropped


@pytest.mark.parametrize(
    ("mode", "parameter"), [("no-stream-options", "stream_options"), ("no-max-tokens", "max_tokens")]
)
async def test_a_parameter_that_is_refused_is_left_out(client_for, mode, parameter):
    client = await client_for(model=f"fault-{mode}")
    assert (await answered(client, asking("What?"))).state == "complete"


async def test_a_refused_temperature_is_left_out_and_stays_out(client_for):
    refusal = refusing(400, '{"error": {"message": "Unsupported value: \'temperature\' does not support 0.2"}}')
    scripted = Scripted([refusal, saying("ok")])
    client = await client_for(scripted, temperature=0.2)
    await answered(client, asking("?"))
    await answered(client, asking("?"))
    assert ["temperature" in body for body in scripted.bodies] == [True, False, False]


async def test_a_prompt_that_is_too_long_is_shortened_once_with_its_marks_kept(client_for):
    message = "This model's maximum context length is 8192 tokens. However, you requested 16384 tokens."
    scripted = Scripted([refusing(400, json.dumps({"error": {"message": message}})), saying("ok")])
    text = "\n".join(f"--- Page {page} ---\n" + "word " * 200 for page in range(1, 40))
    blocked = f'<<<FILE 1 · nonce abc · name="long.pdf" · untrusted>>>\n{text}\n<<<END abc>>>'
    answer = await answered(await client_for(scripted), asking("Sum up.", blocked, "Sum up."))
    sent = scripted.bodies[1]["messages"][1]["content"]
    assert sent.startswith("Sum up.")
    assert sent.endswith("<<<END abc>>>\n\nSum up.")
    assert "characters left out: pages" in sent
    assert 0.3 < len(sent) / len(text) < 0.6
    ((_, what),) = answer.omitted
    assert re.fullmatch(r"long\.pdf [\d,]+ / [\d,]+", what)


async def test_a_body_that_is_too_large_is_sent_with_half_the_images(client_for):
    page = refusing(413, "<html>413 Request Entity Too Large</html>", "text/html")
    scripted = Scripted([page, page, saying("ok")])
    answer = await answered(await client_for(scripted), asking("look:", *[picture()] * 4, images=4))
    assert [json.dumps(body).count("data:image") for body in scripted.bodies] == [4, 2, 1]
    assert answer.images_dropped


async def test_concessions_come_to_an_end(client_for):
    scripted = Scripted([refusing(413, "too large", "text/plain")])
    error = await failed(await client_for(scripted), asking("look:", *[picture()] * 9, images=9))
    assert error.code == "model_body"
    assert len(scripted.bodies) == 5


async def test_optional_values_of_the_template_win_over_the_configuration(client_for):
    scripted = Scripted([saying("ok")])
    client = await client_for(scripted, temperature=0.9, output_limit_parameter="max_completion_tokens")
    await answered(client, asking("?", temperature=0.1, max_output_tokens=77))
    assert (scripted.bodies[0]["temperature"], scripted.bodies[0]["max_completion_tokens"]) == (0.1, 77)
    assert scripted.bodies[0]["stream_options"] == {"include_usage": True}
    assert isinstance(await answered(client, asking("?")), Answer)
