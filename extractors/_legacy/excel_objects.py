"""The files inside a workbook: others of Office, and what objects wrap."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from itertools import islice

from extractors import markdown
from extractors._legacy.compound import Compound
from extractors._legacy.embedded import EmbeddedFile, embedded_file, members, wrapped_file
from extractors._legacy.ppt import ppt_blocks
from extractors._legacy.word import word_blocks
from extractors._ooxml.package import Package
from extractors.budget import Budget
from extractors.content import Block, ExtractionWarning, Member, PageCount, Text, Warned
from extractors.format import Unreadable

_FOLDER = "MBD"
_MAX_OBJECTS = 100


def embedded_in_package(package: Package, sheets: Iterable[str | None]) -> Iterator[Member]:
    """The files that lie on these sheets of a newer workbook."""
    parts = (part for sheet in sheets if sheet for part in package.related(sheet, "oleObject", "package"))
    yield from members(_object(package, part) for part in islice(dict.fromkeys(parts), _MAX_OBJECTS))


def _object(package: Package, part: str) -> EmbeddedFile | None:
    try:
        return embedded_file(package.read(part), posixpath.basename(part))
    except Unreadable:
        package.lost.append(part)
        return None


def embedded(compound: Compound, budget: Budget) -> Iterator[Block | Member]:
    """What stands in the objects of an old workbook, each under its mark."""
    folders = [name for name in compound.names() if name.startswith(_FOLDER)]
    files: list[EmbeddedFile | None] = []
    for number, folder in enumerate(folders[:_MAX_OBJECTS], start=1):
        found, name = compound.inside(folder), f"object {number}"
        if found.read("WordDocument") is not None:
            yield from _inner(word_blocks(found, budget), f"{name}.doc")
        elif found.read("PowerPoint Document") is not None:
            yield from _inner(ppt_blocks(found, budget), f"{name}.ppt")
        elif workbook := found.read("Workbook") or found.read("Book"):
            files.append(EmbeddedFile(f"{name}.xls", workbook))
        else:
            files.append(wrapped_file(found, name))
    yield from members(files)


def _inner(blocks: Iterator[Block | Member], name: str) -> Iterator[Block | Member]:
    is_begun = False
    try:
        for block in blocks:
            if isinstance(block, PageCount):  # the workbook has its own
                continue
            if not is_begun and isinstance(block, Text):
                is_begun = True
                yield Text(markdown.file_mark(name))
            yield block
    except Unreadable as exc:
        yield Warned(ExtractionWarning(problem=f"{name}: {exc.note}", consequence="it was not read"), partial=True)
