"""The hostile and broken files of the corpus, where it is at hand: each ends in time, and says how."""

from __future__ import annotations

from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
FILES = [path for folder in ("hostile", "broken") for path in sorted((CORPUS / folder).glob("*")) if path.is_file()]


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
async def test_file_ends_in_time_and_is_told(reader, told_plainly, path):
    cost = await reader.read(path.read_bytes(), path.name)
    assert cost.seconds < 9
    assert "root:x:" not in (cost.content.text or "")
    told_plainly(cost.content)
