"""The answer in the chat: a card that is opened early and finished once, or a post where cards are refused."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import structlog

from bot.config import ReplySettings
from bot.errors import CardRefused, FeishuPermission
from bot.feishu.cardkit import CardKit
from bot.feishu.cards import card_reference, final_card, post, streaming_card, wire_bytes
from bot.feishu.idempotency import reply_uuid
from bot.feishu.messages import Messages
from bot.feishu.splitting import split_markdown
from bot.feishu.streaming import StreamingCard
from bot.llm.output import links_in, safe_markdown
from bot.llm.prompts import PromptLibrary
from bot.llm.texts import Texts
from bot.models import Answer, Card, Message, ReadFile, workflow_id

log = structlog.get_logger()

SUMMARY_MAX_CHARS = 80
NAME_MAX_CHARS = 80
NOTE_MAX_CHARS = 300
#: Statuses of a file that the user need not be told of at once.
WHOLE = frozenset({"ok", "partial"})
#: Of Feishu's 30 KB, less what the frame and the footer take.
CARD_MAX_BYTES = 28_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbox:
    """What it takes to speak in a chat: the wire, the words, and the operator's choices."""

    messages: Messages
    cardkit: CardKit
    library: PromptLibrary
    settings: ReplySettings

    async def send(self, message: Message, part: str, msg_type: str, content: dict[str, Any]) -> None:
        """One message under the question. The same part is posted once, however often this runs."""
        # Inside a thread always there; elsewhere as configured.
        in_thread = self.settings.thread_in_private if message.is_private else self.settings.thread_in_groups
        await self.messages.reply(
            message.message_id,
            msg_type=msg_type,
            content=content,
            uuid=reply_uuid(workflow_id(message), part),
            in_thread=in_thread or message.thread_id is not None,
        )

    async def show_typing(self, message: Message) -> str | None:
        """Marks the question as being worked on; the reaction's id, for taking it away again."""
        if not self.settings.typing_reaction:
            return None
        return await self.messages.react(message.message_id, "Typing")

    @asynccontextmanager
    async def streaming(self, card: Card | None) -> AsyncIterator[StreamingCard | None]:
        """The card as a place for a growing answer, for as long as the block runs; None where there is no card."""
        if card is None:
            yield None
            return
        stream = StreamingCard(self.cardkit, card, updates_per_second=self.settings.updates_per_second)
        async with asyncio.TaskGroup() as group:
            group.create_task(stream.run())
            try:
                yield stream
            finally:
                stream.stop()


async def open_card(message: Message, outbox: Outbox) -> Card | None:
    """A streaming card entity that nobody sees yet; None where cards are refused."""
    has_files = bool(message.attachments or message.parent_id)
    placeholder = outbox.library.texts(message.language).get("card.reading" if has_files else "card.thinking")
    try:
        card_id = await outbox.cardkit.create(streaming_card(title="", placeholder=placeholder))
    except (CardRefused, FeishuPermission) as error:  # an app may speak in chats and have no right to card entities
        log.warning("no card", code=error.code, feishu_code=error.feishu_code)
        return None
    return Card(card_id=card_id, created_ms=int(time.time() * 1000))


async def show_card(message: Message, card: Card | None, outbox: Outbox) -> Card | None:
    """The card in the chat; the same card on a second run, since the uuid is the same. None where it is refused."""
    if card is None:
        return None
    try:
        await outbox.send(message, "card", "interactive", card_reference(card.card_id))
    except CardRefused as error:
        log.warning("card not shown", code=error.code, feishu_code=error.feishu_code)
        return None
    return card


