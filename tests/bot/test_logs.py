from __future__ import annotations

import io
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from bot import logs

Lines = Callable[[], list[dict[str, Any]]]
SECRET = "hidden-value"


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in (None, "dbos", "extractors")]
    before = [(logger, logger.handlers, logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, handlers, level, propagate in before:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)
    logging.captureWarnings(capture=False)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def lines(stream: io.StringIO) -> Lines:
    logs.configure("info", "json", secrets=frozenset({SECRET, "abc"}), stream=stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_its_moment_level_and_event_and_what_is_bound(lines: Lines) -> None:
    with structlog.contextvars.bound_contextvars(message_id="om_1"):
        structlog.get_logger().info("replied", seconds=1.5, name="报告.pdf")
    (line,) = lines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {"level": "info", "event": "replied", "message_id": "om_1", "seconds": 1.5, "name": "报告.pdf"}


def test_lines_below_the_level_are_not_written(lines: Lines, stream: io.StringIO) -> None:
    structlog.get_logger().debug("chatter")
    logs.configure("error", "json", stream=stream)
    structlog.get_logger().warning("chatter")
    logging.getLogger("aiohttp").warning("chatter")
    assert lines() == []


@pytest.mark.parametrize(
    "name",
    ["app_secret", "tenant_access_token", "Authorization", "api_key", "apiKey", "X-Api-Key", "encrypt_key", "password"],
)
def test_a_value_with_the_name_of_a_secret_is_hidden_at_any_depth(lines: Lines, name: str) -> None:
    structlog.get_logger().info("call", **{name: "unknown-to-us"}, headers={"in": [{name: ["unknown-to-us"]}]})
    text = json.dumps(lines())
    assert "unknown-to-us" not in text
    assert text.count(logs.REDACTED) == 2


def test_counts_of_tokens_are_not_taken_for_secrets(lines: Lines) -> None:
    structlog.get_logger().info("answered", prompt_tokens=812, first_token_s=0.4, token=None, tokens="12")
    line = lines()[0]
    assert (line["prompt_tokens"], line["first_token_s"], line["token"], line["tokens"]) == (812, 0.4, None, "12")


def test_a_configured_secret_is_hidden_wherever_it_stands(lines: Lines) -> None:
    structlog.contextvars.bind_contextvars(bound=f"a {SECRET}")
    log = structlog.get_logger()
    log.info(
        "event %s", SECRET, url=f"https://host/?k={SECRET}&x=1", items=(SECRET, {"deep": SECRET}), thing=Speaking()
    )
    log.info("pydantic", value=SecretStr(SECRET))
    try:
        raise_with(SECRET)
    except ValueError:
        log.exception("failed")
        logging.getLogger("openai").exception("Request failed: %s", SECRET)
    text = json.dumps(lines())
    assert SECRET not in text
    assert text.count(logs.REDACTED) >= 8


def test_a_short_secret_is_hidden_alone_but_does_not_blank_out_words(lines: Lines) -> None:
    structlog.get_logger().info("abcdef", value="abc")
    line = lines()[0]
    assert (line["event"], line["value"]) == ("abcdef", logs.REDACTED)


def test_bytes_are_never_written_and_long_text_is_cut(lines: Lines) -> None:
    structlog.get_logger().info("read", data=b"%PDF-1.7", text="x" * 10_000 + "end")
    line = lines()[0]
    assert line["data"] == "[8 bytes]"
    assert len(line["text"]) < logs.TEXT_MAX_CHARS + 50
    assert "[... 10003 characters ...]" in line["text"]
    assert line["text"].endswith("xend")


def test_an_exception_is_one_field_without_the_values_of_variables(lines: Lines) -> None:
    try:
        raise_with("the reason")
    except ValueError:
        structlog.get_logger().exception("failed", code="internal")
    (line,) = lines()
    assert line["exception"][0]["exc_type"] == "ValueError"
    assert line["exception"][0]["exc_value"] == "the reason"
    assert "document text" not in json.dumps(line)
    assert {key for frame in line["exception"][0]["frames"] for key in frame} == {"filename", "lineno", "name"}


@pytest.mark.parametrize("name", ["dbos", "aiohttp.server", "openai", "sqlalchemy.engine", "anything"])
def test_libraries_speak_through_the_same_lines_from_warning_on(lines: Lines, name: str) -> None:
    library = logging.getLogger(name)
    library.info("not heard")
    library.warning("heard %s", name)
    (line,) = lines()
    assert (line["event"], line["logger"], line["level"]) == (f"heard {name}", name, "warning")


def test_the_extractors_speak_at_our_own_level(lines: Lines) -> None:
    logging.getLogger("extractors.sandbox.extractor").info("ready")
    logging.getLogger("extractors.sandbox.extractor").debug("chatter")
    assert [line["event"] for line in lines()] == ["ready"]


def test_the_engine_does_not_bring_a_handler_of_its_own(lines: Lines) -> None:
    from dbos._logger import config_logger, init_logger

    init_logger()
    config_logger({"name": "x", "telemetry": {"logs": {"logLevel": "WARNING"}, "disable_otlp": True}})
    logging.getLogger("dbos").info("not heard")
    logging.getLogger("dbos").warning("heard once")
    assert [line["event"] for line in lines()] == ["heard once"]


def test_warnings_of_python_are_lines_too(lines: Lines, stream: io.StringIO) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logs.configure(stream=stream)
        warnings.warn("old thing", stacklevel=1)
    assert [line["logger"] for line in lines()] == ["py.warnings"]


def test_the_console_format_hides_the_same_and_is_for_people(stream: io.StringIO) -> None:
    logs.configure("info", "console", secrets=frozenset({SECRET}), stream=stream)
    try:
        raise_with(SECRET)
    except ValueError:
        structlog.get_logger().exception("failed %s", SECRET, api_key="unknown-to-us")
    text = stream.getvalue()
    assert "failed" in text
    assert "ValueError" in text
    assert not re.search(rf"{SECRET}|unknown-to-us|\x1b", text)


class Speaking:
    """Tells the secret only when it is printed."""

    def __repr__(self) -> str:
        return f"<{SECRET}>"


def raise_with(reason: str) -> None:
    content = "document " + "text"
    raise ValueError(reason if content else "")
