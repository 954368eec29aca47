"""The `duwen` command as an operator meets it: what it prints, and how it exits."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.__main__ import main
from bot.store.claim import claimed

PROMPTS = Path(__file__).parents[2] / "prompts"


def duwen_run(config: Path) -> subprocess.CompletedProcess[str]:
    """`duwen run` with a configuration that it should refuse."""
    command = [sys.executable, "-m", "bot", "run", "--config", str(config)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def complete_config(folder: Path, **changed: Any) -> Path:
    """A configuration with nothing missing, and nobody behind its addresses."""
    settings = {
        "data_dir": str(folder / "data"),
        "feishu": {
            "app_id": "cli_1",
            "app_secret": "app-secret-1",
            "encrypt_key": "encrypt-key-1",
            "verification_token": "token-1",
            "base_url": "http://127.0.0.1:9",
        },
        "model": {"base_url": "http://127.0.0.1:9/v1", "api_key": "sk-secret-1", "name": "nobody"},
        "webhook": {"port": 0},
        "prompts": {"directory": str(PROMPTS)},
    }
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(settings | changed), "utf-8")
    return config


def assert_refused(ended: subprocess.CompletedProcess[str], words: str) -> None:
    """Exit 2 with one sentence on the last line, and no traceback before it."""
    assert ended.returncode == 2, ended.stderr
    *before, last = ended.stderr.splitlines()
    assert last.startswith("duwen: ")
    assert words in last
    assert not [line for line in before if line.startswith(("Traceback", "  File"))]


def test_a_port_in_use_is_told_before_any_work_is_taken_up(tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = duwen_run(complete_config(tmp_path, webhook={"port": port}))
    assert_refused(ended, f"cannot listen on 127.0.0.1:{port}: Address already in use")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["duwen.db", "dbos.db"])
def test_a_database_that_is_none_is_named(tmp_path, name) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_text("this is a letter, and no database\n" * 100)
    assert_refused(duwen_run(complete_config(tmp_path)), f"data/{name}: cannot be used: file is not a database")


def test_a_second_bot_on_the_same_data_is_refused(tmp_path) -> None:
    with claimed(tmp_path / "data"):
        assert_refused(duwen_run(complete_config(tmp_path)), "another bot is running on")


def test_a_broken_template_keeps_the_bot_from_starting(tmp_path) -> None:
    shutil.copytree(PROMPTS, tmp_path / "prompts")
    with (tmp_path / "prompts" / "pdf.zh.md").open("a", encoding="utf-8") as template:
        template.write("\n{{ file_nmae }}\n")
    config = complete_config(tmp_path, prompts={"directory": str(tmp_path / "prompts")})
    assert_refused(duwen_run(config), "pdf.zh.md:")


def test_the_templates_that_come_with_the_program_are_there_in_any_folder(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["prompts", "lint"]) == 0
    assert main(["prompts", "render", "question"]) == 0
    assert capsys.readouterr().out.startswith("question.zh@")


def test_the_shipped_templates_pass_the_lint(capsys) -> None:
    assert main(["prompts", "lint", str(PROMPTS)]) == 0
    assert capsys.readouterr().out == ""


def test_a_broken_template_is_named_with_its_line(tmp_path, capsys) -> None:
    for file in PROMPTS.rglob("*"):
        if file.is_file():
            copy = tmp_path / file.relative_to(PROMPTS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    with (tmp_path / "pdf.zh.md").open("a", encoding="utf-8") as template:
        template.write("\n{{ file_nmae }}\n")
    assert main(["prompts", "lint", str(tmp_path)]) == 1
    assert "pdf.zh.md:" in capsys.readouterr().out


def test_render_shows_the_words_of_a_template(capsys) -> None:
    assert (
        main(["prompts", "render", "pdf", "--language", "en", "--ask", "How much?", "--directory", str(PROMPTS)]) == 0
    )
    out = capsys.readouterr().out
    assert out.startswith("pdf.en@")
    assert "How much?" in out


def test_render_with_a_file_shows_what_the_model_would_be_sent(tmp_path, capsys) -> None:
    (tmp_path / "条款.txt").write_bytes("交货期三十日".encode("gb18030"))
    assert main(["prompts", "render", "text", str(tmp_path / "条款.txt"), "--directory", str(PROMPTS)]) == 0
    out = capsys.readouterr().out
    assert 'name="条款.txt"' in out
    assert "交货期三十日" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prompts", "render", "nope"], "no kind of template called 'nope'"),
        (["prompts", "render", "pdf", "no-such-file.pdf"], "no-such-file.pdf"),
        (["run", "--config", "no-such-file.yaml"], "no-such-file.yaml"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_2(arguments, words, capsys) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


def test_a_wrong_key_is_told_with_its_line_and_the_nearest_one_without_a_traceback(tmp_path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("feishu:\n  app_id: cli_1\n  app_secrte: hush-hush\n", "utf-8")
    ended = duwen_run(config)
    assert ended.returncode == 2
    for words in ("config.yaml", "3", "app_secrte", "app_secret"):
        assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "hush-hush" not in ended.stderr


def test_the_webhook_does_not_open_without_an_encrypt_key(tmp_path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("feishu: {app_id: a, app_secret: b, verification_token: c}\n", "utf-8")
    ended = duwen_run(config)
    assert ended.returncode == 2
    assert "feishu.encrypt_key is not set (DUWEN__FEISHU__ENCRYPT_KEY)" in ended.stderr
