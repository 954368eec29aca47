"""A simple, conservative count of tokens; a real endpoint counts fewer for ordinary prose."""

from __future__ import annotations

import math

from bot.emulator.wire import SeenImage, SeenMessage


def text_tokens(text: str) -> int:
    """One per character beyond ASCII, one per three characters of ASCII."""
    ascii_chars = sum(1 for char in text if char.isascii())
    return len(text) - ascii_chars + math.ceil(ascii_chars / 3)


def image_tokens(image: SeenImage) -> int:
    """One per patch of 28 by 28 pixels, as Qwen's models count."""
    return math.ceil(image.width / 28) * math.ceil(image.height / 28)


def prompt_tokens(messages: tuple[SeenMessage, ...]) -> int:
    """The whole prompt, with four for the frame of each message."""
    return sum(4 + text_tokens(found.text) + sum(map(image_tokens, found.images)) for found in messages)
