"""What is left of the limits. A budget is spent, never guessed: formats ask it before they give."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from extractors.limits import ExtractLimits


@dataclass(slots=True, kw_only=True)
class Budget:
    """Counts down characters, images and inflated bytes, and tells when the soft deadline has passed."""

    limits: ExtractLimits
    #: Moment on the monotonic clock after which a format stops by itself and keeps what it has; None for never.
    soft_deadline: float | None = None
    chars_left: int = field(init=False)
    images_left: int = field(init=False)
    inflated_bytes_left: int = field(init=False)

    def __post_init__(self) -> None:
        self.chars_left = self.limits.extract_text_max_chars
        self.images_left = self.limits.images_max_count
        self.inflated_bytes_left = self.limits.office_zip_max_uncompressed_bytes

    def take_chars(self, wanted: int) -> int:
        """Spends up to `wanted` characters and says how many were granted."""
        granted = max(0, min(wanted, self.chars_left))
        self.chars_left -= granted
        return granted

    def take_image(self) -> bool:
        """Spends one image; False when none is left."""
        if self.images_left <= 0:
            return False
        self.images_left -= 1
        return True

    def take_inflated(self, size_bytes: int) -> bool:
        """Spends inflated bytes; False when they are more than is left."""
        self.inflated_bytes_left -= size_bytes
        return self.inflated_bytes_left >= 0

    @property
    def text_is_spent(self) -> bool:
        """True when no further character will be granted."""
        return self.chars_left <= 0

    @property
    def is_late(self) -> bool:
        """True when the soft deadline has passed: stop at the next natural place."""
        return self.soft_deadline is not None and time.monotonic() >= self.soft_deadline
