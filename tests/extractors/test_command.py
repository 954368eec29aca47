"""`python -m extractors` and `duwen extract`: files in, Markdown or JSON out, and an exit code that tells."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from PIL import Image

from extractors.command_output import ImageFolder


def run(*arguments: str | Path, stdin: bytes = b"", module: str = "extractors") -> subprocess.CompletedProcess[str]:
    finished = subprocess.run(
        [sys.executable, "-m", *module.split(), *map(str, arguments)],
        capture_output=True,
        input=stdin,
        check=False,
        timeout=100,
        env={"LC_ALL": "C"},  # what is written must not depend on the locale
    )
    return subprocess.CompletedProcess(
        finished.args, finished.returncode, finished.stdout.decode(), finished.stderr.decode(errors="replace")
    )


def png() -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((90, 60), 40).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("module", ["extractors", "bot extract"])
def test_files_come_out_as_markdown(tmp_path: Path, module: str) -> None:
    (tmp_path / "名单.csv").write_bytes("姓名,部门\n王小明,研发部\n".encode("gbk"))

    finished = run(tmp_path / "名单.csv", module=module)

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("# 名单.csv\n\ntext/csv, ")
    assert "| 王小明 | 研发部 |" in finished.stdout


def test_json_and_images_can_be_had_and_one_unread_file_shows_in_the_exit_code(tmp_path: Path) -> None:
    picture = png()
    (tmp_path / "a.png").write_bytes(picture)
    (tmp_path / "a.bin").write_bytes(bytes(range(32)))

    finished = run("--json", "--images", tmp_path / "out", tmp_path / "a.png", tmp_path / "a.bin")

    assert finished.returncode == 1, finished.stderr
    read, unread = map(json.loads, finished.stdout.splitlines())
    assert read["images"] == [{"name": "image", "media_type": "image/png", "width": 90, "height": 60}]
    assert Path(read["written"][0]).read_bytes() == picture
    assert f"![image]({read['written'][0]})" in read["text"]
    assert (read["status"], unread["status"]) == ("ok", "unsupported")
    assert unread["detection"]["method"] == "none"


def test_standard_input_a_folder_and_the_order_of_the_arguments(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden.txt", "deep/c.txt", ".git/d.txt"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(f"text of {name}")
    (tmp_path / "in" / "link.txt").symlink_to("/etc/hostname")

    finished = run("--recursive", "-", tmp_path / "in", "--name", "s.csv", stdin=b"x,y\n1,2\n")

    assert finished.returncode == 0, finished.stderr
    titles = [line for line in finished.stdout.splitlines() if line.startswith("# ")]
    assert titles == ["# s.csv", "# a.txt", "# b.txt", "# deep/c.txt"]
    assert "| x | y |" in finished.stdout


def test_limits_and_passwords_are_handed_on(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for number in range(30):
        book.worksheets[0].append([f"row {number}"])
    book.save(tmp_path / "a.xlsx")

    finished = run("--limit", "xlsx_max_rows_per_sheet=10", "--limit", "image_max_bytes=1", tmp_path / "a.xlsx")

    assert finished.returncode == 0, finished.stderr
    assert "are left out" in finished.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nothing.pdf"], "no such file: nothing.pdf"),
        (["."], ". is a directory; --recursive reads what is in it"),
        (["--limit", "xlsx_max_sheet=1", "x"], "no limit is called 'xlsx_max_sheet'; there is xlsx_max_sheets"),
        (["--limit", "xlsx_max_sheets=many", "x"], "xlsx_max_sheets takes a number, not 'many'"),
        (["--limit", "xlsx_max_sheets=-1", "x"], "xlsx_max_sheets cannot be negative"),
        (["--images", "/dev/null", "/dev/null"], "/dev/null"),
        ([], "the following arguments are required: FILE"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], problem: str) -> None:
    finished = run(*arguments)

    assert (finished.returncode, finished.stdout) == (2, "")
    assert problem in finished.stderr


def test_a_private_address_is_refused_unless_allowed() -> None:
    for allowed, note in (([], "not a public one"), (["--allow-private"], "could not be fetched")):
        finished = run("http://127.0.0.1:1/a.pdf", *allowed)

        assert finished.returncode == 1
        assert finished.stdout.startswith("# a.pdf\n")
        assert note in finished.stdout


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("words")
    reader, writer = os.pipe()
    os.close(reader)

    finished = subprocess.run(
        [sys.executable, "-m", "extractors", "--recursive", str(tmp_path)],
        stdout=writer, stderr=subprocess.PIPE, check=False, timeout=100,
    )  # fmt: skip
    os.close(writer)

    assert (finished.returncode, finished.stderr) == (1, b"")


#: Tests that a shell runs in the background are started with interrupts ignored, and so are their children.
HEARING_INTERRUPTS = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " runpy.run_module('extractors', run_name='__main__')"
)


def test_an_interrupt_ends_it_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    with subprocess.Popen(
        [sys.executable, "-c", HEARING_INTERRUPTS, str(tmp_path / "a.txt"), "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline() == b"# a.txt\n"  # it waits for standard input from now on
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (130, b"")


def test_a_terminal_is_not_sent_what_could_steer_it(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b]0;title\x07.txt"
    path.write_text("words")
    ours, theirs = pty.openpty()

    subprocess.run([sys.executable, "-m", "extractors", str(path)], stdout=theirs, check=True, timeout=100)
    os.close(theirs)

    assert os.read(ours, 65536).startswith(b"# a]0;title.txt\r\n")
    os.close(ours)


def test_many_files_show_a_bar_where_it_does_not_mix_with_the_results(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for path in paths:
        path.write_text(f"text of {path.name}")
    ours, theirs = pty.openpty()

    finished = subprocess.run(
        [sys.executable, "-m", "extractors", *map(str, paths)],
        stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=100, env={"TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)

    assert [line for line in finished.stdout.decode().splitlines() if line.startswith("text of")] == [
        f"text of {path.name}" for path in paths
    ]
    assert b"reading" in os.read(ours, 65536)
    os.close(ours)


def test_names_of_images_never_leave_their_folder_and_never_meet(tmp_path: Path) -> None:
    folder = ImageFolder.at(tmp_path / "out")
    titles = ["../../etc/passwd", "/abs/x.png", "x.png", "X.PNG", "..", r"..\..\y", "长" * 300]

    stems = [folder.writer(title).stem for title in titles]

    assert stems[:6] == ["passwd", "x.png", "x.png-2", "X.PNG-3", "file", "y"]
    assert len(stems[6].encode()) <= 200


async def test_a_link_that_waits_in_the_folder_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    writer = ImageFolder.at(tmp_path / "out").writer("a")
    (tmp_path / "out" / "a.1.png").symlink_to(victim)

    await writer.write(b"picture", "image/png", "../../victim")

    assert (victim.read_bytes(), (tmp_path / "out" / "a.1.png").read_bytes()) == (b"mine", b"picture")
