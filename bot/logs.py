"""Structured logs on standard error: one object a line, our own and the libraries' alike, without secrets.

At INFO and above nobody logs what a document or a message says; names, sizes, ids and codes will do.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

import structlog

REDACTED = "[redacted]"
TEXT_MAX_CHARS = 4_000
FRAMES_MAX_COUNT = 20
#: Counts such as `prompt_tokens` are no secrets; `tenant_access_token` is one.
SECRET_NAME = re.compile(r"secret|token(?!s)|authorization|api[-_]?key|encrypt[-_]?key|passw", re.IGNORECASE)
#: A shorter secret is hidden only where it is the whole value: else it would blank out harmless words.
SECRET_MIN_CHARS_INSIDE = 6


@dataclass(frozen=True, slots=True)
class Redaction:
    """A structlog processor: hides values by their name and secrets wherever they stand, and cuts long text."""

    secrets: frozenset[str] = frozenset()

    def __call__(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        return {name: self._clean(name, value) for name, value in event.items()}

    def _clean(self, name: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if SECRET_NAME.search(name):
            return REDACTED
        if isinstance(value, Mapping):
            return {str(key): self._clean(str(key), item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._clean(name, item) for item in value]
        if isinstance(value, bytes | bytearray | memoryview):
            return f"[{len(value)} bytes]"
        return self._without_secrets(str(value))

    def _without_secrets(self, text: str) -> str:
        for secret in self.secrets:
            if text == secret:
                return REDACTED
            if len(secret) >= SECRET_MIN_CHARS_INSIDE:
                text = text.replace(secret, REDACTED)
        if len(text) > TEXT_MAX_CHARS:
            half = TEXT_MAX_CHARS // 2  # what went wrong stands at the end of a traceback
            return f"{text[:half]} [... {len(text)} characters ...] {text[-half:]}"
        return text


def add_time(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Puts the moment (ISO 8601, UTC, milliseconds), the level and the event in front."""
    moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"time": moment, "level": event["level"], "event": event["event"], **event}


def configure(
    level: Literal["debug", "info", "warning", "error"] = "info",
    format: Literal["json", "console"] = "json",  # noqa: A002 - named as in the configuration
    *,
    secrets: frozenset[str] = frozenset(),
    stream: TextIO | None = None,
) -> None:
    """Sets up the logs of this process; the libraries' own loggers speak from WARNING on. May be called again."""
    stream = stream or sys.stderr
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _exceptions(format),
        Redaction(secrets),
        add_time,
    ]
    renderer = _renderer(format, colors=stream.isatty())
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    _route_libraries(handler, number)


def _exceptions(style: str) -> structlog.typing.Processor:
    """Exceptions become the field `exception`, without the values of local variables."""
    if style == "console":
        return structlog.processors.format_exc_info
    return structlog.processors.ExceptionRenderer(
        structlog.tracebacks.ExceptionDictTransformer(show_locals=False, max_frames=FRAMES_MAX_COUNT, use_rich=False)
    )


def _renderer(style: str, *, colors: bool) -> structlog.typing.Processor:
    if style == "console":
        return structlog.dev.ConsoleRenderer(
            colors=colors, exception_formatter=structlog.dev.plain_traceback, timestamp_key="time"
        )
    return structlog.processors.JSONRenderer(ensure_ascii=False)


def _route_libraries(handler: logging.Handler, level: int) -> None:
    """One handler for all. `extractors` is a library of ours and speaks at our level, others from WARNING on."""
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("extractors").setLevel(level)
    # dbos adds a handler of its own, unless its logger already has one.
    engine = logging.getLogger("dbos")
    engine.handlers = [handler]
    engine.propagate = False
    logging.captureWarnings(capture=True)
