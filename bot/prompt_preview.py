"""What the model would be sent for real files, for `duwen prompts render`."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import Any

from bot.config import Settings
from bot.llm.prompts import load_set
from bot.models import Gathered, Language, Message, Origin, Prompt, ReadFile
from bot.steps.compose import compose
from extractors import ExtractedContent, SandboxedAttachmentExtractor


def render_with_files(directory: Path, kind: str, language: Language, *, question: str, files: list[Path]) -> str:
    """The whole prompt as text, images by their size. The files are read in the sandbox, as the bot would."""
    reads = asyncio.run(_read(files))
    model = Settings().model
    prompt = compose(
        _message(question, language),
        Gathered(),
        reads,
        load_set(directory),
        kind=kind,
        context_tokens=model.context_tokens,
        max_output_tokens=model.max_output_tokens,
        images=model.images,
        max_images=model.max_images,
        max_body_bytes=model.max_body_bytes,
        nonce=secrets.token_hex(6),
    )
    return _shown(prompt)


async def _read(files: list[Path]) -> tuple[tuple[ReadFile, ExtractedContent], ...]:
    async with SandboxedAttachmentExtractor() as extractor:
        contents = [await extractor.extract(file.read_bytes(), file_metadata={"name": file.name}) for file in files]
    return tuple(
        (
            ReadFile(
                name=file.name,
                origin=Origin.OWN,
                status=content.status,
                kind=content.kind,
                total_pages=content.total_pages,
                chars=len(content.text or ""),
                images=len(content.images),
                truncated=content.truncated,
                note=content.note,
            ),
            content,
        )
        for file, content in zip(files, contents, strict=True)
    )


def _message(question: str, language: Language) -> Message:
    return Message(
        app_id="",
        message_id="",
        chat_id="",
        chat_type="p2p",
        thread_id=None,
        parent_id=None,
        sender_open_id="",
        create_time_ms=0,
        question=question,
        language=language,
    )


def _shown(prompt: Prompt) -> str:
    lines = [f"{prompt.template}: {prompt.estimated_tokens:,} tokens (estimate), {prompt.images} image(s)"]
    for message in prompt.messages:
        lines.append(f"\n# {message['role']}")
        content = message["content"]
        lines += [content] if isinstance(content, str) else map(_part, content)
    return "\n\n".join(lines) + "\n"


def _part(part: dict[str, Any]) -> str:
    if part["type"] == "text":
        return str(part["text"])
    return f"[image, {len(part['image_url']['url']):,} characters]"
