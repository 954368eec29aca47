"""Broken files without end, through the sandbox: the parent must never raise, leak or block.

    python tests/fuzz/run.py [--minutes 30 | --files 100] [--seed 1] [--findings FOLDER] [--record FILE]

Takes the corpus where it is at hand and the sandbox's own samples, breaks them in the ways that reach deep (inside the
members of a ZIP too, with sums that fit), and reads them two at a time. Prints what happened by format; what crashed a
child, or broke a reader with an unexpected error, is kept in FOLDER. Ends with 1 when the parent broke a promise.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import random
import re
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from extractors.content import ExtractedContent, Status
from extractors.limits import ExtractLimits
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
MAX_SEED_BYTES = 600_000
TIMEOUT_S = 5.0
#: A reading may take so long on top of its time, on a busy machine.
GRACE_S = 10.0
#: After so many files it is looked at what was left behind.
BATCH_FILES = 50
MAX_KEPT = 200
#: Notes that mean that a child ended otherwise than by itself.
CRASHES = ("the reader crashed", "the reader tried", "the reader's result", "the sandbox")
_BROKEN_READER = re.compile(r"the ([\w-]+) reader failed \((\w+)\)")
#: Numbers that parsers take for lengths, counts and offsets.
_NUMBERS = (b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\0\0\0", b"\0\0\0\x80", b"\xff\xff")
_WORDS = (
    b"<",
    b">",
    b"&",
    b'"',
    b"/>",
    b"</",
    b"<![CDATA[",
    b"%s",
    b"\0",
    b"-1",
    b"99999999999",
    b"1e400",
    b"\xff\xfe",
    b"{",
    b"\\",
)
_DIGITS = re.compile(rb"\d+")


@dataclass(slots=True)
class Findings:
    """What was seen so far."""

    files: int = 0
    statuses: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    crashes: Counter[str] = field(default_factory=Counter)
    broken_readers: Counter[str] = field(default_factory=Counter)
    broken_promises: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    kept: int = 0


# --- breaking files ---------------------------------------------------------------------------------------------------


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The file with one to eight things wrong with it."""
    if data.startswith(b"PK\x03\x04") and chance.random() < 0.7:
        return _in_member(data, chance)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        data = chance.choice(_WAYS)(data, chance) if data else bytes([chance.randrange(256)])
    return data


def _in_member(data: bytes, chance: random.Random) -> bytes:
    """A package whose members are whole, but for one of them."""
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
            names = old.namelist()
            victim = chance.choice(names)
            for name in names:
                content = old.read(name)
                new.writestr(name, mutated(content, chance) if name == victim else content)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError, IndexError):
        return _flip(data, chance)
    return packed.getvalue()


def _flip(data: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.choice((1, 4, 32))):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    return bytes(broken)


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _without_some(data: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(data))
    return data[:begin] + data[begin + chance.choice((1, 7, 100, 5000)) :]


def _repeated(data: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(data))
    piece = data[begin : begin + chance.choice((4, 60, 1000))]
    return data[:begin] + piece * chance.choice((2, 10, 500)) + data[begin:]


def _number(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    number = chance.choice(_NUMBERS)
    return data[:at] + number + data[at + len(number) :]


def _word(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.choice(_WORDS) * chance.choice((1, 1, 200)) + data[at:]


def _digits(data: bytes, chance: random.Random) -> bytes:
    """Another number where one is written out, as in PDF and XML."""
    found = list(_DIGITS.finditer(data[:100_000]))
    if not found:
        return _number(data, chance)
    one = chance.choice(found)
    other = chance.choice((b"0", b"-1", b"1", b"65536", b"2147483648", b"99999999999999999999", b"0.0000001"))
    return data[: one.start()] + other + data[one.end() :]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip,
    _flip,
    _cut,
    _without_some,
    _repeated,
    _number,
    _word,
    _digits,
    _digits,
)


# --- reading them -----------------------------------------------------------------------------------------------------


def seeds(*, with_corpus: bool) -> list[tuple[str, bytes]]:
    """Whole files of every format; PDFs once more with their streams unpacked, so that breaking them reaches inside."""
    from extractors.sandbox.warmup import samples  # only where parsers may be loaded
    from extractors.sandbox.warmup_media import samples as recordings

    found = [*samples(), *recordings()]
    if with_corpus:
        paths = sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.suffix != ".tsv")
        found += [(path.name, path.read_bytes()) for path in paths if 0 < path.stat().st_size <= MAX_SEED_BYTES]
    return found + [(name, plain) for name, data in found if (plain := _unpacked(data))]


def _unpacked(data: bytes) -> bytes | None:
    import pymupdf  # only where parsers may be loaded

    if not data.startswith(b"%PDF"):
        return None
    try:
        with pymupdf.open(stream=data, filetype="pdf") as document:
            plain: bytes = document.tobytes(expand=255)
    except (RuntimeError, ValueError):
        return None
    return plain if len(plain) <= MAX_SEED_BYTES else None


