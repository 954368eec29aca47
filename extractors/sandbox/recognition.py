"""Words in pictures: a second pass over the pictures of a finished reading, each read by OCR in a child of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from extractors.content import Block, ExtractionWarning, Picture, Status, Text, Truncated, Warned
from extractors.limits import MIB, ExtractLimits
from extractors.sandbox.outcome import Reading


class Ocr(StrEnum):
    """Which pictures are searched for words."""

    OFF = "off"
    SCANS = "scans"  # pages without a usable text layer, and files that are pictures
    ALWAYS = "always"


#: The zygote that has the models loaded.
ZYGOTE: Final = "ocr"
#: Page renders and files that are pictures, by the names that their readers give them; inside a container too.
_SCAN: Final = re.compile(r"(?:.*/)?(?:page \d+|part \d+|image)")
_MISSING: Final = ExtractionWarning(
    problem="words in images are not recognised", consequence="for that, install duwen[ocr]"
)

#: Reads the words of one picture: its bytes, and its name in the text.
ReadWords = Callable[[bytes, str], Awaitable[Reading]]


def zygote_settings(limits: ExtractLimits) -> dict[str, Any]:
    """What differs for this zygote."""
    return {
        "entry": "extractors.sandbox.words:read_words",
        "samples": "extractors.sandbox.words:samples",
        "timeout_s": limits.ocr_image_timeout_s,
        # Measured: 0.8 GB for the largest picture that is passed on, 1568 x 1568 px full of lines.
        "memory_bytes": 1024 * MIB,
    }


def with_scans_drawn(limits: ExtractLimits) -> ExtractLimits:
    """The limits with as many pages drawn as may be searched for words."""
    return replace(limits, pdf_render_max_pages=max(limits.pdf_render_max_pages, limits.ocr_max_images))


async def with_words(reading: Reading, mode: Ocr, limits: ExtractLimits, read: ReadWords) -> Reading:
    """The reading with the words of its pictures behind each of them, and what was not recognised told."""
    pictures = {place: block.image for place, block in enumerate(reading.blocks) if isinstance(block, Picture)}
    names = {place: image.name or "image" for place, image in pictures.items()}
    wanted = [place for place, name in names.items() if mode is Ocr.ALWAYS or _SCAN.fullmatch(name)]
    found: dict[int, Reading] = {}

    async def find(place: int) -> None:
        found[place] = await read(pictures[place].data, names[place])

    with suppress(TimeoutError):
        async with asyncio.timeout(limits.ocr_timeout_s), asyncio.TaskGroup() as group:
            for place in wanted[: limits.ocr_max_images]:
                group.create_task(find(place))
    words = {place: [block for block in one.blocks if isinstance(block, Text)] for place, one in found.items()}
    told = _told([(names[place], found.get(place)) for place in wanted], sum(map(bool, words.values())), limits)
    return replace(reading, blocks=[*told, *_placed(reading.blocks, words)])


def _placed(blocks: Sequence[Block], words: Mapping[int, Sequence[Block]]) -> Iterator[Block]:
    for place, block in enumerate(blocks):
        yield block
        yield from words.get(place, ())


def _told(searched: Sequence[tuple[str, Reading | None]], recognised: int, limits: ExtractLimits) -> Iterator[Block]:
    """That there are recognised words, and which pictures were not searched to the end, with the reason."""
    if recognised:
        images = f"{recognised} image{'s' if recognised > 1 else ''}"
        problem = f"words in {images} were recognised by OCR"
        yield Warned(ExtractionWarning(problem=problem, consequence="some of them may be wrong"))
    if any(one is not None and _is_missing(one) for _, one in searched):
        yield Warned(_MISSING)
        return
    by_reason: dict[str, list[str]] = {}
    for number, (name, one) in enumerate(searched):
        if one is None:
            is_beyond = number >= limits.ocr_max_images
            reason = f"beyond the limit of {limits.ocr_max_images}" if is_beyond else "no time was left"
            by_reason.setdefault(reason, []).append(name)
        elif one.ended is not None:
            by_reason.setdefault(one.ended.note, []).append(name)
    for reason, names in by_reason.items():
        yield Truncated(f"words in {', '.join(names)} ({reason})")


def _is_missing(reading: Reading) -> bool:
    """True where the zygote has no OCR: the one thing that ends a reading there as unsupported."""
    return any(getattr(block, "status", None) is Status.UNSUPPORTED for block in reading.blocks)
