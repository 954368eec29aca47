"""The composition root: builds every object, opens and closes them, and runs them in one TaskGroup."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import aiohttp
import msgspec
import structlog
from aiohttp import web

from bot import __version__
from bot.config import ModelSettings, Settings, WebhookSettings, or_packaged
from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine
from bot.durable.relay import InboxRelay
from bot.errors import ConfigError
from bot.feishu.api import FeishuApi
from bot.feishu.cardkit import CardKit
from bot.feishu.identity import Identity
from bot.feishu.messages import Messages
from bot.feishu.resources import Resources
from bot.intake.accept import Accept
from bot.intake.health import health_routes
from bot.intake.webhook import webhook_routes
from bot.llm.client import ModelClient
from bot.llm.prompts import PromptLibrary
from bot.metrics import Metrics
from bot.pipeline import Tools, answer_message
from bot.steps.extract import Reader
from bot.steps.reply import Outbox
from bot.store.claim import claimed
from bot.store.database import Database
from bot.store.files import FileStore
from bot.store.inbox import Inbox
from bot.store.readings import ReadingStore
from extractors import SandboxedAttachmentExtractor

log = structlog.get_logger()

IDENTITY_RETRY_S = 5.0
REVIVE_EVERY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """Every long-lived object of a running bot, and when it was started."""

    settings: Settings
    tools: Tools
    database: Database
    engine: Engine
    relay: InboxRelay
    extractor: SandboxedAttachmentExtractor
    started_s: float


async def serve(settings: Settings) -> None:
    """Runs the bot until SIGTERM or SIGINT, then stops gracefully: nothing new, running work to a checkpoint."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    async with running(settings):
        await stopped.wait()
        log.info("stopping", grace_s=settings.shutdown_grace_s)
    log.info("stopped")


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[int]:
    """The whole bot, ready to answer; gives the port it serves on."""
    started = time.monotonic()
    # Before any work is taken up, so that a port in use leaves everything as it was.
    with closing(_listening(settings.webhook)) as door, claimed(settings.data_dir):
        async with _built(settings) as bot, _serving(bot, door, started) as port:
            yield port


@asynccontextmanager
async def _serving(bot: Bot, door: socket.socket, started: float) -> AsyncIterator[int]:
    """The bot at work; in the end the door closes first, and then running work may reach a checkpoint."""
    # What is here now stays: a full collection would walk it all and hold up an acknowledgement by 90 ms.
    gc.collect()
    gc.freeze()
    try:
        async with asyncio.TaskGroup() as group:
            background = [group.create_task(work) for work in _background(bot)]
            async with _open(bot, door):
                port: int = door.getsockname()[1]
                log.info("serving", port=port, version=__version__, seconds=round(time.monotonic() - started, 3))
                yield port
            for task in background:
                task.cancel()
    finally:
        await bot.engine.stop(bot.settings.shutdown_grace_s)


def _background(bot: Bot) -> tuple[Coroutine[Any, Any, None], ...]:
    return bot.relay.run(), _revive(bot), _reload_prompts(bot), _learn_identity(bot)


@asynccontextmanager
async def _built(settings: Settings) -> AsyncIterator[Bot]:
    data = settings.data_dir
    metrics = Metrics()
    limits = settings.files.extract_limits()
    extractor = SandboxedAttachmentExtractor(
        timeout_seconds=settings.files.timeout_s,
        max_bytes=settings.files.max_bytes,
        max_concurrency=settings.files.concurrency,
        limits=limits,
        require=settings.sandbox.require,
        ocr=settings.ocr(),
    )
    metrics.watch_sandbox(level=lambda: extractor.level, counters=lambda: asdict(extractor.counters))
    database = Database(data / "duwen.db")
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        model = _model(settings.model)
        stack.push_async_callback(model.aclose)
        # The zygote warms up and the templates are tried out in processes of their own, while this one goes on.
        await stack.enter_async_context(extractor)
        stack.push_async_callback(database.close)
        library, _ = await asyncio.gather(
            asyncio.to_thread(PromptLibrary, or_packaged(settings.prompts.directory)), database.open()
        )
        api = FeishuApi(
            session,
            base_url=settings.feishu.base_url,
            app_id=settings.feishu.app_id,
            app_secret=settings.feishu.app_secret.get_secret_value(),
            timeout_s=settings.feishu.timeout_s,
            failed=lambda code: metrics.feishu_errors.labels(code=code).inc(),
        )
        tools = Tools(
            settings=settings,
            metrics=metrics,
            inbox=Inbox(database),
            identity=Identity(api),
            resources=Resources(api),
            reader=Reader(
                extractor=extractor,
                limits=limits,
                ocr=settings.ocr(),
                files=FileStore(data / "files"),
                readings=ReadingStore(data / "readings"),
                metrics=metrics,
            ),
            model=model,
            outbox=Outbox(messages=Messages(api), cardkit=CardKit(api), library=library, settings=settings.reply),
        )
        engine = _engine(settings, tools)
        await engine.start()
        yield Bot(
            settings=settings,
            tools=tools,
            database=database,
            engine=engine,
            relay=InboxRelay(tools.inbox, engine, metrics),
            extractor=extractor,
            started_s=time.time(),
        )