async def fuzz(options: argparse.Namespace) -> tuple[Findings, dict[str, int]]:
    """Reads broken files until the time or the number is reached."""
    findings, chance = Findings(), random.Random(options.seed)
    by_suffix: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for name, data in seeds(with_corpus=not options.samples_only):
        by_suffix[Path(name).suffix.lower()].append((name, data))
    ends_at = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    async with SandboxedAttachmentExtractor(timeout_seconds=TIMEOUT_S) as extractor:
        await extractor.extract(b"first", file_metadata={"name": "first.txt"})
        descriptors = open_descriptors()
        while time.monotonic() < ends_at and findings.files < options.files:
            batch = []
            for _ in range(min(BATCH_FILES, options.files - findings.files)):
                findings.files += 1
                name, data = chance.choice(by_suffix[chance.choice(sorted(by_suffix))])
                broken = mutated(data, random.Random(f"{options.seed}/{findings.files}"))
                batch.append(one_file(extractor, findings, options.findings, f"{findings.files}-{name}", broken))
            await asyncio.gather(*batch)
            await check_left_behind(findings, extractor, descriptors)
        return findings, asdict(extractor.counters)


async def one_file(
    extractor: SandboxedAttachmentExtractor, findings: Findings, folder: Path | None, name: str, data: bytes
) -> None:
    """Reads one file and notes what is worth noting."""
    name = name.encode("ascii", "replace").decode()
    started = time.monotonic()
    try:
        async with asyncio.timeout(BATCH_FILES * (TIMEOUT_S + GRACE_S)):
            content = await extractor.extract(data, file_metadata={"name": name})
    except BaseException as exc:
        findings.broken_promises.append(f"{name}: raised {type(exc).__name__}: {exc}")
        _keep(folder, findings, name, data)
        if not isinstance(exc, Exception):
            raise
        return
    findings.slowest_s = max(findings.slowest_s, time.monotonic() - started)
    suffix, note = Path(name).suffix.lower() or "no suffix", content.note or ""
    findings.statuses[suffix][content.status] += 1
    findings.broken_promises += [f"{name}: {what}" for what in broken_promises(content)]
    crash = next((words for words in CRASHES if words in note), None)
    broken_reader = _BROKEN_READER.search(note)
    if crash is not None:
        findings.crashes[f"{suffix}: {note.split(';')[0][:100]}"] += 1
    if broken_reader is not None:
        findings.broken_readers[f"{broken_reader[1]}: {broken_reader[2]}"] += 1
    if crash is not None or broken_reader is not None:
        _keep(folder, findings, name, data)


def broken_promises(content: ExtractedContent) -> list[str]:
    """What a result may never be."""
    limits = ExtractLimits()
    promises = {
        "no sentence on why it is not whole": content.status is Status.OK or bool(content.note),
        "too much text": len(content.text or "") <= limits.extract_text_max_chars,
        "too many images": len(content.images) <= limits.images_max_count,
        "text that no wire can carry": (content.text or "").isascii() or _is_speakable(content.text or ""),
    }
    return [what for what, is_kept in promises.items() if not is_kept]


def _is_speakable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


async def check_left_behind(findings: Findings, extractor: SandboxedAttachmentExtractor, descriptors: int) -> None:
    """No child, and no descriptor but one for each zygote that came later."""
    for _ in range(100):
        zygotes = children_of(os.getpid())
        # A control socket for each kind of zygote; one more while a successor is on its way.
        if not any(map(children_of, zygotes)) and open_descriptors() <= descriptors + len(zygotes) + 1:
            break
        await asyncio.sleep(0.05)
    else:
        findings.broken_promises.append(
            f"after {findings.files} files: {open_descriptors()} descriptors, {descriptors} before"
        )
    whole = await extractor.extract(b"whole", file_metadata={"name": "whole.txt"})
    if whole.text != "whole":
        findings.broken_promises.append(f"after {findings.files} files a whole one was {whole.status}: {whole.note}")


def open_descriptors() -> int:
    """How many this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def children_of(pid: int) -> list[int]:
    """The processes below this one."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _keep(folder: Path | None, findings: Findings, name: str, data: bytes) -> None:
    if folder is not None and findings.kept < MAX_KEPT:
        findings.kept += 1
        (folder / name).write_bytes(data)


def report(findings: Findings, counters: dict[str, int], seconds: float) -> dict[str, object]:
    """All of it, for people and for a file."""
    return {
        "seconds": round(seconds),
        "files": findings.files,
        "counters": counters,
        "broken promises of the parent": findings.broken_promises,
        "crashes of children": dict(findings.crashes.most_common()),
        "readers that broke": dict(findings.broken_readers.most_common()),
        "statuses by suffix": {suffix: dict(counts) for suffix, counts in sorted(findings.statuses.items())},
    }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--files", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--samples-only", action="store_true", help="without the corpus, so that all machines do the same"
    )
    parser.add_argument("--findings", type=Path, help="the folder for files that crashed a child or broke a reader")
    parser.add_argument("--record", type=Path, help="a JSON file for the outcome")
    options = parser.parse_args()
    if options.minutes is None and options.files == float("inf"):
        options.minutes = 30.0
    if options.findings is not None:
        options.findings.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    findings, counters = asyncio.run(fuzz(options))
    outcome = json.dumps(report(findings, counters, time.monotonic() - started), indent=1, ensure_ascii=False)
    print(outcome)
    if options.record is not None:
        options.record.write_text(outcome + "\n", encoding="utf-8")
    return 1 if findings.broken_promises else 0


if __name__ == "__main__":
    sys.exit(main())
