"""A scene as a picture, drawn with Pillow at twice its size and scaled down, so that thin lines stay smooth."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from extractors._metafile.scene import WHITE, Bitmap, Box, Item, Point, Scene, Shape, Words, box_of, overlap

if TYPE_CHECKING:
    from PIL import Image, ImageFont

_OVERSAMPLED = 2
_PIXELS_TO_INCH = 160
_LEAST_SIDE, _MOST_SIDE, _MAX_ASPECT = 480, 1_200, 20
_MAX_SECONDS = 2.5
#: Points of one outline; more of them cannot be told apart in a picture of this size.
_MAX_OUTLINE = 10_000
_LINE_PIECE = 500
_MAX_TEXT_PX = 400
_WIDE_SIGN = 0x2E80


def drawn(scene: Scene, frame: Box) -> Image.Image | None:
    """The part of the scene inside the frame; None where nothing shows."""
    from PIL import Image  # noqa: PLC0415 - a parser loads with the first file that needs it

    scale = _scale(scene, frame)
    size = (math.ceil((frame[2] - frame[0]) * scale), math.ceil((frame[3] - frame[1]) * scale))
    size = (max(size[0], 4), max(size[1], 4))
    easel = Easel(image=Image.new("RGB", size, WHITE), corner=(frame[0], frame[1]), scale=scale)
    deadline = time.monotonic() + _MAX_SECONDS
    for item in scene.items:
        easel.draw(item)
        if time.monotonic() > deadline:
            break
    image = easel.image.reduce(_OVERSAMPLED)
    return None if image.getcolors(1) is not None else image


def _scale(scene: Scene, frame: Box) -> float:
    """Pixels to the unit of the plane: as large as it is meant to be seen, and as its bitmaps are sharp."""
    long = max(frame[2] - frame[0], frame[3] - frame[1])
    wanted = max(scene.inches) * _PIXELS_TO_INCH if scene.inches else _LEAST_SIDE
    for item in scene.items:
        if isinstance(item, Bitmap) and item.box[0] != item.box[2]:
            wanted = max(wanted, long * item.image.width / abs(item.box[2] - item.box[0]))
    return _OVERSAMPLED * max(_LEAST_SIDE, min(wanted, _MOST_SIDE)) / long


@dataclass(slots=True, kw_only=True)
class Easel:
    """The picture while it is drawn, with the place of its corner in the plane."""

    image: Image.Image
    corner: Point
    scale: float
    _fonts: dict[tuple[str, int], ImageFont.FreeTypeFont] = field(default_factory=dict)

    def draw(self, item: Item) -> None:
        """Draws one item, inside what it is clipped to."""
        box = box_of(item)
        pen = item.pen.width if isinstance(item, Shape) and item.pen is not None else 0.0
        seen = overlap(self._grown(box, pen), self._shown())
        if seen is None:
            return
        if item.clip is None or overlap(seen, item.clip) == seen:
            self.paint(item)
            return
        part = overlap(seen, item.clip)
        if part is None:
            return
        left, top = (math.floor(value) for value in self._pixels((part[0], part[1])))
        right, bottom = (math.ceil(value) for value in self._pixels((part[2], part[3])))
        region = self.image.crop((left, top, right, bottom))
        corner = (self.corner[0] + left / self.scale, self.corner[1] + top / self.scale)
        Easel(image=region, corner=corner, scale=self.scale, _fonts=self._fonts).paint(item)
        self.image.paste(region, (left, top))

    def paint(self, item: Item) -> None:
        """Draws one item, whatever it is clipped to."""
        if isinstance(item, Shape):
            self._shape(item)
        elif isinstance(item, Words):
            self._words(item)
        else:
            self._bitmap(item)

    def _grown(self, box: Box, pen: float) -> Box:
        """The box with room for its lines."""
        room = pen + 2 / self.scale
        return box[0] - room, box[1] - room, box[2] + room, box[3] + room

    def _shown(self) -> Box:
        left, top = self.corner
        return left, top, left + self.image.width / self.scale, top + self.image.height / self.scale

    def _pixels(self, point: Point) -> Point:
        """A point in pixels; one that lies far away is drawn nearer, or a line to it would take for ever."""
        x, y = ((place - corner) * self.scale for place, corner in zip(point, self.corner, strict=True))
        reach = 2 * _OVERSAMPLED * _MOST_SIDE
        return max(-reach, min(x, 2 * reach)), max(-reach, min(y, 2 * reach))

    def _shape(self, shape: Shape) -> None:
        from PIL import ImageDraw  # noqa: PLC0415 - a parser loads with the first file that needs it

        draw = ImageDraw.Draw(self.image)
        outlines = []
        for outline in shape.outlines:
            step = len(outline) // _MAX_OUTLINE + 1
            outlines.append([self._pixels(point) for point in (*outline[:-1:step], *outline[-1:])])
        if shape.fill is not None:
            self._fill([outline for outline in outlines if len(outline) > 2], shape.fill)
        if shape.pen is not None:
            width = max(_OVERSAMPLED, round(min(shape.pen.width * self.scale, self.image.width)))
            for outline in outlines:
                for at in range(0, len(outline), _LINE_PIECE):
                    draw.line(outline[at : at + _LINE_PIECE + 1], fill=shape.pen.colour, width=width, joint="curve")

    def _fill(self, outlines: Sequence[Sequence[Point]], colour: tuple[int, int, int]) -> None:
        """Several outlines cover what an odd number of them covers."""
        from PIL import Image, ImageChops, ImageDraw  # noqa: PLC0415 - a parser loads with the first file that needs it

        if len(outlines) == 1:
            ImageDraw.Draw(self.image).polygon(outlines[0], fill=colour)
        elif outlines:
            covered = Image.new("1", self.image.size)
            for outline in outlines[:1_000]:
                layer = Image.new("1", self.image.size)
                ImageDraw.Draw(layer).polygon(outline, fill=1)
                covered = ImageChops.logical_xor(covered, layer)
            self.image.paste(colour, (0, 0), covered)

    def _words(self, words: Words) -> None:
        from PIL import Image, ImageDraw  # noqa: PLC0415 - a parser loads with the first file that needs it

        size = min(round(words.size * self.scale), _MAX_TEXT_PX)
        if size < 2:
            return
        font = self._font(words, size)
        own, room = math.ceil(font.getlength(words.text)), size // 4
        if own <= 0 or own > 4 * self.image.width + 4 * size:
            return
        mask = Image.new("L", (own + 2 * room, size * 3 // 2))
        ImageDraw.Draw(mask).text((room, size), words.text, fill=255, font=font, anchor="ls")
        wide = round(mask.width * words.width * self.scale / own)
        if 0 < wide <= 2 * self.image.width + 2 * size and abs(wide - mask.width) > mask.width // 20:
            mask, room = mask.resize((wide, mask.height)), round(room * wide / mask.width)
        x, y = self._pixels(words.at)
        across, along = mask.width / 2 - room, mask.height / 2 - size
        if words.angle % 360:
            mask = mask.rotate(words.angle, expand=True)
        turn = math.radians(words.angle)
        x += across * math.cos(turn) + along * math.sin(turn) - mask.width / 2
        y += along * math.cos(turn) - across * math.sin(turn) - mask.height / 2
        self.image.paste(words.colour, (round(x), round(y)), mask)

    def _font(self, words: Words, size: int) -> ImageFont.FreeTypeFont:
        """MuPDF has its fonts inside: a confined reader opens no file."""
        import pymupdf  # noqa: PLC0415 - a parser loads with the first file that needs it
        from PIL import ImageFont  # noqa: PLC0415 - the same

        is_wide = any(ord(char) >= _WIDE_SIGN for char in words.text)
        name = "cjk" if is_wide else "hebo" if words.is_bold else "helv"
        if (name, size) not in self._fonts:
            file = io.BytesIO(pymupdf.Font(name).buffer)
            self._fonts[name, size] = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)
        return self._fonts[name, size]

    def _bitmap(self, bitmap: Bitmap) -> None:
        from PIL import Image, ImageChops  # noqa: PLC0415 - a parser loads with the first file that needs it

        (left, top), (right, bottom) = self._pixels(bitmap.box[:2]), self._pixels(bitmap.box[2:])
        box = (round(min(left, right)), round(min(top, bottom)), round(max(left, right)), round(max(top, bottom)))
        size = (max(1, box[2] - box[0]), max(1, box[3] - box[1]))
        image = bitmap.image if bitmap.image.mode in {"RGB", "RGBA"} else bitmap.image.convert("RGB")
        image = image.resize(size)
        if left > right:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        if top > bottom:
            image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        if image.mode == "RGBA":
            self.image.paste(image, box[:2], image)
        elif bitmap.mixing == "copy":
            self.image.paste(image, box[:2])
        else:
            below = self.image.crop((*box[:2], box[0] + size[0], box[1] + size[1]))
            mixed = {"and": ImageChops.multiply, "or": ImageChops.lighter, "xor": ImageChops.difference}
            self.image.paste(mixed[bitmap.mixing](below, image), box[:2])
