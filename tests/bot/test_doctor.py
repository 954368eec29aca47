"""`duwen doctor` says what is wrong with this machine or this configuration, and all that is well."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bot.doctor import examine

COMPLETE = """
feishu: {app_id: cli_1, app_secret: s, encrypt_key: k, verification_token: t}
model: {base_url: "http://127.0.0.1:9/v1", api_key: k, name: m}
"""


def examined(path: Path | None) -> tuple[int, str]:
    out = io.StringIO()
    return examine(path, out), out.getvalue()


@pytest.fixture
def config(tmp_path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(COMPLETE, encoding="utf-8")
    return path


def test_all_is_well(config) -> None:
    code, told = examined(config)
    assert code == 0
    assert told.startswith("configuration  complete\nsandbox        level ")
    assert "  seccomp      on   an allow-list of" in told


def test_what_is_missing_is_named(config) -> None:
    config.write_text("{}", encoding="utf-8")
    code, told = examined(config)
    assert code == 1
    assert "model.name is not set" in told
    assert "sandbox        level " in told


def test_a_broken_configuration_does_not_keep_the_sandbox_from_being_probed(config) -> None:
    config.write_text("sandbox: {require: bubblewrap}\n", encoding="utf-8")
    code, told = examined(config)
    assert code == 1
    assert "sandbox.require" in told
    assert "landlock" in told
