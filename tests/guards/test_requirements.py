"""What is installed is pinned to the byte, and says nothing of where it came from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = sorted(ROOT.glob("requirements*.txt"))
PIN = re.compile(r"^([A-Za-z0-9._-]+(?:\[[a-z,]+\])?)==([^ ;]+)( ; [^\\]+)?((?: --hash=sha256:[0-9a-f]{64})+)$")


def requirements(path: Path) -> list[str]:
    return [line for line in re.sub(r"\s*\\\n\s*", " ", path.read_text(encoding="utf-8")).splitlines() if line]


def pins(path: Path) -> dict[str, str]:
    return {match[1].lower(): match[2] for line in requirements(path) if (match := PIN.match(line))}


def test_there_is_a_list_for_running_developing_and_building() -> None:
    assert [path.name for path in LISTS] == ["requirements-build.txt", "requirements-dev.txt", "requirements.txt"]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_every_requirement_has_one_version_and_hashes(path: Path) -> None:
    assert [line[:60] for line in requirements(path) if not PIN.match(line)] == []


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_no_address_of_a_registry_is_written_down(path: Path) -> None:
    assert not re.search(r"://|--index|--find-links|--extra-index|--trusted", path.read_text(encoding="utf-8"))


def test_developers_run_the_versions_that_are_deployed() -> None:
    dev = pins(ROOT / "requirements-dev.txt")
    for path in LISTS:
        assert pins(path).items() <= dev.items()


def test_every_dependency_of_the_project_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[<>=\[]", line)[0].lower() for line in project["dependencies"]}
    assert wanted <= pins(ROOT / "requirements.txt").keys()
