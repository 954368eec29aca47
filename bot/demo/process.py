"""The real bot in a process of its own, with its log as it is written."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from bot.config import ModelSettings
from bot.emulator.wire import FeishuOptions

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
LINE_MAX_BYTES = 1024 * 1024
SAID_MAX_COUNT = 20


class BotNotServingError(Exception):
    """The bot ended or hung before it served; says what it wrote last."""


class BotProcess:
    """A running `duwen run`. `logs` yields its records as they are written, and at the end one that says so."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.logs: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._said: deque[str] = deque(maxlen=SAID_MAX_COUNT)

    @property
    def pid(self) -> int:
        """The process id of the bot."""
        return self._process.pid

    async def serving(self) -> str:
        """The address of its webhook, once it serves."""
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                while (record := await self.logs.get())["event"] != "ended":
                    if record["event"] == "serving":
                        return f"http://127.0.0.1:{record['port']}/feishu/event"
        except TimeoutError:
            pass
        raise BotNotServingError("\n".join(("the bot does not serve:", *self._said)))

    async def stop(self) -> int:
        """Ends it gracefully, by force where that does not help; its exit code."""
        if self._process.returncode is None:
            self._process.terminate()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                return await self._process.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> int:
        """Ends it at once, as a crash would."""
        if self._process.returncode is None:
            self._process.kill()
        return await self._process.wait()

    async def read_logs(self) -> None:
        """Fills `logs` until the process ends."""
        if self._process.stderr is not None:
            async for line in self._process.stderr:
                record = _record(line)
                if record.get("level") not in ("debug", "info"):
                    self._said.append(line.decode("utf-8", "replace").rstrip())
                self.logs.put_nowait(record)
        self.logs.put_nowait({"event": "ended"})


@asynccontextmanager
async def bot_process(config: Path) -> AsyncIterator[BotProcess]:
    """The bot with this configuration file, for as long as the block runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "run",
        "--config",
        str(config),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_MAX_BYTES,
    )
    bot = BotProcess(process)
    async with asyncio.TaskGroup() as group:
        group.create_task(bot.read_logs())
        try:
            yield bot
        finally:
            await bot.stop()


def write_config(
    path: Path, *, feishu_url: str, feishu: FeishuOptions, model: ModelSettings, **sections: dict[str, Any]
) -> Path:
    """A configuration for a bot in front of the local Feishu, its data beside it; `sections` add to or override it."""
    settings: dict[str, Any] = {
        "data_dir": str(path.parent / "data"),
        "feishu": {
            "base_url": feishu_url,
            "app_id": feishu.app_id,
            "app_secret": feishu.app_secret,
            "encrypt_key": feishu.encrypt_key,
            "verification_token": feishu.verification_token,
        },
        "webhook": {"host": "127.0.0.1", "port": 0},
        "model": {**model.model_dump(exclude={"api_key"}), "api_key": model.api_key.get_secret_value()},
        "log": {"level": "debug", "format": "json"},
    }
    for name, section in sections.items():
        settings[name] = {**settings.get(name, {}), **section}
    path.write_text(yaml.safe_dump(settings, allow_unicode=True), "utf-8")
    path.chmod(0o600)
    return path


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict) and "event" in record:
        return record
    return {"event": line.decode("utf-8", "replace").rstrip(), "level": "unknown"}
