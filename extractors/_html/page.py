"""A page as a tree, whatever is wrong with it: cut where it is too large, flattened where it is too deep."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from lxml import etree

#: A tag costs about 200 bytes as a node; text that fits any budget stands in fewer.
MAX_TAGS = 300_000

Element = etree._Element  # noqa: SLF001 - lxml's only name for the type

_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>")
_XHTML = re.compile(r"<html\b[^>]{0,2000}\bxmlns\s*=|<!DOCTYPE[^>]{0,200}XHTML", re.IGNORECASE)
_XHTML_WITHIN_CHARS = 4_000
#: An HTML parser takes `<title/>` for the beginning of a title.
_SELF_CLOSED = re.compile(
    r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)[a-zA-Z][\w:-]*)"
    r"((?:\s[^<>]*)?)(?<!/)/>"
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
#: What may nest without meaning: tags that a broken page opens a thousand times and never closes.
_WRAPPERS = re.compile(
    r"</?(?:div|span|font|b|i|u|em|strong|center|section|article|main|blockquote|small|big|p|a)\b[^<>]*>",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"<[^<>]*>")
#: What follows belongs to the page all the same (footers of lists, pages that were joined); the parser would drop it.
_END_OF_PAGE = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The root of a page, its title, the address its links start from, and whether a part of it is missing."""

    root: Element
    title: str
    base: str
    style_sheet: str
    has_foreign_style: bool
    is_cut: bool


def parse_page(text: str) -> Page | None:
    """The page in this text; None where there is nothing in it."""
    text = _DECLARATION.sub("", text.replace("\0", ""), count=1)
    if _XHTML.search(text, 0, _XHTML_WITHIN_CHARS):
        text = _CDATA.sub(lambda found: html.escape(found[1]), _SELF_CLOSED.sub(r"<\1\2></\1>", text))
    text, is_cut = _bounded(_END_OF_PAGE.sub("<br>", text))
    root = _tree(text)
    if root is None:
        return None
    return Page(
        root=root,
        title=" ".join((_first_text(root, "title")).split()),
        base=next((element.get("href", "") for element in root.iter("base")), ""),
        style_sheet="\n".join(element.text or "" for element in root.iter("style")),
        has_foreign_style=any("stylesheet" in element.get("rel", "").lower() for element in root.iter("link")),
        is_cut=is_cut,
    )


def _tree(text: str) -> Element | None:
    """The tree; of a page that is too deep for the parser without what nests, or without any tag."""
    for simpler in (None, _WRAPPERS, _ANY_TAG):
        simplified = text if simpler is None else simpler.sub("\n", text)
        if not simplified.strip():
            return None
        parser = etree.HTMLParser(
            encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
        )
        root = etree.fromstring(simplified.encode("utf-8", "replace"), parser)
        too_deep = any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log)
        if not too_deep:
            break
    return root


def _bounded(text: str) -> tuple[str, bool]:
    if text.count("<") <= MAX_TAGS:
        return text, False
    at = -1
    for _ in range(MAX_TAGS):
        at = text.find("<", at + 1)
    return text[:at], True


def _first_text(root: Element, tag: str) -> str:
    """The text of the page's own title: those inside drawings are others."""
    for element in root.iter(tag):
        parent = element.getparent()
        if parent is not None and parent.tag in {"head", "html", "body"}:
            return "".join(str(text) for text in element.itertext())
    return ""
