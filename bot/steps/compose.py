"""Puts a question, its files and the operator's template together into one prompt that fits. Pure.

The user's message is: the template's words, the quoted message, a block for each file, the images, and the template's
words again, so that whatever a file says is not the last word. Document text never passes through the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.llm.blocks import SAFETY, block, neutralise
from bot.llm.budget import LeftOut, cut, estimate_tokens, share
from bot.llm.prompt_file import ChosenImage, PromptFile, choose_images, overhead_tokens, prompt_file
from bot.llm.prompt_set import PromptSet
from bot.llm.templates import KINDS, Template, View
from bot.llm.texts import Texts
from bot.models import Gathered, Message, Prompt, ReadFile
from extractors import ExtractedContent

_READABLE = frozenset({"ok", "partial"})
#: The estimate is an estimate, and every message costs a few tokens of its own.
_SAFE_SHARE = 0.95


def compose(
    message: Message,
    gathered: Gathered,
    reads: Sequence[tuple[ReadFile, ExtractedContent | None]],
    prompts: PromptSet,
    *,
    context_tokens: int,
    max_output_tokens: int,
    images: bool,
    max_images: int,
    max_body_bytes: int,
    nonce: str,
    kind: str | None = None,
) -> Prompt:
    """The prompt for one question. `nonce` is random for each; the images keep the request under `max_body_bytes`.

    `kind` names a template; where it is None, the kinds of the files choose it.
    """
    template, texts = prompts.select(kind or _kind(reads), message.language), prompts.texts(message.language)
    files = [prompt_file(number, read, content, nonce) for number, (read, content) in enumerate(reads, start=1)]
    room = int((context_tokens - (template.front.max_output_tokens or max_output_tokens)) * _SAFE_SHARE)
    question, question_cut = cut(neutralise(message.question.strip(), nonce), room // 4)
    quote = neutralise(gathered.quoted_text or "", nonce).strip()
    view = View(
        question=question, files=tuple(file.view for file in files), quoted=bool(quote), language=message.language
    )
    system, user = _render(template, view)
    room -= estimate_tokens(system) + 2 * estimate_tokens(user) + overhead_tokens(files, nonce)
    fitted = _fit(
        files,
        quote,
        room=room,
        max_images=max_images if images and template.front.images else 0,
        max_image_bytes=max_body_bytes - min(max_body_bytes // 2, context_tokens * 8),  # a token is seldom more bytes
    )
    parts = [{"type": "text", "text": text} for text in _blocks(files, fitted, gathered, nonce)]
    for one in fitted.images:
        parts += one.parts(files[one.file].view, nonce)
    if parts:
        parts.append({"type": "text", "text": user})
    return Prompt(
        messages=(
            {"role": "system", "content": system},
            {"role": "user", "content": [{"type": "text", "text": user}, *parts]},
        ),
        template=template.name,
        estimated_tokens=_estimate(system, user, parts, fitted.images),
        images=len(fitted.images),
        omitted=tuple(_omitted([read.name for read, _ in reads], files, fitted, question_cut, texts, images=images)),
        temperature=template.front.temperature,
        max_output_tokens=template.front.max_output_tokens,
    )


def unanswerable(message: Message, gathered: Gathered, reads: Sequence[ReadFile]) -> str | None:
    """The error code to answer with where a model could add nothing: no words, and no file that bots may have."""
    if message.question or gathered.quoted_text or any(read.problem != "file_kind" for read in reads):
        return None
    if message.is_unknown:
        return "message_unknown"
    return "file_kind" if reads else next(iter(gathered.problems), None)


def _kind(reads: Sequence[tuple[ReadFile, ExtractedContent | None]]) -> str:
    """Which template: by the kinds of the files that were read."""
    if not reads:
        return "question"
    kinds = {read.kind for read, content in reads if content is not None and read.status in _READABLE}
    if len(kinds) > 1:
        return "mixed"
    return next((kind for kind in kinds if kind in KINDS), "default")


def _render(template: Template, view: View) -> tuple[str, str]:
    """The system's and the user's words; code adds the rules, so no edit can lose them."""
    rendered = template.render(view)
    return f"{rendered.system}\n\n{SAFETY}", rendered.user


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitted:
    """What fits, and what of each text was left out."""

    quote: tuple[str, LeftOut | None]
    texts: tuple[tuple[str, LeftOut | None], ...]
    images: tuple[ChosenImage, ...]


def _fit(files: Sequence[PromptFile], quote: str, *, room: int, max_images: int, max_image_bytes: int) -> _Fitted:
    """Images take what the texts leave, and at least half; the texts share the rest like water."""
    texts = (quote, *(file.text for file in files))
    wants = [estimate_tokens(text) if text else 0 for text in texts]
    chosen = choose_images(
        files,
        max_images=max_images,
        max_tokens=room - min(sum(wants), room // 2),
        max_bytes=max_image_bytes,
    )
    grants = share(wants, room - sum(one.tokens for one in chosen))
    shown, *cuts = (cut(text, grant) if text else ("", None) for text, grant in zip(texts, grants, strict=True))
    return _Fitted(quote=shown, texts=tuple(cuts), images=chosen)


def _blocks(files: Sequence[PromptFile], fitted: _Fitted, gathered: Gathered, nonce: str) -> Iterator[str]:
    if fitted.quote[0]:
        yield block("QUOTE", {}, fitted.quote[0], nonce)
    for problem in gathered.problems:
        yield f"[something that belongs to the question could not be read: {problem}]"
    for file, (text, _) in zip(files, fitted.texts, strict=True):
        yield file.block(text, nonce)


def _omitted(
    names: Sequence[str],
    files: Sequence[PromptFile],
    fitted: _Fitted,
    question_cut: LeftOut | None,
    texts: Texts,
    *,
    images: bool,
) -> Iterator[tuple[str, str]]:
    """What the user is told, as (file name as it came or "", what is missing)."""
    if question_cut:
        yield "", texts.get("omitted.question")
    if fitted.quote[1]:
        yield "", texts.get("omitted.quoted")
    for at, (name, file, (_, left_out)) in enumerate(zip(names, files, fitted.texts, strict=True)):
        if left_out:
            yield name, _what(left_out, texts)
        if missing := file.view.images - sum(one.file == at for one in fitted.images):
            yield name, texts.get("omitted.images" if images else "omitted.all_images", count=missing)


def _what(left_out: LeftOut, texts: Texts) -> str:
    if not left_out.unit:
        return texts.get("omitted.chars", chars=f"{left_out.chars:,}", total=f"{left_out.total_chars:,}")
    key = left_out.unit if left_out.first == left_out.last else f"{left_out.unit}s"
    return texts.get(f"omitted.{key}", first=left_out.first, last=left_out.last)


def _estimate(system: str, user: str, parts: Sequence[dict[str, Any]], images: Sequence[ChosenImage]) -> int:
    text = sum(estimate_tokens(part["text"]) for part in parts if part["type"] == "text")
    return estimate_tokens(system) + estimate_tokens(user) + text + sum(one.tokens for one in images)
