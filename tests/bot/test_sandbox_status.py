"""What the service says of its sandbox: on the readiness check, on the health page and in the numbers."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import pytest
from prometheus_client import generate_latest

from bot.app import _ready
from bot.config import Settings
from bot.metrics import Metrics
from extractors import SandboxedAttachmentExtractor


def bot_with(extractor: SandboxedAttachmentExtractor) -> SimpleNamespace:
    return SimpleNamespace(tools=SimpleNamespace(identity=SimpleNamespace(known=object())), extractor=extractor)


async def test_it_is_ready_while_files_can_be_read() -> None:
    async with SandboxedAttachmentExtractor() as extractor:
        assert _ready(bot_with(extractor)) == (True, [])


async def test_it_is_not_ready_while_no_file_can_be_read(monkeypatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/python")
    async with SandboxedAttachmentExtractor() as extractor:
        is_ready, (reason,) = _ready(bot_with(extractor))
        content = await extractor.extract(b"text", file_metadata={"name": "a.txt"})
    assert not is_ready
    assert reason.startswith("no file is read: the sandbox could not be started: ")
    assert str(content.note).startswith("the sandbox could not be started: ")


def test_the_level_that_is_asked_for_is_one_that_there_is() -> None:
    assert Settings().sandbox.require == "seccomp"
    with pytest.raises(ValueError, match=r"sandbox\.require"):
        Settings.model_validate({"sandbox": {"require": "bubblewrap"}})


async def test_level_and_counters_are_in_the_numbers() -> None:
    extractor, metrics = SandboxedAttachmentExtractor(), Metrics()
    metrics.watch_sandbox(level=lambda: extractor.level, counters=lambda: asdict(extractor.counters))
    async with extractor:
        await extractor.extract(b"text", file_metadata={"name": "a.txt"})
        numbers = generate_latest(metrics.registry).decode()
    assert f'duwen_sandbox_level{{level="{extractor.level}"}} 1.0' in numbers
    assert 'duwen_sandbox_events{event="files"} 1.0' in numbers
    assert 'duwen_sandbox_events{event="forbidden_calls"} 0.0' in numbers
