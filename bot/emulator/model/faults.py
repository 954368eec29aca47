"""Every way a model endpoint is known to fail, by name; chosen through `/emulator/faults` or a model `fault-<mode>`.

The silent ones were measured with the SDK (openai 3.57.0); the words of the refusals are what providers say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.emulator.model.answers import EventStream, pieces
from bot.emulator.model.checks import CheckedRequest, context_problem
from bot.emulator.model.problems import Problem, refused
from bot.emulator.wire import ModelFault

#: Answers instead of a completion, or None where the fault has nothing to do with the request.
Refuse = Callable[[CheckedRequest], web.Response | None]
#: Streams an answer in a wrong way; gets the text that would have been the answer.
Misstream = Callable[[EventStream, str], Awaitable[None]]

KEEP_ALIVE_S = 0.2


class Faults:
    """The faults still to happen, the oldest first."""

    def __init__(self) -> None:
        self._waiting: list[ModelFault] = []

    def add(self, fault: ModelFault) -> None:
        """Arms a fault; ValueError for a mode that is none."""
        if fault.mode not in REFUSALS and fault.mode not in STREAMS:
            raise ValueError(f"unknown mode {fault.mode}; known: {', '.join(sorted(REFUSALS | STREAMS))}")
        self._waiting.append(fault)

    def take(self, checked: CheckedRequest) -> str | None:
        """The mode of the fault for this request, used up once; a model named `fault-<mode>` always fails."""
        for index, fault in enumerate(self._waiting):
            if _applies(fault.mode, checked):
                if fault.times > 1:
                    self._waiting[index] = ModelFault(mode=fault.mode, times=fault.times - 1)
                else:
                    del self._waiting[index]
                return fault.mode
        mode = checked.model.removeprefix("fault-")
        return mode if mode != checked.model and _applies(mode, checked) else None


def is_fault_model(model: str) -> bool:
    """True for a model that exists in order to fail."""
    mode = model.removeprefix("fault-")
    return mode != model and (mode in REFUSALS or mode in STREAMS)


def _applies(mode: str, checked: CheckedRequest) -> bool:
    if mode in REFUSALS:
        return REFUSALS[mode](checked) is not None
    return checked.stream


# --- answers in the place of a completion -----------------------------------------------------------------------------


def _html(_checked: CheckedRequest) -> web.Response:
    return web.Response(text="<html><body>Please log in</body></html>", content_type="text/html")


def _json_error(_checked: CheckedRequest) -> web.Response:
    return web.json_response({"error": {"message": "an error with status 200", "type": "server_error", "code": "x"}})


def _error_string(_checked: CheckedRequest) -> web.Response:
    return web.json_response({"error": "the whole error is a string"}, status=400)


def _redirect(_checked: CheckedRequest) -> web.Response:
    return web.Response(status=307, headers={"Location": "/v1/redirected"})


def _quota(_checked: CheckedRequest) -> web.Response:
    message = "You exceeded your current quota, please check your plan and billing details."
    return refused(Problem(429, message, code="insufficient_quota", kind="insufficient_quota"))


def _rate_limit(_checked: CheckedRequest) -> web.Response:
    headers = {"retry-after": "1"}
    return refused(
        Problem(429, "Rate limit reached.", code="rate_limit_exceeded", kind="rate_limit_error", headers=headers)
    )


def _server_error(_checked: CheckedRequest) -> web.Response:
    return refused(Problem(500, "The server had an error while processing your request.", kind="server_error"))


def _context(checked: CheckedRequest) -> web.Response:
    return refused(context_problem(max(1, checked.prompt_tokens * 2 // 3), checked.prompt_tokens))


def _too_large(_checked: CheckedRequest) -> web.Response:
    return body_too_large()


def _filtered_prompt(_checked: CheckedRequest) -> web.Response:
    message = "Input data may contain inappropriate content."
    return refused(Problem(400, message, code="data_inspection_failed", kind="data_inspection_failed"))


def _image_unsupported(checked: CheckedRequest) -> web.Response | None:
    message = "Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`"
    return refused(Problem(400, message)) if checked.images else None


def _too_many_images(checked: CheckedRequest) -> web.Response | None:
    message = "At most 1 image(s) may be provided in one request."
    return refused(Problem(400, message, kind="BadRequestError")) if checked.images > 1 else None


def _no_stream_options(checked: CheckedRequest) -> web.Response | None:
    return _unknown_parameter("stream_options", checked)


def _no_max_tokens(checked: CheckedRequest) -> web.Response | None:
    return _unknown_parameter("max_tokens", checked)


def _unknown_parameter(name: str, checked: CheckedRequest) -> web.Response | None:
    if name not in checked.parameters:
        return None
    return refused(Problem(400, f"Unsupported parameter: '{name}'.", code="unsupported_parameter", param=name))


def body_too_large() -> web.Response:
    """What a proxy answers to a body that is too large."""
    text = "<html><head><title>413 Request Entity Too Large</title></head></html>"
    return web.Response(text=text, status=413, content_type="text/html")


# --- streams that go wrong --------------------------------------------------------------------------------------------


async def _no_finish(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.response.write_eof()


async def _error_event(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.write('event: error\ndata: {"code":"server_error","message":"an error without an error key"}\n\n')
    await stream.done()


async def _error_mid_stream(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.data({"error": {"message": "an error in the middle", "type": "server_error", "code": "server_error"}})
    await stream.done()


async def _broken_json(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.write("data: {broken json\n\n")
    await stream.done()


async def _null_delta(stream: EventStream, text: str) -> None:
    await stream.data({"id": None, "choices": [{"index": 0, "delta": None, "finish_reason": None}]})
    await stream.data({"choices": [{"delta": {"content": None}}], "usage": None})
    await _well(stream, text)


async def _cut(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    stream.cut()


async def _keep_alive(stream: EventStream, _text: str) -> None:
    while True:  # until the client leaves: the handler is cancelled then
        await stream.write(": keep-alive\n\n")
        await asyncio.sleep(KEEP_ALIVE_S)


async def _stall(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await asyncio.Event().wait()  # never set; the handler is cancelled when the client leaves


async def _content_filter(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.finish("content_filter")
    await stream.done()


async def _length(stream: EventStream, text: str) -> None:
    await _half(stream, text)
    await stream.finish("length")
    await stream.done()


async def _thinks_only(stream: EventStream, _text: str) -> None:
    await stream.data({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}]})
    await stream.finish("length")
    await stream.done()


async def _long(stream: EventStream, _text: str) -> None:
    await _well(stream, "\n\n".join(f"第 {number} 段。{'说来话长，' * 100}" for number in range(1, 121)))


async def _empty(stream: EventStream, _text: str) -> None:
    await _well(stream, "")


async def _empty_choices(stream: EventStream, text: str) -> None:
    # Azure's first chunk.
    head = {"id": "", "object": "", "created": 0, "model": "", "choices": []}
    await stream.data(head | {"prompt_filter_results": [{"prompt_index": 0}]})
    await _well(stream, text)


async def _reasoning(stream: EventStream, text: str) -> None:
    for piece in pieces("These thoughts belong in no answer."):
        await stream.data({"choices": [{"index": 0, "delta": {"reasoning_content": piece}, "finish_reason": None}]})
    await _well(stream, text)


async def _think(stream: EventStream, text: str) -> None:
    await _well(stream, f"<think>These thoughts belong in no answer.</think>\n{text}")


async def _split_utf8(stream: EventStream, text: str) -> None:
    chunk = f"data: {web.json_response(stream.chunk([_choice('汉字😀' + text[:20])])).text}\n\n".encode()
    for index in range(len(chunk)):
        await stream.response.write(chunk[index : index + 1])
    await stream.finish("stop")
    await stream.done()


async def _half(stream: EventStream, text: str) -> None:
    await stream.text(text[: len(text) // 2])


async def _well(stream: EventStream, text: str) -> None:
    await stream.text(text)
    await stream.finish("stop")
    await stream.done()


def _choice(text: str) -> dict[str, object]:
    return {"index": 0, "delta": {"content": text}, "finish_reason": None}


REFUSALS: dict[str, Refuse] = {
    "html": _html,
    "json-error": _json_error,
    "error-string": _error_string,
    "redirect": _redirect,
    "quota": _quota,
    "rate-limit": _rate_limit,
    "server-error": _server_error,
    "context": _context,
    "too-large": _too_large,
    "filtered-prompt": _filtered_prompt,
    "image-unsupported": _image_unsupported,
    "too-many-images": _too_many_images,
    "no-stream-options": _no_stream_options,
    "no-max-tokens": _no_max_tokens,
}

STREAMS: dict[str, Misstream] = {
    "no-finish": _no_finish,
    "error-event": _error_event,
    "error-mid-stream": _error_mid_stream,
    "broken-json": _broken_json,
    "null-delta": _null_delta,
    "cut": _cut,
    "keep-alive": _keep_alive,
    "stall": _stall,
    "content-filter": _content_filter,
    "length": _length,
    "thinks-only": _thinks_only,
    "long": _long,
    "empty": _empty,
    "empty-choices": _empty_choices,
    "reasoning": _reasoning,
    "think": _think,
    "split-utf8": _split_utf8,
}
