"""The `duwen` command."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from bot import __version__
from bot.config import Settings, check_for_run, demo_model, load, or_packaged
from bot.errors import ConfigError, PromptError
from extractors import command


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit code: 2 where the configuration or the arguments are wrong."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (ConfigError, PromptError) as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))


def _refused(why: str) -> int:
    sys.stderr.write(f"duwen: {why}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="duwen", description="Duwen (读文): the file bot for Feishu.")
    parser.add_argument("--version", action="version", version=f"duwen {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="serve: receive events, read files, answer")
    run.add_argument("--config", type=Path, help="YAML file; without it only DUWEN__ variables are read")
    run.set_defaults(run=_run)

    demo = commands.add_parser("demo", help="the whole job on your files, with a local Feishu and no account")
    demo.add_argument("files", nargs="*", type=Path, help="files to drop into the chat; samples where none are named")
    demo.add_argument("--ask", help="the question")
    demo.add_argument("--once", action="store_true", help="end after the first reply (always so without a terminal)")
    demo.add_argument("--prompts", type=Path, default=Settings().prompts.directory, help="the templates' directory")
    demo.set_defaults(run=_demo)

    extract = commands.add_parser("extract", help="show what is read of files, without chat or model")
    command.add_arguments(extract)
    extract.set_defaults(run=command.run)

    doctor = commands.add_parser("doctor", help="check the configuration, the sign-in at Feishu, and the sandbox")
    doctor.add_argument("--config", type=Path, help="YAML file; without it only DUWEN__ variables are read")
    doctor.set_defaults(run=_doctor)

    prompts = commands.add_parser("prompts", help="check and preview the templates").add_subparsers(
        required=True, metavar="COMMAND"
    )
    lint = prompts.add_parser("lint", help="say what is wrong in a directory of templates, with file and line")
    lint.add_argument("directory", nargs="?", type=Path, default=Settings().prompts.directory)
    lint.set_defaults(run=_lint)
    render = prompts.add_parser("render", help="print what the model would be sent")
    render.add_argument("name", help="a template's kind, such as pdf")
    render.add_argument("files", nargs="*", type=Path, help="files to read and put into the prompt")
    render.add_argument("--ask", default="", help="the question")
    render.add_argument("--language", choices=("zh", "en"), default="zh")
    render.add_argument("--directory", type=Path, default=Settings().prompts.directory)
    render.set_defaults(run=_render)
    return parser


def _run(options: argparse.Namespace) -> int:
    from bot.app import serve  # noqa: PLC0415 - the other commands start without the service's imports
    from bot.logs import configure  # noqa: PLC0415 - the same
    from bot.undumpable import forbid_dumps  # noqa: PLC0415 - the same

    forbid_dumps()  # before there is a secret to read
    settings = load(options.config)
    check_for_run(settings)
    configure(settings.log.level, settings.log.format, secrets=settings.secrets())
    asyncio.run(serve(settings))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from bot.doctor import examine  # noqa: PLC0415 - the other commands start without the sandbox's imports

    return asyncio.run(examine(options.config, sys.stdout))


def _demo(options: argparse.Namespace) -> int:
    from bot.demo.command import demo  # noqa: PLC0415 - loads parsers, to make its samples

    once = options.once or not (sys.stdin.isatty() and sys.stdout.isatty())
    return demo(options.files, options.ask, once=once, model=demo_model(), prompts=options.prompts)


def _lint(options: argparse.Namespace) -> int:
    from bot.llm.preview import lint  # noqa: PLC0415 - the other commands start without the templates' imports

    problems = lint(or_packaged(options.directory))
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


def _render(options: argparse.Namespace) -> int:
    from bot.llm.templates import KINDS  # noqa: PLC0415 - the same

    if options.name not in KINDS:
        raise PromptError(f"there is no kind of template called {options.name!r}; there are: {', '.join(KINDS)}")
    directory = or_packaged(options.directory)
    if options.files:
        from bot.prompt_preview import render_with_files  # noqa: PLC0415 - the same

        shown = render_with_files(directory, options.name, options.language, question=options.ask, files=options.files)
    else:
        from bot.llm.preview import render  # noqa: PLC0415 - the same

        shown = render(directory, options.name, options.language, question=options.ask)
    sys.stdout.write(shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
