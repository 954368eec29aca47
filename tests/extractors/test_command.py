"""`python -m extractors`: files in, Markdown or JSON out, and an exit code that tells."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

from PIL import Image


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "extractors", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=100,
    )


def test_files_come_out_as_markdown(tmp_path: Path) -> None:
    (tmp_path / "名单.csv").write_bytes("姓名,部门\n王小明,研发部\n".encode("gbk"))

    finished = run(tmp_path / "名单.csv")

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("# 名单.csv\n\ntext/csv, ")
    assert "| 王小明 | 研发部 |" in finished.stdout


def test_json_and_images_can_be_had_and_one_unread_file_shows_in_the_exit_code(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((90, 60), 40).save(buffer, "PNG")
    (tmp_path / "a.png").write_bytes(buffer.getvalue())
    (tmp_path / "a.bin").write_bytes(bytes(range(32)))

    finished = run("--json", "--images", tmp_path / "out", tmp_path / "a.png", tmp_path / "a.bin")

    assert finished.returncode == 1, finished.stderr
    read, unread = map(json.loads, finished.stdout.splitlines())
    assert read["images"] == [{"name": "image", "media_type": "image/png", "width": 90, "height": 60}]
    assert Path(read["written"][0]).read_bytes() == buffer.getvalue()
    assert (read["status"], unread["status"]) == ("ok", "unsupported")
    assert unread["detection"]["method"] == "none"


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    finished = run(tmp_path / "nothing.pdf")

    assert finished.returncode == 2
    assert "no such file" in finished.stderr
