"""Checks a request with the SDK's own types, and harder than they do."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from openai.types.chat import completion_create_params as params
from pydantic import TypeAdapter, ValidationError

from bot.emulator.model.images import decoded_image
from bot.emulator.model.problems import Problem
from bot.emulator.model.tokens import prompt_tokens
from bot.emulator.wire import ModelOptions, SeenImage, SeenMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRequest:
    """A completion request that passed. `parts` are the parts of the messages in order, for the stand-in."""

    model: str
    stream: bool
    include_usage: bool
    messages: tuple[SeenMessage, ...]
    parts: tuple[tuple[str, str | SeenImage], ...]  # (role, text or image)
    prompt_tokens: int
    parameters: dict[str, Any]  # all but the messages

    @property
    def images(self) -> int:
        """How many images the request carries."""
        return sum(len(message.images) for message in self.messages)


class Checker:
    """Holds the validators, which take long to build."""

    def __init__(self) -> None:
        self._streaming = TypeAdapter[object](params.CompletionCreateParamsStreaming)
        self._whole = TypeAdapter[object](params.CompletionCreateParamsNonStreaming)
        self._known = set(typing.get_type_hints(params.CompletionCreateParamsStreaming))

    def checked(self, body: object, options: ModelOptions) -> CheckedRequest:
        """The request as the endpoint understood it; raises Problem."""
        if not isinstance(body, dict):
            raise Problem(400, "The body must be a JSON object.")
        for unknown in sorted(set(body) - self._known):
            # OpenAI says so; the SDK's types would let it pass.
            raise Problem(400, f"Unrecognized request argument supplied: {unknown}", param=unknown)
        validator = self._streaming if body.get("stream") is True else self._whole
        try:
            # The types declare `messages` as iterable, so pydantic checks an item only when somebody asks for it.
            _drain(validator.validate_python(body))
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            raise Problem(400, f"Invalid request: {found['loc']}: {found['msg']}") from None
        return _understood(body, options)


def _drain(value: object) -> None:
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for item in value:
            _drain(item)


def _understood(body: dict[str, Any], options: ModelOptions) -> CheckedRequest:
    spoken = [(message["role"], _parts(message, options)) for message in body["messages"]]
    messages = tuple(_seen(role, parts) for role, parts in spoken)
    images = sum(len(message.images) for message in messages)
    if images > options.max_images:
        raise Problem(400, f"Exceeded maximum number of images ({options.max_images}): {images}")
    tokens = prompt_tokens(messages)
    if tokens > options.context_tokens:
        raise context_problem(options.context_tokens, tokens)
    return CheckedRequest(
        model=body["model"],
        stream=body.get("stream") is True,
        include_usage=bool((body.get("stream_options") or {}).get("include_usage")),
        messages=messages,
        parts=tuple((role, part) for role, parts in spoken for part in parts),
        prompt_tokens=tokens,
        parameters={name: value for name, value in body.items() if name != "messages"},
    )


def context_problem(limit: int, tokens: int) -> Problem:
    """The refusal of a prompt that is too long, in the words clients look for."""
    message = (
        f"This model's maximum context length is {limit} tokens. However, you requested {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    return Problem(400, message, code="context_length_exceeded", param="messages")


def _seen(role: str, parts: list[str | SeenImage]) -> SeenMessage:
    return SeenMessage(
        role=role,
        text="\n".join(part for part in parts if isinstance(part, str)),
        images=tuple(part for part in parts if not isinstance(part, str)),
    )


def _parts(message: dict[str, Any], options: ModelOptions) -> list[str | SeenImage]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        return [content or ""]
    return [_part(part, message["role"], options) for part in content]


def _part(part: dict[str, Any], role: str, options: ModelOptions) -> str | SeenImage:
    if part["type"] == "text":
        return str(part["text"])
    if part["type"] == "image_url" and role == "user":
        return decoded_image(part["image_url"]["url"], options)
    raise Problem(400, f'Unsupported content part type: "{part["type"]}" in a {role} message.', param="messages")
