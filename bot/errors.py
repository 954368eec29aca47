"""Every error the bot raises on purpose.

BotError                       code, retryable, and under the same code what the user is told (prompts/messages.*.yaml)
├── ConfigError                the operator's file or environment is wrong: exit 2, no traceback
├── PromptError                a template is wrong: file, line, what to write instead
├── EnvelopeError              a webhook request that is not to be believed; carries the HTTP status
├── FeishuError                Feishu refused or was not there; carries Feishu's own code
│   ├── FeishuUnavailable      network, timeout, 5xx: try again
│   ├── FeishuRateLimited      try again after `retry_after_s`
│   ├── FeishuTokenInvalid     the tenant token is not taken: fetched anew once by the transport
│   ├── FeishuPermission       a scope or a membership is missing: an operator must act
│   ├── MessageGone            the message was recalled or deleted, or is not visible to us
│   ├── ResourceRefused        this attachment can't be downloaded; `code` says why
│   ├── ReplyRefused           this chat takes no reply from us (muted, dissolved, not a member ...)
│   ├── CardRefused            the card's content is not taken: fall back to a post
│   └── CardClosed             streaming mode ended by itself: finish by a full update
└── ModelError                 the model's endpoint refused, failed or fell silent; may carry the partial text
"""

from __future__ import annotations


class BotError(Exception):
    """Base of all. `code` is stable: logs, metrics, checkpoints and the users' texts go by it."""

    code = "internal"
    retryable = False

    def __init__(self, detail: str = "", *, code: str | None = None, retryable: bool | None = None) -> None:
        super().__init__(detail or code or self.code)
        self.detail = detail
        if code is not None:
            self.code = code
        if retryable is not None:
            self.retryable = retryable


class ConfigError(BotError):
    """The configuration is wrong; the message names the key, the line and the nearest valid key."""

    code = "config"


class PromptError(BotError):
    """A template is wrong; the message reads `file:line: what`."""

    code = "prompt"


class EnvelopeError(BotError):
    """A webhook request that is refused before anything is stored."""

    code = "envelope"

    def __init__(self, detail: str, *, code: str, status: int) -> None:
        super().__init__(detail, code=code)
        self.status = status


class FeishuError(BotError):
    """Feishu answered with an error code of its own, kept as `feishu_code` (0 where there was none)."""

    code = "feishu"

    def __init__(
        self, detail: str = "", *, code: str | None = None, retryable: bool | None = None, feishu_code: int = 0
    ) -> None:
        super().__init__(detail, code=code, retryable=retryable)
        self.feishu_code = feishu_code


class FeishuUnavailable(FeishuError):
    """No usable answer: network, timeout, 5xx, or an answer that is not JSON."""

    code = "feishu_unavailable"
    retryable = True


class FeishuRateLimited(FeishuError):
    """Too many calls; Feishu says in `retry_after_s` how long to wait."""

    code = "feishu_rate_limited"
    retryable = True

    def __init__(self, detail: str = "", *, feishu_code: int = 0, retry_after_s: float = 1.0) -> None:
        super().__init__(detail, feishu_code=feishu_code)
        self.retry_after_s = retry_after_s


class FeishuTokenInvalid(FeishuError):
    """The tenant token was not taken, also after a new one was fetched."""

    code = "feishu_token"


class FeishuPermission(FeishuError):
    """A scope, an availability range or a membership is missing."""

    code = "feishu_permission"


class MessageGone(FeishuError):
    """The message was recalled or deleted, or is not visible to the bot."""

    code = "message_gone"


class ResourceRefused(FeishuError):
    """The attachment can't be downloaded. Codes: file_too_large, file_confidential, file_gone, file_external,
    file_kind (folders, stickers, forwarded and card resources), file_refused."""

    code = "file_refused"


class ReplyRefused(FeishuError):
    """The chat takes no message from us."""

    code = "reply_refused"


class CardRefused(FeishuError):
    """The card or its content was not taken (too large, too many tables, bad JSON, old client ...)."""

    code = "card_refused"


class CardClosed(FeishuError):
    """The card's streaming mode is over (ten minutes, or closed)."""

    code = "card_closed"


class ModelError(BotError):
    """The model's endpoint failed. Codes: model_auth, model_quota, model_rate, model_not_found, model_param,
    model_context, model_body, model_filtered, model_image_unsupported, model_too_many_images, model_image_bad,
    model_unavailable, model_stalled, model_cut, model_empty, model_no_room, model_bad_stream."""

    code = "model_unavailable"

    def __init__(
        self, detail: str = "", *, code: str | None = None, retryable: bool | None = None, partial_text: str = ""
    ) -> None:
        super().__init__(detail, code=code, retryable=retryable)
        self.partial_text = partial_text
