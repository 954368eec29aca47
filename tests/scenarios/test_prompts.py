"""Operators edit templates while the bot runs."""

from __future__ import annotations

import aiohttp
import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _prompts(world) -> dict:
    async with (
        aiohttp.ClientSession() as client,
        client.get(world.webhook.replace("/feishu/event", "/healthz")) as response,
    ):
        return (await response.json())["prompts"]


async def _reloaded(world, version: str, *, with_problems: bool = False) -> dict:
    """The state of the prompts once it differs from what it was; the bot looks five times a second."""

    async def logged(event: str) -> None:
        while (await world.bot.logs.get())["event"] != event:
            pass

    await logged("prompts not reloaded, the last good ones stay" if with_problems else "prompts reloaded")
    state = await _prompts(world)
    assert (state["version"] == version) == with_problems
    return state


async def test_an_edit_is_live_without_a_restart_and_a_broken_one_keeps_the_last_good_set(world, chat_id) -> None:
    template = world.prompts / "question.zh.md"
    original = template.read_text("utf-8")
    version = (await _prompts(world))["version"]

    template.write_text(original.replace("# user", "请用海盗的口吻回答。\n\n# user"), "utf-8")
    version = (await _reloaded(world, version))["version"]
    message_id = await world.chat.say("你好", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    assert "海盗的口吻" in (await world.endpoint.completions())[-1].messages[0].text

    template.write_text(original + "\n{{ quesstion }}\n", "utf-8")
    state = await _reloaded(world, version, with_problems=True)
    (problem,) = state["problems"]
    assert "question.zh.md:" in problem
    assert "quesstion" in problem
    message_id = await world.chat.say("还在吗", chat_id=chat_id)
    await world.chat.wait_for_replies(message_id)
    assert "海盗的口吻" in (await world.endpoint.completions())[-1].messages[0].text

    template.write_text(original, "utf-8")
    assert (await _reloaded(world, version))["problems"] == []
