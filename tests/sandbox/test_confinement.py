"""What a reader that was taken over can do: nothing. The same attack with the layers off shows that it is real."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator

import pytest

from extractors.content import Status
from extractors.sandbox.wire import Level

ALL_LAYERS = frozenset({"no_new_privs", "user", "no_dumps", "landlock", "seccomp", "limits", "memory"})
ATTACKS = [
    "read /etc/passwd",
    "read /proc/self/environ",
    "read /proc/{bot}/environ",
    "read_parent_environment",
    "read_parent_memory",
    "list /",
    "list /proc/self/fd",
    "stat /etc/passwd",
    "stat_with_flag /etc/passwd",
    "write {tmp}/trace",
    "mkdir {tmp}/folder",
    "unlink {tmp}/file",
    "tcp",
    "mptcp",
    "udp",
    "unix",
    "socketpair",
    "connect {port}",
    "fork",
    "fork_bomb 20",
    "grandchild 0.1",
    "thread",
    "spawn",
    "map_8_gib",
    "memfd",
    "signal {bot}",
    "signal_zygote",
    "signal_everybody",
    "take_descriptor",
    "raise_limit",
    "executable_memory",
    "pipe_size",
    "chdir",
]
#: What kills a child that tries; each takes the zygote's pid.
DEADLY = ["exec", "ptrace", "read_memory", "io_uring"]
#: Only a root zygote can show that these are real.
ROOT_ATTACKS = ["become_root"]


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def attack(request, tmp_path, listening) -> str:
    tmp_path.chmod(0o777)
    (tmp_path / "file").touch()
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


@pytest.mark.parametrize("attack", DEADLY)
@pytest.mark.parametrize("off", [frozenset(), frozenset({"landlock"})], ids=["all layers", "seccomp without landlock"])
async def test_reaching_for_another_process_or_the_kernel_kills_the_child(hostile, watch, attack, off):
    extractor = hostile(off=off)
    await extractor.start()
    result = await extractor.extract(b"", file_metadata={"name": f"{attack} {watch.zygote(extractor)}"})
    assert (result.status, result.text, result.note) == (
        Status.FAILED,
        None,
        "the reader tried something that the sandbox forbids and was stopped",
    )


@pytest.mark.parametrize("attack", [attack for attack in DEADLY if attack != "exec"])
async def test_reaching_for_another_process_or_the_kernel_is_real_when_the_layers_are_off(hostile, watch, attack):
    extractor = hostile(off=ALL_LAYERS, require=Level.LIMITS)
    await extractor.start()
    result = await extractor.extract(b"", file_metadata={"name": f"{attack} {watch.zygote(extractor)}"})
    if "Function not implemented" in str(result.text) or (attack == "io_uring" and "not permitted" in str(result.text)):
        pytest.skip(f"this kernel has no {attack}")
    assert str(result.text).startswith("possible:"), result


async def test_grandchild_outlives_its_reader_when_the_layers_are_off(hostile, watch):
    extractor = hostile(off=ALL_LAYERS, require=Level.LIMITS)
    result = await extractor.extract(b"", file_metadata={"name": "grandchild 5"})
    pid = int(str(result.text).removeprefix("possible: "))
    assert watch.is_running(pid)
    os.kill(pid, signal.SIGKILL)


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


async def test_child_that_may_start_threads_may_start_no_process(hostile):
    extractor = hostile(allows_threads=True)
    texts = [
        str((await extractor.extract(b"", file_metadata={"name": name})).text)
        for name in ("thread", "fork", "spawn", "grandchild 5", "unix", "read /etc/passwd")
    ]
    assert [text.partition(":")[0] for text in texts] == ["possible", *["denied"] * 5]
    assert extractor.problem is None


async def test_environment_of_the_bot_does_not_reach_a_child(fresh, monkeypatch):
    monkeypatch.setenv("DUWEN__SECRET", "hunter2")
    result = await fresh().extract(b"", file_metadata={"name": "environment"})
    assert set(str(result.text).split()) <= {
        "LANG",
        "LC_CTYPE",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "ORT_DISABLE_TELEMETRY",
    }


async def test_child_inherits_nothing_but_the_input_and_the_result(fresh, tmp_path):
    with (tmp_path / "secret").open("wb") as secret:
        os.set_inheritable(secret.fileno(), True)
        result = await fresh().extract(b"", file_metadata={"name": "descriptors"})
    assert result.text == "2 descriptors"


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
