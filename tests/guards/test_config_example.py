"""config.example.yaml is the reference of the configuration, so it must be whole and true."""

from __future__ import annotations

from pathlib import Path

from bot.config import Settings, known_keys, load
from bot.yaml_lines import LinedMapping

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "config.example.yaml"
KEYS = {path[:2] if path[:2] == ("files", "limits") else path for path in known_keys()}


def leaves() -> dict[tuple[str, ...], int]:
    lines = LinedMapping(EXAMPLE.read_text(encoding="utf-8")).lines
    return {key: line for key, line in lines.items() if not any(other[:-1] == key for other in lines)}


def test_the_example_has_every_key_and_no_other() -> None:
    assert set(leaves()) == KEYS


def test_the_example_states_the_defaults() -> None:
    assert load(EXAMPLE, {}) == Settings()


def test_each_key_of_the_example_is_explained_on_its_line() -> None:
    text = EXAMPLE.read_text(encoding="utf-8").splitlines()
    unexplained = [
        ".".join(key) for key, line in leaves().items() if len(text[line - 1].partition(" # ")[2].split()) < 2
    ]
    assert unexplained == []


def test_no_key_could_be_mistaken_for_a_variable_that_names_a_file() -> None:
    assert [key for key in known_keys() if key[-1].endswith("_file") or "__" in "".join(key)] == []
