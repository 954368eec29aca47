"""Files inside files: where each one stands, what is told in its place, and what was left out."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._member_path import shown_path
from extractors.assembly import SEPARATOR
from extractors.budget import Budget
from extractors.content import (
    Block,
    Detected,
    Ended,
    ExtractionWarning,
    Job,
    LeftOut,
    Member,
    MemberRead,
    PageCount,
    PageStarted,
    Picture,
    Progress,
    Status,
    Text,
    Truncated,
    Warned,
)
from extractors.text_cut import charged

#: A container tells so many names of the files that were left out of it, and counts the others.
MAX_NAMES_TOLD = 20
#: Held back in every container, so that what was left out can be told when the text is spent.
TOLD_CHARS = 1_000
#: What is shorter is told again: a note that it comes again would be as long.
MIN_REPEATED_CHARS = 300
_REFERENCE = re.compile(r"\[image: ([^\]\n]+)\]")
#: What would end a reference to an image, or the cell around it.
_IN_REFERENCE = str.maketrans("[]|\\", "()//")


@dataclass(slots=True, kw_only=True)
class Place:
    """Where a file stands: its path inside the outermost container, or "" for that one itself."""

    path: str = ""
    #: The file is all there is at this path, which has a heading already.
    is_whole: bool = False
    #: The container shows it by a picture too.
    is_shown: bool = False
    _is_read: bool = False

    def under(self, path: str) -> str:
        """The path of a file inside this one."""
        return f"{self.path}/{path}" if self.path else path

    def tell(self, block: Block) -> Iterator[Block]:
        """A block of the file as it is told from outside: under its path, and what went wrong also in the text."""
        if isinstance(block, Detected) and (self.is_whole or self.path):
            if not self.is_whole:
                yield Text(markdown.file_mark(self.path))
        elif not self.path:
            yield block
        else:
            yield from self._told(block)

    def _told(self, block: Block) -> Iterator[Block]:
        if isinstance(block, Text | Picture) and not self._is_read:
            self._is_read = True
            yield MemberRead(self.path)
        match block:
            case Text(text):
                yield Text(_REFERENCE.sub(lambda found: markdown.image_reference(self._image_name(found[1])), text))
            case Picture(image):
                yield Picture(dataclasses.replace(image, name=self._image_name(image.name or "image")))
            case PageCount() | PageStarted():
                pass  # a member's pages are not the container's
            case Warned(warning, partial):
                yield Text(markdown.note(f"{warning.problem}: {warning.consequence}"))
                problem = f"{self.path}: {warning.problem}"
                yield Warned(ExtractionWarning(problem=problem, consequence=warning.consequence), partial=partial)
            case Truncated(what):
                yield Text(markdown.note(f"not included: {what}"))
                yield Truncated(f"{self.path}: {what}")
            case Ended(status, note):
                yield Text(markdown.note(note))
                if self.is_shown and status is Status.UNSUPPORTED:
                    return
                consequence = "what was read before is kept" if self._is_read else "it was not read"
                yield Warned(ExtractionWarning(problem=f"{self.path}: {note}", consequence=consequence), partial=True)
            case _:
                yield block

    def words(self, block: Block) -> str | bytes | None:
        """What a block says, whatever the path of the file that says it; None where it is about the reading."""
        if isinstance(block, Picture):
            return block.image.data
        if not isinstance(block, Text):
            return None
        text = block.markdown.replace(markdown.file_mark(self.path), "")
        return text.replace(f"[image: {self._image_name('')}", "[image: ")

    def _image_name(self, name: str) -> str:
        return f"{self.path.translate(_IN_REFERENCE)}/{name}"


#: Reads one file in its place.
Read = Callable[[Job, Budget, Place], Iterator[Block]]


@dataclass(slots=True, kw_only=True)
class _Repeats:
    """What the files of one container have told, so that one that says the same again is only named.

    A file is held back only as long as it says, block for block, what one before it has said.
    """

    budget: Budget
    #: By the digest of all that a file told, which file it was.
    _told_by: dict[int, str] = field(default_factory=dict)
    _beginnings: set[int] = field(default_factory=set)

    def told(self, place: Place, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks of a file, or what it is the same as."""
        digest, beginnings, held = 0, list[int](), list[Block]()
        is_new = False
        for block in blocks:
            if (words := place.words(block)) is not None:
                digest = hash((digest, words))
                beginnings.append(digest)
                is_new = is_new or digest not in self._beginnings
            held.append(block)
            if is_new:
                yield from held
                held.clear()
        self._beginnings.update(beginnings)
        first = self._told_by.setdefault(digest, place.path)
        chars = sum(len(block.markdown) + len(SEPARATOR) for block in held if isinstance(block, Text))
        if first == place.path or chars < MIN_REPEATED_CHARS:
            yield from held
            return
        self.budget.chars_left += chars
        self.budget.images_left += sum(isinstance(block, Picture) for block in held)
        yield MemberRead(place.path)
        for text in (markdown.file_mark(place.path), markdown.note(f"the same as {first}")):
            yield from charged(self.budget, Text(text))


