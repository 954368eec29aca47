"""The values that flow through the program: frozen, and all of them fit for a JSON checkpoint except `Prompt`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """Who we are in Feishu, from `GET /open-apis/bot/v3/info`."""

    open_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """A decrypted `im.message.receive_v1` event, for the inbox. `body` is all of it but the verification token."""

    app_id: str
    message_id: str
    chat_id: str
    thread_id: str | None
    create_time_ms: int
    body: dict[str, Any]

    @property
    def conversation(self) -> str:
        """What is answered in order: the thread where there is one, else the chat."""
        return f"{self.chat_id}:{self.thread_id}" if self.thread_id else self.chat_id


def workflow_id(message: RawEvent | Message) -> str:
    """The id of the work on one message. Begins with its time: what was enqueued in one second is ordered by id."""
    return f"m-{message.create_time_ms:013d}-{message.app_id}-{message.message_id}"


class Origin(StrEnum):
    """How an attachment came to belong to the question."""

    OWN = "own"
    QUOTED = "quoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentRef:
    """A resource of a message, not yet fetched. `name` comes from a stranger; None where the event has none."""

    message_id: str  # the message that carries it: Feishu wants that one in the resource's address
    key: str
    kind: Literal["image", "file", "audio", "media", "folder", "sticker"]
    name: str | None = None
    origin: Origin = Origin.OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message that is for us, and what it asks. `question` has mentions of us removed, others by name."""

    app_id: str
    message_id: str
    chat_id: str
    chat_type: Literal["p2p", "group"]
    thread_id: str | None
    parent_id: str | None
    sender_open_id: str
    create_time_ms: int
    question: str
    attachments: tuple[AttachmentRef, ...] = ()
    language: Language = "zh"
    is_forward: bool = False  # merged and forwarded: its words are in messages of their own, which Feishu has
    is_unknown: bool = False  # of a type that we cannot read

    @property
    def is_private(self) -> bool:
        """True in a chat between one person and the bot."""
        return self.chat_type == "p2p"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """All that belongs to the question: attachments with their origin, and the words of the quoted message."""

    attachments: tuple[AttachmentRef, ...] = ()
    quoted_text: str | None = None
    #: Error codes of what could not be looked at, such as a quoted message that was recalled.
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One attachment after the download: its bytes in the file store under `sha256`, or the error code why not."""

    name: str
    kind: str
    origin: Origin
    sha256: str | None = None
    size_bytes: int = 0
    declared_type: str | None = None
    seconds: float = 0.0
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One attachment after extraction: a reference to the reading, and what the reply says of it."""

    name: str
    origin: Origin
    reading: str | None = None  # key in the readings store; None when the file was not downloaded
    status: str = "failed"  # an extractors.Status, or "not_downloaded"
    kind: str = "unknown"
    media_type: str = "application/octet-stream"
    size_bytes: int = 0
    total_pages: int | None = None
    chars: int = 0
    images: int = 0
    truncated: bool = False
    note: str | None = None  # the extractor's English sentence
    problem: str | None = None  # an error code with a text in prompts/messages.*.yaml
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The messages of one Chat Completions call. Never checkpointed: it holds document text and images."""

    messages: tuple[dict[str, Any], ...]
    template: str  # name and version, such as "pdf.zh@1a2b3c4d5e"
    estimated_tokens: int
    images: int
    #: What did not fit, as (file name, what is missing).
    omitted: tuple[tuple[str, str], ...] = ()
    temperature: float | None = None
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model said. `state` other than "complete" is told to the user."""

    text: str
    state: Literal["complete", "length", "incomplete", "filtered", "failed", "declined"] = "complete"
    problem: str | None = None  # an error code, when state is "failed", "filtered" or "declined"
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    first_token_s: float | None = None
    seconds: float = 0.0
    omitted: tuple[tuple[str, str], ...] = ()
    #: Error codes of what belongs to the question, besides its files, and could not be read.
    unread: tuple[str, ...] = ()
    images_dropped: bool = False  # the model took no images, so the text alone was sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A streaming card entity. Its sequence numbers are milliseconds since `created_ms`, so they rise over restarts."""

    card_id: str
    created_ms: int
