"""YAML as plain values plus the line of every key, so that a mistake can be shown where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

KeyPath = tuple[str, ...]

#: What YAML's own errors quote: it may be a part of a secret. Names of grammar, as in '<scalar>', may stay.
_QUOTED = re.compile(r"'(?!<)[^'\s]{2,}'|\"(?!<)[^\"]{2,}\"")


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlProblem:
    """One mistake in the text: its line, counted from 1, and what is wrong. Never quotes a value."""

    line: int
    what: str


class _Loader(yaml.SafeLoader):
    """The safe loader without aliases: a configuration has no use for them, and they can nest without end."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            problem = "a value that begins with * needs quotes (aliases are not supported)"
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call] # no types in the stubs
            raise yaml.composer.ComposerError(problem=problem, problem_mark=mark)
        return super().compose_node(parent, index)


class LinedMapping:
    """The values of one YAML mapping, the line of each key by its path, and what was wrong with it."""

    def __init__(self, text: str) -> None:
        self.values: dict[str, Any] = {}
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[YamlProblem] = []
        try:
            loader = _Loader(text)
            root = loader.get_single_node()
            if isinstance(root, yaml.MappingNode):
                self.values = self._read(loader, root, ())
            elif root is not None:
                self._report(root, "the file must be a mapping of keys to values")
        except yaml.YAMLError as error:
            self.problems.append(_explain(error))

    def _read(self, loader: _Loader, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in self._pairs(node, path):
            if isinstance(value, yaml.MappingNode):
                values[key] = self._read(loader, value, (*path, key))
                continue
            try:
                values[key] = loader.construct_object(value, deep=True)
            except yaml.YAMLError as error:
                self.problems.append(_explain(error))
            except ValueError:  # looks like a date or a number to YAML, and is none
                self._report(value, f"{'.'.join((*path, key))}: needs quotes")
        return values

    def _pairs(self, node: yaml.MappingNode, path: KeyPath) -> Iterator[tuple[str, yaml.Node]]:
        """Keys as written (`on` stays a word), each with its value, without those that are given twice."""
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._report(key, "a key must be one word")
                continue
            here = (*path, str(key.value))
            if here in self.lines:
                self._report(key, f"{'.'.join(here)}: given twice, first in line {self.lines[here]}")
                continue
            self.lines[here] = key.start_mark.line + 1
            yield here[-1], value

    def _report(self, node: yaml.Node, what: str) -> None:
        self.problems.append(YamlProblem(line=node.start_mark.line + 1, what=what))


def _explain(error: yaml.YAMLError) -> YamlProblem:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = _QUOTED.sub("...", " ".join(filter(None, (error.context, error.problem))))
        return YamlProblem(line=mark.line + 1 if mark else 1, what=f"not valid YAML: {what}")
    return YamlProblem(line=1, what="not valid YAML: a character that YAML does not allow")
