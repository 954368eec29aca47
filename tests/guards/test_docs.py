"""The documentation keeps up with the program, in both languages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "prompts").rglob("README*.md")),
]


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_code(page: str) -> str:
    return re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)


def commands(*above: str) -> list[str]:
    """The commands the program itself lists, with those below `prompts`."""
    shown = subprocess.run(
        [sys.executable, "-m", "bot", *above, "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    listed = re.findall(r"^ {4}([a-z-]+)\b", shown.stdout, re.MULTILINE)
    assert listed, shown.stdout
    return listed


def every_command() -> list[str]:
    top = [name for name in commands() if name != "prompts"]
    return [*top, *(f"prompts {name}" for name in commands("prompts"))]


@pytest.mark.parametrize("readme", READMES, ids=short)
def test_the_readme_names_every_command(readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    assert [name for name in every_command() if f"duwen {name}" not in text] == []


@pytest.mark.parametrize("readme", READMES, ids=short)
def test_the_readme_names_every_make_target(readme: Path) -> None:
    listed = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed
    text = readme.read_text(encoding="utf-8")
    assert [target for target in listed[1].split() if f"make {target}" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", without_code(page.read_text(encoding="utf-8")))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_both_readmes_are_equally_complete() -> None:
    shapes = []
    for readme in READMES:
        text = readme.read_text(encoding="utf-8")
        prose = without_code(text)
        headings = [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)]
        rows = len(re.findall(r"^\|", prose, re.MULTILINE))
        shapes.append(
            (
                headings,
                rows,
                text.count("```"),
                set(re.findall(r"\]\(([^)]+)\)", prose)) - {"README.md", "README.zh-CN.md"},
            )
        )
    assert shapes[0] == shapes[1]
