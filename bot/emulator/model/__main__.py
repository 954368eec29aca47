"""`python -m bot.emulator.model [OPTIONS_AS_JSON]`: serves until SIGTERM or the end of standard input."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from bot.emulator.model.app import application
from bot.emulator.serving import serve
from bot.emulator.wire import ModelOptions

if __name__ == "__main__":
    options = msgspec.json.decode(sys.argv[1] if len(sys.argv) > 1 else "{}", type=ModelOptions)
    asyncio.run(serve(application(options), cancel_on_disconnect=True))
