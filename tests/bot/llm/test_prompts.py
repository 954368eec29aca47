"""Templates and texts: what is refused and how it is told, and edits while the bot runs."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import bot.errors
from bot.errors import BotError, PromptError
from bot.llm.preview import lint, render
from bot.llm.prompt_set import build, read_sources
from bot.llm.prompts import PromptLibrary
from bot.llm.templates import KINDS, FileView, View
from bot.llm.trial import trial
from extractors import Status

SHIPPED = Path(__file__).parents[3] / "prompts"
GOOD = "# system\nBe brief.\n# user\n{{ question or 'Sum up.' }}\n"


@pytest.fixture
def directory(tmp_path) -> Path:
    """The smallest set that is right."""
    (tmp_path / "default.en.md").write_text(GOOD)
    for language in ("zh", "en"):
        (tmp_path / f"messages.{language}.yaml").write_text(f"card:\n  title: '{language} {{name}}'\n")
    return tmp_path


def problems_of(directory: Path) -> list[str]:
    """What lint says, without the directory."""
    return [problem.removeprefix(f"{directory}/") for problem in lint(directory)]


def mistakes_in(directory: Path) -> list[str]:
    """The same, without the process around it, which is what takes long."""
    try:
        prompts, problems = build(read_sources(directory), str(directory))
    except PromptError as error:
        return [error.detail]
    return problems or trial(prompts)


# --- what ships -------------------------------------------------------------------------------------------------------


def test_what_ships_is_right():
    assert lint(SHIPPED) == []


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_template_in_both_languages(kind, language):
    assert (SHIPPED / f"{kind}.{language}.md").is_file()


def test_every_error_and_status_has_a_sentence_in_both_languages():
    classes, codes = [BotError], set()
    while classes:
        cls = classes.pop()
        classes += cls.__subclasses__()
        if cls.__module__ == bot.errors.__name__:
            listed = re.search(r"Codes: (.*?)\.(?:\s|$)", cls.__doc__ or "", re.DOTALL)
            codes |= {cls.code, *re.findall(r"[a-z]+(?:_[a-z]+)+", listed[1] if listed else "")}
    assert {"file_confidential", "model_bad_stream", "card_closed"} <= codes
    library = PromptLibrary(SHIPPED)
    wanted = {f"error.{code}" for code in codes} | {f"status.{status}" for status in (*Status, "not_downloaded")}
    for language in ("zh", "en"):
        assert wanted - library.texts(language).keys() == set()


def test_every_sentence_that_the_code_asks_for_is_there():
    asked = set()
    for file in (SHIPPED.parent / "bot").rglob("*.py"):
        asked |= set(re.findall(r"\"((?:error|status|kind|state|card|omitted)\.[a-z_]+)\"", file.read_text()))
    assert asked >= {"card.thinking", "card.left_out", "omitted.images"}
    assert asked - PromptLibrary(SHIPPED).texts("en").keys() == set()


def test_the_readme_names_every_variable():
    readme = (SHIPPED / "README.md").read_text()
    for name in (*View.__dataclass_fields__, *FileView.__dataclass_fields__):
        assert f"`{name}`" in readme


def test_a_preview_shows_the_words_and_the_rules():
    shown = render(SHIPPED, "pdf", "en", files=[FileView(number=1, name="a.pdf", kind="pdf", status="ok", pages=3)])
    assert shown.startswith("pdf.en@")
    assert "Say what this file is" in shown
    assert "Rules that nothing below can change" in shown


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_a_missing_kind_is_answered_by_the_default_and_then_by_the_other_language(directory):
    (directory / "pdf.zh.md").write_text(GOOD)
    library = PromptLibrary(directory)
    assert library.select("pdf", "zh").name.startswith("pdf.zh@")
    assert library.select("pdf", "en").name.startswith("default.en@")
    assert library.select("image", "zh").name.startswith("default.en@")


def test_a_version_changes_with_the_template_and_with_its_partials(directory):
    (directory / "_partials").mkdir()
    (directory / "_partials" / "role.md").write_text("You read.")
    (directory / "default.en.md").write_text('# system\n{% include "_partials/role.md" %}\n# user\n{{ question }}!\n')
    library = PromptLibrary(directory)
    before = library.select("pdf", "en")
    assert before.render(View(question="why")).system == "You read."
    (directory / "_partials" / "role.md").write_text("You read well.")
    assert library.refresh()
    assert library.select("pdf", "en").name != before.name
    assert library.select("pdf", "en").render(View(question="why")).system == "You read well."
    assert before.render(View(question="why")).system == "You read."  # who began with it keeps it


def test_texts_fill_in_values_and_never_fail(directory):
    (directory / "messages.en.yaml").write_text("error: {internal: Oops}\ncard: {title: 'Hi {name}'}\n")
    (directory / "messages.zh.yaml").write_text("error: {internal: 出错}\ncard: {title: '{name} 好'}\n")
    texts = PromptLibrary(directory).texts("zh")
    assert texts.get("card.title", name="{x} <b>") == "{x} <b> 好"
    assert texts.get("card.title") == "{name} 好"
    assert texts.get("error.of_tomorrow") == "出错"
    assert texts.get("card.no_such") == "card.no_such"


# --- what is refused, and how it is told ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("pdf.en.md", GOOD + "\n{{ qestion }}", "pdf.en.md:6: unknown variable 'qestion' (did you mean 'question'?)"),
        (
            "pdf.en.md",
            "# system\n{% for file in files %}\n- {{ file.nmae }}\n{% endfor %}\nx\n# user\nx",
            "pdf.en.md:3: unknown field 'nmae' (did you mean 'name'?)",
        ),
        ("pdf.en.md", "# system\nx\n{% if %}\n# user\nx", "pdf.en.md:3: Expected an expression"),
        ("pdf.en.md", "# system\n\n{{ question | uper }}\n# user\nx", "pdf.en.md:3: No filter named 'uper'"),
        ("pdf.en.md", "# system\nx", "pdf.en.md:2: there is no '# user' section"),
        ("pdf.en.md", "hello\n# system\nx\n# user\nx", "pdf.en.md:1: text before the first"),
        ("pdf.en.md", "# system\nx\n# user\nx\n# system\ny", "pdf.en.md:5: a second '# system'"),
        (
            "pdf.en.md",
            "# system\nx\n# user\n{{ question }}",
            "pdf.en.md:1: '# user' is empty with 0 files and no question",
        ),
        (
            "pdf.en.md",
            "---\ntemperatur: 1\n---\n" + GOOD,
            "pdf.en.md:2: unknown key 'temperatur' (did you mean 'temperature'?)",
        ),
        ("pdf.en.md", "---\n\ntemperature: 9\n---\n" + GOOD, "pdf.en.md:3: temperature: "),
        ("pdf.en.md", "---\na: [\n---\n" + GOOD, "pdf.en.md:"),
        ("pdf.en.md", "---\na: 1\n" + GOOD, "pdf.en.md:1: the front matter has no closing '---'"),
        ("pfd.en.md", GOOD, "pfd.en.md:1: unknown kind 'pfd' (did you mean 'pdf'?)"),
        ("pdf.fr.md", GOOD, "pdf.fr.md:1: the name must be pdf.<language>.md"),
        ("pdf.en.md", '# system\n{% include "default.en.md" %}\n# user\nx', "pdf.en.md:2: there is no 'default.en.md'"),
        (
            "pdf.en.md",
            '# system\n{% include "../../etc/passwd" %}\n# user\nx',
            "pdf.en.md:2: there is no '../../etc/passwd'",
        ),
        ("pdf.en.md", GOOD + "x" * 70_000, "pdf.en.md:1: larger than 64 KB"),
        (
            "messages.en.yaml",
            "card:\n  titel: x\n",
            "messages.en.yaml: 'card.title' is missing, messages.zh.yaml has it (is it 'card.titel'",
        ),
        (
            "messages.en.yaml",
            "card:\n  title: 'x {nmae}'\n",
            "messages.en.yaml: card.title: {nmae} is not in messages.zh.yaml",
        ),
        ("messages.en.yaml", "card:\n  title: 5\n", "messages.en.yaml:2: card.title: must be a sentence"),
        ("messages.en.yaml", "card: x\n", "messages.en.yaml:1: card: must be a group"),
        ("messages.en.yaml", "card:\n  title: 'x\n", "messages.en.yaml:"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(directory, name, text, problem):
    (directory / name).write_text(text)
    told = mistakes_in(directory)
    assert any(one.startswith(f"{directory}/{problem}") for one in told), told


def test_bytes_that_are_not_text_are_told_with_their_line(directory):
    (directory / "pdf.en.md").write_bytes(b"# system\nx\n\xff\n# user\nx")
    assert problems_of(directory) == ["pdf.en.md:3: not UTF-8"]


def test_a_missing_directory_is_a_problem(tmp_path):
    assert "there are no templates here" in lint(tmp_path / "nowhere")[0]
    with pytest.raises(PromptError):
        PromptLibrary(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("{{ 'a' * 10**9 }}", "not allowed in a template"),
        ("{{ '%1000000000d' % 1 }}", "not allowed in a template"),
        ("{{ 9 ** 9 ** 9 }}", "not allowed in a template"),
        ("{{ 'a'.__class__.__mro__ }}", "not allowed in a template"),
        ("{% set x = [1] %}{{ x.append(2) }}", "not allowed in a template"),
        ("{{ 'a' | center(1000000000) }}", "No filter named 'center'"),
        ("{{ lipsum() }}", "unknown variable 'lipsum'"),
        ("{{ range(9) }}", "unknown variable 'range'"),
        ("{{ files | join(',') }}" * 400, "renders to more than"),
    ],
)
def test_what_multiplies_or_reaches_out_is_not_in_the_language(directory, words, problem):
    (directory / "pdf.en.md").write_text(f"# system\nx\n{words}\n# user\nx")
    (told,) = mistakes_in(directory)
    assert problem in told


@pytest.mark.parametrize(
    "words",
    [
        "{{ '{:>1000000000}'.format(1) }}",
        "{{ 'a'.ljust(2000000000) }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for a in d %}{% for b in d %}{% for c in d %}{% for e in d %}" + "{% endfor %}" * 4,
    ],
)
def test_a_template_without_end_is_refused_within_its_limits(directory, words):
    digits = "{% set d = '" + "0123456789" * 30 + "' %}"
    (directory / "pdf.en.md").write_text(f"# system\n{digits}x\n{words}\n# user\nx")
    start = time.monotonic()
    told = problems_of(directory)
    assert time.monotonic() - start < 30
    assert told == ["pdf.en.md:3: takes too much time or memory to render"]


# --- edits while the bot runs -----------------------------------------------------------------------------------------


def test_nothing_happens_while_nothing_changes(directory):
    library = PromptLibrary(directory)
    before = library.current
    assert not library.refresh()
    os.utime(directory / "default.en.md", (1, 1))  # touched, but the same
    assert not library.refresh()
    assert library.current is before


def test_a_broken_edit_keeps_the_last_good_set_and_is_logged_once(directory):
    library = PromptLibrary(directory)
    good = library.current
    file = directory / "default.en.md"
    with capture_logs() as logs:
        file.write_text(GOOD + "{{ qestion }}")
        assert not library.refresh()
        os.utime(file, (1, 1))
        assert not library.refresh()
    assert library.current is good
    assert library.problems == (f"{file}:5: unknown variable 'qestion' (did you mean 'question'?)",)
    assert len(logs) == 1
    file.write_text(GOOD + "!")
    assert library.refresh()
    assert library.problems == ()


def test_going_back_to_the_last_good_text_clears_the_problem(directory):
    library = PromptLibrary(directory)
    (directory / "default.en.md").write_text("broken")
    library.refresh()
    assert library.problems
    (directory / "default.en.md").write_text(GOOD)
    library.refresh()
    assert library.problems == ()


def test_one_wrong_file_keeps_the_right_edit_of_another_back(directory):
    library = PromptLibrary(directory)
    (directory / "default.en.md").write_text(GOOD + "!")
    (directory / "pdf.en.md").write_text("broken")
    assert not library.refresh()
    assert "!" not in library.select("pdf", "en").render(View(question="q")).user


def test_an_edit_by_rename_is_seen_even_with_the_same_size_and_time(directory):
    """As vim writes: a new file takes the old one's name."""
    library = PromptLibrary(directory)
    file = directory / "default.en.md"
    status = file.stat()
    fresh = directory / ".default.en.md.swp"
    fresh.write_text(GOOD.replace("brief", "quick"))
    os.utime(fresh, ns=(status.st_atime_ns, status.st_mtime_ns))
    fresh.rename(file)
    assert library.refresh()
    assert library.select("pdf", "en").render(View(question="q")).system == "Be quick."


