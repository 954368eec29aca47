"""Starts an emulator in a process of its own, and always ends it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import msgspec

from bot.emulator.chat import Chat
from bot.emulator.endpoint import Endpoint
from bot.emulator.wire import FeishuOptions, ModelOptions

_START_TIMEOUT_S = 30.0
_END_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FeishuHandle:
    """A running local Feishu: `url` is its base address, `chat` the people in it."""

    url: str
    options: FeishuOptions
    chat: Chat
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHandle:
    """A running local model: `base_url` is what an OpenAI client takes, `endpoint` its journal and faults."""

    url: str
    base_url: str
    options: ModelOptions
    endpoint: Endpoint
    pid: int


@asynccontextmanager
async def serve_feishu(options: FeishuOptions | None = None) -> AsyncIterator[FeishuHandle]:
    """A local Feishu for as long as the block runs."""
    options = options or FeishuOptions()
    async with _running("bot.emulator.feishu", msgspec.json.encode(options)) as (url, pid), _session() as session:
        yield FeishuHandle(url=url, options=options, chat=Chat(session, url), pid=pid)


@asynccontextmanager
async def serve_model(options: ModelOptions | None = None) -> AsyncIterator[ModelHandle]:
    """A local model endpoint for as long as the block runs."""
    options = options or ModelOptions()
    async with _running("bot.emulator.model", msgspec.json.encode(options)) as (url, pid), _session() as session:
        yield ModelHandle(url=url, base_url=f"{url}/v1", options=options, endpoint=Endpoint(session, url), pid=pid)


def _session() -> aiohttp.ClientSession:
    # The admin doors hold a request open until something changes, so the caller's own deadline is the limit.
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))


@asynccontextmanager
async def _running(module: str, options: bytes) -> AsyncIterator[tuple[str, int]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, options.decode(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield await _address(process, module), process.pid
    finally:
        await _ended(process)


async def _address(process: asyncio.subprocess.Process, module: str) -> str:
    if process.stdout is None:
        raise RuntimeError(f"{module} has no standard output")
    async with asyncio.timeout(_START_TIMEOUT_S):
        line = await process.stdout.readline()
    if not line:
        raise RuntimeError(f"{module} ended before it served")
    url: str = json.loads(line)["url"]
    return url


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(_END_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
