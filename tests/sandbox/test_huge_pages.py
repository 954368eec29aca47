"""Memory in large pages makes a fork cheaper, and must change nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib
from extractors.sandbox import huge_pages

def huge_kb():
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps") if line.startswith("AnonHugePages:"))

held = [bytes([number % 251]) * 1000 for number in range(30_000)]
before = hashlib.sha256(b"".join(held)).hexdigest()
small = huge_kb()
huge_pages.collapse()
assert hashlib.sha256(b"".join(held)).hexdigest() == before
print(huge_kb() - small)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_memory_lies_in_large_pages_and_holds_what_it_held() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    release = re.match(r"(\d+)\.(\d+)", Path("/proc/sys/kernel/osrelease").read_text())
    assert release
    if (int(release[1]), int(release[2])) < (6, 1):
        pytest.skip("this kernel cannot collapse pages on demand")
    assert int(done.stdout) > 10_000
