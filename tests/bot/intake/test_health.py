"""The health page, the readiness check and the numbers."""

from __future__ import annotations

import aiohttp
import pytest

from bot.intake.health import health_routes
from bot.metrics import Metrics


@pytest.mark.parametrize(("reasons", "status"), [([], 200), (["the prompts don't parse"], 503)])
async def test_readiness_is_a_status_code_with_its_reasons(serve, reasons: list[str], status: int) -> None:
    async def nothing() -> dict[str, object]:
        return {}

    url = await serve(health_routes(status=nothing, ready=lambda: (not reasons, reasons), metrics=Metrics()))
    async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as response:
        assert response.status == status
        assert await response.json() == {"ready": not reasons, "reasons": reasons}


async def test_the_health_page_shows_every_component(serve) -> None:
    async def status() -> dict[str, object]:
        return {"sandbox": {"layers": ["landlock"]}, "inbox": {"received": 1}}

    url = await serve(health_routes(status=status, ready=lambda: (True, []), metrics=Metrics()))
    async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
        assert response.status == 200
        assert await response.json() == {"sandbox": {"layers": ["landlock"]}, "inbox": {"received": 1}}


async def test_the_numbers_are_what_prometheus_reads(serve) -> None:
    async def nothing() -> dict[str, object]:
        return {}

    metrics = Metrics()
    metrics.requests.labels(outcome="stored").inc()
    url = await serve(health_routes(status=nothing, ready=lambda: (True, []), metrics=metrics))
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as response:
        assert response.content_type == "text/plain"
        assert 'duwen_webhook_requests_total{outcome="stored"} 1.0' in await response.text()
