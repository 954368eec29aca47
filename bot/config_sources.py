"""Values for known keys from a file and the environment, where each was given, and all that is wrong with them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.yaml_lines import KeyPath, LinedMapping

PREFIX = "DUWEN__"
Spelling = Callable[[KeyPath], str]


def dotted(path: KeyPath) -> str:
    """A key as messages name it."""
    return ".".join(path)


def variable(path: KeyPath) -> str:
    """The environment variable that sets a key."""
    return PREFIX + "__".join(path).upper()


class ConfigSources:
    """Gathers values, the later source above the earlier. No problem it reports ever holds a value."""

    def __init__(self, known: Iterable[KeyPath]) -> None:
        self.values: dict[str, Any] = {}
        self.problems: list[str] = []
        self._places: dict[KeyPath, str] = {}  # how a message about a key begins
        self._known = tuple(known)
        self._sections = frozenset(path[:length] for path in self._known for length in range(1, len(path)))

    def add_file(self, path: Path) -> None:
        """Takes a YAML file; ConfigError when there is no reading it at all."""
        try:
            mapping = LinedMapping(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"{path}: cannot be read: it is not UTF-8") from None
        self.problems += [f"{path}:{problem.line}: {problem.what}" for problem in mapping.problems]
        self._places |= {key: f"{path}:{line}: {dotted(key)}" for key, line in mapping.lines.items()}
        self.values = self._without_empty_sections(mapping.values, ())

    def _without_empty_sections(self, values: dict[str, Any], above: KeyPath) -> dict[str, Any]:
        """A section whose keys are all commented out reads as null, and means the defaults."""
        kept: dict[str, Any] = {}
        for name, value in values.items():
            if isinstance(value, dict):
                kept[name] = self._without_empty_sections(value, (*above, name))
            elif value is not None or (*above, name) not in self._sections:
                kept[name] = value
        return kept

    def add_environment(self, environment: Mapping[str, str]) -> None:
        """Takes every `DUWEN__SECTION__KEY` and `DUWEN__SECTION__KEY_FILE` that is not empty."""
        given: dict[KeyPath, str] = {}
        for name in sorted(environment):
            if not name.startswith(PREFIX) or not environment[name]:
                continue
            path = tuple(name.removeprefix(PREFIX).lower().split("__"))
            value: str | None = environment[name]
            if path[-1].endswith("_file"):
                path = (*path[:-1], path[-1].removesuffix("_file"))
                value = self._read_file(name, Path(environment[name]))
            if path not in self._known:
                self.problems.append(f"{name}: {self._unknown(path, variable)}")
            elif path in given:
                self.problems.append(f"{name}: {given[path]} sets the same key")
            elif value is not None:
                self._put(path, value)
            given[path] = self._places[path] = name

    def _read_file(self, name: str, path: Path) -> str | None:
        """The text without its last line break. The path stays out of messages: it may be the secret, misplaced."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
            self.problems.append(f"{name}: the file it names cannot be read: {why}")
            return None
        return text.removesuffix("\n").removesuffix("\r")

    def _put(self, path: KeyPath, value: str) -> None:
        section = self.values
        for name in path[:-1]:
            section = section.setdefault(name, {})
            if not isinstance(section, dict):  # the file has a plain value here, which validation will report
                return
        section[path[-1]] = value

    def describe(self, error: Mapping[str, Any]) -> str:
        """One problem, from one entry of a pydantic ValidationError's list."""
        path: KeyPath = tuple(str(part) for part in error["loc"] if part != "[key]")
        place = self._places.get(path, dotted(path))
        if error["type"] == "extra_forbidden" or "[key]" in error["loc"]:
            return f"{place}: {self._unknown(path, dotted)}"
        if path in self._sections and error["type"] != "value_error":
            return f"{place}: should be a section with keys of its own"
        if error["type"] == "string_type":
            return f"{place}: should be text; put it in quotes"
        return f"{place}: {error['msg'].removeprefix('Value error, ').removeprefix('Input ')}"

    def _unknown(self, path: KeyPath, spell: Spelling) -> str:
        if path in self._sections:
            return (
                f"is a section; set its keys, such as {spell(next(k for k in self._known if k[: len(path)] == path))}"
            )
        nearest = self._nearest(path)
        return f"unknown key; did you mean {spell(nearest)}?" if nearest else "unknown key"

    def _nearest(self, path: KeyPath) -> KeyPath | None:
        """A similar name in the same section, else the same name elsewhere, else any similar path."""
        everything = {*self._known, *self._sections}
        beside = {key[-1]: key for key in everything if key[:-1] == path[:-1]}
        for name in difflib.get_close_matches(path[-1], beside, n=1):
            return beside[name]
        for key in self._known:
            if key[-1] == path[-1]:
                return key
        anything = {dotted(key): key for key in everything}
        for name in difflib.get_close_matches(dotted(path), anything, n=1):
            return anything[name]
        return None
