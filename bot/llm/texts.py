"""The words users see that are not the model's: `prompts/messages.<language>.yaml`, the same keys in every language."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from bot.models import Language
from bot.yaml_lines import LinedMapping

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class Texts:
    """One language's sentences by key, such as `error.file_too_large`."""

    def __init__(self, language: Language, sentences: Mapping[str, str]) -> None:
        self.language = language
        self._sentences = dict(sentences)

    def get(self, key: str, **values: str | int) -> str:
        """The sentence with `{name}` filled in. An unknown error is told as `error.internal`, another key as itself."""
        fallback = self._sentences.get("error.internal", key) if key.startswith("error.") else key
        sentence = self._sentences.get(key, fallback)
        return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), sentence)

    def __contains__(self, key: str) -> bool:
        return key in self._sentences

    def keys(self) -> frozenset[str]:
        """Every key there is."""
        return frozenset(self._sentences)


def parse_texts(name: str, text: str) -> tuple[dict[str, str], list[str]]:
    """Sentences by dotted key out of one YAML file of groups, and what is wrong with it as `file:line: what`."""
    mapping = LinedMapping(text)
    problems = [f"{name}:{problem.line}: {problem.what}" for problem in mapping.problems]
    sentences: dict[str, str] = {}
    for group, entries in mapping.values.items():
        if not isinstance(entries, dict):
            problems.append(f"{name}:{mapping.lines[group,]}: {group}: must be a group of `key: sentence` lines")
            continue
        for key, sentence in entries.items():
            if isinstance(sentence, str) and sentence.strip():
                sentences[f"{group}.{key}"] = sentence.strip()
            else:
                line = mapping.lines.get((group, key), 1)
                problems.append(f"{name}:{line}: {group}.{key}: must be a sentence; put it in quotes")
    return sentences, problems


def compare_texts(name: str, texts: Mapping[str, str], other_name: str, others: Mapping[str, str]) -> list[str]:
    """What `texts` lacks or fills in otherwise than `others`, so that no language is behind."""
    problems = []
    for key in sorted(others.keys() - texts.keys()):
        near = difflib.get_close_matches(key, texts.keys() - others.keys(), 1)
        hint = f" (is it '{near[0]}' here?)" if near else ""
        problems.append(f"{name}: '{key}' is missing, {other_name} has it{hint}")
    for key in sorted(others.keys() & texts.keys()):
        extra = set(_PLACEHOLDER.findall(texts[key])) - set(_PLACEHOLDER.findall(others[key]))
        problems += [f"{name}: {key}: {{{field}}} is not in {other_name}" for field in sorted(extra)]
    return problems
