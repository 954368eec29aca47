"""Who the bot is."""

from __future__ import annotations

from aiohttp import web

from bot.emulator.feishu.state import World


class Identity:
    """The handler of /open-apis/bot/v3/info."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[web.RouteDef]:
        """The call and where it is."""
        return [web.get("/open-apis/bot/v3/info", self.info)]

    async def info(self, _request: web.Request) -> web.Response:
        """GET: the bot under `bot`, not under `data`, which is a peculiarity of this call."""
        options = self._world.options
        bot = {
            "activate_status": 2,
            "app_name": options.bot_name,
            "avatar_url": "",
            "ip_white_list": [],
            "open_id": options.bot_open_id,
        }
        return web.json_response({"code": 0, "msg": "ok", "bot": bot})