async def reply(
    message: Message, card: Card | None, reads: tuple[ReadFile, ...], answer: Answer, outbox: Outbox
) -> int:
    """Finishes the card, or posts where there is none; what is too long for one message follows in more.

    Returns the number of messages in the chat. Running it again changes nothing that is already there.
    """
    texts = outbox.library.texts(message.language)
    links, tables = links_in(message.question), outbox.settings.max_tables
    body = safe_markdown(_body(answer, texts), allowed_links=links, max_tables=tables)
    files = file_lines(reads, answer, texts)
    expanded = bool(answer.unread) or any(read.problem or read.status not in WHOLE for read in reads)
    room = max(CARD_MAX_BYTES - wire_bytes(files), CARD_MAX_BYTES // 2)
    first, *more = split_markdown(body, room) or (texts.get("error.model_empty"),)
    if card is None or not await _finish_card(
        StreamingCard(outbox.cardkit, card), _final_card(first, files, answer, texts, expanded=expanded), texts
    ):
        more = [*split_markdown("\n\n".join(filter(None, (first, files)))), *more]
    for index, part in enumerate(more, start=1):
        await outbox.send(message, f"part {index}", "post", post(part))
    parts = len(more) + (card is not None)
    log.info("reply sent", chars=len(body), parts=parts, state=answer.state)
    return parts


async def apologise(message: Message, card: Card | None, code: str, outbox: Outbox) -> int:
    """Says in the chat that the question could not be answered, and why in plain words; leaves no card open."""
    return await reply(message, card, (), Answer(text="", state="failed", problem=code), outbox)


def _body(answer: Answer, texts: Texts) -> str:
    """The model's words, and a sentence on how they ended where that was not well."""
    sentences = [answer.text.strip()]
    if answer.problem is not None:
        sentences.append(texts.get(f"error.{answer.problem}"))
    elif answer.state != "complete":
        sentences.append(texts.get(f"state.{answer.state}"))
    return "\n\n".join(filter(None, sentences))


def _final_card(body: str, files: str, answer: Answer, texts: Texts, *, expanded: bool) -> dict[str, Any]:
    return final_card(
        body_markdown=body,
        files_markdown=files,
        files_title=texts.get("card.files"),
        files_expanded=expanded,
        footer=_plain(texts.get("card.footer", model=answer.model)) if answer.model and answer.text else "",
        summary=_summary(body, texts),
    )


async def _finish_card(streaming: StreamingCard, final: dict[str, Any], texts: Texts) -> bool:
    """False where the card can't carry it: it is then closed with a word on where the answer is."""
    try:
        await streaming.finish(final)
    except CardRefused as error:
        log.warning("card not finished", code=error.code, feishu_code=error.feishu_code)
        closing = texts.get("error.card_closed")
        with suppress(CardRefused):  # it may be gone altogether; the answer comes all the same
            await streaming.finish(final_card(body_markdown=closing, files_markdown="", footer="", summary=closing))
        return False
    return True


def file_lines(reads: tuple[ReadFile, ...], answer: Answer, texts: Texts) -> str:
    """One line a file: what was read of it, what was not, and why in plain words; then what else was not read."""
    left_out: dict[str, list[str]] = {}
    for name, what in answer.omitted:
        left_out.setdefault(name, []).append(what)
    lines = [_file_line(read, left_out.get(read.name, []), texts) for read in reads]
    lines += [texts.get(f"error.{problem}") for problem in answer.unread if problem != answer.problem]
    lines += [texts.get("card.left_out", what=_plain(what)) for what in left_out.get("", [])]
    if answer.images_dropped:
        lines.append(texts.get("card.images_dropped"))
    return "\n".join(f"- {line}" for line in lines)


def _file_line(read: ReadFile, left_out: list[str], texts: Texts) -> str:
    facts = [texts.get(f"kind.{read.kind}"), texts.get(f"status.{read.status}")]
    if read.problem is not None:
        facts.append(texts.get(f"error.{read.problem}"))
    if read.total_pages:
        unit = {"presentation": "slides", "spreadsheet": "sheets"}.get(read.kind, "pages")
        facts.append(texts.get(f"card.{unit}", count=read.total_pages))
    if read.chars:
        facts.append(texts.get("card.chars", count=f"{read.chars:,}"))
    if read.images:
        facts.append(texts.get("card.images", count=read.images))
    if read.truncated:
        facts.append(texts.get("card.truncated"))
    facts += [texts.get("card.left_out", what=_plain(what)) for what in left_out]
    short = _middle_cut(read.name, NAME_MAX_CHARS)
    name = f"{texts.get('card.quoted')} {short}" if read.origin == "quoted" else short
    line = f"{_plain(name)}: {' · '.join(facts)}"
    return f"{line} ({_plain(_middle_cut(read.note, NOTE_MAX_CHARS))})" if read.note else line


def _middle_cut(text: str, max_chars: int) -> str:
    """The text with its end, since that is where a name says what it is."""
    if len(text) <= max_chars:
        return text
    tail = max_chars // 4
    return f"{text[: max_chars - tail - 1]}…{text[-tail:]}"


def _summary(body: str, texts: Texts) -> str:
    line = next((line.strip("#*->| `") for line in body.splitlines() if line.strip("#*->| `")), "")
    return line[:SUMMARY_MAX_CHARS] or texts.get("card.summary")


def _plain(text: str) -> str:
    """Untrusted words with no markup left in them: a file may be called anything."""
    safe = safe_markdown(" ".join(text.split()), final=True)
    return re.sub(r"[\\`*_~\[\]|]", lambda mark: f"\\{mark[0]}", safe)
