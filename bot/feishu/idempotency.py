"""The `uuid` of an outgoing message: the same part of the same answer always has the same one."""

from __future__ import annotations

import base64
import hashlib


def reply_uuid(workflow_id: str, part: str) -> str:
    """At most 50 characters, as Feishu allows. Feishu posts a uuid at most once within an hour."""
    digest = hashlib.sha256(f"{workflow_id}\n{part}".encode()).digest()
    return base64.b32encode(digest[:25]).decode("ascii").lower()
