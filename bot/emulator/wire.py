"""The values that cross between the emulators and whoever drives them, as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FeishuOptions:
    """How the local Feishu behaves. Its secrets are made up; no `encrypt_key`, no encryption and no signature."""

    app_id: str = "cli_emulator"
    app_secret: str = "emulator-app-secret"  # noqa: S105 - made up
    encrypt_key: str = "emulator-encrypt-key"
    verification_token: str = "emulator-verification-token"  # noqa: S105 - made up
    bot_open_id: str = "ou_emulator_bot"
    bot_name: str = "读文"
    webhook_url: str = ""
    #: Every long time of Feishu's (retries, ten minutes of streaming, one hour of uuids) is multiplied by this.
    time_scale: float = 1.0
    token_expire_s: float = 7200.0
    ack_timeout_s: float = 3.0
    #: No rate limits at all, for load benchmarks.
    relaxed_rates: bool = False
    #: Without im:message.group_msg, group messages that don't mention the bot neither arrive nor can be read.
    group_msg_scope: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How the local model endpoint behaves, and the limits it enforces."""

    api_key: str = "sk-emulator"
    models: tuple[str, ...] = ("stand-in",)
    first_token_delay_s: float = 0.0
    token_delay_s: float = 0.0
    context_tokens: int = 1_000_000
    max_body_bytes: int = 20 * 1024 * 1024
    max_images: int = 50
    image_max_bytes: int = 20 * 1024 * 1024
    image_max_pixels: int = 36_000_000
    image_min_side_px: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Somebody who is @-ed; the text refers to them as `@_user_1`, `@_user_2` in this order."""

    open_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message a person posts. `content` is what `msg_type` asks for, before its JSON encoding."""

    content: dict[str, Any]
    msg_type: str = "text"
    chat_id: str = "oc_private"
    chat_type: Literal["p2p", "group"] = "p2p"
    mention_bot: bool = False  # the bot is then the first of the mentions
    mentions: tuple[Mention, ...] = ()
    parent_id: str | None = None
    thread_id: str | None = None
    sender_open_id: str = "ou_emulator_user"
    #: Messages inside a merge_forward.
    children: tuple[Post, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """One request to post: each message is delivered `copies` times, shuffled when there is a seed."""

    posts: tuple[Post, ...]
    copies: int = 1
    shuffle_seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to the next `times` calls whose "METHOD /path" matches; without a `status` the connection is cut.

    `instead` answers without doing the work, `after` does it and loses the answer, `half` cuts a download in its
    middle. `slow` waits `delay_s` and then does the work, `late` does it and waits with the answer.
    """

    match: str
    mode: Literal["instead", "after", "half", "slow", "late"] = "instead"
    code: int = 0
    status: int = 0
    msg: str = "emulated fault"
    headers: dict[str, str] = field(default_factory=dict)
    #: Sent as text/html instead of Feishu's JSON, the way a proxy answers.
    html: str | None = None
    delay_s: float = 0.0
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the open platform's API, as journalled. `at_s` is on the emulator's monotonic clock."""

    method: str
    path: str
    query: str
    status: int
    code: int
    at_s: float
    seconds: float
    body: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One attempt to push an event. `status` is 0 where no answer came within the time."""

    event_id: str
    event_type: str
    message_id: str
    copy: int
    attempt: int
    at_s: float
    ack_s: float
    status: int
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A message as people in the chat see it. `streaming` is None for what is not a streaming card."""

    message_id: str
    chat_id: str
    msg_type: str
    sender: Literal["user", "bot"]
    text: str
    create_time_ms: int
    reply_to: str | None = None
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    card: dict[str, Any] | None = None
    streaming: Literal["open", "closed"] | None = None
    reactions: tuple[str, ...] = ()
    recalled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts that tell whether everybody was answered once. `open_cards` are those in a chat that still stream."""

    replies: dict[str, int]
    open_cards: tuple[str, ...]
    calls: int
    deliveries: int
    undelivered: int
    armed_faults: int = 0  # those that no call has met yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How the webhook answered a url_verification; `passed` needs the challenge back within one second."""

    status: int
    seconds: float
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFault:
    """The next `times` completions fail as `mode` says (see `bot.emulator.model.faults`)."""

    mode: str
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenImage:
    """An image as the endpoint really decoded it."""

    media_type: str
    width: int
    height: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMessage:
    """One message of a request: its text parts joined, and its images."""

    role: str
    text: str
    images: tuple[SeenImage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One request for a completion, as journalled. `end` is how it ended for the client."""

    at_s: float
    model: str
    stream: bool
    fault: str | None
    messages: tuple[SeenMessage, ...]
    prompt_tokens: int
    end: Literal["running", "answered", "refused", "failed", "disconnected"]
    detail: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
