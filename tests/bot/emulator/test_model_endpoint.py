"""The model endpoint, seen through OpenAI's own SDK, unchanged."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import openai
import pytest
from PIL import Image

from bot.emulator.endpoint import Endpoint
from bot.emulator.model.app import application
from bot.emulator.wire import ModelOptions


def data_url(width=64, height=48, *, written="PNG", declared="image/png") -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(buffer, written)
    return f"data:{declared};base64,{base64.b64encode(buffer.getvalue()).decode()}"


def image(url: str) -> dict:
    return {"type": "image_url", "image_url": {"url": url}}


def asking(*parts: dict, role: str = "user") -> list[dict]:
    return [{"role": role, "content": [{"type": "text", "text": "What is this?"}, *parts]}]


@asynccontextmanager
async def running(serving, **options) -> AsyncIterator[tuple[Endpoint, openai.AsyncOpenAI]]:
    async with (
        serving(application(ModelOptions(**options))) as url,
        aiohttp.ClientSession() as session,
        openai.AsyncOpenAI(api_key="sk-emulator", base_url=f"{url}/v1", max_retries=0) as client,
    ):
        yield Endpoint(session, url), client


@pytest.fixture
async def served(serving):
    async with running(serving) as both:
        yield both


async def streamed(client, messages=None, model="stand-in", **parameters) -> tuple[str, list]:
    """The text and the chunks of one streamed completion."""
    stream = await client.chat.completions.create(model=model, messages=messages or asking(), stream=True, **parameters)
    chunks = [chunk async for chunk in stream]
    text = "".join(
        (chunk.choices[0].delta.content or "") for chunk in chunks if chunk.choices and chunk.choices[0].delta
    )
    return text, chunks


async def test_answer_streams_in_pieces_and_says_that_it_is_no_model(served):
    endpoint, client = served
    text, chunks = await streamed(client, asking(image(data_url())), stream_options={"include_usage": True})
    assert "no model" in text.splitlines()[0]
    assert "64×48" in text
    assert len(chunks) > 10
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.prompt_tokens > 0
    [seen] = await endpoint.wait_for_completions(1, timeout_s=5)
    assert (seen.end, seen.stream, seen.messages[0].text) == ("answered", True, "What is this?")
    assert [(found.width, found.height) for found in seen.messages[0].images] == [(64, 48)]


async def test_whole_answer_without_streaming_is_the_same(served):
    _, client = served
    text, _ = await streamed(client)
    whole = await client.chat.completions.create(model="stand-in", messages=asking())
    assert whole.choices[0].message.content == text
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens


async def test_models_are_listed_and_others_do_not_exist(served):
    _endpoint, client = served
    assert [found.id async for found in client.models.list()] == ["stand-in"]
    with pytest.raises(openai.NotFoundError):
        await streamed(client, model="gpt-made-up")
    async with openai.AsyncOpenAI(api_key="wrong", base_url=client.base_url, max_retries=0) as stranger:
        with pytest.raises(openai.AuthenticationError):
            await streamed(stranger)


async def test_request_is_checked_to_its_depth(served):
    _, client = served
    jpeg = data_url(written="JPEG")
    for messages, more in (
        ([{"role": "nobody", "content": "x"}], {}),
        ([{"role": "user", "content": [{"type": "video_url", "video_url": {"url": "x"}}]}], {}),
        (asking(image(data_url()), role="system"), {}),
        ([{"role": "user"}], {}),
        (asking(), {"extra_body": {"enable_thinking": True}}),
        (asking(), {"temperature": "warm"}),
        (asking({"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}), {}),
        (asking(image("https://example.com/a.png")), {}),
        (asking(image(jpeg)), {}),
        (asking(image(data_url(10, 10))), {}),
        (asking(image(data_url()[:-40])), {}),
        (asking(image("data:image/png;base64,AAAA")), {}),
        (asking(image("data:image/png;base64,***")), {}),
        (asking(image("data:image/svg+xml;base64,AAAA")), {}),
    ):
        with pytest.raises(openai.BadRequestError):
            await streamed(client, messages, **more)
    with pytest.raises(openai.BadRequestError) as refused:
        await streamed(client, asking(image(jpeg)))
    assert refused.value.code == "invalid_image_format"


async def test_limits_of_the_endpoint_are_kept(serving):
    limits = {"context_tokens": 100, "max_images": 1, "max_body_bytes": 20_000, "image_max_pixels": 5_000}
    async with running(serving, **limits) as (_, client):
        with pytest.raises(openai.BadRequestError) as too_long:
            await streamed(client, [{"role": "user", "content": "字" * 200}])
        assert too_long.value.code == "context_length_exceeded"
        with pytest.raises(openai.BadRequestError, match="Exceeded maximum number of images"):
            await streamed(client, asking(image(data_url()), image(data_url())))
        with pytest.raises(openai.BadRequestError, match="total pixels"):
            await streamed(client, asking(image(data_url(100, 60))))
        with pytest.raises(openai.APIStatusError) as too_large:
            await streamed(client, [{"role": "user", "content": "x" * 30_000}])
        assert too_large.value.status_code == 413


async def test_silent_failures_look_to_the_sdk_like_short_answers(served):
    """The measured list: none of these raises, so the bot's own guard has to notice."""
    endpoint, client = served
    full, _ = await streamed(client)
    for mode in ("no-finish", "error-event", "html", "json-error", "empty"):
        await endpoint.fail(mode)
        text, chunks = await streamed(client)
        assert len(text) < len(full), mode
        finished = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
        assert "stop" not in finished or mode == "empty"
    assert (await streamed(client))[0] == full


