"""Completions on the wire: chunks of server-sent events, or one JSON object."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import Any

from aiohttp import web
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bot.emulator.model.checks import CheckedRequest
from bot.emulator.model.tokens import text_tokens

_PIECE_CHARS = 6


class EventStream:
    """An open stream of chunks to one client."""

    def __init__(self, request: web.Request, model: str) -> None:
        self._request = request
        self._model = model
        self._id = f"chatcmpl-{secrets.token_hex(12)}"
        self.response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        )

    async def open(self) -> None:
        """Sends the head, and the chunk that names the role."""
        await self.response.prepare(self._request)
        await self.delta({"role": "assistant", "content": ""})

    async def write(self, text: str) -> None:
        """Sends text as it stands."""
        await self.response.write(text.encode())

    async def data(self, payload: object) -> None:
        """Sends one event."""
        await self.write(f"data: {json.dumps(payload, ensure_ascii=False)}\n\n")

    async def delta(self, delta: dict[str, Any], finish_reason: str | None = None) -> None:
        """Sends one chunk of the answer."""
        await self.data(self.chunk([{"index": 0, "delta": delta, "finish_reason": finish_reason}]))

    async def text(self, text: str, *, delay_s: float = 0.0) -> None:
        """Sends a text in small pieces."""
        for piece in pieces(text):
            await asyncio.sleep(delay_s)
            await self.delta({"content": piece})

    async def finish(self, reason: str) -> None:
        """Sends why the answer ends here."""
        await self.delta({}, reason)

    async def usage(self, usage: dict[str, int]) -> None:
        """Sends the counts, in a chunk without choices."""
        await self.data(self.chunk([]) | {"usage": usage})

    async def done(self) -> None:
        """Sends the end mark and closes the stream."""
        await self.write("data: [DONE]\n\n")
        await self.response.write_eof()

    def cut(self) -> None:
        """Drops the connection."""
        if self._request.transport is not None:
            self._request.transport.abort()

    def chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        """A chunk that the SDK's own type accepts."""
        chunk = ChatCompletionChunk.model_validate(
            {
                "id": self._id,
                "object": "chat.completion.chunk",
                "created": int(time.time()),
                "model": self._model,
                "choices": choices,
            }
        )
        return chunk.model_dump(mode="json", exclude_unset=True)


def whole_answer(checked: CheckedRequest, text: str, finish_reason: str = "stop") -> web.Response:
    """The answer to a request that does not stream."""
    completion = ChatCompletion.model_validate(
        {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": checked.model,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "finish_reason": finish_reason,
                    "logprobs": None,
                }
            ],
            "usage": usage_of(checked, text),
        }
    )
    return web.json_response(completion.model_dump(mode="json", exclude_unset=True))


def usage_of(checked: CheckedRequest, text: str) -> dict[str, int]:
    """The counts of one completion."""
    answer_tokens = text_tokens(text)
    return {
        "prompt_tokens": checked.prompt_tokens,
        "completion_tokens": answer_tokens,
        "total_tokens": checked.prompt_tokens + answer_tokens,
    }


def pieces(text: str) -> list[str]:
    """A text cut as a model streams it."""
    return [text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS)]
