"""`python -m extractors FILE...`: what the extractor makes of files, as Markdown or JSON.

Exit code 0: every file was read, at least in part; 1: some were not; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractors import ExtractedContent, ExtractedImage, SandboxedAttachmentExtractor, Status

READ = frozenset({Status.OK, Status.PARTIAL})
IMAGE_SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the files that the command line names, and says how it went."""
    parser = argparse.ArgumentParser(prog="python -m extractors", description="Reads files as text and images.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object for each file instead of Markdown")
    parser.add_argument("--images", type=Path, metavar="DIR", help="write the images into this directory")
    options = parser.parse_args(arguments)
    for path in options.files:
        if not path.is_file():
            parser.error(f"no such file: {path}")
    return asyncio.run(_read_all(options.files, as_json=options.json, images_into=options.images))


async def _read_all(paths: Sequence[Path], *, as_json: bool, images_into: Path | None) -> int:
    statuses: list[Status] = []
    async with SandboxedAttachmentExtractor() as extractor:
        for path in paths:
            data = await asyncio.to_thread(path.read_bytes)
            content = await extractor.extract(data, file_metadata={"name": path.name})
            statuses.append(content.status)
            written = _write_images(content.images, images_into, stem=path.name) if images_into else []
            sys.stdout.write(_as_json(path, content, written) if as_json else _as_markdown(path, content))
    return 0 if READ.issuperset(statuses) else 1


def _as_markdown(path: Path, content: ExtractedContent) -> str:
    head = [f"# {path.name}", f"{content.media_type}, {content.size_bytes:,} bytes, {content.status}"]
    if content.note:
        head.append(f"Note: {content.note}")
    return "\n\n".join([*head, content.text or "(no text)"]) + "\n\n"


def _as_json(path: Path, content: ExtractedContent, written: list[str]) -> str:
    fields: dict[str, Any] = {field.name: getattr(content, field.name) for field in dataclasses.fields(content)}
    fields["images"] = [
        {"name": image.name, "media_type": image.media_type, "width": image.width, "height": image.height}
        for image in content.images
    ]
    fields["warnings"] = [dataclasses.asdict(warning) for warning in content.warnings]
    fields["detection"] = dataclasses.asdict(content.detection) if content.detection else None
    return json.dumps({"file": str(path), **fields, "written": written}, ensure_ascii=False) + "\n"


def _write_images(images: Sequence[ExtractedImage], directory: Path, *, stem: str) -> list[str]:
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for number, image in enumerate(images, start=1):
        path = directory / f"{stem}.{number}{IMAGE_SUFFIXES.get(image.media_type, '.bin')}"
        path.write_bytes(image.data)
        written.append(str(path))
    return written


if __name__ == "__main__":
    sys.exit(main())
