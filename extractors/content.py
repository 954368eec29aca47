"""What an extraction yields: neutral text and images, and an honest account of how the reading went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


class Status(StrEnum):
    """How the reading of one file ended, told apart by what can be done about it.

    - Mend the input: `rejected`, and `encrypted`, which a password mends.
    - Find another reader: `unsupported`.
    - Try again: `timeout` and `failed`; the same bytes may fare better when the machine is less busy, or never.
    - Read, but doubtful (a garbled text layer, a name that says something else): `ok` with `warnings`.

    In a container each member has an ending of its own. One that was not read makes the whole `partial`, and its
    ending stands in the text and among the warnings under the member's path.
    """

    OK = "ok"
    PARTIAL = "partial"  # some of it was read: a limit, the time or a broken part cut the rest
    REJECTED = "rejected"  # the input must be mended first: empty, too large, broken
    UNSUPPORTED = "unsupported"  # no reader here; neither failure nor success
    ENCRYPTED = "encrypted"  # a password is needed
    TIMEOUT = "timeout"  # nothing was read before the time ran out
    FAILED = "failed"  # the reader broke, or could not be started


class Kind(StrEnum):
    """What a file is to a reader, not to a parser."""

    IMAGE = "image"
    PDF = "pdf"
    TEXT = "text"
    DOCUMENT = "document"
    SPREADSHEET = "spreadsheet"
    PRESENTATION = "presentation"
    EMAIL = "email"
    ARCHIVE = "archive"
    AUDIO = "audio"
    VIDEO = "video"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ExtractedImage:
    """One image fit for a model: upright, in a media type every endpoint takes, with known pixel sizes."""

    data: bytes
    media_type: str
    width: int | None = None
    height: int | None = None
    #: Where it stands in the text: the same words as its reference there, such as "page 3" or "image 2".
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """The evidence for a file's type and the decision taken on it. Types are media types, None where silent."""

    media_type: str
    extension_type: str | None = None
    transport_type: str | None = None
    detected_type: str | None = None
    method: str = "none"  # magic, container, text, extension, transport, none
    conflict: bool = False  # the name or the transport says something else than the content


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionWarning:
    """Something that was not read as it stands: the problem, and what it means for the reader."""

    problem: str
    consequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedContent:
    """The result of one extraction. English and neutral; never a prompt.

    `text` is Markdown with marks a model can cite (`--- Page 3 ---`, `--- Slide 2 ---`, `### Sheet1`).
    `note` is one sentence on whatever the reader should know: why it failed, what was left out.
    """

    kind: str = Kind.UNKNOWN
    media_type: str = "application/octet-stream"
    text: str | None = None
    images: tuple[ExtractedImage, ...] = ()
    total_pages: int | None = None
    truncated: bool = False
    note: str | None = None
    size_bytes: int = 0
    status: Status = Status.OK
    warnings: tuple[ExtractionWarning, ...] = ()
    detection: Detection | None = None
    sha256: str | None = None
    #: Paths of the files inside a container that were read.
    members: tuple[str, ...] = ()


# --- what a format yields, and what crosses the sandbox's wall -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Detected:
    """The first block of every extraction."""

    kind: str
    detection: Detection


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of Markdown that stands by itself: a paragraph, a heading, a table, a mark. Joined by blank lines."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Picture:
    """An image already made fit for a model."""

    image: ExtractedImage


@dataclass(frozen=True, slots=True)
class PageCount:
    """How many pages, slides or sheets the file has, read or not."""

    total: int


@dataclass(frozen=True, slots=True)
class Warned:
    """Read, but not as it stands. `partial` says that something of the file is missing from the text."""

    warning: ExtractionWarning
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Truncated:
    """A limit cut here. `what` says what is missing, such as "pages 41 to 92 of 92"."""

    what: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last block when a reading ends otherwise than well: the status and a sentence for the user."""

    status: Status
    note: str


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a container, for `extract` to read in turn under the same budget; it never leaves the child.

    `path` is how people know it inside the container, cleaned of anything that could escape a folder.
    """

    path: str
    data: bytes
    declared_type: str | None = None
    #: The container is nothing but this file compressed, so it is read in the container's own place.
    is_whole: bool = False
    #: The container shows it by a picture too, so that nothing is missing where there is no reader for it.
    is_shown: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file inside a container that is not read, and why; told in the text where the container ends."""

    path: str
    why: str
    #: False for what no reader would miss, such as a link.
    is_loss: bool = True


@dataclass(frozen=True, slots=True)
class MemberRead:
    """A member was read: its path inside the outermost container, such as "mails/offer.eml/price.xlsx"."""

    path: str


@dataclass(frozen=True, slots=True)
class PageStarted:
    """A page that may take long begins. Whoever waits may stop the reader there and go on with the next page.

    `owed` is what is missing of the pages before, told only should no later mark come.
    """

    number: int
    owed: str = ""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The last block when another zygote has the reader for this file."""

    zygote: str


#: What crosses the sandbox's wall.
Block = Detected | Text | Picture | PageCount | Warned | Truncated | MemberRead | Ended | PageStarted | Elsewhere


# --- the public protocol ----------------------------------------------------------------------------------------------


@runtime_checkable
class AttachmentExtractor(Protocol):
    """Bytes in, content out, never an exception."""

    async def extract(
        self, data: bytes, *, file_metadata: Mapping[str, Any], media_type: str | None = None
    ) -> ExtractedContent:
        """Reads one attachment; `file_metadata["name"]` and `["mime_type"]` are evidence, not truth."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What an earlier reader of the same file gave before it was stopped on a page; the next one goes on after it."""

    next_page: int = 1
    chars: int = 0
    images: int = 0
    seconds: float = 0.0


@dataclass(slots=True, kw_only=True)
class Job:
    """One file as the extractor sees it. Name and types come from strangers."""

    data: bytes
    name: str | None = None
    declared_type: str | None = None  # the caller's media_type argument or the metadata's mime_type
    metadata: dict[str, str] = field(default_factory=dict)
    progress: Progress = Progress()
    zygote: str | None = None  # the kind of zygote that reads; None outside the sandbox, where every reader is at hand

    @property
    def password(self) -> str | None:
        """The password handed in for this file, if any."""
        return self.metadata.get("password") or None
