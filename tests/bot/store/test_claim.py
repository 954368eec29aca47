"""One bot for one data directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.store.claim import claimed


def test_a_directory_is_made_and_held_by_one_at_a_time(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "data"
    with claimed(directory):
        assert directory.stat().st_mode & 0o777 == 0o700
        with pytest.raises(ConfigError, match=r"another bot is running on .*data"), claimed(directory):
            raise AssertionError
    with claimed(directory):  # whoever held it is gone
        pass


def test_what_cannot_be_a_directory_is_told_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(ConfigError, match=r"data_dir: .*data cannot be used: File exists"), claimed(tmp_path / "data"):
        raise AssertionError
