"""Feishu's door: an HTTP request becomes a row in the inbox, or is refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from aiohttp import web

from bot.config import FeishuSettings, WebhookSettings
from bot.errors import ConfigError, EnvelopeError
from bot.feishu.envelope import Challenge, Event, open_envelope
from bot.feishu.events import receive_event
from bot.intake.nonces import Nonces
from bot.metrics import Metrics
from bot.models import RawEvent

log = structlog.get_logger()

PATH = "/feishu/event"
#: Feishu gives up after three seconds.
READ_TIMEOUT_S = 3.0


def webhook_routes(
    *,
    accept: Callable[[RawEvent], Awaitable[bool]],
    feishu: FeishuSettings,
    webhook: WebhookSettings,
    metrics: Metrics,
) -> list[web.RouteDef]:
    """The route of Feishu's events; ConfigError when a secret is missing without which anybody could send them."""
    for name in ("app_id", "encrypt_key", "verification_token"):
        if not getattr(feishu, name):
            raise ConfigError(f"feishu.{name} is empty: without it the webhook can't tell Feishu from anybody else")
    door = Webhook(accept=accept, feishu=feishu, webhook=webhook, metrics=metrics, nonces=Nonces(webhook.window_s))
    return [web.post(PATH, door.handle)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Checks a request, stores its event, and acknowledges it."""

    accept: Callable[[RawEvent], Awaitable[bool]]
    feishu: FeishuSettings
    webhook: WebhookSettings
    metrics: Metrics
    nonces: Nonces

    async def handle(self, request: web.Request) -> web.Response:
        """200 when the event is stored or of no interest; anything else, and Feishu sends it again.

        Refusals say nothing but their status: with the code, a stranger could use the decryption as an oracle. For
        the same reason the code is in the log, and not in the metrics, which the same server shows.
        """
        start = time.perf_counter()
        try:
            outcome, response = await self._answer(request)
        except EnvelopeError as error:
            log.warning("webhook request refused", code=error.code, status=error.status)
            outcome, response = "refused", web.json_response({}, status=error.status)
        except TimeoutError:
            outcome, response = "too_slow", web.json_response({}, status=408)
        except ConnectionError:
            outcome, response = "broken_off", web.json_response({}, status=400)
        except Exception:
            log.exception("event not stored")
            outcome, response = "failed", web.json_response({}, status=500)
        self.metrics.requests.labels(outcome=outcome).inc()
        self.metrics.ack_seconds.observe(time.perf_counter() - start)
        return response

    async def _answer(self, request: web.Request) -> tuple[str, web.Response]:
        body = await _read(request, self.webhook.body_max_bytes)
        if body is None:
            return "too_large", web.json_response({}, status=413)
        opened = open_envelope(
            body,
            request.headers,
            encrypt_key=self.feishu.encrypt_key.get_secret_value(),
            verification_token=self.feishu.verification_token.get_secret_value(),
            app_id=self.feishu.app_id,
            now_s=time.time(),
            window_s=self.webhook.window_s,
        )
        if isinstance(opened, Challenge):
            return "challenge", web.json_response({"challenge": opened.value})
        return await self._store(opened), web.json_response({})

    async def _store(self, event: Event) -> str:
        if event.nonce in self.nonces:
            return "replayed"
        raw = receive_event(event.body)
        if raw is None:
            log.info("event ignored", type=event.type)
            return "ignored"
        new = await self.accept(raw)
        self.nonces.remember(event.nonce)
        return "stored" if new else "duplicate"


async def _read(request: web.Request, max_bytes: int) -> bytes | None:
    """The body, None as soon as it is larger than allowed, whatever its header says."""
    if (request.content_length or 0) > max_bytes:
        return None
    body = bytearray()
    async with asyncio.timeout(READ_TIMEOUT_S):
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > max_bytes:
                return None
    return bytes(body)
