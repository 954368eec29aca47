"""What the engine writes down, as JSON. Never pickle: reading it back would run what it says."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from dbos import Serializer

from bot import errors
from bot.errors import BotError

ERRORS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, BotError)}
#: Tokens, app secrets and API keys are long runs of these; a Chinese sentence or an address is not.
SECRET = re.compile(r"[A-Za-z0-9_+=-]{24,}")


class StepError(Exception):
    """What a step raised in an earlier run of the process, when that was no BotError: its class and words."""


class JsonSerializer(Serializer):
    """Workflow arguments, step records and errors as JSON text."""

    def serialize(self, data: Any) -> str:
        """JSON of plain values; of an exception its class and words."""
        if isinstance(data, BaseException):
            data = {"raised": f"{type(data).__name__}: {redacted(str(data))}"}
        return msgspec.json.encode(data).decode()

    def deserialize(self, serialized_data: str) -> Any:
        """The plain values, or a StepError."""
        data = msgspec.json.decode(serialized_data)
        return StepError(data["raised"]) if isinstance(data, dict) and data.keys() == {"raised"} else data

    def name(self) -> str:
        """Stands beside every value in the engine's database."""
        return "json"


def succeeded(value: Any) -> dict[str, Any]:
    """The record of a step that gave `value`."""
    return {"value": msgspec.to_builtins(value)}


def failed(error: BotError) -> dict[str, Any]:
    """The record of a step that ended in `error`: its class and its plain attributes."""
    state = {name: value for name, value in vars(error).items() if isinstance(value, str | int | float | bool)}
    state |= {"code": error.code, "retryable": error.retryable, "detail": redacted(error.detail)}
    return {"failed": type(error).__name__, "state": state}


def outcome(record: dict[str, Any], returns: Any) -> Any:
    """The step's value as a `returns`, or its error raised: the same in the first run and in every replay."""
    if "failed" not in record:
        return msgspec.convert(record["value"], returns)
    kind = ERRORS.get(record["failed"], BotError)
    error = kind.__new__(kind)
    vars(error).update(record["state"])
    error.args = (error.detail or error.code,)
    raise error


def redacted(words: str) -> str:
    """The words with whatever looks like a secret cut to its first four characters."""
    return SECRET.sub(lambda match: f"{match[0][:4]}…", words)
