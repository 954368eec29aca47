"""How one file is read: detect, choose the format, and let its blocks out under one budget."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from extractors.assembly import SEPARATOR, assemble
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detected,
    Detection,
    Ended,
    ExtractedContent,
    ExtractionWarning,
    Job,
    Kind,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.detect import ENCRYPTED_OFFICE, detect
from extractors.format import Unreadable
from extractors.limits import ExtractLimits
from extractors.registry import format_for


def extract(job: Job, budget: Budget) -> Iterator[Block]:
    """The blocks of one file as they are made. The first is `Detected`; what goes wrong becomes a last `Ended`."""
    detection = detect(job)
    reader = format_for(detection)
    yield Detected(reader.kind if reader else Kind.UNKNOWN, detection)
    if not job.data:
        yield Ended(Status.REJECTED, "the file is empty")
        return
    if reader is None:
        yield _no_reader(detection)
        return
    if detection.conflict:
        yield Warned(_mismatch(detection))
    try:
        yield from _within(budget, reader.extract(job, detection, budget))
    except Unreadable as exc:
        yield Ended(exc.status, exc.note)
    except MemoryError:
        yield Ended(Status.FAILED, "too large in memory")
    except Exception as exc:
        # Only the class: the message of a parser may quote the document.
        yield Ended(Status.FAILED, f"the {reader.name} reader failed ({type(exc).__name__})")


def extract_content(
    data: bytes, *, media_type: str, name: str | None = None, limits: ExtractLimits | None = None
) -> ExtractedContent:
    """Reads one file in this process, without a sandbox: for files you trust. Never raises."""
    limits = limits or ExtractLimits()
    job = Job(data=data, name=name, declared_type=media_type)
    blocks = extract(job, Budget(limits=limits))
    return assemble(blocks, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), limits=limits)


def _within(budget: Budget, blocks: Iterator[Block]) -> Iterator[Block]:
    """Lets blocks through while characters are left; cuts the text that exceeds them at the end of a line."""
    for block in blocks:
        if not isinstance(block, Text):
            yield block
            continue
        cost = len(block.markdown) + len(SEPARATOR)
        granted = budget.take_chars(cost)
        if granted == cost:
            yield Text(_speakable(block.markdown))
            continue
        yield Text(_speakable(_cut_at_line(block.markdown, max(0, granted - len(SEPARATOR)))))
        yield Truncated(f"text after the first {budget.limits.extract_text_max_chars:,} characters")
        return


def _cut_at_line(text: str, max_chars: int) -> str:
    """The beginning of `text`, whole lines unless that would lose more than half of what is allowed."""
    line_end = text.rfind("\n", 0, max_chars + 1)
    return text[:line_end] if line_end > max_chars // 2 else text[:max_chars]


def _speakable(text: str) -> str:
    """`text` that any JSON, database or wire can carry: no NUL, no lone surrogate."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _no_reader(detection: Detection) -> Ended:
    if detection.media_type == ENCRYPTED_OFFICE:
        return Ended(Status.ENCRYPTED, "a password is needed to open this file")
    return Ended(Status.UNSUPPORTED, f"no reader for this type of file ({detection.media_type})")


def _mismatch(detection: Detection) -> ExtractionWarning:
    claim = (
        f"the name says {detection.extension_type}"
        if detection.extension_type
        else f"the sender says {detection.transport_type}"
    )
    return ExtractionWarning(problem=claim, consequence=f"the content is {detection.media_type} and was read as that")
