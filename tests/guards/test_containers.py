"""The container files stay in step with the configuration, and keep their locks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.config import check_for_run, known_keys, load
from bot.config_sources import variable

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def test_every_variable_in_the_container_files_sets_a_key(compose: dict[str, Any]) -> None:
    named = {*re.findall(r"DUWEN__\w+", DOCKERFILE), *compose["services"]["duwen"]["environment"]}
    known = {variable(path) for path in known_keys()}
    assert {name.removesuffix("_FILE") for name in named} - known == set()


def test_what_compose_sets_is_enough_to_run(compose: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    environment = {
        name: str(tmp_path / "secret") if name.endswith("_FILE") else "http://x"
        for name in compose["services"]["duwen"]["environment"]
    }
    check_for_run(load(None, environment))


def test_each_secret_is_mounted_where_its_variable_looks(compose: dict[str, Any]) -> None:
    service = compose["services"]["duwen"]
    looked_for = {value for name, value in service["environment"].items() if name.endswith("_FILE")}
    assert looked_for == {f"/run/secrets/{name}" for name in service["secrets"]}
    assert set(service["secrets"]) == set(compose["secrets"])


def test_the_service_is_locked_in(compose: dict[str, Any]) -> None:
    service = compose["services"]["duwen"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)


def test_the_supervisor_waits_longer_than_the_bot_takes_to_stop(compose: dict[str, Any]) -> None:
    assert (
        int(compose["services"]["duwen"]["stop_grace_period"].removesuffix("s")) > load(None, {}).shutdown_grace_s + 5
    )


def test_the_image_gets_all_it_is_built_from() -> None:
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"
    }
    copied = {
        name for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]
    }
    assert copied == allowed
