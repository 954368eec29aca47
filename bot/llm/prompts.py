"""The prompt templates as they stand on disk: edited while the bot runs, and live only when the whole set is right."""

from __future__ import annotations

from pathlib import Path

import structlog

from bot.errors import PromptError
from bot.llm.prompt_set import PromptSet, Sources, build, digest, files_of, read_sources
from bot.llm.templates import Template
from bot.llm.texts import Texts
from bot.llm.trial import try_out
from bot.models import Language

log = structlog.get_logger()


def load_set(directory: Path) -> PromptSet:
    """The set in `directory`; PromptError with a line for each problem."""
    return _checked(read_sources(directory), directory)


class PromptLibrary:
    """Holds the last good set. `current` is immutable; take it once and keep it for a whole answer."""

    def __init__(self, directory: Path) -> None:
        """Loads the set; PromptError when it is not right."""
        self._directory = directory
        self._seen: object = self._signature()
        self.current = load_set(directory)
        self._judged = self.current.version
        #: Why the newest edit is not live, as `file:line: what`; empty when it is.
        self.problems: tuple[str, ...] = ()

    def select(self, kind: str, language: Language) -> Template:
        """The current template of this kind and language, or the nearest there is."""
        return self.current.select(kind, language)

    def texts(self, language: Language) -> Texts:
        """The current users' texts in a language."""
        return self.current.texts(language)

    def refresh(self) -> bool:
        """True when an edit went live; a wrong one keeps the last good set. Blocking, cheap while nothing changes."""
        signature = self._signature()
        if signature == self._seen:
            return False
        try:
            sources = read_sources(self._directory)
            version = digest(sources)
        except PromptError as error:
            self._seen = None  # perhaps in the middle of being replaced: look again
            return self._refuse(error, error.detail)
        self._seen = signature
        if version == self._judged:
            return False
        try:
            self.current = _checked(sources, self._directory)
        except PromptError as error:
            return self._refuse(error, version)
        self._judged, self.problems = version, ()
        log.info("prompts reloaded", version=version)
        return True

    def _refuse(self, error: PromptError, version: str) -> bool:
        """Keeps the last good set, and says why once for each distinct content."""
        if version != self._judged:
            self._judged, self.problems = version, tuple(error.detail.split("\n"))
            log.error("prompts not reloaded, the last good ones stay", problems=self.problems)
        return False

    def _signature(self) -> object:
        """Changes with any edit, also one that keeps size and time: editors and volumes replace the file."""
        marks = []
        for name, path in files_of(self._directory).items():
            try:
                status = path.stat()
            except OSError:  # gone since it was listed
                continue
            marks.append((name, status.st_ino, status.st_mtime_ns, status.st_size))
        return tuple(marks)


def _checked(sources: Sources, directory: Path) -> PromptSet:
    if problems := try_out(sources, str(directory)):
        raise PromptError("\n".join(problems))
    prompts, problems_here = build(sources, str(directory))
    if problems_here:  # the trial would have said so
        raise PromptError("\n".join(problems_here))
    return prompts
