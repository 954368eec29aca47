"""The tenant access token: fetched once for all who wait, and anew before it ends.

https://open.feishu.cn/document/ukTMukTMukTM/ukDNz4SO0MjL5QzM/auth-v3/auth/tenant_access_token_internal
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bot.errors import FeishuUnavailable

# Within its last half hour Feishu gives a new token, and takes both.
_RENEW_BEFORE_END_S = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    value: str
    renew_at: float


class TenantToken:
    """Holds the token. `fetch` asks Feishu for one and returns the whole answer."""

    def __init__(self, fetch: Callable[[], Awaitable[dict[str, Any]]], clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = asyncio.Lock()
        self._token: _Token | None = None

    async def get(self) -> str:
        """The token; whoever comes while it is being fetched waits for that one fetch."""
        async with self._lock:
            if self._token is None or self._clock() >= self._token.renew_at:
                self._token = await self._fetched()
            return self._token.value

    def invalidate(self, value: str) -> None:
        """Drops the token if it is still this one: another caller may have got a new one already."""
        if self._token is not None and self._token.value == value:
            self._token = None

    async def _fetched(self) -> _Token:
        asked_at = self._clock()
        answer = await self._fetch()
        value, expire_s = answer.get("tenant_access_token"), answer.get("expire")
        if not isinstance(value, str) or not value or not isinstance(expire_s, int) or expire_s <= 0:
            raise FeishuUnavailable("the answer holds no tenant token")
        # A short-lived token, as of a test server, is kept for half of its life.
        return _Token(value=value, renew_at=asked_at + expire_s - min(_RENEW_BEFORE_END_S, expire_s / 2))
