"""What the command writes: Markdown or JSON to standard output, and images into one folder and nowhere else."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from extractors.content import ExtractedContent, ExtractedImage
from extractors.spool import clean_name

_SUFFIXES: Final = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif"}
#: File systems take 255 bytes, and the number and the suffix come after.
_STEM_MAX_BYTES: Final = 200
#: What could move the cursor, rename the window or answer for the user.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output:
    """Standard output: UTF-8 whatever the locale is, and without control characters on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=stream.encoding if self._is_terminal else "utf-8", errors="replace")

    def write(self, text: str) -> None:
        """Writes one result, whole."""
        self._stream.write(_CONTROLS.sub("", text) if self._is_terminal else text)
        self._stream.flush()


def as_markdown(content: ExtractedContent, *, title: str) -> str:
    """A heading, a line of facts, the note, and the text as it is."""
    facts = f"{content.media_type}, {content.size_bytes:,} bytes, {content.status}"
    note = [f"Note: {content.note}"] if content.note else []
    return "\n\n".join([f"# {' '.join(title.split())}", facts, *note, content.text or "(no text)"]) + "\n\n"


def as_json(
    content: ExtractedContent, images: Sequence[ExtractedImage], *, address: str, written: Sequence[str]
) -> str:
    """All fields of the content on one line; the images without their bytes."""
    record: dict[str, Any] = {field.name: getattr(content, field.name) for field in dataclasses.fields(content)}
    record["images"] = [
        {"name": image.name, "media_type": image.media_type, "width": image.width, "height": image.height}
        for image in images
    ]
    record["warnings"] = [dataclasses.asdict(warning) for warning in content.warnings]
    record["detection"] = dataclasses.asdict(content.detection) if content.detection else None
    return json.dumps({"file": address, **record, "written": written}, ensure_ascii=False) + "\n"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ImageFolder:
    """The folder for the images of all files; no two of them write to the same name."""

    path: Path
    _stems: set[str] = dataclasses.field(default_factory=set)

    @classmethod
    def at(cls, path: Path) -> ImageFolder:
        """The folder at `path`, made if it is not there. `OSError` where it cannot be."""
        path.mkdir(parents=True, exist_ok=True)
        return cls(path=path)

    def writer(self, title: str) -> ImageWriter:
        """Writes the images of one file; its `write` is an image handler."""
        name = (clean_name(title) or "file").encode()[:_STEM_MAX_BYTES].decode(errors="ignore")
        stem, number = name, 1
        while stem.casefold() in self._stems:
            number += 1
            stem = f"{name}-{number}"
        self._stems.add(stem.casefold())
        return ImageWriter(folder=self.path, stem=stem)


@dataclasses.dataclass(slots=True, kw_only=True)
class ImageWriter:
    """Writes the images of one file as `stem.1.png`, `stem.2.jpg` and so on."""

    folder: Path
    stem: str
    written: list[str] = dataclasses.field(default_factory=list)

    async def write(self, data: bytes, media_type: str, name: str) -> str:  # noqa: ARG002 - names come from documents
        """Writes the next image; its address relative to where the command runs."""
        path = self.folder / f"{self.stem}.{len(self.written) + 1}{_SUFFIXES.get(media_type, '.bin')}"
        self.written.append(str(path))
        await asyncio.to_thread(_replace, path, data)
        return path.as_posix()


def _replace(path: Path, data: bytes) -> None:
    """Writes a new file in place of whatever has the name; a link that waits there is not followed."""
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.write(data)
