"""Pictures that come as bytes inside a document, for the gallery, which knows pictures by the name of their part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors import markdown
from extractors._gallery import Gallery
from extractors._images import image_dimensions
from extractors._svg.picture import drawn_png
from extractors.budget import Budget
from extractors.content import Block

#: Smaller ones are bullets, spacers and counters of visits.
MIN_ICON_PX = 24
MIN_RULE_PX = 3
_DRAWING = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml\b.{0,2000}?<svg\b|svg\b|!DOCTYPE svg\b)", re.DOTALL)


@dataclass(slots=True, kw_only=True)
class Album:
    """Names pictures as they are met. `drain` hands out what was made since the last call; call it after each text."""

    budget: Budget
    _gallery: Gallery = field(init=False)
    _data: bytes = b""
    _met: int = 0

    def __post_init__(self) -> None:
        self._gallery = Gallery(source=self, is_at_hand=True)

    def reference(self, data: bytes, words: str = "") -> str:
        """What stands in the text for this picture; its alternative text alone where it is an ornament."""
        if _is_ornament(data):
            return alternative(words)
        self._met += 1
        self._data = data
        return self._gallery.reference(f"picture {self._met}", words)

    def read(self, part: str, *, max_bytes: int) -> bytes:  # noqa: ARG002 - the gallery's protocol; it asks at once
        """The picture that was met last; a drawing as pixels, where there is room for it."""
        is_drawn = self.budget.images_left > 0 and _DRAWING.match(self._data)
        return drawn_png(self._data, self.budget.limits) if is_drawn else self._data

    def drain(self) -> Iterator[Block]:
        """The pictures, and the warnings about pictures, that are not handed out yet."""
        yield from self._gallery.drain()

    def ended(self) -> Iterator[Block]:
        """How many pictures had to be left out."""
        yield from self._gallery.ended()


def alternative(words: str) -> str:
    """What stands in the text for a picture that is not at hand: its alternative text, if any."""
    return markdown.image_reference(words) if words.strip() else ""


def _is_ornament(data: bytes) -> bool:
    size = image_dimensions(data)
    return size is not None and (max(size) < MIN_ICON_PX or min(size) < MIN_RULE_PX)
