"""Archives: zip, tar, 7z, rar, and what gzip, bzip2 and xz hold. The files inside become members."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from extractors._archives.gate import Gate
from extractors._archives.rar_file import rar_members
from extractors._archives.seven_zip import seven_zip_members
from extractors._archives.streams import BZIP2, XZ, compressed_members
from extractors._archives.tar_file import Joined, tar_members
from extractors._archives.zip_file import zip_members
from extractors._magic import GZIP, TAR, ZIP
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, LeftOut, Member, Status
from extractors.format import Format, Unreadable

_READERS: dict[str, Callable[[Job, Gate], Iterator[Member | LeftOut]]] = {
    ZIP: zip_members,
    TAR: lambda job, gate: tar_members(Joined(job.data), gate),
    "application/x-7z-compressed": seven_zip_members,
    "application/vnd.rar": rar_members,
}
_COMPRESSED = frozenset({GZIP, BZIP2, XZ})


def extract(job: Job, detection: Detection, budget: Budget) -> Iterator[Block | Member | LeftOut]:
    """The files inside as members, and those that are not unpacked with the reason."""
    if detection.detected_type is None:
        raise Unreadable(Status.REJECTED, f"the file claims to be {detection.media_type}, but is not")
    gate = Gate(budget=budget)
    is_empty = True
    for found in _found(job, detection, gate):
        is_empty = False
        yield found
    if is_empty:
        raise Unreadable(Status.REJECTED, "there are no files in the archive")
    if gate.locked and not gate.handed:
        verb = "is needed to open" if job.password is None else "does not open"
        raise Unreadable(Status.ENCRYPTED, f"{'a' if job.password is None else 'the'} password {verb} this file")


def _found(job: Job, detection: Detection, gate: Gate) -> Iterator[Block | Member | LeftOut]:
    if detection.media_type in _COMPRESSED:
        return compressed_members(job, detection, gate)
    return _READERS[detection.media_type](job, gate)


FORMAT = Format(
    name="archive",
    kind=Kind.ARCHIVE,
    media_types=frozenset(_READERS) | _COMPRESSED,
    extensions=frozenset({"zip", "tar", "gz", "tgz", "bz2", "tbz", "tbz2", "xz", "txz", "7z", "rar"}),
    extract=extract,
    keeps=(
        "every file inside, read as if it had come alone, under its path",
        "names in the encoding they were written in",
        "files packed with a password, when it is given",
    ),
    libraries=("py7zr", "pycryptodomex", "cryptography", "rars"),
    limitations=(
        "Files that are spread over several volumes are named, not read.",
        "RAR needs the package rars.",
        "Files packed by PPMd, in a ZIP by Deflate64 or Zstandard, in a 7z by BCJ2, are named, not read.",
        "Files left out by a limit are named, up to twenty for each reason.",
    ),
)
