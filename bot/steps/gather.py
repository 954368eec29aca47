"""What belongs to the question: its own attachments, and what the messages say that it quotes or forwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import structlog

from bot.errors import FeishuError
from bot.feishu.content import read_content
from bot.feishu.messages import Messages, QuotedItem
from bot.models import AttachmentRef, Gathered, Message, Origin

log = structlog.get_logger()


async def gather(message: Message, messages: Messages) -> Gathered:
    """Own attachments first, then the quoted ones. A quoted message that can't be read is a problem, not an error."""
    items: list[QuotedItem] = []
    problems: list[str] = []
    for message_id in filter(None, (message.parent_id, message.message_id if message.is_forward else None)):
        found = await _read(message_id, messages)
        items += found
        if not found:
            problems.append("quoted_unreadable")
    return _gathered(message, items, problems)


async def _read(message_id: str, messages: Messages) -> list[QuotedItem]:
    """The message and, of a forward, those inside; without what was recalled, which Feishu may give all the same."""
    try:
        return [item for item in await messages.get(message_id) if not item.deleted]
    except FeishuError as error:
        if error.retryable:
            raise
        log.warning("quoted message not read", code=error.code, feishu_code=error.feishu_code)
        return []


def _gathered(message: Message, items: Iterable[QuotedItem], problems: Iterable[str]) -> Gathered:
    texts: list[str] = []
    attachments: list[AttachmentRef] = list(message.attachments)
    seen = {ref.key for ref in attachments}
    for item in items:
        content = read_content(item.type, item.content, item.mentions, item.message_id)
        if content.text:
            texts.append(content.text)
        for ref in content.attachments:
            if ref.key not in seen:
                seen.add(ref.key)
                attachments.append(replace(ref, origin=Origin.QUOTED))
    return Gathered(
        attachments=tuple(attachments), quoted_text="\n".join(texts) or None, problems=tuple(dict.fromkeys(problems))
    )
