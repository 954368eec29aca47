"""The numbers on /metrics. One registry per process, made in app.py and handed to whoever counts."""

from __future__ import annotations

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
        self.inbox_waiting = Gauge(
            "duwen_inbox_waiting", "Inbox rows not yet handed to the engine.", registry=self.registry
        )
        self.sandbox_restarts = Gauge(
            "duwen_sandbox_restarts", "Zygotes started after the first.", registry=self.registry
        )
