"""Pictures put where they can be seen: a handler stores each one, and its address stands where the picture stood."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import replace
from inspect import isawaitable, iscoroutinefunction
from typing import Final, Protocol
from urllib.parse import quote

from extractors.content import ExtractedContent, ExtractedImage, Status
from extractors.markdown import escape_cell, image_reference


class ImageHandler(Protocol):
    """Stores a picture: its bytes, media type and name to an address, a data URI, or None to leave it where it is.

    Coroutine functions start in the order of the pictures, plain ones run in threads; several may run at once. Names
    come from documents and are not to be trusted.
    """

    def __call__(self, data: bytes, media_type: str, name: str, /) -> Awaitable[str | None] | str | None:
        """Where the picture can be seen from now on."""
        ...


#: What would end a Markdown image's address early, or the row of a table it stands in.
_BREAKS_ADDRESS: Final = re.compile(r"[\s()<>|\\\"`\x00-\x1f]")


async def place_images(content: ExtractedContent, handler: ImageHandler) -> ExtractedContent:
    """The content with `![name](address)` in place of each image that the handler gave an address for.

    Such images leave `images`; one without a place in the text is added at its end. Never raises: a handler that fails
    makes the result `failed` with a note.
    """
    names = [image.name or f"image {number}" for number, image in enumerate(content.images, start=1)]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_address(handler, image, name))
                for image, name in zip(content.images, names, strict=True)
            ]
    except ExceptionGroup as failures:
        note = f"the image handler failed ({type(failures.exceptions[0]).__name__})"
        return replace(content, status=Status.FAILED, note=note, text=None, images=(), truncated=False)
    addresses = [task.result() for task in tasks]
    placed = [(name, _markdown(name, address)) for name, address in zip(names, addresses, strict=True) if address]
    return replace(
        content,
        text=_with_places(content.text or "", placed) or None,
        images=tuple(image for image, address in zip(content.images, addresses, strict=True) if not address),
    )


async def _address(handler: ImageHandler, image: ExtractedImage, name: str) -> str | None:
    if iscoroutinefunction(handler):
        answer: Awaitable[str | None] | str | None = handler(image.data, image.media_type, name)
    else:
        answer = await asyncio.to_thread(lambda: handler(image.data, image.media_type, name))
    return await answer if isawaitable(answer) else answer


def _with_places(text: str, placed: list[tuple[str, str]]) -> str:
    """The text with each reference replaced, inside table cells too; what has none comes at the end."""
    first = dict(reversed(placed))  # of two with the same name the text can only mean one
    forms = {form: name for name in first for form in (image_reference(name), escape_cell(image_reference(name)))}
    seen: set[str] = set()

    def replaced(match: re.Match[str]) -> str:
        name = forms[match[0]]
        seen.add(name)
        return first[name]

    if forms:
        text = re.sub("|".join(map(re.escape, forms)), replaced, text)
    rest = [markdown for name, markdown in placed if name not in seen or markdown != first[name]]
    return "\n\n".join(filter(None, [text, *rest]))


def _markdown(name: str, address: str) -> str:
    """The image in Markdown; neither name nor address can end it early, or break a table's row."""
    label = re.sub(r"([\\\[\]|])", r"\\\1", " ".join(name.split()))
    return f"![{label}]({_BREAKS_ADDRESS.sub(lambda found: quote(found[0]), address)})"
