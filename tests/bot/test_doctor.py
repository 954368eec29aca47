"""`duwen doctor` says what is wrong with this machine or this configuration, and all that is well."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.doctor import examine
from bot.emulator.process import serve_feishu

COMPLETE = """
feishu: {{app_id: cli_emulator, app_secret: {secret}, encrypt_key: k, verification_token: t, base_url: "{url}"}}
model: {{base_url: "http://127.0.0.1:9/v1", api_key: k, name: m}}
"""


async def examined(path: Path | None) -> tuple[int, str]:
    out = io.StringIO()
    return await examine(path, out), out.getvalue()


@pytest.fixture
async def feishu_url() -> AsyncIterator[str]:
    async with serve_feishu() as feishu:
        yield feishu.url


@pytest.fixture
def config(tmp_path) -> Path:
    return Path(tmp_path / "config.yaml")


async def test_all_is_well(config, feishu_url) -> None:
    config.write_text(COMPLETE.format(secret="emulator-app-secret", url=feishu_url), encoding="utf-8")
    code, told = await examined(config)
    assert code == 0
    assert told.startswith("configuration  complete\nfeishu         signed in as 读文\nsandbox        level ")
    assert "  seccomp      on   an allow-list of" in told


async def test_a_wrong_secret_is_told_in_feishus_words_and_not_shown(config, feishu_url) -> None:
    config.write_text(COMPLETE.format(secret="not-the-secret", url=feishu_url), encoding="utf-8")
    code, told = await examined(config)
    assert code == 1
    assert "feishu         http://" in told
    assert "does not tell who the bot is: HTTP" in told
    assert "not-the-secret" not in told
    assert "sandbox        level " in told


async def test_a_feishu_that_is_not_there_is_told(config, unused_tcp_port) -> None:
    config.write_text(COMPLETE.format(secret="s", url=f"http://127.0.0.1:{unused_tcp_port}"), encoding="utf-8")
    code, told = await examined(config)
    assert (code, "no connection" in told) == (1, True)


async def test_what_is_missing_is_named(config) -> None:
    config.write_text("{}", encoding="utf-8")
    code, told = await examined(config)
    assert code == 1
    assert "model.name is not set" in told
    assert "sandbox        level " in told


async def test_a_broken_configuration_does_not_keep_the_sandbox_from_being_probed(config) -> None:
    config.write_text("sandbox: {require: bubblewrap}\n", encoding="utf-8")
    code, told = await examined(config)
    assert code == 1
    assert "sandbox.require" in told
    assert "landlock" in told
