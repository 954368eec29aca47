"""Jupyter notebooks: cell by cell, with what each of them gave out."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping

from extractors._album import Album
from extractors._charset import decode
from extractors._html import page_blocks
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, Status, Text, Truncated
from extractors.format import Format, Unreadable

_FENCE = "```"
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")
_LANGUAGE = re.compile(r"[\w+#-]{1,30}")
_MARKDOWN, _HTML = "text/markdown", "text/html"
#: Other forms than plain text, the best first.
_FORMS = (_MARKDOWN, _HTML, "text/latex")
#: A notebook of the third version names what a cell gave out by words of its own.
_OLD_NAMES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "html": "text/html",
    "latex": "text/latex",
}
#: Colours of a terminal.
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
#: What Python calls an object that has no words: the other forms of it say more.
_NO_WORDS = re.compile(r"<[\w.]+(?: [^<>]*)?>|\w+\([^()]*children=.*\)", re.DOTALL)
_ATTACHED = re.compile(r"!\[([^\]\n]{0,500})\]\(attachment:([^)\s]{1,300})\)")

Json = Mapping[str, object]


def extract(job: Job, detection: Detection, budget: Budget) -> Iterator[Block]:
    """Prose as it is, code in fences, and under it what it printed, drew or failed with."""
    if detection.method != "text":
        raise Unreadable(Status.REJECTED, f"the file claims to be {detection.media_type}, but is not text")
    text = decode(job.data).text
    cells, language = _cells(text)
    if not cells and not text.strip():
        raise Unreadable(Status.REJECTED, "the file has no text in it")
    album = Album(budget=budget)
    for number, cell in enumerate(cells, start=1):
        if budget.text_is_spent or budget.is_late:
            yield Truncated(f"cells {number} to {len(cells)} of {len(cells)}")
            break
        for block in _cell(cell, album, language):
            yield block
            yield from album.drain()
    yield from album.ended()
    if not cells:
        yield Text(text.strip("\r\n"))


def _cells(text: str) -> tuple[list[Json], str]:
    """The cells of a notebook and the language of its code; none where it is something else."""
    try:
        notebook = json.loads(text)
        sheets = notebook.get("worksheets") or [notebook]
        cells: list[Json] = [cell for sheet in sheets for cell in sheet["cells"] if isinstance(cell, dict)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return [], ""
    return cells, _language(notebook.get("metadata"))


def _language(metadata: object) -> str:
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        told = metadata.get(name) if isinstance(metadata, dict) else None
        language = told.get(key) if isinstance(told, dict) else None
        if isinstance(language, str) and _LANGUAGE.fullmatch(language):
            return language
    return ""


def _cell(cell: Json, album: Album, language: str) -> Iterator[Block]:
    source = _joined(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        source = f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {source}"
    if cell.get("cell_type") != "code":
        if source:
            yield Text(_with_pictures(source, cell.get("attachments"), album))
        return
    if source:
        yield Text(f"{_FENCE}{language}\n{source}\n{_FENCE}")
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        heading = "Output:\n\n"
        for block in _output(output, album) if isinstance(output, dict) else ():
            yield Text(f"{heading}{block.markdown}") if isinstance(block, Text) else block
            heading = "" if isinstance(block, Text) else heading


def _output(output: Json, album: Album) -> Iterator[Block]:
    """What a cell gave out, in the form that says most: a picture, a table, words."""
    data = output.get("data")
    forms = data if isinstance(data, dict) else {_OLD_NAMES.get(name, name): value for name, value in output.items()}
    for media_type in _PICTURES:
        if (picture := _picture(forms.get(media_type), media_type)) and (reference := album.reference(picture)):
            yield Text(reference)
            return
    plain = _COLOUR.sub("", _joined(forms.get("text/plain", output.get("text"))))
    for media_type in _FORMS:
        form = _joined(forms.get(media_type))
        if form and (not plain or media_type == _MARKDOWN or "<table" in form or _NO_WORDS.fullmatch(plain)):
            is_page = media_type == _HTML
            yield from (
                page_blocks(form, budget=album.budget, album=album, with_title=False) if is_page else (Text(form),)
            )
            return
    if output.get("output_type") in {"error", "pyerr"}:
        plain = _COLOUR.sub("", _joined(output.get("traceback"), "\n"))
        plain = plain or f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    if plain:
        yield Text(f"{_FENCE}\n{plain}\n{_FENCE}")


def _with_pictures(source: str, attachments: object, album: Album) -> str:
    """Prose with a reference to each picture that was pasted into it."""
    if not isinstance(attachments, dict):
        return source

    def reference(found: re.Match[str]) -> str:
        forms = attachments.get(found[2])
        pictures = (_picture(form, name) for name, form in forms.items()) if isinstance(forms, dict) else ()
        picture = next(filter(None, pictures), None)
        return album.reference(picture, found[1]) if picture else found[0]

    return _ATTACHED.sub(reference, source)


def _picture(form: object, media_type: str) -> bytes | None:
    """The bytes of a picture, which stand in base64, but for a drawing."""
    text = _joined(form)
    if media_type == "image/svg+xml":
        return text.encode("utf-8", "replace") or None
    try:
        return base64.b64decode("".join(text.split()), validate=True) or None
    except (binascii.Error, ValueError):
        return None


def _joined(lines: object, separator: str = "") -> str:
    """A notebook's text: one string or a list of lines."""
    if isinstance(lines, list):
        lines = separator.join(line for line in lines if isinstance(line, str))
    return lines.strip() if isinstance(lines, str) else ""


FORMAT = Format(
    name="notebook",
    kind=Kind.TEXT,
    media_types=frozenset({"application/x-ipynb+json"}),
    extensions=frozenset({"ipynb"}),
    extract=extract,
    keeps=(
        "cells in their order, prose as it is and code in fences",
        "what was printed, tables and errors, and the pictures that were drawn or pasted",
    ),
    libraries=("lxml", "pillow"),
    limitations=("Widgets and other programs in what a cell gave out are not shown.",),
)
