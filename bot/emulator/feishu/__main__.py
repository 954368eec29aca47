"""`python -m bot.emulator.feishu [OPTIONS_AS_JSON]`: serves until SIGTERM or the end of standard input."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from bot.emulator.feishu.app import run
from bot.emulator.wire import FeishuOptions

if __name__ == "__main__":
    asyncio.run(run(msgspec.json.decode(sys.argv[1] if len(sys.argv) > 1 else "{}", type=FeishuOptions)))
