"""`duwen doctor`: whether this machine and this configuration are fit to run the bot."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TextIO

from bot.config import Settings, check_for_run, load
from bot.errors import ConfigError
from extractors import SandboxedAttachmentExtractor


def examine(config: Path | None, out: TextIO) -> int:
    """Prints what was found; 0 when all is well, 1 when something is not."""
    settings, problem = _configuration(config)
    print(f"configuration  {problem or 'complete'}", file=out)
    sandbox = asyncio.run(_probed(settings))
    print(f"sandbox        {sandbox.problem or f'level {sandbox.level}'}", file=out)
    for layer in sandbox.layers:
        print(f"  {layer.name:13}{'on ' if layer.is_on else 'OFF'}  {layer.detail}", file=out)
    return 1 if problem or sandbox.problem else 0


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


async def _probed(settings: Settings) -> SandboxedAttachmentExtractor:
    """A sandbox that has started, or tried to, and has ended again."""
    extractor = SandboxedAttachmentExtractor(require=settings.sandbox.require)
    async with extractor:
        return extractor
