"""The guard around a Chat Completions stream: text as it comes, and an error for each way in which one ends badly.

The SDK ends normally when a stream breaks off, when a proxy answers with a page, and when an error comes as an event
without an `error` key (measured, openai 3.57). Nothing here trusts a stream that has not said `finish_reason`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import openai
from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk

from bot.errors import ModelError
from bot.llm.classify import MAX_DETAIL_CHARS, refusal

#: After `finish_reason` only the usage is to come.
_USAGE_WAIT_S = 5.0
_THINK, _THOUGHT = "<think>", "</think>"


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a stream that ended well."""

    finish_reason: str
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(slots=True, kw_only=True)
class Deadlines:
    """How long the stream may be silent. Keep-alive comments don't count; thinking aloud does."""

    first_token_s: float
    idle_s: float
    total_s: float
    started: float  # on the loop's clock
    heard: float | None = None

    def next(self, *, finished: bool) -> float:
        """The moment at which the stream is given up."""
        if self.heard is None:
            return self.started + min(self.first_token_s, self.total_s)
        return min(
            self.heard + (min(self.idle_s, _USAGE_WAIT_S) if finished else self.idle_s), self.started + self.total_s
        )


class Unthought:
    """Leaves out `<think>...</think>` at the beginning of an answer, also when a tag comes in pieces."""

    def __init__(self) -> None:
        self._pending = ""
        self._thinking = False
        self._begun = False

    def feed(self, text: str) -> str:
        """What of the text so far is certainly not thought."""
        if self._begun:
            return text
        self._pending += text
        if self._thinking or self._pending.lstrip().startswith(_THINK):
            self._thinking = True
            _, closed, rest = self._pending.partition(_THOUGHT)
            if not closed:
                # Only a broken tag's worth is needed again.
                self._pending = self._pending[-len(_THOUGHT) :]
                return ""
            self._thinking, self._pending = False, ""
            return self.feed(rest)
        if _THINK.startswith(self._pending.lstrip()[: len(_THINK)]):
            return ""
        return self._begin()

    def finish(self) -> str:
        """What was held back and turned out to be text."""
        return "" if self._begun or self._thinking else self._begin()

    def _begin(self) -> str:
        text, self._pending = self._pending.lstrip(), ""
        self._begun = bool(text)
        return text


@dataclass(slots=True)
class _Heard:
    finish_reason: str | None = None
    model: str | None = None
    usage: Any = None
    text: bool = False
    unthought: Unthought = field(default_factory=Unthought)


async def read_stream(
    stream: AsyncStream[ChatCompletionChunk], deadlines: Deadlines
) -> AsyncGenerator[Delta | Ending, None]:
    """Yields the text piece by piece, then one `Ending`; raises ModelError for everything else."""
    await _demand_events(stream, deadlines)
    heard = _Heard()
    async for chunk in _chunks(stream, deadlines, heard):
        heard.model = heard.model or _short(chunk.model)
        heard.usage = getattr(chunk, "usage", None) or heard.usage
        said = _said(chunk, heard)
        if said is not None:
            deadlines.heard = asyncio.get_running_loop().time()
        if said and (text := heard.unthought.feed(said)):
            heard.text = True
            yield Delta(text)
    if rest := heard.unthought.finish():
        heard.text = True
        yield Delta(rest)
    yield _ending(heard)


def _ending(heard: _Heard) -> Ending:
    if heard.finish_reason is None:
        problem = "model_cut" if heard.text else "model_empty"
        raise ModelError("the stream ended without a finish_reason", code=problem, retryable=True)
    if heard.finish_reason == "content_filter":
        raise ModelError("finish_reason content_filter", code="model_filtered")
    if not heard.text and heard.finish_reason in {"length", "max_tokens"}:
        raise ModelError("no text before the length limit: it thought all the time", code="model_no_room")
    if not heard.text:
        raise ModelError(f"no text, finish_reason {heard.finish_reason}", code="model_empty", retryable=True)
    return Ending(
        finish_reason=heard.finish_reason,
        model=heard.model,
        prompt_tokens=_count(heard.usage, "prompt_tokens"),
        completion_tokens=_count(heard.usage, "completion_tokens"),
    )


async def _demand_events(stream: AsyncStream[ChatCompletionChunk], deadlines: Deadlines) -> None:
    """A page or a JSON object under 200 is an error that the SDK takes for an empty stream."""
    media_type = stream.response.headers.get("content-type", "")
    if media_type.lower().startswith("text/event-stream"):
        return
    body = b""
    try:
        async with asyncio.timeout_at(deadlines.next(finished=False)):
            async for piece in stream.response.aiter_bytes():
                body += piece
                if len(body) > 10 * MAX_DETAIL_CHARS:
                    break
    except TimeoutError:
        raise ModelError("no answer in time", code="model_stalled", retryable=True) from None
    text = body.decode("utf-8", "replace")
    if "json" in media_type and '"error"' in text:
        raise refusal(None, text)
    raise ModelError(f"{media_type or 'no type'}: {text[:MAX_DETAIL_CHARS]}", code="model_bad_stream")


async def _chunks(
    stream: AsyncStream[ChatCompletionChunk], deadlines: Deadlines, heard: _Heard
) -> AsyncGenerator[ChatCompletionChunk, None]:
    """The stream's chunks. After `finish_reason` a failure no longer matters: it costs the usage, not the answer."""
    chunks = aiter(stream)
    while True:
        try:
            async with asyncio.timeout_at(deadlines.next(finished=heard.finish_reason is not None)):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except (TimeoutError, json.JSONDecodeError, UnicodeDecodeError, openai.APIError) as error:
            if heard.finish_reason is not None:
                return
            raise _failure(error) from error
        if unknown := _error_event(chunk):
            raise refusal(None, unknown)
        yield chunk


def _failure(error: Exception) -> ModelError:
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelError("no token in time", code="model_stalled", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        return ModelError(f"the connection broke: {type(error.__cause__).__name__}", code="model_cut", retryable=True)
    if isinstance(error, openai.APIError):
        return refusal(None, f"{error.code} {error.type} {error.message} {error.body}")
    return ModelError("an event that is not JSON", code="model_bad_stream", retryable=True)


def _error_event(chunk: ChatCompletionChunk) -> str | None:
    """The words of an error that came as an ordinary event."""
    if getattr(chunk, "choices", None) or getattr(chunk, "usage", None):
        return None
    extra = chunk.model_extra or {}
    if "message" in extra or "code" in extra:
        return json.dumps(extra, ensure_ascii=False, default=str)
    return None


def _said(chunk: ChatCompletionChunk, heard: _Heard) -> str | None:
    """The text in a chunk; "" when it only thinks aloud, None when it says nothing at all. Any field may be missing."""
    said: str | None = None
    for choice in (getattr(chunk, "choices", None) or [])[:1]:
        heard.finish_reason = getattr(choice, "finish_reason", None) or heard.finish_reason
        delta = getattr(choice, "delta", None)
        text = getattr(delta, "content", None) or getattr(delta, "refusal", None)
        if isinstance(text, str) and text:
            said = text
        elif getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None):
            said = ""
    return said


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else None


def _short(value: Any) -> str | None:
    return value[:100] if isinstance(value, str) and value else None
