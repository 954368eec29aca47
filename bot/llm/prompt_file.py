"""One file on its way into a prompt: its block of text, and its images as the endpoint takes them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.llm.blocks import block, neutralise, note_line, one_line
from bot.llm.budget import estimate_tokens, image_tokens
from bot.llm.templates import FileView
from bot.models import ReadFile
from extractors import ExtractedContent, ExtractedImage

#: What endpoints take; the type comes out of the sandbox and is not to be trusted further.
_IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
_MAX_WARNINGS = 5
_LABEL_TOKENS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """A file whose every string is harmless already. `remarks` tell the model how the reading went."""

    view: FileView
    remarks: str
    text: str
    images: tuple[ExtractedImage, ...]

    def block(self, text: str, nonce: str) -> str:
        """The file's block with `text`, which is its text or a part of it."""
        attributes = {"name": f'"{self.view.name}"', "kind": self.view.kind}
        if self.view.pages is not None:
            attributes["pages"] = str(self.view.pages)
        attributes["status"] = self.view.status
        body = "\n\n".join(piece for piece in (self.remarks, text) if piece)
        return block(f"FILE {self.view.number}", attributes, body or "[no text]", nonce)


def prompt_file(number: int, read: ReadFile, content: ExtractedContent | None, nonce: str) -> PromptFile:
    """A reading made fit for a prompt; without `content` the block says why there is none."""
    images = content.images if content else ()
    view = FileView(
        number=number,
        name=one_line(read.name, nonce) or f"file {number}",
        kind=one_line(read.kind, nonce),
        status=one_line(read.status, nonce),
        pages=read.total_pages,
        chars=read.chars,
        images=len(images),
        truncated=read.truncated,
        note=note_line(read.note or read.problem or "", nonce),
    )
    return PromptFile(
        view=view,
        remarks="\n".join(_remarks(view, content, nonce)),
        text=neutralise(content.text or "", nonce).strip() if content else "",
        images=tuple(image for image in images if image.media_type in _IMAGE_TYPES),
    )


def _remarks(view: FileView, content: ExtractedContent | None, nonce: str) -> Iterator[str]:
    note = f": {view.note}" if view.note else ""
    if content is None or not (content.text or content.images):
        yield f"[nothing was read ({view.status}){note}]"
    elif view.status != "ok" or note:
        yield f"[status {view.status}{note}]"
    if view.truncated:
        yield "[the file is longer than what was read]"
    for warning in content.warnings[:_MAX_WARNINGS] if content else ():
        if warning.problem in view.note:  # the note already tells the first ones
            continue
        yield f"[{note_line(warning.problem, nonce)}: {note_line(warning.consequence, nonce)}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenImage:
    """An image that goes along. `file` counts from 0."""

    file: int
    index: int
    image: ExtractedImage

    @property
    def tokens(self) -> int:
        """What it costs with its label."""
        return image_tokens(self.image.width, self.image.height) + _LABEL_TOKENS

    def parts(self, view: FileView, nonce: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """A label and the picture, as content parts."""
        place = one_line(self.image.name or f"image {self.index + 1}", nonce, max_chars=60)
        data = base64.b64encode(self.image.data).decode()
        return (
            {"type": "text", "text": f'[image from file {view.number} "{view.name}": {place} · untrusted]'},
            {"type": "image_url", "image_url": {"url": f"data:{self.image.media_type};base64,{data}"}},
        )


def choose_images(
    files: Sequence[PromptFile], *, max_images: int, max_tokens: int, max_bytes: int
) -> tuple[ChosenImage, ...]:
    """The images that fit, in the files' order: the first of each file before the second of any."""
    turns = sorted(
        (
            ChosenImage(file=at, index=index, image=image)
            for at, file in enumerate(files)
            for index, image in enumerate(file.images)
        ),
        key=lambda one: (one.index, one.file),
    )
    chosen: list[ChosenImage] = []
    for one in turns:
        size_bytes = len(one.image.data) * 4 // 3 + 200  # base64 and the JSON around it
        if len(chosen) < max_images and one.tokens <= max_tokens and size_bytes <= max_bytes:
            chosen.append(one)
            max_tokens -= one.tokens
            max_bytes -= size_bytes
    return tuple(sorted(chosen, key=lambda one: (one.file, one.index)))


def overhead_tokens(files: Sequence[PromptFile], nonce: str) -> int:
    """What the blocks cost without their text."""
    return sum(estimate_tokens(file.block("", nonce)) for file in files)
