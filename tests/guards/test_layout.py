"""The shape of the code: small files, short functions, speaking names, one reader of the environment."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("bot", "extractors") for path in (ROOT / package).rglob("*.py"))
FILE_MAX_LINES = 350
FUNCTION_MAX_LINES = 60
EXCEPTION = re.compile(r"# (?:noqa(?:: ?[A-Z]+[0-9]+,?)*|type: ignore(?:\[[a-z, -]+\])?)(?P<reason>.*)$")
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "base", "common", "core", "misc", "shared"}


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def names_of_the_environment(tree: ast.AST) -> list[int]:
    """Lines that name `os.environ` or its like, however it was imported."""
    wanted = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in wanted)
        or (isinstance(node, ast.ImportFrom) and node.module == "os" and wanted & {alias.name for alias in node.names})
    ]


def test_there_is_code_to_look_at() -> None:
    assert {"bot/config.py", "extractors/content.py"} <= set(map(short, SOURCES))


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_the_file_is_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_MAX_LINES


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_its_functions_are_short(path: Path) -> None:
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert {name: length for name, length in lengths.items() if length > FUNCTION_MAX_LINES} == {}


def test_every_module_has_a_name_that_says_something() -> None:
    modules = {path.stem.strip("_") for path in SOURCES} | {path.parent.name.strip("_") for path in SOURCES}
    assert modules & EMPTY_NAMES == set()


def test_only_the_configuration_reads_the_environment() -> None:
    readers = {short(path): names_of_the_environment(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {name for name, lines in readers.items() if lines} == {"bot/config.py"}


def test_every_lint_exception_gives_its_reason() -> None:
    silent = [
        f"{short(path)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (mark := EXCEPTION.search(line)) and len(mark["reason"].split()) < 3
    ]
    assert silent == []
