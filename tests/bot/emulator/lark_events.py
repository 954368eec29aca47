"""Feishu's own event dispatcher on one pushed event: key, token, headers as arguments, the body on stdin."""

from __future__ import annotations

import json
import sys

import lark_oapi as lark
from lark_oapi.core.model import RawRequest

if __name__ == "__main__":
    encrypt_key, token, headers = sys.argv[1:]
    seen: list[str] = []
    handler = lark.EventDispatcherHandler.builder(encrypt_key, token).register_p2_im_message_receive_v1(
        lambda event: seen.extend([event.event.message.message_id, event.event.message.content])
    )
    request = RawRequest()
    request.uri = "/webhook"
    request.headers = json.loads(headers)
    request.body = sys.stdin.buffer.read()
    response = handler.build().do(request)
    print(json.dumps({"status": response.status_code, "seen": seen}))
