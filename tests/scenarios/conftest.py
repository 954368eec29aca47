"""One bot in front of the local Feishu and the local model, shared by all scenarios: each uses a chat of its own."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from bot.demo.process import BotProcess, bot_process, write_config
from bot.demo.stage import local_model
from bot.emulator.chat import Chat
from bot.emulator.endpoint import Endpoint
from bot.emulator.process import serve_feishu, serve_model
from bot.emulator.wire import FeishuOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that runs. `webhook` is the bot's address, `prompts` its directory of templates."""

    chat: Chat
    endpoint: Endpoint
    bot: BotProcess
    webhook: str
    feishu: FeishuOptions
    data: Path
    prompts: Path


@pytest.fixture(scope="session")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped templates that a test may edit."""
    directory = tmp_path_factory.mktemp("operator") / "prompts"
    source = Path(__file__).parents[2] / "prompts"
    for file in source.rglob("*"):
        if file.is_file():
            copy = directory / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    return directory


@asynccontextmanager
async def running_world(folder: Path, prompts: Path) -> AsyncIterator[World]:
    """A running world with short retry times, so that trouble is over soon."""
    async with (
        serve_feishu(FeishuOptions(relaxed_rates=True, time_scale=0.002)) as feishu,
        serve_model() as model,
    ):
        config = write_config(
            folder / "config.yaml",
            feishu_url=feishu.url,
            feishu=feishu.options,
            model=local_model(model.base_url, model.options, first_token_timeout_s=5.0, idle_timeout_s=2.0),
            prompts={"directory": str(prompts), "reload_s": 0.2},
            files={"max_bytes": 2_000_000, "timeout_s": 10},
            engine={"attempts": 3},
        )
        async with bot_process(config) as bot:
            webhook = await bot.serving()
            await feishu.chat.configure(webhook_url=webhook)
            yield World(
                chat=feishu.chat,
                endpoint=model.endpoint,
                bot=bot,
                webhook=webhook,
                feishu=feishu.options,
                data=folder / "data",
                prompts=prompts,
            )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def world(tmp_path_factory: pytest.TempPathFactory, prompts: Path) -> AsyncIterator[World]:
    """The world that the scenarios share."""
    async with running_world(tmp_path_factory.mktemp("world"), prompts) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="session")
async def own_world(tmp_path: Path, prompts: Path) -> AsyncIterator[World]:
    """A world of its own, for a test after which the bot knows something for an hour."""
    async with running_world(tmp_path, prompts) as world:
        yield world


@pytest.fixture(scope="session")
def _numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def chat_id(_numbers: Iterator[int]) -> str:
    """A chat that no other test has used."""
    return f"oc_scenario_{next(_numbers)}"
