"""Feishu's own SDK, unchanged, against the emulator: run as a script, because importing it takes 1.7 s and 176 MB.

Arguments: the emulator's address, a message id, a file key. Prints one JSON object of what came back.
"""

from __future__ import annotations

import json
import sys

import lark_oapi as lark
from lark_oapi.api.cardkit.v1 import (
    Card,
    ContentCardElementRequest,
    ContentCardElementRequestBody,
    CreateCardRequest,
    CreateCardRequestBody,
    SettingsCardRequest,
    SettingsCardRequestBody,
    UpdateCardRequest,
    UpdateCardRequestBody,
)
from lark_oapi.api.im.v1 import (
    CreateMessageReactionRequest,
    CreateMessageReactionRequestBody,
    DeleteMessageReactionRequest,
    Emoji,
    GetMessageRequest,
    GetMessageResourceRequest,
    ReplyMessageRequest,
    ReplyMessageRequestBody,
)


def reply(client, message_id, msg_type, content, uuid):
    body = ReplyMessageRequestBody.builder().msg_type(msg_type).content(json.dumps(content)).uuid(uuid)
    body = body.reply_in_thread(True).build()
    return client.im.v1.message.reply(ReplyMessageRequest.builder().message_id(message_id).request_body(body).build())


def download(client, message_id, file_key, kind):
    request = GetMessageResourceRequest.builder().message_id(message_id).file_key(file_key).type(kind).build()
    return client.im.v1.message_resource.get(request)


def messages(client, message_id, file_key):
    got = client.im.v1.message.get(GetMessageRequest.builder().message_id(message_id).build())
    found, refused = download(client, message_id, file_key, "file"), download(client, message_id, file_key, "image")
    first = reply(client, message_id, "text", {"text": "one"}, "uuid-1")
    second = reply(client, message_id, "text", {"text": "two"}, "uuid-1")
    emoji = Emoji.builder().emoji_type("Typing").build()
    body = CreateMessageReactionRequestBody.builder().reaction_type(emoji).build()
    added = client.im.v1.message_reaction.create(
        CreateMessageReactionRequest.builder().message_id(message_id).request_body(body).build()
    )
    removed = client.im.v1.message_reaction.delete(
        DeleteMessageReactionRequest.builder().message_id(message_id).reaction_id(added.data.reaction_id).build()
    )
    return {
        "content": json.loads(got.data.items[0].body.content),
        "sender": got.data.items[0].sender.id,
        "file_name": found.file_name,
        "file": found.file.read().decode(),
        "refused": refused.code,
        "log_id": bool(refused.get_log_id()),
        "replied_once": first.data.message_id == second.data.message_id,
        "thread": first.data.thread_id,
        "reaction": [added.code, removed.code],
    }


def cards(client, message_id):
    card = {
        "schema": "2.0",
        "config": {"streaming_mode": True},
        "body": {"elements": [{"tag": "markdown", "element_id": "answer", "content": ""}]},
    }
    body = CreateCardRequestBody.builder().type("card_json").data(json.dumps(card)).build()
    card_id = client.cardkit.v1.card.create(CreateCardRequest.builder().request_body(body).build()).data.card_id
    sent = reply(client, message_id, "interactive", {"type": "card", "data": {"card_id": card_id}}, "uuid-2")

    def stream(content, sequence):
        body = ContentCardElementRequestBody.builder().content(content).sequence(sequence).build()
        request = ContentCardElementRequest.builder().card_id(card_id).element_id("answer").request_body(body)
        return client.cardkit.v1.card_element.content(request.build())

    streamed, late = stream("streamed", 1), stream("late", 1)
    body = SettingsCardRequestBody.builder().settings(json.dumps({"config": {"streaming_mode": False}})).sequence(2)
    settings = client.cardkit.v1.card.settings(
        SettingsCardRequest.builder().card_id(card_id).request_body(body.build()).build()
    )
    card["config"]["streaming_mode"] = False
    card["body"]["elements"][0]["content"] = "final"
    final = Card.builder().type("card_json").data(json.dumps(card)).build()
    body = UpdateCardRequestBody.builder().card(final).sequence(3).build()
    updated = client.cardkit.v1.card.update(UpdateCardRequest.builder().card_id(card_id).request_body(body).build())
    return {"cards": [sent.code, streamed.code, late.code, settings.code, updated.code]}


if __name__ == "__main__":
    url, message_id, file_key, app_id, app_secret = sys.argv[1:]
    client = lark.Client.builder().app_id(app_id).app_secret(app_secret).domain(url).build()
    print(json.dumps(messages(client, message_id, file_key) | cards(client, message_id)))
