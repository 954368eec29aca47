"""The numbers on /metrics. One registry per process, made in app.py and handed to whoever counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    """Counters and gauges whose names begin with `duwen_`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "duwen_webhook_requests_total", "Webhook requests by outcome.", ["outcome"], registry=self.registry
        )
        self.ack_seconds = Histogram(
            "duwen_webhook_ack_seconds",
            "Time from the request to the acknowledgement.",
            registry=self.registry,
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 3),
        )
        self.messages = Counter("duwen_messages_total", "Messages by how they ended.", ["end"], registry=self.registry)
        self.files = Counter("duwen_files_total", "Attachments by status.", ["status"], registry=self.registry)
        self.extract_seconds = Histogram(
            "duwen_extract_seconds", "Time in the sandbox by kind of file.", ["kind"], registry=self.registry
        )
        self.tokens = Counter("duwen_model_tokens_total", "Tokens by direction.", ["direction"], registry=self.registry)
        self.model_seconds = Histogram("duwen_model_seconds", "Time of a model call.", registry=self.registry)
        self.model_errors = Counter(
            "duwen_model_errors_total",
            "Answers that the model failed to give, by code.",
            ["code"],
            registry=self.registry,
        )
        self.feishu_errors = Counter(
            "duwen_feishu_errors_total", "Refusals by Feishu, by code.", ["code"], registry=self.registry
        )
        self.inbox_waiting = Gauge(
            "duwen_inbox_waiting", "Inbox rows not yet handed to the engine.", registry=self.registry
        )
        self.sandbox_level = Gauge(
            "duwen_sandbox_level", "1 for the level that the sandbox reaches.", ["level"], registry=self.registry
        )
        self.sandbox_events = Gauge(
            "duwen_sandbox_events",
            "What has happened in the sandbox since the start.",
            ["event"],
            registry=self.registry,
        )

    def watch_sandbox(self, *, level: Callable[[], str | None], counters: Callable[[], Mapping[str, int]]) -> None:
        """Shows what the sandbox says of itself whenever the numbers are asked for."""
        for name in ("full", "seccomp", "landlock", "limits"):
            self.sandbox_level.labels(level=name).set_function(partial(_is_equal, level, name))
        for event in counters():
            self.sandbox_events.labels(event=event).set_function(partial(_figure, counters, event))


def _is_equal(value: Callable[[], str | None], expected: str) -> float:
    return float(value() == expected)


def _figure(figures: Callable[[], Mapping[str, int]], name: str) -> float:
    return float(figures()[name])
