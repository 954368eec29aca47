"""Feishu's error codes, and what each means for us. The HTTP status counts only where there is no known code.

Sources: the error tables of the message, resource, reply, reaction, card and token pages on open.feishu.cn, and
https://open.feishu.cn/document/ukTMukTMukTM/ugjM14COyUjL4ITN for the general ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.errors import (
    CardClosed,
    CardRefused,
    FeishuError,
    FeishuPermission,
    FeishuRateLimited,
    FeishuTokenInvalid,
    FeishuUnavailable,
    MessageGone,
    ReplyRefused,
    ResourceRefused,
)

#: Our sequence or uuid of a card's operation was used before, perhaps by the very call whose answer was lost.
CARD_OPERATION_REPEATED = frozenset({300317, 200770})
#: The chat, or this message, can't be answered in a thread.
NO_THREAD_REPLY = frozenset({230071, 230072})

_TOKEN = re.compile(r"\b[tua]-[\w.-]{8,}")
_MAX_DETAIL_CHARS = 300


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which error a code becomes; `code` is ours, where it is not the class's own."""

    error: type[FeishuError]
    code: str | None = None


def _all(codes: Iterable[int], error: type[FeishuError], code: str | None = None) -> dict[int, Meaning]:
    return dict.fromkeys(codes, Meaning(error, code))


MEANINGS: Mapping[int, Meaning] = {
    # Tokens and access. 10003 and 10014: app id or secret are wrong. 99991403: the month's calls are used up.
    **_all((99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 20014), FeishuTokenInvalid),
    **_all((10003, 10014, 99991401, 99991403, 99991543, 99991672, 230027, 234002), FeishuPermission),
    # Rates. 230020 is a chat's limit, shared by all bots in it; 112xx are the message service's.
    **_all((99991400, 11232, 11233, 11247, 230020), FeishuRateLimited),
    # Try again. 230049: being sent. 200810: somebody is clicking on the card.
    **_all((230049, 231015, 234019, 200810, 300120), FeishuUnavailable),
    # Messages.
    **_all((230011, 230050, 230110, 230111, 231003, 231005, 231018), MessageGone),
    **_all((230002, 230006, 230013, 230018, 230019, 230035, 230038, 230075, 231004, 232009), ReplyRefused),
    **_all((230022, 230028, 230054, 230055, *NO_THREAD_REPLY), ReplyRefused),
    # Resources.
    **_all((234037,), ResourceRefused, "file_too_large"),
    **_all((234038,), ResourceRefused, "file_confidential"),
    **_all((234003, 234040), ResourceRefused, "file_gone"),
    **_all((234009,), ResourceRefused, "file_external"),
    **_all((234043,), ResourceRefused, "file_kind"),
    **_all((234001, 234004, 234008, 234041, 234042), ResourceRefused),
    # Cards. 230025: the message is too long. 230099 wraps a code of the card service in its sentence.
    **_all((200850, 300309), CardClosed),
    **_all((230025, 230099, 10002, 11310, 200220, 200570, 200621, 200740, 200750, 200860, 200861), CardRefused),
    **_all((300122, 300301, 300302, 300303, 300305, 300307, 300310, 300311, 300313), CardRefused),
    **_all(CARD_OPERATION_REPEATED, CardRefused),
}


def error_for(feishu_code: int, msg: str, *, status: int, log_id: str = "", retry_after_s: float = 1.0) -> FeishuError:
    """The error for an answer that is not a success. `feishu_code` is 0 where the answer had none."""
    detail = f"HTTP {status}, code {feishu_code}: {_TOKEN.sub('***', msg)[:_MAX_DETAIL_CHARS]}"
    if log_id:
        detail += f" (log id {log_id[:64]})"
    meaning = MEANINGS.get(feishu_code) or _meaning_of_status(status)
    if meaning.error is FeishuRateLimited:
        return FeishuRateLimited(detail, feishu_code=feishu_code, retry_after_s=retry_after_s)
    return meaning.error(detail, code=meaning.code, feishu_code=feishu_code)


def _meaning_of_status(status: int) -> Meaning:
    if status == 429:
        return Meaning(FeishuRateLimited)
    return Meaning(FeishuUnavailable if status >= 500 else FeishuError)
