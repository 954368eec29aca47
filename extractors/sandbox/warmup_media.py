"""Small recordings that make the readers of sound and film load what they import late."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator


def samples() -> Iterator[tuple[str, bytes]]:
    """A tenth of a second of silence. PyAV comes with all it needs, so one file reaches it all."""
    file = io.BytesIO()
    with wave.open(file, "wb") as recording:
        recording.setnchannels(1)
        recording.setsampwidth(2)
        recording.setframerate(8000)
        recording.writeframes(bytes(1600))
    yield "silence.wav", file.getvalue()