def test_a_swapped_link_is_seen(directory, tmp_path_factory):
    """As a mounted config map changes: the files are links through a directory link that is replaced."""
    mount = tmp_path_factory.mktemp("mount")
    for version, word in (("v1", "brief"), ("v2", "exact")):
        shutil.copytree(directory, mount / version)
        (mount / version / "default.en.md").write_text(GOOD.replace("brief", word))
    (mount / "..data").symlink_to("v1")
    for file in directory.iterdir():
        (mount / file.name).symlink_to(Path("..data") / file.name)
    library = PromptLibrary(mount)
    (mount / "..data_tmp").symlink_to("v2")
    (mount / "..data_tmp").rename(mount / "..data")
    assert library.refresh()
    assert library.select("pdf", "en").render(View(question="q")).system == "Be exact."


def test_a_file_that_is_gone_for_a_moment_changes_nothing(directory):
    library = PromptLibrary(directory)
    good = library.current
    away = directory / "default.en.md"
    away.rename(directory / "~away")
    assert not library.refresh()
    assert library.current is good
    (directory / "~away").rename(away)
    library.refresh()
    assert library.problems == ()


def test_leftovers_of_editors_are_no_templates(directory):
    for name in (".pdf.en.md.swp", "~pdf.en.md", ".#pdf.en.md", "#pdf.en.md", "pdf.en.md~", "README.md", "notes.txt"):
        (directory / name).write_text("broken {{")
    assert lint(directory) == []
