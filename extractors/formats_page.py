"""Writes docs/formats.md from the registry: `make docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from extractors import markdown
from extractors.format import Format
from extractors.registry import FORMATS

#: Every package a format may read with, and the licence of what its wheel holds.
LICENCES: Final = {
    "av": "BSD-3-Clause; the wheel holds x264 and x265, GPL-2.0 or later",
    "chardet": "0BSD",
    "cramjam": "MIT",
    "cryptography": "Apache-2.0 or BSD-3-Clause",
    "lxml": "BSD-3-Clause",
    "msoffcrypto-tool": "MIT",
    "olefile": "BSD-2-Clause",
    "pi-heif": "BSD-3-Clause; the wheel holds libheif and libde265, LGPL-3.0",
    "pillow": "MIT-CMU",
    "py7zr": "LGPL-2.1 or later",
    "pycryptodomex": "BSD-2-Clause and public domain",
    "pymupdf": "AGPL-3.0 or commercial",
    "rars": "Apache-2.0",
    "resvg-py": "MIT",
}
_MAX_EXTENSIONS_IN_TABLE: Final = 8
_HEAD: Final = """# Formats

What the extractor reads, what it keeps of it, and what it does not. A file is taken for what its content says; the
extensions only say which names lead to the same reader. [adding-a-format.md](adding-a-format.md) tells how to add one.

This page is generated from `extractors/registry.py`: `make docs`
"""


def page(formats: Sequence[Format]) -> str:
    """The whole page in Markdown."""
    rows = [["Format", "Kind", "Extensions", "Read with"], *(_row(fmt) for fmt in formats)]
    return "\n".join([_HEAD, markdown.table(rows), "", *_sections(formats)])


def _row(fmt: Format) -> list[str]:
    extensions = _extensions(fmt)
    more = len(extensions) - _MAX_EXTENSIONS_IN_TABLE
    shown = " ".join(extensions[:_MAX_EXTENSIONS_IN_TABLE]) + (f" and {more} more" if more > 0 else "")
    return [f"[{fmt.name}](#{_anchor(fmt)})", fmt.kind, shown, ", ".join(fmt.libraries) or "the standard library"]


def _sections(formats: Sequence[Format]) -> Iterator[str]:
    for fmt in formats:
        yield f"## {fmt.name}\n"
        yield f"Extensions: {' '.join(f'`{extension}`' for extension in _extensions(fmt))}\n"
        yield f"Read with: {'; '.join(map(_licensed, fmt.libraries)) or 'the standard library'}\n"
        yield f"Kept:\n\n{_list(fmt.keeps)}\n"
        yield f"Limits:\n\n{_list(fmt.limitations)}\n"


def _extensions(fmt: Format) -> list[str]:
    return sorted(fmt.extensions)


def _licensed(library: str) -> str:
    return f"{library} ({LICENCES[library]})"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _anchor(fmt: Format) -> str:
    """The address that a heading gets where Markdown is shown."""
    kept = "".join(char for char in fmt.name.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


if __name__ == "__main__":
    sys.stdout.write(page(FORMATS))
