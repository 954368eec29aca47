"""The package's public names: all there, typed, and cheap to import."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import extractors

PARSERS = {"pymupdf", "docx", "pptx", "openpyxl", "PIL", "lxml", "chardet"}
SANDBOXED = "import extractors; extractors.SandboxedAttachmentExtractor(); extractors.to_openai_content_parts; "
PRINT_MODULES = "import sys, json; print(json.dumps(sorted(sys.modules)))"


def modules_after(statements: str) -> set[str]:
    finished = subprocess.run(
        [sys.executable, "-c", f"{statements}\n{PRINT_MODULES}"], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(finished.stdout))


def test_importing_the_package_loads_no_parser_and_none_of_its_modules() -> None:
    loaded = modules_after("import extractors")

    assert not loaded & PARSERS
    assert not [name for name in loaded if name.startswith("extractors.")]


def test_the_callers_side_of_the_sandbox_loads_no_parser_and_no_format() -> None:
    loaded = modules_after(SANDBOXED)

    assert not loaded & PARSERS
    assert not [name for name in loaded if name.startswith(("extractors.formats", "extractors.registry"))]


def test_detecting_a_type_needs_only_the_standard_library() -> None:
    loaded = modules_after("import extractors; extractors.detect_media_type(b'hello'); extractors.ExtractLimits()")

    assert not loaded & PARSERS


@pytest.mark.parametrize("name", extractors.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(extractors, name).__module__.startswith("extractors")
    assert name in dir(extractors)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="unheard_of"):
        extractors.unheard_of  # type: ignore[attr-defined] # that is the point # noqa: B018


def test_the_stub_names_the_same_things_from_the_same_places() -> None:
    stub = ast.parse(Path(extractors.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))

    homes = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}

    assert homes == extractors._HOMES  # type: ignore[attr-defined] # private to the module, not in the stub
    assert list(homes) != []
    assert sorted(extractors.__all__) == sorted(homes)


def test_the_version_is_told() -> None:
    assert extractors.__version__ == "0.1.0"
