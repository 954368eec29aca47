"""The pictures inside an office file: each shown once, under a name that also stands in the text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from extractors import markdown
from extractors._images import fit_image
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Picture, Truncated, Warned
from extractors.format import Unreadable
from extractors.limits import MIB

MAX_PICTURE_BYTES = 64 * MIB

#: What programs fill in when the author gave no alternative text.
_FILE_NAME = re.compile(r"\S+\.(png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)", re.IGNORECASE)
_LEFT_OUT = "[an image that is left out]"


class PictureSource(Protocol):
    """Where pictures are read from by the name of their part."""

    @property
    def budget(self) -> Budget:
        """What is left of the limits."""

    def read(self, part: str, *, max_bytes: int) -> bytes:
        """The bytes of a picture. Raises `Unreadable` where it is broken or larger than `max_bytes`."""


@dataclass(slots=True, kw_only=True)
class Gallery:
    """Names pictures as they are met. `drain` hands out what was made since the last call; call it after each text."""

    source: PictureSource
    _references: dict[str, str] = field(default_factory=dict)
    _pending: list[Block] = field(default_factory=list)
    _shown: int = 0
    _refused: int = 0

    def reference(self, part: str, alternative_text: str = "") -> str:
        """What stands in the text for the picture in that part."""
        if part not in self._references:
            self._references[part] = self._add(part)
        words = "" if _FILE_NAME.fullmatch(alternative_text) else " ".join(alternative_text.split())
        return f"{self._references[part]} ({words})" if words else self._references[part]

    def drain(self) -> Iterator[Block]:
        """The pictures, and the warnings about pictures, that are not handed out yet."""
        yield from self._pending
        self._pending.clear()

    def ended(self) -> Iterator[Block]:
        """How many pictures had to be left out."""
        if self._refused:
            yield Truncated(f"{self._refused} more images")

    def _add(self, part: str) -> str:
        budget = self.source.budget
        if budget.is_late or budget.images_left <= 0:
            self._refused += 1
            return _LEFT_OUT
        try:
            data = self.source.read(part, max_bytes=MAX_PICTURE_BYTES)
            digest = hashlib.sha256(data).hexdigest()
            if digest in self._references:
                return self._references[digest]
            name = f"image {self._shown + 1}"
            image = fit_image(data, budget.limits, name=name)
        except Unreadable as exc:
            warning = ExtractionWarning(problem=f"{part}: {exc.note}", consequence="the image is left out")
            self._pending.append(Warned(warning, partial=True))
            return _LEFT_OUT
        budget.take_image()
        self._shown += 1
        self._pending.append(Picture(image))
        self._references[digest] = markdown.image_reference(name)
        return self._references[digest]
