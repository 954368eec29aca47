"""The message calls: read one, fetch its files, reply to it, react to it."""

from __future__ import annotations

import re
from typing import Any

from aiohttp import web

from bot.emulator.feishu.cards import card_reference
from bot.emulator.feishu.contents import check_outgoing, resources_of
from bot.emulator.feishu.faults import HALF, cut
from bot.emulator.feishu.fields import json_object, optional_text, required_text
from bot.emulator.feishu.rates import Rates
from bot.emulator.feishu.refusal import Refusal, card_refusal, succeeded
from bot.emulator.feishu.state import Message, StoredFile, World, new_id

RESOURCE_MAX_BYTES = 100 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_EMOJI = re.compile(r"[A-Za-z0-9_]{1,40}")
#: Their files can't be fetched: cards, forwarded containers, and what is not a file at all.
_WITHOUT_RESOURCES = frozenset({"interactive", "merge_forward", "sticker", "folder"})


class Messages:
    """Handlers under /open-apis/im/v1/messages."""

    def __init__(self, world: World, rates: Rates) -> None:
        self._world = world
        self._rates = rates

    def routes(self) -> list[web.RouteDef]:
        """The calls and where they are."""
        message = "/open-apis/im/v1/messages/{message_id}"
        return [
            web.get(message, self.read),
            web.get(f"{message}/resources/{{key}}", self.resource),
            web.post(f"{message}/reply", self.reply),
            web.post(f"{message}/reactions", self.react),
            web.delete(f"{message}/reactions/{{reaction_id}}", self.unreact),
        ]

    async def read(self, request: web.Request) -> web.Response:
        """GET: the message, and after it the children of a merge_forward."""
        message = self._message(request, gone=230110)
        if message.chat_type == "group" and not self._world.options.group_msg_scope:
            raise Refusal(230027, "Lack of necessary permissions, ext=need scope: im:message.group_msg.")
        return succeeded({"items": [self._item(found) for found in (message, *message.children)]})

    async def resource(self, request: web.Request) -> web.StreamResponse:
        """GET resources/{key}: the bytes of a file that this very message carries."""
        message = self._message(request, gone=230110)
        wanted = request.query.get("type")
        if wanted not in ("image", "file"):
            raise Refusal(234001, "Invalid request param: type must be image or file.")
        if message.msg_type in _WITHOUT_RESOURCES or message.upper_message_id is not None:
            raise Refusal(234043, "Unsupported message type.")
        key = request.match_info["key"]
        stored = self._world.files.get(key)
        actual = resources_of(message.content).get(key)
        if actual is None or stored is None:
            raise Refusal(234003, "File not in msg.")
        if actual != wanted:
            raise Refusal(234001, f"Invalid request param: the type of this resource is {actual}.")
        if stored.claimed_bytes > RESOURCE_MAX_BYTES:
            raise Refusal(234037, "Downloaded file size exceeds limit.")
        return await _streamed(request, stored)

    async def reply(self, request: web.Request) -> web.Response:
        """POST reply: posts once per uuid and hour; the same uuid again gives the first message back."""
        body = await json_object(request)
        msg_type = required_text(body, "msg_type", longest=50)
        content = required_text(body, "content", longest=3_000_000)
        uuid = optional_text(body, "uuid", longest=50)
        source = self._message(request, gone=230011)
        if uuid is not None and (first := self._world.message_of_uuid(uuid)) is not None:
            return succeeded(self._item(first))
        if not self._world.options.relaxed_rates:
            self._rates.take_chat(source.chat_id)
        check_outgoing(msg_type, content)
        reply = self._replied(source, msg_type, content, in_thread=body.get("reply_in_thread") is True)
        if uuid is not None:
            self._world.remember_uuid(uuid, reply)
        return succeeded(self._item(reply))

    async def react(self, request: web.Request) -> web.Response:
        """POST reactions: adds an emoji of the bot's."""
        body = await json_object(request)
        reaction_type = body.get("reaction_type")
        emoji = reaction_type.get("emoji_type") if isinstance(reaction_type, dict) else None
        if not isinstance(emoji, str) or not _EMOJI.fullmatch(emoji):
            raise Refusal(231001, "reaction type is invalid.")
        message = self._message(request, gone=231003)
        reaction_id = new_id("r")
        message.reactions[reaction_id] = emoji
        self._world.changes.touch()
        return succeeded(
            {
                "reaction_id": reaction_id,
                "operator": {"operator_id": self._world.options.app_id, "operator_type": "app"},
                "action_time": str(self._world.next_time_ms()),
                "reaction_type": {"emoji_type": emoji},
            }
        )

    async def unreact(self, request: web.Request) -> web.Response:
        """DELETE reactions/{reaction_id}: takes it away again."""
        message = self._message(request, gone=231003)
        emoji = message.reactions.pop(request.match_info["reaction_id"], None)
        if emoji is None:
            # The documents give 231001 to 231022 for reactions without saying which this is.
            raise Refusal(231007, "The reaction does not exist or is not the operator's.")
        self._world.changes.touch()
        return succeeded({"reaction_id": request.match_info["reaction_id"], "reaction_type": {"emoji_type": emoji}})

    def _message(self, request: web.Request, *, gone: int) -> Message:
        message_id = request.match_info["message_id"]
        message = self._world.messages.get(message_id)
        if message is None and gone != 231003:
            raise Refusal(230001, "Your request contains an invalid request parameter, ext=invalid message_id.")
        if message is None or message.recalled:
            raise Refusal(gone, "The message has been recalled or deleted.")
        return message

    def _replied(self, source: Message, msg_type: str, content: str, *, in_thread: bool) -> Message:
        card_id = self._claim_card(content) if msg_type == "interactive" else None
        root_id = source.root_id or source.message_id
        thread_id = source.thread_id
        if thread_id is None and in_thread:
            thread_id = source.thread_id = new_id("omt")
        reply = Message(
            message_id=new_id("om"),
            chat_id=source.chat_id,
            chat_type=source.chat_type,
            msg_type=msg_type,
            content=content,
            sender_id=self._world.options.app_id,
            by_bot=True,
            create_time_ms=self._world.next_time_ms(),
            root_id=root_id,
            parent_id=root_id if thread_id else source.message_id,
            thread_id=thread_id,
            reply_to=source.message_id,
            card_id=card_id,
        )
        if card_id is not None:
            self._world.cards[card_id].message_id = reply.message_id
        return self._world.add(reply)

    def _claim_card(self, content: str) -> str | None:
        card_id = card_reference(content)
        if card_id is None:
            return None
        entity = self._world.cards.get(card_id)
        # Which code hides behind 230099 for an unknown or a used entity is not documented.
        if entity is None:
            raise card_refusal(200740, "card entity not exist", "card_id")
        if entity.message_id is not None:
            raise card_refusal(200732, "a card entity can be sent only once", "card_id")
        return card_id

    def _item(self, message: Message) -> dict[str, Any]:
        sender_type = "app" if message.by_bot else "user"
        item = {
            "message_id": message.message_id,
            "root_id": message.root_id,
            "parent_id": message.parent_id,
            "thread_id": message.thread_id,
            "upper_message_id": message.upper_message_id,
            "msg_type": message.msg_type,
            "create_time": str(message.create_time_ms),
            "update_time": str(message.create_time_ms),
            "deleted": message.recalled,
            "updated": False,
            "chat_id": message.chat_id,
            "sender": {
                "id": message.sender_id,
                "id_type": "app_id" if message.by_bot else "open_id",
                "sender_type": sender_type,
                "tenant_key": "emulator",
            },
            "body": {"content": message.content},
            "mentions": [
                {"key": found["key"], "id": found["id"]["open_id"], "id_type": "open_id", "name": found["name"]}
                for found in message.mentions
            ],
        }
        return {name: value for name, value in item.items() if value not in (None, [])}


async def _streamed(request: web.Request, stored: StoredFile) -> web.StreamResponse:
    """Sends the bytes with their length and their name, raw UTF-8 as Feishu does; half of them for a `half` fault."""
    name = re.sub(r'[\x00-\x1f\x7f"\\]', "_", stored.name)
    response = web.StreamResponse(headers={"Content-Disposition": f'attachment; filename="{name}"'})
    response.content_type = stored.media_type
    response.content_length = len(stored.data)
    await response.prepare(request)
    half = request.get(HALF, False)
    end = len(stored.data) // 2 if half else len(stored.data)
    for start in range(0, end, _CHUNK_BYTES):
        await response.write(stored.data[start : min(start + _CHUNK_BYTES, end)])
    if half:
        cut(request)
        return response
    await response.write_eof()
    return response
