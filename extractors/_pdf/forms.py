"""Forms that keep their text and their values in XML (XFA), beside the pages or in place of them."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from extractors._pdf.annotations import squeezed

if TYPE_CHECKING:
    import pymupdf

MAX_PACKET_BYTES = 8 * 1024 * 1024
MAX_LINES = 2_000
#: The lines of an encoded picture have 72 characters and more, or no end at all.
MAX_WORD_CHARS = 70
_PACKET = re.compile(r"\((?P<name>[^()]*)\)\s*(?P<number>\d+) 0 R")


def xfa_lines(document: pymupdf.Document, shown: str) -> list[str]:
    """What the form says and what was filled in, line by line, without what stands in `shown`, a squeezed text."""
    packets = list(_packets(document))
    values: dict[str, deque[str]] = defaultdict(deque)
    for root in packets:
        for leaf in root.iterfind(".//{*}data//*"):
            if len(leaf) == 0 and (leaf.text or "").strip():
                values[_local(leaf)].append(_words(leaf))
    found = [pair for root in packets for element in root.iter("{*}template") for pair in _template(element, values)]
    found += [(name, value) for name, left in values.items() for value in left]
    lines = (f"{label}: {value}" if label and value else label or value for label, value in found)
    is_new = (squeezed(value or label) not in shown for label, value in found)
    return list(dict.fromkeys(line for line, new in zip(lines, is_new, strict=True) if new))[:MAX_LINES]


def _packets(document: pymupdf.Document) -> Iterator[Any]:
    """The XML of the form: one stream, or one stream a part."""
    from lxml import etree  # noqa: PLC0415 - a parser loads with the first file that needs it

    kind, value = document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")
    numbers: list[int] = []
    if kind == "xref" and document.xref_is_stream(int(value.split()[0])):
        numbers = [int(value.split()[0])]
    elif kind in {"array", "xref"}:
        listed = value if kind == "array" else document.xref_object(int(value.split()[0]))
        numbers = [
            int(found["number"]) for found in _PACKET.finditer(listed) if found["name"] in {"template", "datasets"}
        ]
    for number in numbers:
        data = document.xref_stream(number) or b""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, remove_comments=True)
        root = etree.fromstring(data, parser) if 0 < len(data) <= MAX_PACKET_BYTES else None
        if root is not None:
            yield root


def _template(template: Any, values: dict[str, deque[str]]) -> Iterator[tuple[str, str]]:
    """What the form says with what was filled in, in the order of the form."""
    for element in template.iter("{*}draw", "{*}field"):
        if element.get("presence") in {"hidden", "inactive"}:
            continue
        printed, caption = (_words(*element.iterfind(f"{{*}}{part}")) for part in ("value", "caption"))
        name = element.get("name", "")
        if _local(element) == "draw":
            yield printed, ""
            continue
        value = values[name].popleft() if values.get(name) else printed
        yield (caption or _words(*element.iterfind("{*}assist/{*}toolTip")) or name) if value else caption, value


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _words(*elements: Any) -> str:
    """The text in these, without pictures, which are kept as text too."""
    texts = (text for element in elements for text in element.itertext() if not _is_picture(text))
    return " ".join(" ".join(texts).split())


def _is_picture(text: str) -> bool:
    return max(map(len, text.split()), default=0) > MAX_WORD_CHARS
