"""The `/emulator/` doors: what people do in the chat, and what a test wants to know."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import msgspec
from aiohttp import web

from bot.emulator.changes import answer
from bot.emulator.feishu import events
from bot.emulator.feishu.delivery import Deliverer
from bot.emulator.feishu.faults import Faults
from bot.emulator.feishu.state import Message, StoredFile, World, new_id
from bot.emulator.feishu.view import shown, stats
from bot.emulator.wire import Fault, FeishuOptions, Post, Posting


class Doors:
    """Handlers under /emulator/. They trust their caller, who started the process."""

    def __init__(self, world: World, faults: Faults, deliverer: Deliverer) -> None:
        self._world = world
        self._faults = faults
        self._deliverer = deliverer

    def routes(self) -> list[web.RouteDef]:
        """The doors and where they are."""
        return [
            web.post("/emulator/files", self.upload),
            web.post("/emulator/messages", self.post),
            web.post("/emulator/messages/{message_id}/recall", self.recall),
            web.get("/emulator/messages/{message_id}/replies", self.replies),
            web.get("/emulator/chats/{chat_id}", self.chat),
            web.get("/emulator/calls", self.calls),
            web.get("/emulator/deliveries", self.deliveries),
            web.get("/emulator/stats", self.stats),
            web.put("/emulator/options", self.configure),
            web.post("/emulator/faults", self.fail),
            web.post("/emulator/verify_url", self.verify_url),
            web.get("/emulator/changes", self._world.changes.handle),
        ]

    async def upload(self, request: web.Request) -> web.Response:
        """Keeps a file and answers its key."""
        query = request.query
        data = await request.read()
        key = new_id("img_v3" if query["kind"] == "image" else "file_v3")
        self._world.files[key] = StoredFile(
            key=key,
            name=query["name"],
            kind=query["kind"],
            media_type=query.get("media_type", "application/octet-stream"),
            data=data,
            claimed_bytes=int(query.get("claimed_bytes", len(data))),
        )
        return answer(key)

    async def post(self, request: web.Request) -> web.Response:
        """Posts messages and pushes their events; answers the message ids."""
        posting = msgspec.json.decode(await request.read(), type=Posting)
        posted = [self._world.add(self._message(post)) for post in posting.posts]
        arriving = [
            events.received(self._world, message)
            for message, post in zip(posted, posting.posts, strict=True)
            if post.chat_type == "p2p" or post.mention_bot or self._world.options.group_msg_scope
        ]
        self._deliverer.push(arriving, copies=posting.copies, shuffle_seed=posting.shuffle_seed)
        return answer([message.message_id for message in posted])

    async def recall(self, request: web.Request) -> web.Response:
        """Takes a message back."""
        message = self._found(request)
        message.recalled = True
        self._world.changes.touch()
        self._deliverer.push([events.recalled(self._world, message)])
        return answer(True)  # noqa: FBT003 - the JSON value itself

    async def replies(self, request: web.Request) -> web.Response:
        """The bot's replies to a message, as people see them."""
        found = self._world.replies_to(self._found(request).message_id)
        return answer([shown(self._world, message) for message in found])

    async def chat(self, request: web.Request) -> web.Response:
        """A chat as people see it."""
        chat_id = request.match_info["chat_id"]
        found = [message for message in self._world.messages.values() if message.chat_id == chat_id]
        return answer([shown(self._world, message) for message in found])

    async def calls(self, _request: web.Request) -> web.Response:
        """The journal of API calls."""
        return answer(self._world.calls)

    async def deliveries(self, _request: web.Request) -> web.Response:
        """The journal of pushes."""
        return answer(self._world.deliveries)

    async def stats(self, _request: web.Request) -> web.Response:
        """Counts."""
        return answer(replace(stats(self._world), armed_faults=self._faults.armed))

    async def configure(self, request: web.Request) -> web.Response:
        """Changes options by name."""
        changed = json.loads(await request.read())
        self._world.options = msgspec.convert(asdict(self._world.options) | changed, type=FeishuOptions)
        return answer(self._world.options)

    async def fail(self, request: web.Request) -> web.Response:
        """Arms a fault."""
        self._faults.add(msgspec.json.decode(await request.read(), type=Fault))
        return answer(True)  # noqa: FBT003 - the JSON value itself

    async def verify_url(self, _request: web.Request) -> web.Response:
        """Pushes a url_verification."""
        return answer(await self._deliverer.verify_url())

    def _found(self, request: web.Request) -> Message:
        message = self._world.messages.get(request.match_info["message_id"])
        if message is None:
            raise web.HTTPNotFound(text="no such message")
        return message

    def _message(self, post: Post, upper: str | None = None) -> Message:
        parent = self._world.messages.get(post.parent_id) if post.parent_id else None
        people = tuple((mention.open_id, mention.name) for mention in post.mentions)
        message_id = new_id("om")
        message = Message(
            message_id=message_id,
            chat_id=post.chat_id,
            chat_type=post.chat_type,
            msg_type=post.msg_type,
            content=json.dumps(post.content, ensure_ascii=False),
            sender_id=post.sender_open_id,
            by_bot=False,
            create_time_ms=self._world.next_time_ms(),
            upper_message_id=upper,
            mentions=events.mentions(self._world, bot=post.mention_bot, people=people),
            children=[self._message(child, upper=message_id) for child in post.children],
            **_place(post, parent),
        )
        self._world.messages |= {child.message_id: child for child in message.children}
        return message


def _place(post: Post, parent: Message | None) -> dict[str, Any]:
    """Where a message stands: a quote names its parent and the root; in a thread both are the thread's root."""
    if parent is None:
        return {"thread_id": post.thread_id}
    root_id = parent.root_id or parent.message_id
    thread_id = post.thread_id or parent.thread_id
    return {"root_id": root_id, "parent_id": root_id if thread_id else parent.message_id, "thread_id": thread_id}
