"""Who we are in Feishu."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import structlog

from bot.errors import FeishuError, FeishuUnavailable
from bot.feishu.api import FeishuApi
from bot.models import BotIdentity

log = structlog.get_logger()


async def fetch_identity(api: FeishuApi) -> BotIdentity:
    """Our open_id and name. They are in `bot`, not in `data` as elsewhere."""
    bot = (await api.call("GET", "/open-apis/bot/v3/info")).get("bot")
    open_id = bot.get("open_id") if isinstance(bot, dict) else None
    if not isinstance(bot, dict) or not isinstance(open_id, str) or not open_id:
        raise FeishuUnavailable("the answer holds no open_id")
    name = bot.get("app_name")
    return BotIdentity(open_id=open_id, name=name if isinstance(name, str) else "")


class Identity:
    """Remembers who we are, and for `retry_after_s` that it could not be learnt."""

    def __init__(
        self, api: FeishuApi, *, retry_after_s: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._api = api
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._lock = asyncio.Lock()
        self._known: BotIdentity | None = None
        self._ask_again_at = 0.0

    @property
    def known(self) -> BotIdentity | None:
        """Our identity as far as Feishu has told it, without asking."""
        return self._known

    async def get(self) -> BotIdentity | None:
        """Our identity, or None while Feishu does not tell it; many callers make one request."""
        async with self._lock:
            if self._known is None and self._clock() >= self._ask_again_at:
                try:
                    self._known = await fetch_identity(self._api)
                except FeishuError as error:
                    log.warning("own identity not known", code=error.code, detail=error.detail)
                    self._ask_again_at = self._clock() + self._retry_after_s
            return self._known
