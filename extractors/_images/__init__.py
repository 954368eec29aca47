"""Pictures: what is known of them, and how they are made fit for a model."""

from extractors._images.fitting import fit_frames, fit_image, fit_parts, fit_pixels, fit_raster
from extractors._images.opening import ImageFacts, facts, image_dimensions

__all__ = [
    "ImageFacts",
    "facts",
    "fit_frames",
    "fit_image",
    "fit_parts",
    "fit_pixels",
    "fit_raster",
    "image_dimensions",
]
