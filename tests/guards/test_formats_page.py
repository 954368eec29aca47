"""docs/formats.md says what the registry says, and the registry says all that the page needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from extractors.format import Format
from extractors.formats_page import LICENCES, page
from extractors.registry import FORMATS

ROOT = Path(__file__).parents[2]


def name(fmt: Format) -> str:
    return fmt.name


def dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (package for extra in project["optional-dependencies"].values() for package in extra)
    return {re.split(r"[^\w.-]", package)[0].lower() for package in (*project["dependencies"], *extras)}


def test_the_page_is_what_the_registry_says() -> None:
    written = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert written == page(FORMATS), "run: make docs"


@pytest.mark.parametrize("fmt", FORMATS, ids=name)
def test_it_says_what_it_keeps_in_short_phrases(fmt: Format) -> None:
    assert fmt.keeps
    assert [phrase for phrase in fmt.keeps if not 3 < len(phrase) <= 120 or phrase != phrase.strip(" .")] == []


@pytest.mark.parametrize("fmt", FORMATS, ids=name)
def test_what_it_reads_with_is_a_dependency_with_a_known_licence(fmt: Format) -> None:
    assert set(fmt.libraries) - dependencies() == set()
    assert set(fmt.libraries) - set(LICENCES) == set()