async def test_loud_failures_raise_what_the_sdk_raises(served):
    endpoint, client = served
    for mode, error, status in (
        ("broken-json", json.JSONDecodeError, None),
        ("cut", openai.APIConnectionError, None),
        ("error-mid-stream", openai.APIError, None),
        ("error-string", openai.BadRequestError, 400),
        ("quota", openai.RateLimitError, 429),
        ("rate-limit", openai.RateLimitError, 429),
        ("server-error", openai.InternalServerError, 500),
        ("context", openai.BadRequestError, 400),
        ("too-large", openai.APIStatusError, 413),
        ("filtered-prompt", openai.BadRequestError, 400),
    ):
        await endpoint.fail(mode)
        with pytest.raises(error) as raised:
            await streamed(client)
        assert getattr(raised.value, "status_code", None) == status, mode


async def test_odd_but_right_streams_carry_the_whole_answer(served):
    endpoint, client = served
    full, _ = await streamed(client)
    for mode in ("null-delta", "empty-choices", "reasoning"):
        await endpoint.fail(mode)
        assert (await streamed(client))[0] == full, mode
    await endpoint.fail("split-utf8")
    assert (await streamed(client))[0].startswith("汉字😀")
    await endpoint.fail("think")
    assert (await streamed(client))[0].startswith("<think>")


async def test_early_ends_carry_their_reason(served):
    endpoint, client = served
    for mode, reason in (("length", "length"), ("content-filter", "content_filter")):
        _, chunks = await streamed(client, model=f"fault-{mode}")
        assert chunks[-1].choices[0].finish_reason == reason
    assert [seen.fault for seen in await endpoint.completions()] == ["length", "content-filter"]


async def test_faults_about_parameters_and_images_wait_for_a_request_they_concern(served):
    endpoint, client = served
    for mode in ("image-unsupported", "too-many-images", "no-stream-options", "no-max-tokens"):
        await endpoint.fail(mode)
    await streamed(client)
    picture = image(data_url())
    with pytest.raises(openai.BadRequestError, match="unknown variant"):
        await streamed(client, asking(picture))
    await streamed(client, asking(picture))
    with pytest.raises(openai.BadRequestError, match=r"At most 1 image\(s\)"):
        await streamed(client, asking(picture, picture))
    with pytest.raises(openai.BadRequestError, match="stream_options"):
        await streamed(client, stream_options={"include_usage": True})
    with pytest.raises(openai.BadRequestError, match="max_tokens"):
        await streamed(client, max_tokens=5)
    await streamed(client, asking(picture, picture), stream_options={"include_usage": True}, max_tokens=5)


async def test_fault_happens_as_often_as_asked_and_the_sdk_retries_it_away(served):
    endpoint, client = served
    await endpoint.fail("server-error", times=2)
    text, _ = await streamed(client.with_options(max_retries=2))
    assert "no model" in text
    assert [seen.end for seen in await endpoint.completions()] == ["failed", "failed", "answered"]
    with pytest.raises(RuntimeError, match="unknown mode"):
        await endpoint.fail("bad-luck")


async def test_redirect_makes_an_unguarded_client_send_the_document_again(served):
    endpoint, client = served
    await endpoint.fail("redirect")
    with pytest.raises(openai.InternalServerError):
        await streamed(client)
    assert "sent again after a redirect" in (await endpoint.completions())[-1].detail


@pytest.mark.parametrize("mode", ["stall", "keep-alive"])
async def test_endpoint_notices_when_the_client_leaves(served, mode):
    endpoint, client = served
    stream = await client.chat.completions.create(model=f"fault-{mode}", messages=asking(), stream=True)
    await endpoint.wait_for_running(1, timeout_s=5)
    await stream.close()
    [seen] = await endpoint.wait_for_completions(1, timeout_s=10)
    assert (seen.end, seen.fault) == ("disconnected", mode)
