"""A world of its own for each crash: the bot dies in it and is started again on the same data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.demo.process import BotProcess, bot_process, write_config
from bot.demo.stage import local_model
from bot.emulator.chat import Chat
from bot.emulator.endpoint import Endpoint
from bot.emulator.process import serve_feishu, serve_model
from bot.emulator.wire import FeishuOptions, ModelOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The local Feishu and model stay; `start` runs the bot on the same data, as often as wanted."""

    chat: Chat
    endpoint: Endpoint
    start: Callable[[], AbstractAsyncContextManager[BotProcess]]


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    async with (
        serve_feishu(FeishuOptions(relaxed_rates=True)) as feishu,
        serve_model(ModelOptions(token_delay_s=0.02)) as model,
    ):
        config = write_config(
            tmp_path / "config.yaml",
            feishu_url=feishu.url,
            feishu=feishu.options,
            model=local_model(model.base_url, model.options),
        )
        yield Ground(chat=feishu.chat, endpoint=model.endpoint, start=lambda: bot_process(config))
