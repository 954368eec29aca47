"""Puts the local Feishu together."""

from __future__ import annotations

import asyncio

import aiohttp
from aiohttp import web

from bot.emulator.feishu.cardkit import CardKit
from bot.emulator.feishu.delivery import Deliverer
from bot.emulator.feishu.doors import Doors
from bot.emulator.feishu.faults import Faults
from bot.emulator.feishu.gate import Gate, add_log_id
from bot.emulator.feishu.identity import Identity
from bot.emulator.feishu.messages import Messages
from bot.emulator.feishu.rates import Rates
from bot.emulator.feishu.state import World
from bot.emulator.feishu.tokens import Tokens
from bot.emulator.serving import serve
from bot.emulator.wire import FeishuOptions

_BODY_MAX_BYTES = 256 * 1024 * 1024


async def run(options: FeishuOptions) -> None:
    """Serves the local Feishu until the process is told to end."""
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
        world = World(options)
        deliverer = Deliverer(world, session, tasks)
        try:
            await serve(application(world, deliverer))
        finally:
            deliverer.stop()


def application(world: World, deliverer: Deliverer) -> web.Application:
    """Every route of the local Feishu behind its gate."""
    faults, rates, tokens = Faults(), Rates(), Tokens(world)
    gate = Gate(world, faults, rates, tokens)
    app = web.Application(middlewares=[gate.pass_through], client_max_size=_BODY_MAX_BYTES)
    app.on_response_prepare.append(add_log_id)
    app.add_routes(tokens.routes())
    app.add_routes(Identity(world).routes())
    app.add_routes(Messages(world, rates).routes())
    app.add_routes(CardKit(world, rates).routes())
    app.add_routes(Doors(world, faults, deliverer).routes())
    return app
