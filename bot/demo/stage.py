"""The demo's stage: the local Feishu, the local model and the real bot, each in a process of its own."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config import ModelSettings
from bot.demo.process import BotNotServingError, bot_process, write_config
from bot.emulator.chat import Chat
from bot.emulator.process import serve_feishu, serve_model
from bot.emulator.wire import ModelOptions

#: Slow enough to see the card grow.
TOKEN_DELAY_S = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A running bot and the chat in front of it. `logs` yields the bot's log records as they are written."""

    chat: Chat
    logs: asyncio.Queue[dict[str, Any]]
    model: str


@asynccontextmanager
async def set_stage(model: ModelSettings | None, *, prompts: Path) -> AsyncIterator[Stage]:
    """Everything started and connected; `model` None means the local stand-in."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="duwen-demo-")))
        feishu = await stack.enter_async_context(serve_feishu())
        name = f"{model.name} at {model.base_url}" if model else "the local stand-in, which is no model"
        if model is None:
            local = await stack.enter_async_context(serve_model(ModelOptions(token_delay_s=TOKEN_DELAY_S)))
            model = local_model(local.base_url, local.options)
        config = write_config(
            folder / "config.yaml",
            feishu_url=feishu.url,
            feishu=feishu.options,
            model=model,
            prompts={"directory": str(prompts)},
        )
        bot = await stack.enter_async_context(bot_process(config))
        await feishu.chat.configure(webhook_url=await bot.serving())
        verification = await feishu.chat.verify_url()
        if not verification.passed:
            raise BotNotServingError(f"the bot did not pass Feishu's check of its address: HTTP {verification.status}")
        yield Stage(chat=feishu.chat, logs=bot.logs, model=name)


def local_model(base_url: str, options: ModelOptions, **settings: float) -> ModelSettings:
    """The settings that connect the bot to a local model endpoint."""
    connection = {"base_url": base_url, "api_key": options.api_key, "name": options.models[0]}
    return ModelSettings.model_validate({**connection, **settings})
