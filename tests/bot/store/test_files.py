"""The file store and the reading store."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from bot.store.files import FileStore
from bot.store.readings import ReadingStore
from extractors import ExtractedContent, ExtractedImage, ExtractionWarning, Status

DATA = "内容".encode()
DIGEST = hashlib.sha256(DATA).hexdigest()


def commit(store: FileStore) -> Path:
    incoming = store.incoming()
    incoming.write_bytes(DATA)
    return store.commit(incoming, DIGEST)


def test_committed_bytes_come_back(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    assert commit(store) == store.path(DIGEST)
    assert store.read(DIGEST) == DATA


def test_the_same_content_twice_is_one_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    commit(store)
    commit(store)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [DIGEST]


def test_nobody_else_may_look(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    commit(store)
    for path in (tmp_path / "files").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("digest", ["", "../" * 21 + "x", DIGEST.upper(), DIGEST[:-1], DIGEST + "\n", "１" * 64])
def test_what_is_no_hash_never_becomes_a_path(tmp_path: Path, digest: str) -> None:
    store = FileStore(tmp_path / "files")
    incoming = store.incoming()
    incoming.write_bytes(DATA)
    for use in (store.path, store.read, lambda value: store.commit(incoming, value)):
        with pytest.raises(ValueError, match="SHA-256"):
            use(digest)


def test_a_start_clears_old_leftovers_and_spares_young_ones(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    old, young = store.incoming(), store.incoming()
    for path in (old, young):
        path.write_bytes(b"half a fi")
    two_days_ago = time.time() - 2 * 24 * 3600
    os.utime(old, (two_days_ago, two_days_ago))
    FileStore(tmp_path / "files")
    assert not old.exists()
    assert young.exists()


CONTENT = ExtractedContent(
    text="--- Page 1 ---\n\n你好",
    images=(ExtractedImage(data=b"\x89PNG\xff", media_type="image/png", width=2, height=3, name="page 1"),),
    status=Status.PARTIAL,
    warnings=(ExtractionWarning(problem="A page is a picture.", consequence="Its text is missing."),),
    members=("a/b.txt",),
)


def test_a_reading_comes_back_as_it_was(tmp_path: Path) -> None:
    store = ReadingStore(tmp_path / "readings")
    key = store.key(DIGEST, "1", "limits")
    assert store.load(key) is None
    store.save(key, CONTENT)
    assert store.load(key) == CONTENT


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"\x93\x01\x02\x03", b'{"text": 1}'])
def test_a_damaged_reading_is_no_reading(tmp_path: Path, damage: bytes) -> None:
    store = ReadingStore(tmp_path / "readings")
    key = store.key(DIGEST, "1", "limits")
    store.save(key, CONTENT)
    next(path for path in tmp_path.rglob(key)).write_bytes(damage)
    assert store.load(key) is None


def test_a_reading_is_named_by_everything_that_decides_it() -> None:
    keys = {ReadingStore.key(*parts) for parts in (("a", "1", "x"), ("b", "1", "x"), ("a", "2", "x"), ("a", "1", "y"))}
    assert len(keys) == 4
