"""The whole suite once more where people run the bot: see `deployment.py`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUITE = ["test_confinement.py", "test_contract.py", "test_pages.py", "test_zygotes.py"]
#: They ask for the level that such a kernel cannot give.
FULL_LEVEL = [
    "test_every_layer_is_on_and_verified_here",
    "test_level_says_what_is_off",
    "told_in_one_line",
    "problem_says",
]
#: There a test, being root without CAP_KILL, cannot kill or stop a zygote either; nor take hold of another user's.
OTHERS_PROCESSES = ["zygote_dies", "stopped_answering", "outlives_its_reader"]
#: Landlock is not there to be tried.
NO_LANDLOCK = [*FULL_LEVEL, "without_seccomp", "root_is_given_up", "nothing_is_read_below"]


def suite(where: str, without: list[str], tmp_path: Path) -> str:
    """What pytest says there."""
    tmp_path.chmod(0o777)
    command = [sys.executable, str(HERE / "deployment.py"), where, *(str(HERE / name) for name in SUITE)]
    options = [
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--basetemp",
        str(tmp_path / "base"),
    ]
    chosen = ["-k", " and ".join(f"not {name}" for name in without)] if without else []
    done = subprocess.run(
        [*command, *options, *chosen],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return done.stdout


def passed(output: str) -> int:
    return int(re.findall(r"(\d+) passed", output)[-1])


@pytest.mark.slow
def test_unprivileged_user_under_dockers_default_profile(tmp_path):
    assert passed(suite("docker", [], tmp_path)) > 150


@pytest.mark.slow
def test_level_seccomp_alone_on_a_kernel_without_landlock(tmp_path):
    assert passed(suite("no-landlock", NO_LANDLOCK, tmp_path)) > 130


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be root without CAP_KILL")
def test_root_that_may_not_kill_other_users_processes(tmp_path):
    assert passed(suite("no-cap-kill", OTHERS_PROCESSES, tmp_path)) > 150
