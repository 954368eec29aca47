"""Blocks become content. Every limit is checked here again, since blocks may come from a child that was taken over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from extractors._pixel_size import pixel_size
from extractors.content import (
    Block,
    Detected,
    Detection,
    Ended,
    ExtractedContent,
    ExtractedImage,
    ExtractionWarning,
    Kind,
    MemberRead,
    PageCount,
    Picture,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.limits import ExtractLimits

SEPARATOR = "\n\n"
#: One sentence of a note or a warning, a name or a media type.
MAX_PHRASE_CHARS = 300
MAX_NOTE_CHARS = 1_000
#: A note names this many warnings; all of them are in `warnings`.
MAX_NOTED_WARNINGS = 3
MAX_PAGES = 10_000_000
#: What a model may be handed, and how such bytes begin.
IMAGE_MAGIC = {
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/webp": b"RIFF",
    "image/gif": b"GIF8",
}
#: Endings that leave a file partly read when something came before them.
CUT_SHORT = frozenset({Status.TIMEOUT, Status.FAILED, Status.REJECTED})


@dataclass(slots=True, kw_only=True)
class Assembly:
    """Collects the blocks of one file as they come; `finish` may be called at any moment, and always gives a result."""

    limits: ExtractLimits
    size_bytes: int
    sha256: str | None = None
    _detected: Detected | None = None
    _texts: list[str] = field(default_factory=list)
    _chars_left: int = field(init=False)
    _images: list[ExtractedImage] = field(default_factory=list)
    _total_pages: int | None = None
    _warnings: list[ExtractionWarning] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)
    _members: list[str] = field(default_factory=list)
    _is_partial: bool = False
    _ended: Ended | None = None

    def __post_init__(self) -> None:
        self._chars_left = self.limits.extract_text_max_chars

    def add(self, block: Block) -> None:
        """Takes the next block. What exceeds a limit is left out, and the result says so."""
        match block:
            case Detected():
                self._detected = self._detected or block
            case Text(markdown):
                self._add_text(markdown)
            case Picture(image):
                self._add_image(image)
            case PageCount(total):
                self._total_pages = max(0, min(total, MAX_PAGES))
            case Warned(warning, partial):
                self._add_warning(warning, partial=partial)
            case Truncated(what):
                self._miss(what)
            case MemberRead(path):
                self._add_member(path)
            case Ended():
                self._ended = self._ended or block

    def _add_text(self, markdown: str) -> None:
        if not markdown:
            return
        granted = self._chars_left - len(SEPARATOR)
        if len(markdown) > granted:
            self._miss(f"text after the first {self.limits.extract_text_max_chars:,} characters")
            markdown = markdown[: max(0, granted)]
        if markdown:
            self._texts.append(markdown)
            self._chars_left -= len(markdown) + len(SEPARATOR)

    def _add_image(self, image: ExtractedImage) -> None:
        if len(self._images) >= self.limits.images_max_count:
            self._miss(f"images after the first {self.limits.images_max_count}")
        elif not self._is_fit(image):
            self._miss("an image that is not fit to be passed on")
        else:
            name = _phrase(image.name) if image.name else None
            self._images.append(
                ExtractedImage(image.data, image.media_type, width=image.width, height=image.height, name=name)
            )

    def _is_fit(self, image: ExtractedImage) -> bool:
        magic = IMAGE_MAGIC.get(image.media_type)
        sides = (image.width or 0, image.height or 0)
        return (
            magic is not None
            and image.data.startswith(magic)
            and len(image.data) <= self.limits.image_max_output_bytes
            and min(sides) > 0
            and max(sides) <= self.limits.image_max_side_px
            and pixel_size(image.data, image.media_type) == sides
        )

    def _add_warning(self, warning: ExtractionWarning, *, partial: bool) -> None:
        self._is_partial |= partial
        clipped = ExtractionWarning(problem=_phrase(warning.problem), consequence=_phrase(warning.consequence))
        if len(self._warnings) < self.limits.warnings_max_count and clipped not in self._warnings:
            self._warnings.append(clipped)

    def _add_member(self, path: str) -> None:
        if len(self._members) < self.limits.members_max_count:
            self._members.append(_phrase(path))

    def _miss(self, what: str) -> None:
        self._is_partial = True
        phrase = _phrase(what)
        if phrase not in self._missing and len(self._missing) < self.limits.warnings_max_count:
            self._missing.append(phrase)

    def finish(self, ended: Ended | None = None) -> ExtractedContent:
        """The result so far; `ended` says why no further block will come, where the blocks do not say it."""
        ended = self._ended or ended
        status = self._status(ended)
        detection = _clipped(self._detected.detection) if self._detected else None
        return ExtractedContent(
            kind=_kind(self._detected),
            media_type=detection.media_type if detection else "application/octet-stream",
            text=SEPARATOR.join(self._texts) or None,
            images=tuple(self._images),
            total_pages=self._total_pages,
            truncated=status is Status.PARTIAL,
            note=self._note(ended, status),
            size_bytes=self.size_bytes,
            status=status,
            warnings=tuple(self._warnings),
            detection=detection,
            sha256=self.sha256,
            members=tuple(self._members),
        )

    def _status(self, ended: Ended | None) -> Status:
        has_content = bool(self._texts or self._images)
        if ended is not None and not (has_content and ended.status in CUT_SHORT):
            return ended.status
        return Status.PARTIAL if ended is not None or self._is_partial else Status.OK

    def _note(self, ended: Ended | None, status: Status) -> str | None:
        """What the reader should know: why it ended, what is missing, what was not read as it stands."""
        phrases = [_phrase(ended.note)] if ended is not None else []
        if ended is not None and status is Status.PARTIAL:
            phrases.append("what was read before is kept")
        if self._missing:
            phrases.append("not included: " + ", ".join(self._missing))
        phrases += [f"{w.problem}: {w.consequence}" for w in self._warnings[:MAX_NOTED_WARNINGS]]
        if (more := len(self._warnings) - MAX_NOTED_WARNINGS) > 0:
            phrases.append(f"and {more} more warnings")
        return "; ".join(phrases)[:MAX_NOTE_CHARS] or None


def assemble(
    blocks: Iterable[Block], *, size_bytes: int, limits: ExtractLimits, sha256: str | None = None
) -> ExtractedContent:
    """All blocks of one file as content."""
    assembly = Assembly(limits=limits, size_bytes=size_bytes, sha256=sha256)
    for block in blocks:
        assembly.add(block)
    return assembly.finish()


def _phrase(untrusted: str) -> str:
    """One line of bounded length, without lone surrogates."""
    line = " ".join(untrusted[: MAX_PHRASE_CHARS * 2].split())[:MAX_PHRASE_CHARS]
    return line.encode("utf-8", "replace").decode()


def _kind(detected: Detected | None) -> Kind:
    known = detected is not None and detected.kind in set(Kind)
    return Kind(detected.kind) if detected is not None and known else Kind.UNKNOWN


def _clipped(untrusted: Detection) -> Detection:
    return Detection(
        media_type=_phrase(untrusted.media_type),
        extension_type=_phrase(untrusted.extension_type) if untrusted.extension_type else None,
        transport_type=_phrase(untrusted.transport_type) if untrusted.transport_type else None,
        detected_type=_phrase(untrusted.detected_type) if untrusted.detected_type else None,
        method=_phrase(untrusted.method),
        conflict=untrusted.conflict,
    )
