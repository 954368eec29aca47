"""How soon the webhook acknowledges, beside an aiohttp handler that stores nothing.

    python benchmarks/ack.py [--rate 50] [--seconds 20] [--against bot|intake]

Signed, encrypted events go in slices to the one and to the other, each in a process of its own: to the whole bot (group
messages that don't mention it, the bulk of what a bot in a group gets), or to the intake with an empty workflow behind
it. In the end every event must be a row and a finished workflow. Aim: p99 at most 20 ms, p50 at most 3 times the bare
handler's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import secrets
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from pydantic import SecretStr

from bot.app import running
from bot.config import FeishuSettings, ModelSettings, Settings, WebhookSettings
from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine
from bot.durable.relay import InboxRelay
from bot.emulator.feishu.sealing import sealed, signature_headers
from bot.emulator.process import serve_feishu
from bot.emulator.wire import FeishuOptions
from bot.intake.accept import Accept
from bot.intake.health import health_routes
from bot.intake.webhook import PATH, webhook_routes
from bot.logs import configure
from bot.metrics import Metrics
from bot.store.database import Database
from bot.store.inbox import Inbox

KEY, TOKEN, APP_ID = "benchmark encrypt key", "benchmark token", "cli_benchmark"
FEISHU = FeishuSettings(app_id=APP_ID, encrypt_key=SecretStr(KEY), verification_token=SecretStr(TOKEN))
CONVERSATIONS = 20
SLICE_S = 2.0
DRAIN_TIMEOUT_S = 60.0


# --- the servers, each in a process of its own ------------------------------------------------------------------------


async def serve_bare(_directory: Path) -> None:
    """Reads the request and says yes."""

    async def acknowledge(request: web.Request) -> web.Response:
        await request.read()
        return web.json_response({})

    await _serve([web.post(PATH, acknowledge)])


async def serve_intake(directory: Path) -> None:
    """The intake as it is in the bot, with workflows of two steps that do nothing."""
    database, metrics = Database(directory / "duwen.db"), Metrics()
    engine = Engine(directory, concurrency=8, poll_s=0.1, attempts=5)
    inbox = Inbox(database)

    async def nothing() -> None:
        """What a step of a message that is not for us costs."""

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        key = json.loads(argument)
        await inbox.read(key["app_id"], key["message_id"])
        await checkpoint.step("understand", None, nothing)
        await checkpoint.step("reply", None, nothing)

    async def status() -> dict[str, Any]:
        return {"inbox": await inbox.counts(), "engine": await engine.states()}

    await database.open()
    engine.register(work)
    await engine.start()
    relay = InboxRelay(inbox, engine, metrics)
    routes = webhook_routes(
        accept=Accept(inbox=inbox, wake=relay.wake),
        feishu=FEISHU,
        webhook=WebhookSettings(),
        metrics=metrics,
    )
    try:
        async with asyncio.TaskGroup() as group:
            relaying = group.create_task(relay.run())
            await _serve([*routes, *health_routes(status=status, ready=lambda: (True, []), metrics=metrics)])
            relaying.cancel()
    finally:
        await engine.stop(5)
        await database.close()


async def _serve(routes: list[web.RouteDef]) -> None:
    """Until standard input ends."""
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


async def serve_bot(directory: Path) -> None:
    """All of it, beside a local Feishu that tells it who it is."""
    async with serve_feishu(FeishuOptions(app_id=APP_ID, encrypt_key=KEY, verification_token=TOKEN)) as feishu:
        settings = Settings(
            data_dir=directory,
            feishu=FEISHU.model_copy(
                update={"app_secret": SecretStr(feishu.options.app_secret), "base_url": feishu.url}
            ),
            webhook=WebhookSettings(port=0),
            model=ModelSettings(base_url="http://127.0.0.1:9/v1", api_key=SecretStr("none"), name="nobody-asks"),
        )
        configure("warning")
        async with running(settings) as port:
            print(f"http://127.0.0.1:{port}", flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


SERVERS = {"bare": serve_bare, "intake": serve_intake, "bot": serve_bot}


# --- the load ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def started(name: str, directory: Path) -> AsyncIterator[str]:
    """The address of a server in a child process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--serve", name, "--directory", str(directory)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


