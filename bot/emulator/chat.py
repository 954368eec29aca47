"""The people in the local Feishu: they post, drop files, recall, and see what the bot answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import aiohttp

from bot.emulator.admin import Admin
from bot.emulator.wire import Call, Delivery, Fault, FeishuOptions, Post, Posting, Shown, Stats, Verification

T = TypeVar("T")
FileKind = Literal["file", "image", "audio", "media"]


class Chat:
    """Drives one local Feishu."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._admin = Admin(session, url)
        self.url = url

    async def upload(
        self,
        data: bytes,
        *,
        name: str,
        kind: FileKind = "file",
        media_type: str = "application/octet-stream",
        claimed_bytes: int | None = None,
    ) -> str:
        """Puts a file into Feishu and returns its key; `claimed_bytes` makes Feishu believe in another size."""
        query = {"name": name, "kind": kind, "media_type": media_type}
        if claimed_bytes is not None:
            query["claimed_bytes"] = str(claimed_bytes)
        return await self._admin.send("POST", "files", str, data, query)

    async def post(self, *posts: Post, copies: int = 1, shuffle_seed: int | None = None) -> list[str]:
        """Posts messages and pushes their events; returns the message ids in the order of `posts`."""
        posting = Posting(posts=posts, copies=copies, shuffle_seed=shuffle_seed)
        return await self._admin.call("POST", "messages", list[str], posting)

    async def say(
        self,
        text: str,
        *,
        chat_id: str = "oc_private",
        chat_type: Literal["p2p", "group"] = "p2p",
        mention_bot: bool = False,
        parent_id: str | None = None,
        thread_id: str | None = None,
    ) -> str:
        """Posts a text message, with an @ of the bot in front if asked; returns its message id."""
        content = {"text": f"@_user_1 {text}" if mention_bot else text}
        post = Post(
            content=content,
            chat_id=chat_id,
            chat_type=chat_type,
            mention_bot=mention_bot,
            parent_id=parent_id,
            thread_id=thread_id,
        )
        return (await self.post(post))[0]

    async def drop(
        self,
        data: bytes,
        *,
        name: str,
        kind: Literal["file", "image"] = "file",
        chat_id: str = "oc_private",
        chat_type: Literal["p2p", "group"] = "p2p",
        thread_id: str | None = None,
    ) -> str:
        """Posts a file or an image by itself, as a message without words; returns its message id."""
        key = await self.upload(data, name=name, kind=kind)
        content: dict[str, Any] = {"image_key": key} if kind == "image" else {"file_key": key, "file_name": name}
        post = Post(content=content, msg_type=kind, chat_id=chat_id, chat_type=chat_type, thread_id=thread_id)
        return (await self.post(post))[0]

    async def recall(self, message_id: str) -> None:
        """Recalls a message; Feishu pushes `im.message.recalled_v1`."""
        await self._admin.call("POST", f"messages/{message_id}/recall", bool)

    async def messages(self, chat_id: str) -> list[Shown]:
        """All messages of a chat, the oldest first, as they stand now."""
        return await self._admin.call("GET", f"chats/{chat_id}", list[Shown])

    async def replies(self, message_id: str) -> list[Shown]:
        """The bot's replies to one message."""
        return await self._admin.call("GET", f"messages/{message_id}/replies", list[Shown])

    async def wait_for_replies(self, message_id: str, *, count: int = 1, timeout_s: float = 30.0) -> list[Shown]:
        """The bot's replies to a message, once there are `count` of them and none of them is streaming any more."""

        async def read() -> list[Shown]:
            return await self.replies(message_id)

        def finished(replies: list[Shown]) -> bool:
            return len(replies) >= count and all(reply.streaming != "open" for reply in replies)

        return await self._admin.until(read, finished, timeout_s=timeout_s)

    async def calls(self) -> list[Call]:
        """The journal of API calls, the oldest first."""
        return await self._admin.call("GET", "calls", list[Call])

    async def wait_for_calls(self, path_end: str, *, count: int = 1, timeout_s: float = 30.0) -> list[Call]:
        """The API calls whose path ends so, once there are `count` of them."""

        async def read() -> list[Call]:
            return [call for call in await self.calls() if call.path.endswith(path_end)]

        return await self._admin.until(read, lambda calls: len(calls) >= count, timeout_s=timeout_s)

    async def deliveries(self) -> list[Delivery]:
        """The journal of pushes, the oldest first."""
        return await self._admin.call("GET", "deliveries", list[Delivery])

    async def wait_for_deliveries(self, count: int, *, timeout_s: float = 30.0) -> list[Delivery]:
        """The journal of pushes, once there are `count` attempts in it."""
        return await self._admin.until(self.deliveries, lambda found: len(found) >= count, timeout_s=timeout_s)

    async def until(
        self, read: Callable[[], Awaitable[T]], satisfied: Callable[[T], bool], *, timeout_s: float = 30.0
    ) -> T:
        """Whatever `read` returns, once it is as wanted; read again after every change in Feishu."""
        return await self._admin.until(read, satisfied, timeout_s=timeout_s)

    async def stats(self) -> Stats:
        """Replies by source message, open cards, counts."""
        return await self._admin.call("GET", "stats", Stats)

    async def configure(self, **changed: object) -> FeishuOptions:
        """Changes options while running, by their names in FeishuOptions; returns all of them."""
        return await self._admin.call("PUT", "options", FeishuOptions, changed)

    async def fail(self, fault: Fault) -> None:
        """Lets the next matching API calls fail."""
        await self._admin.call("POST", "faults", bool, fault)

    async def wait_for_faults(self, *, timeout_s: float = 30.0) -> None:
        """Returns once a call has met every fault there was."""
        await self._admin.until(self.stats, lambda stats: stats.armed_faults == 0, timeout_s=timeout_s)

    async def verify_url(self) -> Verification:
        """Pushes a url_verification to the webhook and says how it answered."""
        return await self._admin.call("POST", "verify_url", Verification)
