"""Renders a whole set on sample questions in a process of its own, with little memory and time, before it goes live.

A template can loop for ever or fill the memory, and a thread cannot be ended. As a program it reads the sources from
standard input and writes one JSON object a line: `trying`, `problem`, and `done` at the end.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from types import FrameType
from typing import Any, NoReturn

from bot.errors import PromptError
from bot.llm.prompt_set import PromptSet, Sources, build
from bot.llm.templates import LANGUAGES, FileView, Template, View

CPU_S = 2
MEMORY_BYTES = 512 * 1024 * 1024
WALL_S = 20.0
MAX_PROBLEMS = 50

_PDF = FileView(number=1, name="report.pdf", kind="pdf", status="ok", pages=12, chars=8_000, images=2)
_SHEET = FileView(number=2, name="数据.xlsx", kind="spreadsheet", status="partial", chars=40_000, truncated=True)
_LOCKED = FileView(number=3, name="x.docx", kind="document", status="encrypted", note="A password is needed.")
#: Every shape of question a template meets: none, one, many and failed files, long words, both languages.
SAMPLES = tuple(
    View(question=question, files=files, quoted=quoted, language=language)
    for language in LANGUAGES
    for question, files, quoted in (
        ("", (), False),
        ("What is new? 有什么新内容？", (), True),
        ("Summarise.", (_PDF,), False),
        ("", (_PDF, _SHEET, _LOCKED), True),
        ("问" * 2_000, tuple(_SHEET for _ in range(20)), False),
        ("", (_LOCKED,), False),
    )
)


def try_out(sources: Sources, directory: str) -> tuple[str, ...]:
    """Everything wrong with a set, as `file:line: what`; empty when it may go live."""
    try:
        child = subprocess.run(
            [sys.executable, "-m", "bot.llm.trial"],
            input=json.dumps({"directory": directory, "sources": sources}).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},  # no secrets of ours
            timeout=WALL_S,
            check=False,
        )
        output = child.stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
    said = [json.loads(line) for line in output.splitlines() if line.endswith(b"}")]
    problems = [str(words["problem"]) for words in said if "problem" in words]
    if not any("done" in words for words in said):
        trying = [words["trying"] for words in said if "trying" in words]
        place = (
            f"{trying[-1]}:1: takes too much time or memory to render" if trying else f"{directory}: cannot be checked"
        )
        problems.append(place)
    return tuple(problems)


def trial(prompts: PromptSet) -> list[str]:
    """Renders every template on every sample and says what went wrong, once for each template."""
    problems = []
    for template in prompts.templates.values():
        _say("trying", str(template.system.filename))
        try:
            _render_samples(template)
        except PromptError as error:
            problems.append(error.detail)
    return problems


def _render_samples(template: Template) -> None:
    for sample in SAMPLES:
        rendered = template.render(sample)
        for section, text in (("system", rendered.system), ("user", rendered.user)):
            if not text:
                case = f"{len(sample.files)} files and {'a' if sample.question else 'no'} question"
                raise PromptError(f"{template.system.filename}:1: '# {section}' is empty with {case}")


def _say(what: str, value: Any) -> None:
    sys.stdout.write(json.dumps({what: value}) + "\n")
    sys.stdout.flush()


def _too_slow(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise MemoryError  # told with the template's line, as all that is too much


def main() -> None:
    """Reads the sources, takes the limits upon itself, and tries."""
    request = json.load(sys.stdin.buffer)
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent_s = int(used.ru_utime + used.ru_stime)
    signal.signal(signal.SIGXCPU, _too_slow)
    resource.setrlimit(resource.RLIMIT_CPU, (spent_s + CPU_S, spent_s + CPU_S + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    prompts, problems = build(request["sources"], request["directory"])
    for problem in (problems or trial(prompts))[:MAX_PROBLEMS]:
        _say("problem", problem)
    _say("done", value=True)


if __name__ == "__main__":
    main()
