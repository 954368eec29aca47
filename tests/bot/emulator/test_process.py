"""The emulators' processes: they say where they are, and they end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

import pytest

from bot.emulator.process import serve_feishu


@pytest.mark.parametrize("module", ["bot.emulator.feishu", "bot.emulator.model"])
@pytest.mark.parametrize("way", ["sigterm", "stdin"])
async def test_server_prints_its_address_and_ends_when_told(module, way):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(30):
            line = json.loads(await process.stdout.readline())
            assert line["url"].startswith("http://127.0.0.1:")
            if way == "sigterm":
                process.send_signal(signal.SIGTERM)
            else:
                process.stdin.close()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_server_is_ended_when_the_block_is_left_by_an_error():
    pids = []

    async def fail_inside():
        async with serve_feishu() as feishu:
            os.kill(feishu.pid, 0)
            pids.append(feishu.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_inside()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
