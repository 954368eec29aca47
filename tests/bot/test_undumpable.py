"""The bot's memory is nobody's to read."""

from __future__ import annotations

import subprocess
import sys

import pytest

PR_GET_DUMPABLE = 3
PROGRAM = """
import ctypes, resource
from bot.undumpable import forbid_dumps
before = ctypes.CDLL(None).prctl({number}, 0, 0, 0, 0)
forbid_dumps()
print(before, ctypes.CDLL(None).prctl({number}, 0, 0, 0, 0), *resource.getrlimit(resource.RLIMIT_CORE))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the flag")
def test_no_dump_can_be_made() -> None:
    program = PROGRAM.format(number=PR_GET_DUMPABLE)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.split() == ["1", "0", "0", "0"]
