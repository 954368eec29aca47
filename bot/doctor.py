"""`duwen doctor`: whether this machine and this configuration are fit to run the bot."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import aiohttp

from bot.config import Settings, check_for_run, load
from bot.errors import ConfigError, FeishuError
from bot.feishu.api import FeishuApi
from bot.feishu.identity import fetch_identity
from extractors import SandboxedAttachmentExtractor


async def examine(config: Path | None, out: TextIO) -> int:
    """Prints what was found; 0 when all is well, 1 when something is not."""
    settings, problem = _configuration(config)
    print(f"configuration  {problem or 'complete'}", file=out)
    refusal = None
    if problem is None:
        name, refusal = await _signed_in(settings)
        print(f"feishu         {refusal or f'signed in as {name}'}", file=out)
    sandbox = await _probed(settings)
    print(f"sandbox        {sandbox.problem or f'level {sandbox.level}'}", file=out)
    for layer in sandbox.layers:
        print(f"  {layer.name:13}{'on ' if layer.is_on else 'OFF'}  {layer.detail}", file=out)
    return 1 if problem or refusal or sandbox.problem else 0


def _configuration(config: Path | None) -> tuple[Settings, str | None]:
    """The settings, or the defaults beside what is wrong with them."""
    try:
        settings = load(config)
    except ConfigError as error:
        return Settings(), str(error)
    try:
        check_for_run(settings)
    except ConfigError as error:
        return settings, str(error)
    return settings, None


async def _signed_in(settings: Settings) -> tuple[str, str | None]:
    """The bot's name in Feishu, or why Feishu does not tell it: wrong secrets, no bot, no network."""
    feishu = settings.feishu
    async with aiohttp.ClientSession() as session:
        api = FeishuApi(
            session,
            base_url=feishu.base_url,
            app_id=feishu.app_id,
            app_secret=feishu.app_secret.get_secret_value(),
            timeout_s=feishu.timeout_s,
        )
        try:
            return (await fetch_identity(api)).name, None
        except FeishuError as error:
            return "", f"{feishu.base_url} does not tell who the bot is: {error.detail}"


async def _probed(settings: Settings) -> SandboxedAttachmentExtractor:
    """A sandbox that has started, or tried to, and has ended again."""
    extractor = SandboxedAttachmentExtractor(require=settings.sandbox.require)
    async with extractor:
        return extractor
