"""What a reader gets of a metafile: its words, and a picture where there is more to see than they say."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extractors._magic import EMF, SVM, WMF, type_of_signature
from extractors._metafile.emf import read_emf
from extractors._metafile.raster import drawn
from extractors._metafile.scene import WHITE, Bitmap, Box, Item, Scene, Shape, Words, box_of, overlap
from extractors._metafile.svm import read_svm
from extractors._metafile.wmf import read_wmf
from extractors._metafile.words import is_level, words_of
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import MIB

if TYPE_CHECKING:
    from PIL import Image

_READERS = {
    EMF: (read_emf, "a Windows metafile (EMF)"),
    WMF: (read_wmf, "a Windows metafile (WMF)"),
    SVM: (read_svm, "an OpenOffice metafile (SVM)"),
}
_MAX_INFLATED_BYTES = 64 * MIB
_GZIP = b"\x1f\x8b\x08"
_COVERING = 0.6


class Undrawn(Unreadable):
    """A picture that is whole, and that no reader here draws: the document around it is none the worse."""

    def __init__(self, note: str) -> None:
        super().__init__(Status.UNSUPPORTED, note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The lines of text in a drawing; whether there is more to see than they say; and a picture of it."""

    words: tuple[str, ...]
    has_more: bool
    scene: Scene
    frame: Box
    name: str

    def image(self) -> Image.Image | None:
        """The one bitmap that covers the frame as it is, else everything drawn; None where nothing shows."""
        items: list[Item] = [item for item in self.scene.items if not _is_ground(item)]
        only = items[0] if len(items) == 1 else None
        if isinstance(only, Bitmap) and only.box[0] < only.box[2] and only.box[1] < only.box[3]:
            seen = overlap(box_of(only), self.frame)
            if seen is not None and _area(seen) > _COVERING * _area(self.frame):
                return only.image
        with _guarded(self.name):
            return drawn(self.scene, self.frame)


def metafile_type(data: bytes) -> str | None:
    """The media type of a metafile by how it begins; None for anything else."""
    found = type_of_signature(data)
    return found if found in _READERS else None


def inflated(data: bytes) -> bytes:
    """The metafile in a gzip, as in .emz and .wmz; anything else as it is."""
    if not data.startswith(_GZIP):
        return data
    try:
        whole = zlib.decompressobj(31).decompress(data, _MAX_INFLATED_BYTES)
    except zlib.error:
        return data
    return whole if metafile_type(whole) else data


def read_drawing(data: bytes) -> Drawing:
    """The drawing in these bytes. Raises `Undrawn` where nothing in it can be read."""
    scene = Scene()
    read, name = _READERS[metafile_type(data) or WMF]
    with _guarded(name):
        read(data, scene)
    if not scene.items and not scene.is_whole:
        raise Undrawn(f"{name} cannot be drawn")
    words = tuple(words_of(scene))
    # One line of text, or nothing, is said as well as shown.
    has_more = not is_level(scene) or not all(isinstance(item, Words) or _is_ground(item) for item in scene.items)
    return Drawing(words=words, has_more=has_more, scene=scene, frame=_frame(scene), name=name)


@contextmanager
def _guarded(name: str) -> Iterator[None]:
    """Numbers that no sane program writes break many things; the document around them can still be read."""
    try:
        yield
    except (ValueError, ArithmeticError, LookupError, OSError, struct.error, SyntaxError) as exc:
        raise Undrawn(f"{name} cannot be drawn") from exc


def _frame(scene: Scene) -> Box:
    """What is shown: what the file says, unless all it draws lies elsewhere."""
    extent = scene.extent()
    extent = (extent[0], extent[1], max(extent[2], extent[0] + 1), max(extent[3], extent[1] + 1))
    frame = scene.frame
    return frame if frame is not None and overlap(frame, extent) is not None else extent


def _is_ground(item: Item) -> bool:
    """True for white areas, which only show where something lies below them."""
    return isinstance(item, Shape) and item.fill in {WHITE, None} and (item.pen is None or item.pen.colour == WHITE)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
