"""The pictures inside an office file: each shown once, under a name that also stands in the text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from extractors import markdown
from extractors._images import fit_image, fit_raster
from extractors._metafile.drawing import Undrawn, inflated, metafile_type, read_drawing
from extractors.budget import Budget
from extractors.content import Block, ExtractedImage, ExtractionWarning, Picture, Truncated, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

MAX_PICTURE_BYTES = 64 * MIB

#: What programs fill in when the author gave no alternative text.
_FILE_NAME = re.compile(r"\S+\.(png|jpe?g|gif|bmp|tiff?|em[fz]|wm[fz]|svg|webp)", re.IGNORECASE)
_LEFT_OUT = "[an image that is left out]"
#: Drawings may hold words, which are read even where there is room for no more pictures.
_SPEAKING = (".emf", ".wmf", ".emz", ".wmz", ".svm")
_MAX_WORDS_CHARS = 2_000


class PictureSource(Protocol):
    """Where pictures are read from by the name of their part."""

    @property
    def budget(self) -> Budget:
        """What is left of the limits."""

    def read(self, part: str, *, max_bytes: int) -> bytes:
        """The bytes of a picture. Raises `Unreadable` where it is broken or larger than `max_bytes`."""


@dataclass(frozen=True, slots=True)
class _Met:
    """What stands in the text for a picture, "" for one that shows no more than its words; and the words in it."""

    reference: str
    words: str = ""


@dataclass(slots=True, kw_only=True)
class Gallery:
    """Names pictures as they are met. `drain` hands out what was made since the last call; call it after each text."""

    source: PictureSource
    #: Reading a picture costs nothing, for it was read before.
    is_at_hand: bool = False
    #: By the name of the part, and by the digest of its bytes.
    _met: dict[str, _Met] = field(default_factory=dict)
    _pending: list[Block] = field(default_factory=list)
    _count: int = 0
    _refused: int = 0

    def reference(self, part: str, alternative_text: str = "") -> str:
        """What stands in the text for the picture in that part, and what is said of it or written in it."""
        if part not in self._met:
            self._met[part] = self._add(part)
        met = self._met[part]
        words = "" if _FILE_NAME.fullmatch(alternative_text) else " ".join(alternative_text.split())
        if not met.reference and not words:  # what is written in it is all there is
            return markdown.image_reference(met.words) if met.words else ""
        reference = met.reference or markdown.image_reference(words)
        inside = f"in the picture: {met.words}" if met.words and met.words not in words else ""
        said = "; ".join(filter(None, (words if met.reference else "", inside)))
        return f"{reference} ({said})" if said else reference

    def drain(self) -> Iterator[Block]:
        """The pictures, and the warnings about pictures, that are not handed out yet."""
        yield from self._pending
        self._pending.clear()

    def ended(self) -> Iterator[Block]:
        """How many pictures had to be left out."""
        if self._refused:
            yield Truncated(f"{self._refused} more images")

    def _add(self, part: str) -> _Met:
        budget = self.source.budget
        is_read = budget.images_left > 0 or self.is_at_hand or part.lower().endswith(_SPEAKING)
        if budget.is_late or not is_read:
            return self._left_out()
        try:
            data = inflated(self.source.read(part, max_bytes=MAX_PICTURE_BYTES))
            digest = hashlib.sha256(data).hexdigest()
            if digest not in self._met:
                self._met[digest] = self._drawing(data) if metafile_type(data) else self._picture(data)
        except Unreadable as exc:
            warning = ExtractionWarning(problem=f"{part}: {exc.note}", consequence="the image is left out")
            self._pending.append(Warned(warning, partial=not isinstance(exc, Undrawn)))
            return _Met(_LEFT_OUT)
        return self._met[digest]

    def _left_out(self, words: str = "") -> _Met:
        self._refused += 1
        return _Met(_LEFT_OUT, words)

    def _picture(self, data: bytes) -> _Met:
        if self.source.budget.images_left <= 0:
            return self._left_out()
        return _Met(self._shown(fit_image(data, self.source.budget.limits, name=self._next)))

    def _drawing(self, data: bytes) -> _Met:
        """A metafile: its words, and a picture of it where there is more to see, and room."""
        drawing = read_drawing(data)
        words = " ".join(drawing.words)[:_MAX_WORDS_CHARS]
        budget = self.source.budget
        if not drawing.has_more:
            return _Met("", words)
        if budget.images_left <= 0:
            return self._left_out(words)
        image = drawing.image()
        if image is None:
            return _Met("", words)
        return _Met(self._shown(fit_raster(image, budget.limits, name=self._next)), words)

    @property
    def _next(self) -> str:
        return f"image {self._count + 1}"

    def _shown(self, image: ExtractedImage) -> str:
        name = self._next
        self.source.budget.take_image()
        self._count += 1
        self._pending.append(Picture(image))
        return markdown.image_reference(name)
