"""One prompt template: a Markdown file of front matter, `# system` and `# user`, rendered with a few small values.

Templates come from the operator and are trusted with words, not with the process: a sandboxed Jinja without imports,
globals or filters that multiply text. Document text never comes near it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import PurePath
from types import CodeType
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import PromptError
from bot.models import Language
from bot.yaml_lines import LinedMapping

KINDS = ("default", "image", "pdf", "document", "spreadsheet", "presentation", "text", "mixed", "question")
LANGUAGES: tuple[Language, ...] = ("zh", "en")
#: Far above any sensible prompt, far below what hurts.
MAX_RENDERED_CHARS = 100_000
PARTIALS = "_partials/"
_SECTION = re.compile(r"#\s+(system|user)\s*", re.IGNORECASE)
_FILTERS = frozenset(
    {"count", "d", "default", "first", "groupby", "int", "join", "last", "length", "list", "lower", "map", "max", "min"}
    | {"reject", "rejectattr", "replace", "round", "select", "selectattr", "sort", "string", "sum", "title", "trim"}
    | {"truncate", "unique", "upper"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """What a template may know of a file. Names and notes come from strangers, already made harmless."""

    number: int
    name: str
    kind: str
    status: str
    pages: int | None = None
    chars: int = 0
    images: int = 0
    truncated: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The variables of a template."""

    question: str
    files: tuple[FileView, ...] = ()
    quoted: bool = False  # a quoted message's words go along
    language: Language = "zh"


VARIABLES = tuple(field.name for field in fields(View))
FILE_FIELDS = tuple(field.name for field in fields(FileView))


class FrontMatter(BaseModel):
    """What a template's head may set; everything is optional."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int | None = Field(default=None, ge=16)
    images: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a template says for one question."""

    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template that can be rendered. `version` changes with its text or that of any partial."""

    kind: str
    language: Language
    version: str
    front: FrontMatter
    system: jinja2.Template
    user: jinja2.Template

    @property
    def name(self) -> str:
        """Such as `pdf.zh@1a2b3c4d5e`."""
        return f"{self.kind}.{self.language}@{self.version}"

    def render(self, view: View) -> Rendered:
        """Both sections; PromptError, as `file:line: what`, when the template cannot."""
        return Rendered(system=_render(self.system, view), user=_render(self.user, view))


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja with what a prompt needs and nothing that multiplies or imports."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, partials: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(
            undefined=jinja2.StrictUndefined,
            loader=jinja2.FunctionLoader(lambda name: (*partials[name], None) if name in partials else None),
            autoescape=False,  # the output is a prompt, not a page
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.filters = {name: function for name, function in self.filters.items() if name in _FILTERS}
        self.globals = {}

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Arithmetic on small numbers only: `'a' * 10**9` is a gigabyte."""
        if not all(isinstance(side, int | float) and abs(side) <= 1_000_000 for side in (left, right)):
            raise SecurityError(f"'{operator}' is for small numbers only")
        if operator == "**" and abs(right) > 8:
            raise SecurityError("'**' is for small numbers only")
        return super().call_binop(context, operator, left, right)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateSource:
    """A template's file, taken apart but not yet compiled. Each section is padded to keep the file's line numbers."""

    path: str  # as messages name it
    kind: str
    language: Language
    front: FrontMatter
    system: str
    user: str

    def compile(self, sandbox: Sandbox, version: str) -> Template:
        """The template ready to render; PromptError for a syntax error or an unknown variable."""
        return Template(
            kind=self.kind,
            language=self.language,
            version=version,
            front=self.front,
            system=compile_section(sandbox, self.system, self.path),
            user=compile_section(sandbox, self.user, self.path),
        )


def compile_section(sandbox: Sandbox, source: str, path: str) -> jinja2.Template:
    """Compiles one padded section under its file's name."""
    code = check_syntax(sandbox, source, path)
    tree = sandbox.parse(source, path, path)
    unknown = meta.find_undeclared_variables(tree) - set(VARIABLES)
    for name in tree.find_all(nodes.Name):
        if name.name in unknown and name.ctx == "load":
            hint = did_you_mean(name.name, VARIABLES)
            raise PromptError(f"{path}:{name.lineno}: unknown variable '{name.name}'{hint}")
    return jinja2.Template.from_code(sandbox, code, {})


