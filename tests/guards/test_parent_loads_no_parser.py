"""The bot's own process never loads a parser: a hostile file meets only the confined children."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PARSERS = {"pymupdf", "fitz", "docx", "pptx", "openpyxl", "PIL", "lxml", "chardet", "lark_oapi"}
PROGRAM = "import {module}, json, sys; print(json.dumps(sorted(name.partition('.')[0] for name in sys.modules)))"


def loaded_by(module: str) -> set[str]:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(module=module)], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout))


@pytest.mark.parametrize("module", ["bot.app", "bot.__main__", "extractors"])
def test_importing_loads_no_parser(module: str) -> None:
    loaded = loaded_by(module)
    assert module.partition(".")[0] in loaded
    assert loaded & PARSERS == set()


def test_the_probe_sees_a_parser_that_is_loaded() -> None:
    assert "docx" in loaded_by("docx")
