"""The model's endpoint: one call, streamed, that gives way where an endpoint is known to be particular."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import openai
import structlog
from cachetools import TTLCache
from openai import AsyncOpenAI, DefaultAsyncHttpx2Client

from bot.errors import ModelError
from bot.llm.classify import refusal
from bot.llm.request import Body, Shape, build_body
from bot.llm.stream import Deadlines, Delta, Ending, read_stream
from bot.models import Answer, Prompt

log = structlog.get_logger()

_CONNECT_TIMEOUT_S = 5.0
#: How often one question may be sent again with less; each time something else is left out.
_MAX_CONCESSIONS = 4
#: What holds for the endpoint, and not only for one request.
_LASTING = frozenset({"model_param", "model_image_unsupported", "model_too_many_images"})


class ModelClient:
    """A Chat Completions endpoint and model. What it was found not to take is remembered for an hour."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        max_output_tokens: int,
        output_limit_parameter: str = "max_tokens",
        temperature: float | None = None,
        concurrency: int = 4,
        first_token_timeout_s: float = 60.0,
        idle_timeout_s: float = 45.0,
        total_timeout_s: float = 540.0,
        max_retries: int = 2,
        remember_s: float = 3600.0,
    ) -> None:
        self._model = model
        self._max_output_tokens = max_output_tokens
        self._temperature = temperature
        self._first_token_s = first_token_timeout_s
        self._idle_s = idle_timeout_s
        self._total_s = total_timeout_s
        self._gate = asyncio.Semaphore(concurrency)
        self._shape = Shape(limit_parameter=output_limit_parameter)
        self._learned: TTLCache[str, Shape] = TTLCache(maxsize=1, ttl=remember_s)
        silence_s = max(first_token_timeout_s, idle_timeout_s) + 5  # our own deadlines come first
        self._sdk = AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or "none",  # local endpoints have none, and the SDK would look into the environment
            max_retries=max_retries,
            timeout=openai.Timeout(silence_s, connect=_CONNECT_TIMEOUT_S),
            # A redirect would send the documents to another host.
            http_client=DefaultAsyncHttpx2Client(follow_redirects=False),
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._sdk.close()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer, None]:
        """Yields the text piece by piece and then the `Answer`, whose state is "complete" or "length".

        Raises ModelError, with what was said so far as `partial_text`. Nothing is sent again once text has come.
        """
        async with self._gate:
            shape = self._learned.get("shape", self._shape)
            for concession in range(_MAX_CONCESSIONS + 1):
                body = build_body(
                    prompt,
                    shape,
                    model=self._model,
                    max_output_tokens=self._max_output_tokens,
                    temperature=self._temperature,
                )
                text: list[str] = []
                try:
                    async with aclosing(self._attempt(prompt, body, text)) as pieces:
                        async for piece in pieces:
                            yield piece
                except ModelError as error:
                    error.partial_text = "".join(text)
                    narrowed = shape.narrowed(error, body.images)
                    if text or narrowed is None or concession == _MAX_CONCESSIONS:
                        raise
                    log.warning("model takes less", code=error.code, images=body.images)
                    shape = narrowed
                    if error.code in _LASTING:
                        self._learned["shape"] = replace(shape, text_ratio=1.0)
                else:
                    return

    async def _attempt(self, prompt: Prompt, body: Body, text: list[str]) -> AsyncGenerator[Delta | Answer, None]:
        """One call; every piece of text is added to `text` as well."""
        clock = asyncio.get_running_loop().time
        started = clock()
        deadlines = Deadlines(
            first_token_s=self._first_token_s, idle_s=self._idle_s, total_s=self._total_s, started=started
        )
        first_token_s: float | None = None
        async with await self._open(body, deadlines) as events, aclosing(read_stream(events, deadlines)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    first_token_s = first_token_s if text else round(clock() - started, 3)
                    text.append(piece.text)
                    yield piece
                else:
                    answer = _answer("".join(text), piece, prompt, body)
                    yield replace(answer, first_token_s=first_token_s, seconds=round(clock() - started, 3))

    async def _open(
        self, body: Body, deadlines: Deadlines
    ) -> openai.AsyncStream[openai.types.chat.ChatCompletionChunk]:
        try:
            async with asyncio.timeout_at(deadlines.next(finished=False)):
                stream: openai.AsyncStream[openai.types.chat.ChatCompletionChunk]
                stream = await self._sdk.chat.completions.create(stream=True, **body.arguments)
                return stream
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelError("no answer in time", code="model_stalled", retryable=True) from error
        except openai.APIStatusError as error:
            raise refusal(error.status_code, error.response.text) from error
        except openai.APIConnectionError as error:
            raise ModelError(f"no connection: {error.__cause__}", code="model_unavailable", retryable=True) from error


def _answer(text: str, ending: Ending, prompt: Prompt, body: Body) -> Answer:
    return Answer(
        text=text,
        state="length" if ending.finish_reason in {"length", "max_tokens"} else "complete",
        model=ending.model,
        prompt_tokens=ending.prompt_tokens,
        completion_tokens=ending.completion_tokens,
        omitted=(*prompt.omitted, *body.omitted),
        images_dropped=body.images < prompt.images,
    )