def request(number: int) -> tuple[bytes, dict[str, str]]:
    """Body and headers of one message, as Feishu sends them."""
    header = {
        "event_id": secrets.token_hex(16),
        "event_type": "im.message.receive_v1",
        "token": TOKEN,
        "app_id": APP_ID,
    }
    message = {
        "message_id": f"om_{secrets.token_hex(16)}",
        "create_time": str(time.time_ns() // 1_000_000),
        "chat_id": f"oc_{number % CONVERSATIONS}",
        "chat_type": "group",
        "message_type": "text",
        "content": json.dumps({"text": "这个文件讲了什么？" * 20}, ensure_ascii=False),
    }
    sender = {"sender_id": {"open_id": "ou_1"}, "sender_type": "user"}
    body = sealed({"schema": "2.0", "header": header, "event": {"sender": sender, "message": message}}, KEY)
    return body, signature_headers(body, KEY)


async def load(session: aiohttp.ClientSession, url: str, *, rate: float, seconds: float) -> list[float]:
    """Milliseconds to each acknowledgement. Sends on schedule, whether the one before was answered or not."""

    async def send(number: int, due: float) -> float:
        await asyncio.sleep(due - time.perf_counter())
        body, headers = request(number)
        start = time.perf_counter()
        async with session.post(url + PATH, data=body, headers=headers) as response:
            await response.read()
            response.raise_for_status()
        return (time.perf_counter() - start) * 1000

    begin = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(send(number, begin + number / rate)) for number in range(round(rate * seconds))]
    return [task.result() for task in tasks]


async def drained(session: aiohttp.ClientSession, url: str, events: int) -> dict[str, Any]:
    """What the health page says once every event is a workflow that ended well; TimeoutError when one is lost."""
    async with asyncio.timeout(DRAIN_TIMEOUT_S):
        while True:
            async with session.get(f"{url}/healthz") as response:
                status: dict[str, Any] = await response.json()
            if status["inbox"] == {"received": 0, "enqueued": events} and status["engine"] == {"SUCCESS": events}:
                return status
            await asyncio.sleep(0.2)


def percentile(times_ms: list[float], share: float) -> float:
    """The value that `share` of them don't exceed."""
    return sorted(times_ms)[math.ceil(len(times_ms) * share) - 1]


def told(name: str, times_ms: list[float]) -> str:
    """One line of figures."""
    p50, p99, longest = (percentile(times_ms, share) for share in (0.50, 0.99, 1.0))
    return f"{name:6} {len(times_ms):5} events   p50 {p50:6.2f} ms   p99 {p99:6.2f} ms   max {longest:6.2f} ms"


async def compare(against: str, *, rate: float, seconds: float) -> None:
    """Runs both and prints how they compare."""
    times: dict[str, list[float]] = {"bare": [], against: []}
    with tempfile.TemporaryDirectory() as directory:
        async with (
            started("bare", Path(directory)) as bare,
            started(against, Path(directory)) as tested,
            aiohttp.ClientSession() as session,
        ):
            urls = {"bare": bare, against: tested}
            for url in urls.values():  # connections, first calls
                await load(session, url, rate=rate, seconds=1)
            for _ in range(max(1, round(seconds / SLICE_S))):
                for name, url in urls.items():
                    times[name] += await load(session, url, rate=rate, seconds=SLICE_S)
            await drained(session, tested, len(times[against]) + round(rate))
    for name, times_ms in times.items():
        print(told(name, times_ms))
    ratio = percentile(times[against], 0.5) / percentile(times["bare"], 0.5)
    print(f"p50 is {ratio:.1f} times the bare handler's; every event is a row and a finished workflow")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--against", choices=("bot", "intake"), default="bot")
    parser.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(SERVERS[options.serve](options.directory))
    else:
        asyncio.run(compare(options.against, rate=options.rate, seconds=options.seconds))


if __name__ == "__main__":
    main()
