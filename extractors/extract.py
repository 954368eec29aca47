"""How one file is read: detect, choose the format, and let its blocks out, members in their place, under one budget."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial

from extractors._decrypt import locked, opened
from extractors.assembly import assemble
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detected,
    Detection,
    Elsewhere,
    Ended,
    ExtractedContent,
    ExtractionWarning,
    Job,
    Kind,
    LeftOut,
    Member,
    Status,
    Warned,
)
from extractors.detect import ENCRYPTED_OFFICE, detect
from extractors.format import Format, Unreadable
from extractors.limits import ExtractLimits
from extractors.members import Members, Place
from extractors.registry import format_for
from extractors.text_cut import charged

#: What a Rust extension raises when it breaks: no `Exception`, and importable from nowhere.
_RUST_PANIC = "PanicException"


def extract(job: Job, budget: Budget, place: Place | None = None, *, formats: Sequence[Format] = ()) -> Iterator[Block]:
    """The blocks of one file as they are made. The first is `Detected`; what goes wrong becomes a last `Ended`."""
    place = place or Place()
    members = Members(job=job, budget=budget, place=place)
    for block in _read(job, budget, formats):
        if isinstance(block, Member):
            yield from members.read(block, partial(extract, formats=formats))
            continue
        if isinstance(block, LeftOut):
            members.leave_out(block)
            continue
        if isinstance(block, Ended):
            yield from members.told()
        for told in place.tell(block):
            yield from charged(budget, told)
        if budget.text_is_cut:
            break
    yield from members.told()


def extract_content(
    data: bytes,
    *,
    media_type: str,
    name: str | None = None,
    limits: ExtractLimits | None = None,
    formats: Sequence[Format] = (),
) -> ExtractedContent:
    """Reads one file in this process, without a sandbox: for files you trust. Never raises.

    `formats` are read beside ours and those of installed packages; their `order` says which is tried first.
    """
    limits = limits or ExtractLimits()
    job = Job(data=data, name=name, declared_type=media_type)
    blocks = extract(job, Budget(limits=limits), formats=formats)
    return assemble(blocks, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), limits=limits)


def _read(job: Job, budget: Budget, formats: Sequence[Format]) -> Iterator[Block | Member | LeftOut]:
    """What the file's own reader yields, after what was detected; its errors as a last `Ended`."""
    job = opened(job)
    detection = detect(job)
    reader = format_for(detection, job.name, formats)
    yield Detected(reader.kind if reader else Kind.UNKNOWN, detection)
    if not job.data:
        yield Ended(Status.REJECTED, "the file is empty")
        return
    if reader is None:
        yield _no_reader(detection, job)
        return
    if job.zygote not in {None, reader.zygote}:
        inside = Ended(Status.UNSUPPORTED, f"{reader.kind} is read only as a file of its own")
        yield inside if budget.depth else Elsewhere(reader.zygote)
        return
    if detection.conflict:
        yield Warned(_mismatch(detection))
    try:
        yield from reader.extract(job, detection, budget)
    except Unreadable as exc:
        yield Ended(exc.status, exc.note)
    except MemoryError:
        yield Ended(Status.FAILED, "too large in memory")
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != _RUST_PANIC:
            raise
        # Only the class: the message of a parser may quote the document.
        yield Ended(Status.FAILED, f"the {reader.name} reader failed ({type(exc).__name__})")


def _no_reader(detection: Detection, job: Job) -> Ended:
    if detection.media_type == ENCRYPTED_OFFICE:
        return Ended(Status.ENCRYPTED, locked(job).note)
    return Ended(Status.UNSUPPORTED, f"no reader for this type of file ({detection.media_type})")


def _mismatch(detection: Detection) -> ExtractionWarning:
    claim = (
        f"the name says {detection.extension_type}"
        if detection.extension_type
        else f"the sender says {detection.transport_type}"
    )
    return ExtractionWarning(
        problem=f"media type mismatch: {claim}",
        consequence=f"the content is {detection.media_type} and is read as that",
    )
