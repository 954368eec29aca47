"""Messages: reading, files, replies, reactions."""

from __future__ import annotations

import json

import aiohttp
import pytest

from bot.emulator.wire import Fault, Mention, Post


async def resource(api, message_id, key, kind):
    url = f"{api.url}/open-apis/im/v1/messages/{message_id}/resources/{key}?type={kind}"
    async with api.session.get(url, headers={"Authorization": f"Bearer {api.token}"}) as response:
        return response, await response.read()


async def refused_resource(api, message_id, key, kind):
    response, body = await resource(api, message_id, key, kind)
    assert response.status == 400
    return json.loads(body)["code"]


async def test_file_comes_with_its_length_and_its_raw_utf8_name(api):
    chat = api.chat
    message_id = await chat.drop(b"%PDF-1.7 ...", name="第一季度 报告.pdf")
    content = json.loads((await api.call("GET", f"im/v1/messages/{message_id}")).data["items"][0]["body"]["content"])
    response, body = await resource(api, message_id, content["file_key"], "file")
    assert body == b"%PDF-1.7 ..."
    assert response.headers["Content-Length"] == "12"
    assert 'filename="第一季度 报告.pdf"' in response.headers["Content-Disposition"]


async def test_name_with_a_line_break_cannot_add_a_header(api):
    key = await api.chat.upload(b"x", name='a"\r\nX-Evil: 1\r\n.txt')
    post = Post(msg_type="file", content={"file_key": key, "file_name": "a.txt"})
    [message_id] = await api.chat.post(post)
    response, _ = await resource(api, message_id, key, "file")
    assert response.status == 200
    assert "X-Evil" not in response.headers


async def test_half_fault_cuts_a_download_in_its_middle(api):
    key = await api.chat.upload(b"x" * 100_000, name="a.bin")
    [message_id] = await api.chat.post(Post(msg_type="file", content={"file_key": key, "file_name": "a.bin"}))
    await api.chat.fail(Fault(match="/resources/", mode="half"))
    with pytest.raises(aiohttp.ClientPayloadError):
        await resource(api, message_id, key, "file")
    _, body = await resource(api, message_id, key, "file")
    assert len(body) == 100_000


async def test_resource_refusals_have_feishus_codes(api):
    chat = api.chat
    image = await chat.upload(b"png", name="a.png", kind="image")
    stranger = await chat.upload(b"x", name="b.txt")
    huge = await chat.upload(b"x", name="c.zip", claimed_bytes=100 * 1024 * 1024 + 1)
    forwarded = Post(msg_type="file", content={"file_key": stranger, "file_name": "b.txt"})
    posted = await chat.post(
        Post(msg_type="image", content={"image_key": image}),
        Post(msg_type="file", content={"file_key": huge, "file_name": "c.zip"}),
        Post(msg_type="merge_forward", content={"content": "Merged and Forwarded Message"}, children=(forwarded,)),
    )
    assert await refused_resource(api, posted[0], image, "file") == 234001
    assert await refused_resource(api, posted[0], image, "audio") == 234001
    assert await refused_resource(api, posted[0], stranger, "file") == 234003
    assert await refused_resource(api, posted[1], huge, "file") == 234037
    assert await refused_resource(api, posted[2], stranger, "file") == 234043
    items = (await api.call("GET", f"im/v1/messages/{posted[2]}")).data["items"]
    assert items[1]["upper_message_id"] == posted[2]
    assert await refused_resource(api, items[1]["message_id"], stranger, "file") == 234043
    await chat.recall(posted[0])
    assert await refused_resource(api, posted[0], image, "image") == 230110


async def test_keys_in_a_post_are_found_with_their_types(api):
    chat = api.chat
    image = await chat.upload(b"png", name="a.png", kind="image")
    video = await chat.upload(b"mp4", name="v.mp4", kind="media")
    attached = await chat.upload(b"doc", name="d.docx")
    rows = [[{"tag": "img", "image_key": image}], [{"tag": "media", "file_key": video, "image_key": image}]]
    content = {"title": "", "content": rows, "files": [{"file_key": attached, "file_name": "d.docx"}]}
    [message_id] = await chat.post(Post(msg_type="post", content=content))
    for key, kind, data in ((image, "image", b"png"), (video, "file", b"mp4"), (attached, "file", b"doc")):
        assert (await resource(api, message_id, key, kind))[1] == data


async def test_same_uuid_posts_once_and_answers_with_the_first_message(api):
    message_id = await api.chat.say("hi")
    first = await api.reply(message_id, "one", uuid="u" * 50)
    second = await api.reply(message_id, "two", uuid="u" * 50)
    assert first.data["message_id"] == second.data["message_id"]
    assert [reply.text for reply in await api.chat.replies(message_id)] == ["one"]
    assert (await api.reply(message_id, uuid="u" * 51)).code == 99992402


async def test_uuid_is_forgotten_after_an_hour(start):
    async with start(time_scale=0.00001, relaxed_rates=True) as api:  # an hour is 36 ms
        message_id = await api.chat.say("hi")
        first = await api.reply(message_id, uuid="once")
        second = await api.reply(message_id, uuid="once")
        while second.body.get("data", first.data)["message_id"] == first.data["message_id"]:
            second = await api.reply(message_id, uuid="once")
        assert len(await api.chat.replies(message_id)) == 2


