"""Elements that become words in the line: pictures, form fields, equations, and marks around words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from extractors._addresses import data_picture, file_name, shown_address
from extractors._album import Album, alternative
from extractors._html.mathml import latex, local_name
from extractors._html.page import Element, parse_page

_TEXT_FIELDS = frozenset({"", "text", "email", "number", "date", "search", "tel", "url", "time", "month", "week",
                          "submit", "button", "datetime-local"})  # fmt: skip
_BASE_OF_POWER = re.compile(r"[\d)]$")
_NUMBER = re.compile(r"[-−+]?\d{1,6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a page may draw on. `picture` gives the bytes behind an address inside the same file, if there are any."""

    album: Album
    picture: Callable[[str], bytes | None]
    base: str
    #: A page that is too long anyway keeps its words rather than its addresses.
    with_addresses: bool


def leaf_words(tag: str, element: Element, around: Surroundings) -> str | None:
    """What an element that is not read any further becomes; None for every other element."""
    writer = _LEAVES.get(tag)
    return None if writer is None else writer(element, around)


def marked(tag: str, element: Element, around: Surroundings, before: str, words: str) -> str:
    """The words inside an element with what the element means for them; `before` are those just before it."""
    bare = words.strip()
    if not bare:
        return words
    if tag == "a":
        return _link(element, around, words)
    if tag == "sup":  # ten to the fifth is not 105
        return f"^{bare}" if _NUMBER.fullmatch(bare) and _BASE_OF_POWER.search(before) else words
    if tag == "code":
        return words if "`" in words or "\n" in words else f"`{bare}`"
    opening, closing = _MARKS[tag]
    return f"{opening}{bare}{closing}"


def is_alternative_branch(element: Element, tag: str) -> bool:
    """True for what a `switch` shows only to readers that understand less: its later branches."""
    parent = element.getparent()
    if parent is None or local_name(parent) != "switch":
        return False
    return tag == "default" or element.getprevious() is not None


def _link(element: Element, around: Surroundings, words: str) -> str:
    address = shown_address(element.get("href", ""), around.base)
    bare = words.strip()
    if not address or not around.with_addresses or bare in {address, address.removeprefix("mailto:")}:
        return words
    lead, trail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    return f"{lead}[{bare}]({address}){trail}"


def _image(element: Element, around: Surroundings) -> str:
    source = element.get("src") or element.get("data-src") or _reference(element)
    words = element.get("alt") or element.get("title") or ""
    data = data_picture(source) or (around.picture(source) if source else None)
    if data is not None:
        reference = around.album.reference(data, words)
    elif "alt" in element.attrib or _is_spacer(element):
        reference = alternative(words)
    else:
        reference = alternative(words or file_name(source))
    return f" {reference} " if reference else ""


def _frame(element: Element, around: Surroundings) -> str:
    if inner := element.get("srcdoc", ""):
        page = parse_page(inner)
        return "\n".join(str(text) for text in page.root.itertext()) if page is not None else ""
    address = shown_address(element.get("src", ""), around.base)
    return f" [{element.get('title') or 'frame'}]({address}) " if address else ""


def _media(element: Element, _around: Surroundings) -> str:
    sources = [element.get("src", ""), *(source.get("src", "") for source in element.iter("source"))]
    name = next(filter(None, map(file_name, sources)), "")
    return f" [{element.tag}: {name}] " if name else ""


def _field(element: Element, _around: Surroundings) -> str:
    kind, value = element.get("type", "").lower(), element.get("value", "")
    if kind in {"checkbox", "radio"}:
        return "☑ " if "checked" in element.attrib else "☐ "
    if kind == "image":
        return f" {alternative(element.get('alt', ''))} "
    return f" {value} " if kind in _TEXT_FIELDS and value else ""


def _reference(element: Element) -> str:
    """The address of a picture in a drawing: `xlink:href` or `href`."""
    return next((str(value) for name, value in element.attrib.items() if str(name).rpartition(":")[2] == "href"), "")


def _is_spacer(element: Element) -> bool:
    """True for the pictures of one pixel that count visits and push things apart."""
    return element.get("width", "") in {"0", "1"} or element.get("height", "") in {"0", "1"}


_LEAVES: dict[str, Callable[[Element, Surroundings], str]] = {
    "img": _image,
    "image": _image,
    "iframe": _frame,
    "frame": _frame,
    "embed": _frame,
    "video": _media,
    "audio": _media,
    "input": _field,
    "br": lambda _element, _around: "\n",
    "math": lambda element, _around: f" {latex(element)} ",
}
#: The signs around deleted words, readings and quotations.
_MARKS = {"del": ("~~", "~~"), "s": ("~~", "~~"), "strike": ("~~", "~~"), "rt": ("(", ")"), "q": ("“", "”")}
MARKED = frozenset({"a", "sup", "code", *_MARKS})
