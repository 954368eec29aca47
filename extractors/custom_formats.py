"""Formats that other packages bring along, as entry points of the group `duwen.formats`.

They are loaded where parsers live: in the sandbox's zygote, or in a process that reads without one. An entry point is a
`Format`, or something callable that gives one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from extractors.format import Format

logger = logging.getLogger(__name__)

GROUP: Final = "duwen.formats"


@cache  # a child of the zygote can open no file, so it must find them loaded
def custom_formats() -> tuple[Format, ...]:
    """Every format that could be loaded, by the names of their entry points; the others are logged."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(fmt for fmt in map(_loaded, found) if fmt is not None)


def custom_samples() -> Iterator[tuple[str, bytes]]:
    """The small files that custom formats want read before the sandbox is closed around the common zygote."""
    for fmt in custom_formats():
        if fmt.samples is None or fmt.zygote != "main":
            continue
        try:
            yield from fmt.samples()
        except Exception:
            logger.exception("the format %s could not make its samples", fmt.name)


def _loaded(point: EntryPoint) -> Format | None:
    try:
        value = point.load()
        fmt = value if isinstance(value, Format) else value()
    except Exception:
        # One broken package must not take the other formats with it.
        logger.exception("the format %s (%s) could not be loaded", point.name, point.value)
        return None
    if not isinstance(fmt, Format):
        logger.error("the entry point %s (%s) gives no Format", point.name, point.value)
        return None
    return fmt