def _model(settings: ModelSettings) -> ModelClient:
    return ModelClient(
        base_url=settings.base_url,
        api_key=settings.api_key.get_secret_value(),
        model=settings.name,
        max_output_tokens=settings.max_output_tokens,
        output_limit_parameter=settings.output_limit_parameter,
        temperature=settings.temperature,
        concurrency=settings.concurrency,
        first_token_timeout_s=settings.first_token_timeout_s,
        idle_timeout_s=settings.idle_timeout_s,
    )


def _engine(settings: Settings, tools: Tools) -> Engine:
    engine = Engine(
        settings.data_dir,
        concurrency=settings.engine.concurrency,
        poll_s=settings.engine.poll_s,
        attempts=settings.engine.attempts,
    )

    async def work(argument: str, checkpoint: Checkpoint) -> None:
        await answer_message(argument, checkpoint, tools)

    engine.register(work)
    return engine


def _listening(webhook: WebhookSettings) -> socket.socket:
    """The door's socket, on a port that the system chose where 0 was asked for; ConfigError where it can't be had."""
    family = socket.AF_INET6 if ":" in webhook.host else socket.AF_INET
    try:
        return socket.create_server((webhook.host, webhook.port), family=family)
    except OSError as error:
        why = str(error.strerror or error).partition(" (")[0]  # the rest is the address once more
        raise ConfigError(f"webhook: cannot listen on {webhook.host}:{webhook.port}: {why}") from None


@asynccontextmanager
async def _open(bot: Bot, door: socket.socket) -> AsyncIterator[None]:
    """The HTTP server: events, health, metrics."""
    settings, tools = bot.settings, bot.tools
    app = web.Application()
    app.add_routes(health_routes(status=partial(_status, bot), ready=partial(_ready, bot), metrics=tools.metrics))
    if settings.webhook.enabled:
        accept = Accept(inbox=tools.inbox, wake=bot.relay.wake)
        app.add_routes(
            webhook_routes(accept=accept, feishu=settings.feishu, webhook=settings.webhook, metrics=tools.metrics)
        )
    # Bodies stay as they came: Feishu compresses none, and signs the raw bytes.
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=2.0, auto_decompress=False)
    await runner.setup()
    try:
        await web.SockSite(runner, door).start()
        yield
    finally:
        await runner.cleanup()


async def _learn_identity(bot: Bot) -> None:
    """Before the first question, so that it does not wait and /readyz tells the truth."""
    while bot.tools.identity.known is None:
        await bot.tools.identity.get()
        await asyncio.sleep(IDENTITY_RETRY_S)


async def _revive(bot: Bot) -> None:
    while True:
        await asyncio.sleep(REVIVE_EVERY_S)
        try:
            if count := await bot.engine.revive():
                log.warning("work without an outcome taken up again", count=count)
        except Exception as error:
            log.warning("no work taken up", error=type(error).__name__, retry_in_s=REVIVE_EVERY_S)


async def _reload_prompts(bot: Bot) -> None:
    while True:
        await asyncio.sleep(bot.settings.prompts.reload_s)
        await asyncio.to_thread(bot.tools.outbox.library.refresh)


async def _status(bot: Bot) -> dict[str, Any]:
    """What /healthz shows: states and counts, no secret and no content."""
    identity = bot.tools.identity.known  # without asking: this page must come while Feishu hangs
    return {
        "version": __version__,
        "uptime_s": round(time.time() - bot.started_s),
        "bot": identity.name if identity else None,
        "inbox": await bot.tools.inbox.counts(),
        "engine": await bot.engine.states(),
        "sandbox": {
            "level": bot.extractor.level,
            "required": bot.settings.sandbox.require,
            "problem": bot.extractor.problem,
            "layers": [msgspec.to_builtins(layer) for layer in bot.extractor.layers],
            "counters": asdict(bot.extractor.counters),
        },
        "prompts": {
            "version": bot.tools.outbox.library.current.version,
            "problems": list(bot.tools.outbox.library.problems),
        },
    }


def _ready(bot: Bot) -> tuple[bool, list[str]]:
    """Ready once we know who we are and files can be read; all else is there before the server is."""
    reasons = [] if bot.tools.identity.known else ["own identity not known yet (bot/v3/info)"]
    if bot.extractor.problem is not None:
        reasons.append(f"no file is read: {bot.extractor.problem}")
    return not reasons, reasons
