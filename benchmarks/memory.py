"""The bot's own memory: idle, and while it answers 100 messages with a file of 1 MB each. Also the time to serving.

    .venv/bin/python benchmarks/memory.py [--messages 100]

Runs the real bot against the local Feishu and the local model; the parsers' processes are not counted, they are others.
Prints the growth from message 20 to the last as a ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import random
import tempfile
import time
from pathlib import Path

from PIL import Image

from bot.demo.process import bot_process, write_config
from bot.demo.stage import local_model
from bot.emulator.chat import Chat
from bot.emulator.process import serve_feishu, serve_model
from bot.emulator.wire import FeishuOptions

FILE_BYTES = 1_000_000
WARM_AFTER = 20


def main() -> None:
    """Measures once and prints a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=100)
    asyncio.run(measure(parser.parse_args().messages))


async def measure(messages: int) -> None:
    """One bot, one file a message, no file twice."""
    folder = Path(tempfile.mkdtemp(prefix="duwen-memory-"))
    async with serve_feishu(FeishuOptions(relaxed_rates=True)) as feishu, serve_model() as model:
        config = write_config(
            folder / "config.yaml",
            feishu_url=feishu.url,
            feishu=feishu.options,
            model=local_model(model.base_url, model.options),
            log={"level": "info"},
        )
        started = time.perf_counter()
        async with bot_process(config) as bot:
            await feishu.chat.configure(webhook_url=await bot.serving())
            print(f"start to serving      {time.perf_counter() - started:6.2f} s")
            await feishu.chat.verify_url()
            idle = resident_mb(bot.pid)
            print(f"idle                  {idle:6.1f} MB")
            seen: dict[int, float] = {}
            for number in range(1, messages + 1):
                await ask(feishu.chat, number)
                seen[number] = resident_mb(bot.pid)
                if number in (1, WARM_AFTER, messages // 2, messages):
                    print(f"after {number:4d} messages   {seen[number]:6.1f} MB")
            growth = seen[messages] / seen[min(WARM_AFTER, messages)]
            print(f"growth from message {min(WARM_AFTER, messages)} to {messages}: {growth:.3f} x")


async def ask(chat: Chat, number: int) -> None:
    """One file in a chat of its own, and its reply."""
    data, name = (picture(number), "p.png") if number % 2 else (words(number), "t.txt")
    message_id = await chat.drop(data, name=name, chat_id=f"oc_{number}", kind="image" if number % 2 else "file")
    await chat.wait_for_replies(message_id)


def words(number: int) -> bytes:
    """1 MB of text, another one for each number."""
    numbers = random.Random(number)
    lines = "".join(f"{numbers.random()} {numbers.randrange(10**9)}\n" for _ in range(FILE_BYTES // 25))
    return lines.encode()[:FILE_BYTES]


def picture(number: int) -> bytes:
    """A noisy PNG of about 1 MB."""
    out = io.BytesIO()
    Image.frombytes("RGB", (577, 577), random.Random(number).randbytes(577 * 577 * 3)).save(out, "PNG")
    return out.getvalue()


def resident_mb(pid: int) -> float:
    """The resident memory of one process, from the kernel."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


if __name__ == "__main__":
    main()
