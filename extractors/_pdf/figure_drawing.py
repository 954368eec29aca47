"""Figures drawn from their page: with their masks and colours, and the words written over them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from extractors._images import fit_pixels
from extractors._pdf.drawn import Figure, area, height, is_inside, width
from extractors._pdf.turned import Turn
from extractors.content import ExtractedImage
from extractors.limits import ExtractLimits

if TYPE_CHECKING:
    import pymupdf

#: Pixels a point: small words in drawings can be read. Pictures are drawn as sharp as they are, up to the limits.
DRAWING_ZOOM = 2.5
MAX_ZOOM = 6.0

#: What is known of a figure without decoding it: two with the same may be one.
Looks = tuple[Any, ...]


@dataclass(slots=True, kw_only=True)
class Shown:
    """A figure under its name; drawn once it is needed."""

    name: str = ""
    image: ExtractedImage | None = None
    #: Of its pixels; "" where it could not be drawn, None before.
    digest: str | None = None

    def named_image(self) -> ExtractedImage | None:
        """The picture under its name; None where it could not be drawn."""
        return replace(self.image, name=self.name) if self.image else None


class FigureDrawing:
    """Draws the figures of one page, which is read once for all of them."""

    def __init__(self, page: pymupdf.Page, limits: ExtractLimits) -> None:
        self._page = page
        self._limits = limits

    def looks(self, figure: Figure) -> Looks:
        """The same for the same picture in the same size, without decoding it."""
        facts = tuple(
            (info["width"], info["height"], info["bpc"], info["colorspace"], info["size"])
            for info in self._inside(figure)
        )
        return (round(width(figure.box)), round(height(figure.box)), *facts)

    def draw(self, shown: Shown, figure: Figure) -> None:
        """Fills in the picture and its digest, if that was not done."""
        if shown.digest is not None:
            return
        shown.digest = ""
        infos = self._inside(figure)
        if any(info["width"] * info["height"] > self._limits.image_decode_max_pixels for info in infos):
            return
        try:
            pixels = self._pixels(figure, self._zoom(figure, infos))
            shown.image = fit_pixels(pixels.samples, (pixels.width, pixels.height), self._limits)
        except Exception:
            return
        shown.digest = hashlib.sha256(pixels.samples).hexdigest()

    def _pixels(self, figure: Figure, zoom: float) -> Any:
        """From its own corner on, so that the same picture elsewhere gives the same pixels."""
        x0, y0, _, _ = figure.box
        matrix = (zoom, 0, 0, zoom, -x0 * zoom, -y0 * zoom)
        return self._page_drawn.get_pixmap(matrix=matrix, clip=figure.box, alpha=False)

    def _zoom(self, figure: Figure, infos: Sequence[Any]) -> float:
        limits = self._limits
        native = [info["width"] / max(info["bbox"][2] - info["bbox"][0], 1.0) for info in infos]
        wanted = max(limits.pdf_render_zoom, min(max(native), MAX_ZOOM)) if native else DRAWING_ZOOM
        side = max(width(figure.box), height(figure.box), 1.0)
        return min(
            wanted,
            limits.image_max_side_px / side,
            math.sqrt(min(limits.pdf_render_max_pixels, limits.image_max_pixels) / max(area(figure.box), 1.0)),
        )

    def _inside(self, figure: Figure) -> list[Any]:
        return [info for box, info in self._infos if is_inside(box, figure.box)]

    @cached_property
    def _infos(self) -> list[tuple[Any, Any]]:
        turn = Turn.of(self._page)
        return [(turn.box(info["bbox"]), info) for info in self._page.get_image_info()]

    @cached_property
    def _page_drawn(self) -> Any:
        return self._page.get_displaylist()
