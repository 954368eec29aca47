"""The whole program in one screen: one stored message becomes one reply in its thread.

Every `step` runs once per message and its result is remembered, so a crash between any two goes on where it was.
A step runs again when the crash falls inside it; only replies must not repeat, and Feishu's `uuid` sees to that.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace

import structlog

from bot.config import Settings
from bot.durable.checkpoint import Checkpoint
from bot.errors import BotError, MessageGone, ModelError, ReplyRefused
from bot.feishu.identity import Identity
from bot.feishu.resources import Resources
from bot.llm.client import ModelClient
from bot.llm.output import links_in
from bot.metrics import Metrics
from bot.models import Answer, Card, Gathered, Message, Prompt, ReadFile, StoredFile
from bot.steps.ask import ask
from bot.steps.compose import compose, unanswerable
from bot.steps.download import download
from bot.steps.extract import Reader, extract
from bot.steps.gather import gather
from bot.steps.reply import Outbox, apologise, open_card, reply, show_card
from bot.steps.understand import understand
from bot.store.inbox import Inbox

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the steps work with. Built and closed by app.py."""

    settings: Settings
    metrics: Metrics
    inbox: Inbox
    identity: Identity
    resources: Resources
    reader: Reader
    model: ModelClient
    outbox: Outbox


async def answer_message(argument: str, checkpoint: Checkpoint, tools: Tools) -> None:
    """Turns one inbox row into one reply. `argument` is JSON: app_id and message_id."""
    key = json.loads(argument)
    structlog.contextvars.bind_contextvars(message_id=key["message_id"])
    event = await tools.inbox.read(key["app_id"], key["message_id"])
    if event is None:
        return
    step, outbox, settings = checkpoint.step, tools.outbox, tools.settings
    message = await step("understand", Message | None, understand, event, tools.identity, settings.reply.language)
    if message is None:
        tools.metrics.messages.labels(end="not_for_us").inc()
        return
    typing = await step("typing", str | None, outbox.show_typing, message)
    card: Card | None = None
    parked: BotError | None = None
    end: str
    try:
        card = await step("open_card", Card | None, open_card, message, outbox)
        card = await step("show_card", Card | None, show_card, message, card, outbox)
        gathered = await step("gather", Gathered, gather, message, outbox.messages)
        stored = await step(
            "download",
            tuple[StoredFile, ...],
            download,
            gathered.attachments,
            tools.resources,
            tools.reader.files,
            settings.files,
        )
        reads = await step("extract", tuple[ReadFile, ...], extract, stored, tools.reader)
        answer = await step("ask", Answer, compose_and_ask, message, gathered, reads, card, tools)
        await step("reply", int, reply, message, card, reads, answer, outbox)
        end = answer.state
    except (MessageGone, ReplyRefused) as error:  # nobody is there to be told
        end = error.code
    except BotError as error:
        end, parked = "parked", error
        with suppress(BotError):  # the chat may be what is in trouble; what went wrong first is what counts
            await step("apologise", int, apologise, message, card, error.code, outbox)
    await step("typed", None, outbox.messages.unreact, message.message_id, typing)
    log.info("message done", end=end)
    tools.metrics.messages.labels(end=end).inc()
    if parked is not None:
        raise parked


async def compose_and_ask(
    message: Message, gathered: Gathered, reads: tuple[ReadFile, ...], card: Card | None, tools: Tools
) -> Answer:
    """One model call. The prompt is made anew at each attempt: it holds document text, so no checkpoint may."""
    if (problem := unanswerable(message, gathered, reads)) is not None:
        return Answer(text="", state="declined", problem=problem, unread=gathered.problems)
    contents = [await asyncio.to_thread(tools.reader.content, read) for read in reads]
    model = tools.settings.model
    prompt = await asyncio.to_thread(  # counts tokens, a tenth of a second for a large file
        compose,
        message,
        gathered,
        tuple(zip(reads, contents, strict=True)),
        tools.outbox.library.current,
        context_tokens=model.context_tokens,
        max_output_tokens=model.max_output_tokens,
        images=model.images,
        max_images=model.max_images,
        max_body_bytes=model.max_body_bytes,
        nonce=secrets.token_hex(6),
    )
    log.info("prompt composed", template=prompt.template, tokens=prompt.estimated_tokens, images=prompt.images)
    return replace(await _asked(prompt, message, card, tools), unread=gathered.problems)


async def _asked(prompt: Prompt, message: Message, card: Card | None, tools: Tools) -> Answer:
    """The answer, streamed into the card, with what it cost in the log and in the numbers."""
    async with tools.outbox.streaming(card) as screen:
        try:
            answer = await ask(
                prompt,
                tools.model,
                screen,
                allowed_links=links_in(message.question),
                max_tables=tools.settings.reply.max_tables,
            )
        except ModelError as error:
            tools.metrics.model_errors.labels(code=error.code).inc()
            raise
    log.info(
        "model answered",
        first_token_s=answer.first_token_s,
        seconds=answer.seconds,
        state=answer.state,
        problem=answer.problem,
    )
    if answer.problem is not None:
        tools.metrics.model_errors.labels(code=answer.problem).inc()
    tools.metrics.model_seconds.observe(answer.seconds)
    tools.metrics.tokens.labels(direction="in").inc(answer.prompt_tokens or 0)
    tools.metrics.tokens.labels(direction="out").inc(answer.completion_tokens or 0)
    return answer
