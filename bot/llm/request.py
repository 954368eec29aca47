"""The body of one call, and how it is changed when an endpoint does not take it as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bot.errors import ModelError
from bot.llm.blocks import block_name, shorten_block
from bot.llm.budget import estimate_tokens, share
from bot.llm.classify import context_ratio, image_limit, refused_parameter
from bot.models import Prompt

Messages = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What of a prompt is sent, and under which parameters. Narrows as an endpoint refuses things."""

    limit_parameter: str
    stream_options: bool = True
    temperature: bool = True
    max_images: int | None = None
    text_ratio: float = 1.0

    def narrowed(self, error: ModelError, images: int) -> Shape | None:
        """The shape to try after this refusal of a request with `images` images; None when nothing can be left out."""
        if error.code == "model_param":
            return self._without(refused_parameter(error))
        if error.code == "model_context" and self.text_ratio == 1.0:
            return replace(self, text_ratio=context_ratio(error))
        fewer = {
            "model_image_unsupported": 0,
            "model_image_bad": 0,
            "model_too_many_images": min(image_limit(error), images - 1),
            "model_body": images // 2,
        }
        return replace(self, max_images=fewer[error.code]) if images and error.code in fewer else None

    def _without(self, parameter: str | None) -> Shape | None:
        if parameter == "stream_options" and self.stream_options:
            return replace(self, stream_options=False)
        if parameter == "temperature" and self.temperature:
            return replace(self, temperature=False)
        if parameter in {"max_tokens", "max_completion_tokens"}:  # the refusal of one often names the other
            other = "max_completion_tokens" if self.limit_parameter == "max_tokens" else "max_tokens"
            return replace(self, limit_parameter=other)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The keyword arguments of `create`, and what they leave out of the prompt."""

    arguments: dict[str, Any]
    images: int
    omitted: tuple[tuple[str, str], ...] = ()


def build_body(prompt: Prompt, shape: Shape, *, model: str, max_output_tokens: int, temperature: float | None) -> Body:
    """The request for a prompt in a shape."""
    messages, omitted = _shorten([dict(message) for message in prompt.messages], shape.text_ratio)
    messages, images = _limit_images(messages, shape.max_images)
    arguments: dict[str, Any] = {
        "model": model,
        "messages": messages,
        shape.limit_parameter: prompt.max_output_tokens or max_output_tokens,
    }
    wanted = prompt.temperature if prompt.temperature is not None else temperature
    if wanted is not None and shape.temperature:
        arguments["temperature"] = wanted
    if shape.stream_options:
        arguments["stream_options"] = {"include_usage": True}
    return Body(arguments=arguments, images=images, omitted=omitted)


def _limit_images(messages: Messages, max_images: int | None) -> tuple[Messages, int]:
    """At most so many image parts, the first ones. A message without any becomes one string: all know that."""
    kept = 0
    for message in messages:
        if isinstance(message["content"], str):
            continue
        parts, images = [], 0
        for part in message["content"]:
            if part["type"] == "image_url" and max_images is not None and kept + images >= max_images:
                parts.append({"type": "text", "text": "[this image could not be shown to you]"})
                continue
            images += part["type"] == "image_url"
            parts.append(part)
        message["content"] = parts if images else "\n\n".join(part["text"] for part in parts)
        kept += images
    return messages, kept


def _shorten(messages: Messages, ratio: float) -> tuple[Messages, tuple[tuple[str, str], ...]]:
    """Cuts the longest texts until all together are `ratio` of what they were. The system's words stay."""
    omitted: list[tuple[str, str]] = []
    for message in messages if ratio < 1 else ():
        if isinstance(message["content"], str):
            continue
        parts = message["content"]
        sizes = [estimate_tokens(part["text"]) if part["type"] == "text" else 0 for part in parts]
        grants = share(sizes, int(sum(sizes) * ratio))
        message["content"] = [_shorten_part(part, grant, omitted) for part, grant in zip(parts, grants, strict=True)]
    return messages, tuple(omitted)


def _shorten_part(part: dict[str, Any], max_tokens: int, omitted: list[tuple[str, str]]) -> dict[str, Any]:
    if part["type"] != "text":
        return part
    text, left_out = shorten_block(part["text"], max_tokens)
    if left_out:
        omitted.append(("", f"{block_name(part['text'])} {left_out.chars:,} / {left_out.total_chars:,}".strip()))
    return {"type": "text", "text": text}
