"""What `duwen prompts` shows an operator: what is wrong with a directory, and what the model would be told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.errors import PromptError
from bot.llm.blocks import SAFETY
from bot.llm.prompt_set import read_sources
from bot.llm.prompts import load_set
from bot.llm.templates import FileView, View
from bot.llm.trial import try_out
from bot.models import Language


def lint(directory: Path) -> list[str]:
    """Everything wrong with the templates and texts, as `file:line: what`; empty when they may go live."""
    try:
        return list(try_out(read_sources(directory), str(directory)))
    except PromptError as error:
        return error.detail.split("\n")


def render(
    directory: Path,
    kind: str,
    language: Language,
    *,
    question: str = "",
    files: Sequence[FileView] = (),
    quoted: bool = False,
) -> str:
    """The words of a template for these files, with the rules that the bot adds; PromptError when the set is wrong."""
    template = load_set(directory).select(kind, language)
    rendered = template.render(View(question=question, files=tuple(files), quoted=quoted, language=language))
    return f"{template.name}\n\n# system\n{rendered.system}\n\n{SAFETY}\n\n# user\n{rendered.user}\n"
