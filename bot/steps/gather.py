"""Which attachments belong to the question: its own, and those of the message it quotes."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import FeishuError
from bot.feishu.content import read_content
from bot.feishu.messages import Messages, QuotedItem
from bot.models import AttachmentRef, Gathered, Message, Origin


async def gather(message: Message, messages: Messages) -> Gathered:
    """Own attachments first, then the quoted ones. A quoted message that can't be read is a problem, not an error."""
    if message.parent_id is None:
        return Gathered(attachments=message.attachments)
    try:
        quoted = await messages.get(message.parent_id)
    except FeishuError as error:
        if error.retryable:
            raise
        return Gathered(attachments=message.attachments, problems=("quoted_unreadable",))
    return _with_quoted(message, quoted)


def _with_quoted(message: Message, quoted: tuple[QuotedItem, ...]) -> Gathered:
    texts: list[str] = []
    attachments: list[AttachmentRef] = list(message.attachments)
    seen = {ref.key for ref in attachments}
    for item in quoted:
        content = read_content(item.type, item.content, item.mentions, item.message_id)
        if content.text:
            texts.append(content.text)
        for ref in content.attachments:
            if ref.key not in seen:
                seen.add(ref.key)
                attachments.append(replace(ref, origin=Origin.QUOTED))
    return Gathered(attachments=tuple(attachments), quoted_text="\n".join(texts) or None)
