"""Whatever goes wrong, the user is told in words: every error code has its text in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot import errors

ROOT = Path(__file__).parents[2]
PROMPTS = ROOT / "prompts"


def classes(top: type[errors.BotError] = errors.BotError) -> Iterator[type[errors.BotError]]:
    yield top
    for below in top.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from classes(below)


def named_in_docstring(error: type[errors.BotError]) -> set[str]:
    _, _, listed = (error.__doc__ or "").partition("Codes:")
    return set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", listed))


def raised_in_the_source() -> set[str]:
    """Codes given where an error is raised; EnvelopeError's are for the log, because nobody is told."""
    found = set()
    for path in (ROOT / "bot").rglob("*.py"):
        if "emulator" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") != "EnvelopeError":
                values = [keyword.value for keyword in node.keywords if keyword.arg in ("code", "problem")]
                found |= {
                    value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)
                }
    return found


CODES = sorted(
    {error.code for error in classes()}
    | {code for error in classes() for code in named_in_docstring(error)}
    | raised_in_the_source()
)


def text_of(code: str, language: str) -> Any:
    messages = yaml.safe_load((PROMPTS / f"messages.{language}.yaml").read_text(encoding="utf-8"))
    return messages.get(f"error.{code}") or (messages.get("error") or {}).get(code)


def test_the_list_of_codes_is_read_from_the_error_tree() -> None:
    assert {"internal", "reply_refused", "file_confidential", "model_bad_stream"} <= set(CODES)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("code", CODES)
def test_the_code_has_a_text(code: str, language: str) -> None:
    text = text_of(code, language)
    assert isinstance(text, str)
    assert text.strip()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_text_is_in_its_language(language: str) -> None:
    texts = "".join(str(text_of(code, language)) for code in CODES)
    assert bool(re.search(r"[\u4e00-\u9fff]", texts)) is (language == "zh")
