"""What an endpoint's refusal means. One table for all of them: they agree on no status, no code and no shape."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.errors import ModelError

#: Enough to recognise a refusal; some endpoints echo the whole request.
MAX_DETAIL_CHARS = 300
_MAX_MATCHED_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class _Rule:
    code: str
    retryable: bool
    pattern: re.Pattern[str]


def _rule(code: str, pattern: str, *, retryable: bool = False) -> _Rule:
    return _Rule(code, retryable, re.compile(pattern, re.IGNORECASE))


#: The first that matches wins. Sources of the wordings: the providers' documents and issues, 2026-11.
_RULES = (
    _rule("model_filtered", r"content_filter|data_inspection_failed|SensitiveContent|RiskDetection|\b1301\b"
          r"|ResponsibleAIPolicyViolation"),
    _rule("model_image_unsupported", r"unknown variant .?image_url|does(?: not|n't) support (?:images?|vision)"
          r"|not a multimodal model|image_url is only supported|unsupported content part|at most 0 image"
          r"|no endpoints? .{0,40}support image|input should be 'text'"),
    _rule("model_too_many_images", r"at most \d+ image|maximum (?:number )?(?:of )?images?\D{0,20}\d+"
          r"|image count \d+ exceeds|too many images"),
    _rule("model_image_bad", r"invalid_image|unsupported image|\b1210\b|length and width|maximum allowed total pixels"
          r"|max bytes per data-uri|image .{0,40}(?:not valid|invalid|corrupt|decode)"),
    _rule("model_context", r"context_length|maximum context length|range of input length|exceed\w*\b.{0,60}token limit"
          r"|prompt is too long|input length|context (?:window|size)"),
    _rule("model_body", r"payload too large|request entity too large|body (?:is )?too large"),
    _rule("model_quota", r"insufficient_quota|AccountOverdue|arrearage|insufficient balance|balance is not enough"),
    _rule("model_rate", r"rate.?limit|throttling|too many requests", retryable=True),
    _rule("model_auth", r"invalid_api_key|incorrect api key|unauthorized|authentication"),
    _rule("model_not_found", r"model_not_found|InvalidEndpointOrModel|model .{0,80}(?:does not exist|not found)"),
    _rule("model_param", r"(?:unknown|unrecognized|unsupported|unexpected|extra) "
          r"(?:parameter|field|argument|value|inputs?)|is not supported with this model|extra_forbidden"),
)  # fmt: skip
_BY_STATUS = {
    400: ("model_param", False),
    401: ("model_auth", False),
    402: ("model_quota", False),
    403: ("model_auth", False),
    404: ("model_not_found", False),
    408: ("model_unavailable", True),
    409: ("model_unavailable", True),
    413: ("model_body", False),
    422: ("model_param", False),
    429: ("model_rate", True),
}
_OPTIONAL_PARAMETERS = ("stream_options", "temperature", "max_completion_tokens", "max_tokens")


def refusal(status: int | None, text: str) -> ModelError:
    """The error that a refusal with this HTTP status (None inside of a stream) and these words amounts to."""
    words = text[:_MAX_MATCHED_CHARS]
    detail = f"{words[:MAX_DETAIL_CHARS]} ({f'HTTP {status}' if status else 'in the stream'})"
    for rule in _RULES:
        if rule.pattern.search(words):
            return ModelError(detail, code=rule.code, retryable=rule.retryable)
    code, retryable = _BY_STATUS.get(status or 0, ("model_unavailable", status is None or status >= 500))
    return ModelError(detail, code=code, retryable=retryable)


def refused_parameter(error: ModelError) -> str | None:
    """The optional parameter that the endpoint names in its refusal."""
    return next((name for name in _OPTIONAL_PARAMETERS if name in error.detail), None)


def image_limit(error: ModelError) -> int:
    """How many images the endpoint says it takes; 0 when it doesn't say."""
    found = re.search(r"at most (\d+)|maximum\D{0,40}?(\d+)|exceeds\D{0,40}?(\d+)", error.detail, re.IGNORECASE)
    return int(next(filter(None, found.groups()))[:4]) if found else 0


def context_ratio(error: ModelError) -> float:
    """What part of the text would fit: limit / actual where both are named, less a tenth; else 0.6."""
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\b\d[\d,]{3,8}\b", error.detail)]
    if len(numbers) < 2:
        return 0.6
    actual = max(numbers)
    limit = numbers[0] if numbers[0] < actual else numbers[1]  # nearly all name the limit first
    return max(0.05, min(0.95, limit / actual * 0.9))
