"""Which signed requests were here already."""

from __future__ import annotations

from cachetools import TTLCache

MAX_COUNT = 100_000


class Nonces:
    """Remembers nonces for as long as their timestamps pass the window, forwards and backwards.

    Remember one only once its event is stored, so that what failed here may come again. Should it forget too early,
    the inbox still knows the message.
    """

    def __init__(self, window_s: float) -> None:
        self._seen: TTLCache[str, None] = TTLCache(maxsize=MAX_COUNT, ttl=window_s * 2)

    def remember(self, nonce: str) -> None:
        """From now on, `nonce in nonces`."""
        self._seen[nonce] = None

    def __contains__(self, nonce: str) -> bool:
        return nonce in self._seen