@dataclass(slots=True, kw_only=True)
class Members:
    """The files inside one container, as they come."""

    job: Job
    budget: Budget
    place: Place
    _repeats: _Repeats = field(init=False)
    _reserve_chars: int | None = None
    _left_out: dict[str, list[str]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _lost: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._repeats = _Repeats(budget=self.budget)

    def read(self, member: Member, read: Read) -> Iterator[Block]:
        """The blocks of one member, in its place."""
        self._hold_back()
        path = shown_path(member.path) or "unnamed"
        if (why := self.budget.why_no_member(len(member.data))) is not None:
            self.leave_out(LeftOut(path, why))
            return
        self.budget.take_member(len(member.data))
        within = self.place.path if member.is_whole else self.place.under(path)
        place = Place(path=within, is_whole=member.is_whole, is_shown=member.is_shown)
        if not member.data and not member.is_whole:
            for block in (Text(markdown.file_mark(place.path)), Text(markdown.note("the file is empty"))):
                yield from charged(self.budget, block)
            return
        password = {"password": self.job.password} if self.job.password else {}
        name = path.rpartition("/")[2]
        job = Job(
            data=member.data,
            name=name,
            declared_type=member.declared_type,
            metadata=password,
            progress=self.job.progress if member.is_whole else Progress(),
            zygote=self.job.zygote,
        )
        self.budget.depth += 1
        try:
            blocks = read(job, self.budget, place)
            yield from blocks if member.is_whole else self._repeats.told(place, blocks)
        finally:
            self.budget.depth -= 1

    def leave_out(self, left: LeftOut) -> None:
        """Notes a member that is not read."""
        self._hold_back()
        self._counts[left.why] += 1
        self._lost[left.why] += left.is_loss
        names = self._left_out.setdefault(left.why, [])
        if len(names) < MAX_NAMES_TOLD:
            names.append(shown_path(left.path) or "unnamed")

    def told(self) -> Iterator[Block]:
        """What was left out, with its reasons; nothing when it has been told already."""
        self.budget.chars_left += self._reserve_chars or 0
        self._reserve_chars = None
        for why, names in self._left_out.items():
            more = self._counts[why] - len(names)
            told = ", ".join(names) + (f" and {more:,} more" if more else "")
            yield from charged(self.budget, Text(markdown.note(f"not read: {told} ({why})")))
            if self._lost[why]:
                yield Truncated(f"{self.place.under(names[0])}{_others(self._counts[why] - 1)} ({why})")
        self._left_out.clear()

    def _hold_back(self) -> None:
        if self._reserve_chars is None:
            self._reserve_chars = min(TOLD_CHARS, self.budget.chars_left // 4)
            self.budget.chars_left -= self._reserve_chars


def _others(count: int) -> str:
    return f" and {count:,} more files" if count > 1 else " and another file" if count else ""