def check_syntax(sandbox: Sandbox, source: str, path: str) -> CodeType:
    """The compiled source; PromptError for a syntax error or a filter that does not exist."""
    try:
        return sandbox.compile(source, path, path)
    except jinja2.TemplateSyntaxError as error:
        raise PromptError(f"{path}:{error.lineno}: {error.message}") from None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint in parentheses, or nothing."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def parse_template(path: str, text: str) -> TemplateSource:
    """Takes a template's file apart; PromptError, as `file:line: what`, for the first thing that is wrong."""
    kind, language = _name(path)
    lines = text.split("\n")
    front, body_line = _front_matter(path, lines)
    sections = _sections(path, lines, body_line)
    return TemplateSource(
        path=path, kind=kind, language=language, front=front, system=sections["system"], user=sections["user"]
    )


def _name(path: str) -> tuple[str, Language]:
    kind, _, suffix = PurePath(path).name.removesuffix(".md").partition(".")
    if kind not in KINDS:
        raise PromptError(
            f"{path}:1: unknown kind '{kind}'{did_you_mean(kind, KINDS)}; the kinds are {', '.join(KINDS)}"
        )
    for language in LANGUAGES:
        if suffix == language:
            return kind, language
    raise PromptError(f"{path}:1: the name must be {kind}.<language>.md with one of {', '.join(LANGUAGES)}")


def _front_matter(path: str, lines: list[str]) -> tuple[FrontMatter, int]:
    """The head's values, and the index of the first line after it."""
    if lines[0].rstrip() != "---":
        return FrontMatter(), 0
    end = next((index for index, line in enumerate(lines) if index and line.rstrip() == "---"), None)
    if end is None:
        raise PromptError(f"{path}:1: the front matter has no closing '---'")
    head = LinedMapping("\n".join(["", *lines[1:end]]))  # the empty line keeps the file's line numbers
    if head.problems:
        raise PromptError(f"{path}:{head.problems[0].line}: {head.problems[0].what}")
    try:
        return FrontMatter.model_validate(head.values), end + 1
    except ValidationError as error:
        problem = error.errors()[0]
        key = str(problem["loc"][0])
        hint = did_you_mean(key, FrontMatter.model_fields) if problem["type"] == "extra_forbidden" else ""
        what = f"unknown key '{key}'{hint}" if problem["type"] == "extra_forbidden" else f"{key}: {problem['msg']}"
        raise PromptError(f"{path}:{head.lines.get((key,), 1)}: {what}") from None


def _sections(path: str, lines: list[str], start: int) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for index in range(start, len(lines)):
        line = lines[index]
        if heading := _SECTION.fullmatch(line):
            name = heading[1].lower()
            if name in found:
                raise PromptError(f"{path}:{index + 1}: a second '# {name}'")
            current = found[name] = [""] * (index + 1)
        elif current is not None:
            current.append(line)
        elif line.strip():
            raise PromptError(f"{path}:{index + 1}: text before the first '# system' or '# user'")
    for name in ("system", "user"):
        if name not in found:
            raise PromptError(f"{path}:{len(lines)}: there is no '# {name}' section")
    return {name: "\n".join(section) for name, section in found.items()}


def _render(section: jinja2.Template, view: View) -> str:
    pieces: list[str] = []
    size = 0
    try:
        for piece in section.generate({name: getattr(view, name) for name in VARIABLES}):
            size += len(piece)
            if size > MAX_RENDERED_CHARS:
                raise PromptError(f"{section.filename}:1: renders to more than {MAX_RENDERED_CHARS:,} characters")
            pieces.append(piece)
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise PromptError(f"{_place(error, str(section.filename))}: {_explain(error)}") from None
    return "".join(pieces).strip()


def _place(error: BaseException, path: str) -> str:
    """`file:line` of the innermost template line on the error's way; Jinja keeps them in the traceback."""
    place, trace = f"{path}:1", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".md"):
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _explain(error: BaseException) -> str:
    message = str(error)
    if attribute := re.search(r"has no attribute '(\w+)'", message):
        return f"unknown field '{attribute[1]}'{did_you_mean(attribute[1], FILE_FIELDS)}"
    if variable := re.match(r"'(\w+)' is undefined", message):
        return f"unknown variable '{variable[1]}'{did_you_mean(variable[1], (*VARIABLES, 'file'))}"
    if isinstance(error, jinja2.TemplateNotFound):
        return f"there is no '{message}'; only files in {PARTIALS} can be included"
    if isinstance(error, SecurityError):
        return f"not allowed in a template: {message}"
    if isinstance(error, MemoryError | RecursionError):
        return "takes too much time or memory to render"
    return message[:300]
