"""The `duwen` command as an operator meets it: what it prints, and how it exits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import main

PROMPTS = Path(__file__).parents[2] / "prompts"


def duwen_run(config: Path) -> subprocess.CompletedProcess[str]:
    """`duwen run` with a configuration that it should refuse."""
    command = [sys.executable, "-m", "bot", "run", "--config", str(config)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


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
