"""A short run of the fuzzer, the same on every machine; `run.py` beside this file runs as long as one likes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).with_name("run.py")


def test_broken_files_break_no_promise(tmp_path):
    record, findings = tmp_path / "record.json", tmp_path / "findings"
    done = subprocess.run(
        [sys.executable, str(RUN), "--files", "200", "--samples-only", "--record", str(record), "--findings", findings],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    outcome = json.loads(record.read_text(encoding="utf-8"))
    assert outcome["files"] == 200
    assert outcome["broken promises of the parent"] == []
    assert sum(sum(counts.values()) for counts in outcome["statuses by suffix"].values()) == 200
    assert len(outcome["statuses by suffix"]) > 10
