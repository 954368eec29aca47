"""A whole set of templates and texts: read from a directory at once, checked at once, never half new."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import PromptError
from bot.llm.templates import LANGUAGES, PARTIALS, Sandbox, Template, check_syntax, parse_template
from bot.llm.texts import Texts, compare_texts, parse_texts
from bot.models import Language

MAX_FILE_BYTES = 64 * 1024
MAX_FILES = 200
#: File name, such as `pdf.zh.md` or `_partials/role.zh.md`, to text.
Sources = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSet:
    """A consistent set. Whoever works with one keeps it, whatever is edited meanwhile."""

    version: str
    templates: Mapping[tuple[str, Language], Template]
    languages: Mapping[Language, Texts]

    def select(self, kind: str, language: Language) -> Template:
        """The template of this kind and language; else the default one, else the same in the other language."""
        others = [other for other in LANGUAGES if other != language]
        wanted = [
            (kind, language),
            ("default", language),
            *((name, other) for name in (kind, "default") for other in others),
        ]
        return next(self.templates[key] for key in wanted if key in self.templates)

    def texts(self, language: Language) -> Texts:
        """The users' texts in a language."""
        return self.languages[language]


def files_of(directory: Path) -> dict[str, Path]:
    """The files that make up a set, by name. Editors' leftovers (`.x`, `~x`, `x~`) and read-mes are none of it."""
    found = {path.name: path for path in directory.glob("*.md") if not path.name.startswith("README")}
    found |= {path.name: path for path in directory.glob("messages.*.yaml")}
    found |= {PARTIALS + path.name: path for path in directory.glob(f"{PARTIALS}*.md")}
    return {name: path for name, path in sorted(found.items()) if not path.name.startswith((".", "~", "#"))}


def read_sources(directory: Path) -> Sources:
    """The text of every file of the set; PromptError, as `file:line: what`, for what cannot be read."""
    files = files_of(directory)
    if not files:
        raise PromptError(f"{directory}: there are no templates here")
    if len(files) > MAX_FILES:
        raise PromptError(f"{directory}: more than {MAX_FILES} templates")
    return {name: _read(path) for name, path in files.items()}


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise PromptError(f"{path}:1: cannot be read: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise PromptError(f"{path}:1: larger than {MAX_FILE_BYTES // 1024} KB")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PromptError(f"{path}:{line}: not UTF-8") from None


def digest(sources: Sources) -> str:
    """What a set is known by."""
    return _hash(f"{name}\0{text}\0" for name, text in sorted(sources.items()))


def build(sources: Sources, directory: str) -> tuple[PromptSet, list[str]]:
    """The set made of `sources`, and everything that is wrong with it as `file:line: what`. Nothing is rendered."""
    partials = {name: text for name, text in sources.items() if name.startswith(PARTIALS)}
    sandbox = Sandbox({name: (text, f"{directory}/{name}") for name, text in partials.items()})
    problems: list[str] = []
    for name, text in partials.items():
        try:
            check_syntax(sandbox, text, f"{directory}/{name}")
        except PromptError as error:
            problems.append(error.detail)
    templates: dict[tuple[str, Language], Template] = {}
    for name, text in sources.items():
        if name in partials or not name.endswith(".md"):
            continue
        try:
            source = parse_template(f"{directory}/{name}", text)
            version = _hash([text, *(f"{partial}\0{words}" for partial, words in sorted(partials.items()))])
            templates[source.kind, source.language] = source.compile(sandbox, version)
        except PromptError as error:
            problems.append(error.detail)
    if not any(("default", language) in templates for language in LANGUAGES) and not problems:
        problems.append(f"{directory}: there is no default.<language>.md")
    languages = _languages(sources, directory, problems)
    return PromptSet(version=digest(sources), templates=templates, languages=languages), problems


def _languages(sources: Sources, directory: str, problems: list[str]) -> dict[Language, Texts]:
    sentences: dict[Language, dict[str, str]] = {}
    for language in LANGUAGES:
        name = f"messages.{language}.yaml"
        if name not in sources:
            problems.append(f"{directory}/{name}: is missing")
            continue
        sentences[language], wrong = parse_texts(f"{directory}/{name}", sources[name])
        problems += wrong
    if len(sentences) == len(LANGUAGES):
        for one in LANGUAGES:
            for other in LANGUAGES:
                if one != other:
                    here, there = f"{directory}/messages.{one}.yaml", f"messages.{other}.yaml"
                    problems += compare_texts(here, sentences[one], there, sentences[other])
    return {language: Texts(language, found) for language, found in sentences.items()}


def _hash(pieces: Iterable[str]) -> str:
    whole = hashlib.sha256()
    for piece in pieces:
        whole.update(piece.encode())
    return whole.hexdigest()[:10]
