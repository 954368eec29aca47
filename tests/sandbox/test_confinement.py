"""What a reader that was taken over can do: nothing. The same attack with the layers off shows that it is real."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from extractors.content import Status
from extractors.sandbox.wire import Level

ALL_LAYERS = frozenset({"no_new_privs", "user", "no_dumps", "landlock", "seccomp", "limits", "memory"})
ATTACKS = [
    "read /etc/passwd",
    "read /proc/self/environ",
    "list /",
    "list /proc/self/fd",
    "stat /etc/passwd",
    "stat_with_flag /etc/passwd",
    "write {tmp}/trace",
    "tcp",
    "mptcp",
    "udp",
    "unix",
    "socketpair",
    "connect {port}",
    "fork",
    "thread",
    "spawn",
    "memfd",
    "signal {bot}",
    "signal_zygote",
    "raise_limit",
    "executable_memory",
    "pipe_size",
    "chdir",
]
#: Only a root zygote can show that these are real.
ROOT_ATTACKS = ["become_root"]


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def attack(request, tmp_path, listening) -> str:
    tmp_path.chmod(0o777)
    return request.param.format(tmp=tmp_path, port=listening, bot=os.getpid())


@pytest.mark.parametrize("attack", ATTACKS, indirect=True)
@pytest.mark.parametrize("off", [frozenset(), frozenset({"landlock"})], ids=["all layers", "seccomp without landlock"])
async def test_attack_is_denied(hostile, attack, off):
    result = await hostile(off=off).extract(b"", file_metadata={"name": attack})
    assert result.text is None or result.text.startswith("denied:"), result


@pytest.mark.parametrize("attack", ATTACKS, indirect=True)
async def test_attack_is_real_when_the_layers_are_off(hostile, attack):
    extractor = hostile(off=ALL_LAYERS, require=Level.LIMITS)
    result = await extractor.extract(b"", file_metadata={"name": attack})
    assert result.text is not None
    assert result.text.startswith("possible:"), result


@pytest.mark.parametrize(
    "attack",
    ["read /etc/passwd", "list /proc/self/fd", "write {tmp}/trace", "connect {port}", "signal {bot}"],
    indirect=True,
)
async def test_landlock_denies_files_tcp_and_signals_without_seccomp(hostile, attack):
    extractor = hostile(off=frozenset({"seccomp", "user"}), require=Level.LANDLOCK)
    result = await extractor.extract(b"", file_metadata={"name": attack})
    assert result.text is not None
    assert result.text.startswith("denied:"), result


async def test_starting_a_program_kills_the_child(hostile):
    result = await hostile(off=frozenset()).extract(b"", file_metadata={"name": "exec"})
    assert (result.status, result.note) == (Status.FAILED, "the reader crashed")


async def test_input_is_sealed_even_with_the_layers_off(hostile):
    extractor = hostile(off=ALL_LAYERS, require=Level.LIMITS)
    result = await extractor.extract(b"data", file_metadata={"name": "write_input"})
    assert result.text is not None
    assert result.text.startswith("denied:"), result


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
async def test_root_is_given_up_for_good(hostile):
    with_seccomp_off = hostile(off=frozenset({"seccomp"}), require=Level.LANDLOCK)
    denied = await with_seccomp_off.extract(b"", file_metadata={"name": "become_root"})
    possible = await hostile(off=ALL_LAYERS, require=Level.LIMITS).extract(b"", file_metadata={"name": "become_root"})
    assert str(denied.text).startswith("denied:"), denied
    assert str(possible.text).startswith("possible:"), possible


async def test_environment_of_the_bot_does_not_reach_a_child(fresh, monkeypatch):
    monkeypatch.setenv("DUWEN__SECRET", "hunter2")
    result = await fresh().extract(b"", file_metadata={"name": "environment"})
    assert set(str(result.text).split()) <= {"LANG", "LC_CTYPE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}


async def test_every_layer_is_on_and_verified_here(hostile):
    extractor = hostile(off=frozenset())
    await extractor.start()
    assert {layer.name for layer in extractor.layers} == ALL_LAYERS
    assert [layer for layer in extractor.layers if not layer.is_on] == []
    assert extractor.level is Level.FULL


@pytest.mark.parametrize(
    ("off", "level"),
    [
        ({"landlock"}, Level.SECCOMP),
        ({"memory"}, Level.SECCOMP),
        ({"seccomp"}, Level.LANDLOCK),
        (ALL_LAYERS, Level.LIMITS),
    ],
)
async def test_level_says_what_is_off(hostile, off, level):
    extractor = hostile(off=frozenset(off), require=Level.LIMITS)
    await extractor.start()
    assert {layer.name for layer in extractor.layers if not layer.is_on} == set(off)
    assert extractor.level is level


async def test_nothing_is_read_below_the_required_level(hostile):
    extractor = hostile(off=frozenset({"seccomp"}), require=Level.SECCOMP)
    result = await extractor.extract(b"data", file_metadata={"name": "echo"})
    assert (result.status, result.text) == (Status.FAILED, None)
    assert result.note == "the sandbox reaches only level landlock here and seccomp is required; see its layers"
