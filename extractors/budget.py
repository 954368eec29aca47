"""What is left of the limits. A budget is spent, never guessed: formats ask it before they give."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from extractors.limits import MIB, ExtractLimits


@dataclass(slots=True, kw_only=True)
class Budget:
    """Counts down characters, images, inflated bytes and members, and tells when the soft deadline has passed.

    One budget serves a container and all that is inside it.
    """

    limits: ExtractLimits
    #: Moment on the monotonic clock after which a format stops by itself and keeps what it has; None for never.
    soft_deadline: float | None = None
    chars_left: int = field(init=False)
    images_left: int = field(init=False)
    inflated_bytes_left: int = field(init=False)
    members_left: int = field(init=False)
    member_bytes_left: int = field(init=False)
    #: How many containers are open around the file that is read now.
    depth: int = field(init=False, default=0)
    #: True once text had to be left out.
    text_is_cut: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.chars_left = self.limits.extract_text_max_chars
        self.images_left = self.limits.images_max_count
        self.inflated_bytes_left = self.limits.office_zip_max_uncompressed_bytes
        self.members_left = self.limits.members_max_count
        self.member_bytes_left = self.limits.members_max_total_bytes

    def take_chars(self, wanted: int) -> int:
        """Spends up to `wanted` characters and says how many were granted."""
        granted = max(0, min(wanted, self.chars_left))
        self.chars_left -= granted
        self.text_is_cut |= granted < wanted
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

    def take_member(self, size_bytes: int) -> None:
        """Spends one member of a container."""
        self.members_left -= 1
        self.member_bytes_left -= size_bytes

    def why_no_member(self, size_bytes: int = 0) -> str | None:
        """Why a member of that size would not be read now; None when it would be."""
        limits = self.limits
        if self.depth >= limits.members_max_depth:
            return f"more than {limits.members_max_depth} containers around it"
        if self.members_left <= 0:
            return f"only {limits.members_max_count} files are read"
        if size_bytes > limits.member_max_bytes:
            return f"larger than {limits.member_max_bytes / MIB:g} MiB"
        if size_bytes > self.member_bytes_left:
            return f"more than {limits.members_max_total_bytes / MIB:g} MiB in all"
        if self.text_is_cut or self.text_is_spent:
            return "no room for more text"
        return "no time was left" if self.is_late else None

    @property
    def text_is_spent(self) -> bool:
        """True when no further character will be granted."""
        return self.chars_left <= 0

    @property
    def is_late(self) -> bool:
        """True when the soft deadline has passed: stop at the next natural place."""
        return self.soft_deadline is not None and time.monotonic() >= self.soft_deadline