REFUSED_REPLIES = [
    ({"content": "no json"}, 230001),
    ({"content": "[]"}, 230001),
    ({"content": json.dumps({"text": ""})}, 230001),
    ({"content": json.dumps({"text": "x" * 150 * 1024})}, 230025),
    ({"msg_type": "post", "content": json.dumps({"zh_cn": {"content": [[{"tag": "what"}]]}})}, 230001),
    ({"msg_type": "post", "content": json.dumps({"content": [[]]})}, 230001),
    (
        {
            "msg_type": "post",
            "content": json.dumps({"zh_cn": {"content": [[{"tag": "md", "text": "x" * 30 * 1024}]]}}),
        },
        230025,
    ),
    ({"msg_type": "interactive", "content": json.dumps({"type": "card", "data": {"card_id": "7"}})}, 230099),
    ({"msg_type": "file", "content": "{}"}, 230001),
    ({"content": {"text": "an object and no string"}}, 99992402),
]


async def test_reply_that_feishu_would_not_take_is_refused(start):
    async with start(relaxed_rates=True) as api:
        message_id = await api.chat.say("hi")
        for fields, code in REFUSED_REPLIES:
            assert (await api.reply(message_id, **fields)).code == code, fields
        assert await api.chat.replies(message_id) == []


async def test_reply_to_a_recalled_message_is_refused(api):
    message_id = await api.chat.say("hi")
    await api.chat.recall(message_id)
    assert (await api.reply(message_id)).code == 230011
    assert (await api.call("GET", f"im/v1/messages/{message_id}")).code == 230110


async def test_sixth_message_within_a_second_to_one_chat_is_refused(api):
    here = await api.chat.say("hi")
    elsewhere = await api.chat.say("hi", chat_id="oc_other")
    codes = [(await api.reply(here)).code for _ in range(6)]
    assert codes == [0] * 5 + [230020]
    assert (await api.reply(elsewhere)).code == 0


async def test_reply_in_thread_opens_a_thread_on_the_message_it_answers(api):
    chat = api.chat
    message_id = await chat.say("hi", chat_id="oc_group", chat_type="group", mention_bot=True)
    reply = (await api.reply(message_id, reply_in_thread=True)).data
    assert reply["thread_id"].startswith("omt_")
    assert (reply["root_id"], reply["parent_id"]) == (message_id, message_id)
    follow_up = await chat.say("and?", chat_id="oc_group", chat_type="group", parent_id=reply["message_id"])
    shown = {message.message_id: message for message in await chat.messages("oc_group")}
    assert {message.thread_id for message in shown.values()} == {reply["thread_id"]}
    assert shown[follow_up].parent_id == shown[follow_up].root_id == message_id


async def test_message_is_shown_with_names_and_read_with_keys(api):
    post = Post(
        content={"text": "@_user_1 please ask @_user_2"},
        mention_bot=True,
        mentions=(Mention(open_id="ou_li", name="李雷"),),
    )
    [message_id] = await api.chat.post(post)
    [shown] = await api.chat.messages("oc_private")
    assert shown.text == "@读文 please ask @李雷"
    [item] = (await api.call("GET", f"im/v1/messages/{message_id}")).data["items"]
    assert json.loads(item["body"]["content"])["text"] == "@_user_1 please ask @_user_2"
    assert [(found["key"], found["id"]) for found in item["mentions"]] == [
        ("@_user_1", "ou_emulator_bot"),
        ("@_user_2", "ou_li"),
    ]


async def test_group_message_cannot_be_read_without_the_scope(start):
    async with start(group_msg_scope=False) as api:
        message_id = await api.chat.say("hi", chat_id="oc_group", chat_type="group", mention_bot=True)
        private = await api.chat.say("hi")
        assert (await api.call("GET", f"im/v1/messages/{message_id}")).code == 230027
        assert (await api.call("GET", f"im/v1/messages/{private}")).code == 0


async def test_reaction_is_shown_until_it_is_taken_away(api):
    message_id = await api.chat.say("hi")
    reactions = f"im/v1/messages/{message_id}/reactions"
    reaction = (await api.call("POST", reactions, {"reaction_type": {"emoji_type": "Typing"}})).data["reaction_id"]
    assert (await api.chat.messages("oc_private"))[0].reactions == ("Typing",)
    assert (await api.call("DELETE", f"{reactions}/{reaction}")).code == 0
    assert (await api.chat.messages("oc_private"))[0].reactions == ()
    assert (await api.call("DELETE", f"{reactions}/{reaction}")).code == 231007
    assert (await api.call("POST", reactions, {"reaction_type": {"emoji_type": "no emoji!"}})).code == 231001
    await api.chat.recall(message_id)
    assert (await api.call("POST", reactions, {"reaction_type": {"emoji_type": "Typing"}})).code == 231003


async def test_stats_count_replies_by_the_message_they_answer(api):
    message_id = await api.chat.say("hi")
    await api.reply(message_id)
    await api.reply(message_id, reply_in_thread=True)
    assert (await api.chat.stats()).replies == {message_id: 2}
