"""The composition root: builds every object, opens and closes them, and runs them in one TaskGroup."""

from __future__ import annotations

import asyncio
import gc
import signal
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import structlog
from aiohttp import web

from bot import __version__
from bot.config import ModelSettings, PromptsSettings, Settings
from bot.durable.checkpoint import Checkpoint
from bot.durable.engine import Engine
from bot.durable.relay import InboxRelay
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
from bot.store.database import Database
from bot.store.files import FileStore
from bot.store.inbox import Inbox
from bot.store.readings import ReadingStore
from extractors import SandboxedAttachmentExtractor

log = structlog.get_logger()

IDENTITY_RETRY_S = 5.0


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
    async with _built(settings) as bot:
        # What is here now stays: a full collection would walk it all and hold up an acknowledgement by 90 ms.
        gc.collect()
        gc.freeze()
        try:
            async with asyncio.TaskGroup() as group:
                background = [group.create_task(work) for work in _background(bot)]
                async with _door(bot) as port:
                    log.info("serving", port=port, version=__version__, seconds=round(time.monotonic() - started, 3))
                    yield port
                for task in background:
                    task.cancel()
        finally:
            await bot.engine.stop(settings.shutdown_grace_s)


def _background(bot: Bot) -> tuple[Coroutine[Any, Any, None], ...]:
    return bot.relay.run(), _reload_prompts(bot), _learn_identity(bot)


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
            asyncio.to_thread(PromptLibrary, _prompts(settings.prompts.directory)), database.open()
        )
        api = FeishuApi(
            session,
            base_url=settings.feishu.base_url,
            app_id=settings.feishu.app_id,
            app_secret=settings.feishu.app_secret.get_secret_value(),
            timeout_s=settings.feishu.timeout_s,
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


@asynccontextmanager
async def _door(bot: Bot) -> AsyncIterator[int]:
    """The HTTP server: events, health, metrics. Gives its port, which the system chose when 0 was asked for."""
    settings, tools = bot.settings, bot.tools
    app = web.Application()
    app.add_routes(health_routes(status=partial(_status, bot), ready=partial(_ready, bot), metrics=tools.metrics))
    if settings.webhook.enabled:
        accept = Accept(inbox=tools.inbox, wake=bot.relay.wake)
        app.add_routes(
            webhook_routes(accept=accept, feishu=settings.feishu, webhook=settings.webhook, metrics=tools.metrics)
        )
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=2.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.webhook.host, settings.webhook.port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def _learn_identity(bot: Bot) -> None:
    """Before the first question, so that it does not wait and /readyz tells the truth."""
    while not bot.tools.identity.is_known:
        await bot.tools.identity.get()
        await asyncio.sleep(IDENTITY_RETRY_S)


async def _reload_prompts(bot: Bot) -> None:
    while True:
        await asyncio.sleep(bot.settings.prompts.reload_s)
        await asyncio.to_thread(bot.tools.outbox.library.refresh)


async def _status(bot: Bot) -> dict[str, Any]:
    """What /healthz shows: states and counts, no secret and no content."""
    identity = await bot.tools.identity.get()
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
    reasons = [] if bot.tools.identity.is_known else ["own identity not known yet (bot/v3/info)"]
    if bot.extractor.problem is not None:
        reasons.append(f"no file is read: {bot.extractor.problem}")
    return not reasons, reasons


def _prompts(directory: Path) -> Path:
    """The operator's directory; the packaged templates where the default one does not exist."""
    packaged = Path(__file__).resolve().parent.parent / "prompts"
    return packaged if directory == PromptsSettings().directory and not directory.is_dir() else directory
