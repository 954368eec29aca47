"""How the service is: for people, for whoever restarts it, and for Prometheus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.metrics import Metrics


def health_routes(
    *,
    status: Callable[[], Awaitable[dict[str, Any]]],
    ready: Callable[[], tuple[bool, list[str]]],
    metrics: Metrics,
) -> list[web.RouteDef]:
    """`/healthz`: the components as JSON. `/readyz`: 200 or 503, and why not. `/metrics`: the numbers."""

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response(await status())

    async def readyz(_request: web.Request) -> web.Response:
        is_ready, reasons = ready()
        return web.json_response({"ready": is_ready, "reasons": reasons}, status=200 if is_ready else 503)

    async def numbers(_request: web.Request) -> web.Response:
        return web.Response(body=generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return [web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", numbers)]
