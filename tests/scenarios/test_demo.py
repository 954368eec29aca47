"""`duwen demo` as a newcomer meets it: what it prints, and how it exits."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from bot.emulator.process import serve_model

PROMPTS = Path(__file__).parents[2] / "prompts"
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def demo(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code and all that was printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo", "--once", *arguments),
        cwd=folder,
        env={"PYTHONPATH": str(PROMPTS.parent), "PATH": "/usr/bin:/bin", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode is not None
    return process.returncode, printed.decode()


async def test_a_file_of_ones_own_is_answered(tmp_path) -> None:
    (tmp_path / "表.csv").write_bytes("品名,单价\n钢笔,35\n".encode("gb18030"))
    code, printed = await demo(tmp_path, "表.csv", "--ask", "单价多少？")
    assert code == 0, printed
    for words in (
        "ack          HTTP 200",
        "表.csv: ok, text",
        "first token  after",
        "钢笔",
        "替身",
        "none still streaming",
    ):
        assert words in printed, words


async def test_an_endpoint_that_refuses_the_key_is_told_and_the_exit_code_is_1(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("words")
    async with serve_model() as model:
        code, printed = await demo(
            tmp_path, "a.txt", OPENAI_API_KEY="wrong", OPENAI_MODEL="stand-in", OPENAI_BASE_URL=model.base_url
        )
    assert code == 1, printed
    for words in ("model failed: model_auth", "failed, model_auth, after", "模型服务拒绝了访问凭证"):
        assert words in printed, words


async def test_what_is_missing_or_broken_is_one_sentence(tmp_path) -> None:
    assert await demo(tmp_path, "nofile.txt") == (2, "duwen: nofile.txt: No such file or directory\n")
    shutil.copytree(PROMPTS, tmp_path / "mine")
    with (tmp_path / "mine" / "pdf.zh.md").open("a", encoding="utf-8") as template:
        template.write("\n{{ file_nmae }}\n")
    code, printed = await demo(tmp_path, "--prompts", "mine")
    assert code == 2
    assert "unknown variable 'file_nmae'" in printed
    assert '"level": "info"' not in printed
