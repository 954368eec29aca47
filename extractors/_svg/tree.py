"""A drawing as a tree, and what is taken out of it before anyone draws it."""

from __future__ import annotations

import re
from collections.abc import Container

from lxml import etree

from extractors._addresses import data_picture
from extractors._css import rules
from extractors._images import image_dimensions
from extractors.content import Status
from extractors.format import Unreadable
from extractors.limits import ExtractLimits

Element = etree._Element  # noqa: SLF001 - lxml publishes no other name for the type of its elements

_NAMESPACE = "http://www.w3.org/2000/svg"
_CLASS = re.compile(r"(?:text|tspan|\*)?\.([\w-]+)")
_KEPT_FOR_TEXT = frozenset({"svg", "g", "a", "switch", "text", "tspan"})


def parse_drawing(data: bytes) -> Element:
    """The tree of a drawing. Raises `Unreadable` where there is none in the bytes."""
    # Illustrator names its namespaces by entities of the file's own. The parser refuses those that multiply, but not in
    # the mode that allows deep nesting.
    parser = etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type] # lxml-stubs is behind lxml 5
        huge_tree=b"<!ENTITY" not in data,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser) if data.strip() else None
    except etree.XMLSyntaxError:  # nothing at all could be recovered
        root = None
    if root is None or local_name(root) != "svg":
        raise Unreadable(Status.REJECTED, "the drawing is broken or cut off")
    return root


def local_name(element: Element) -> str:
    """The tag without its namespace, in small letters; "" for what is no element."""
    return element.tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(element.tag, str) else ""


def depth(root: Element) -> int:
    """How deep the drawing nests once every `use` is replaced by what it points to; a circle counts once."""
    elements = list(root.iter())  # also keeps the objects alive that are keys below
    by_id = {element.get("id", ""): element for element in elements}
    depths: dict[Element, int] = {}
    begun: set[Element] = set()
    pending = [root]
    while pending:
        element = pending[-1]
        inner = [*element, *(by_id[name] for name in _used(element) if name in by_id)]
        if element in begun:
            pending.pop()
            depths[element] = 1 + max((depths.get(one, 0) for one in inner), default=0)
            continue
        begun.add(element)
        pending += [one for one in inner if one not in begun]
    return depths[root]


def _used(element: Element) -> list[str]:
    if local_name(element) != "use":
        return []
    return [str(value)[1:] for name, value in element.attrib.items() if str(name).rpartition("}")[2] == "href"]


def serialized(root: Element) -> str:
    """The drawing as text again, in the namespace that readers insist on."""
    source = etree.tostring(root, encoding="unicode")
    return source if "}" in str(root.tag) else source.replace("<svg", f'<svg xmlns="{_NAMESPACE}"', 1)


def drop_foreign(root: Element, limits: ExtractLimits) -> None:
    """Takes out programs, everything that points outside the drawing, and pictures with too many pixels."""
    for element in list(root.iter()):
        addresses = [str(value) for name, value in element.attrib.items() if str(name).rpartition("}")[2] == "href"]
        if local_name(element) in {"script", "foreignobject"} or not all(_is_inside(a, limits) for a in addresses):
            _remove(element)


def keep_text(root: Element) -> None:
    """Leaves only the text, with the looks that the style sheet gives it by class."""
    looks = _looks_by_class(root)
    _drop_others(root, _KEPT_FOR_TEXT)
    for element in root.iter() if looks else ():
        given = [looks[name] for name in element.get("class", "").split() if name in looks]
        if given:
            element.set("style", ";".join([*given, element.get("style", "")]))


def _looks_by_class(root: Element) -> dict[str, str]:
    looks: dict[str, str] = {}
    for sheet in root.iter("{*}style", "style"):
        for prelude, declarations in rules("".join(map(str, sheet.itertext()))):
            for selector in prelude.split(","):
                if found := _CLASS.fullmatch(selector.strip()):
                    looks[found[1]] = f"{looks.get(found[1], '')};{declarations}"
    return looks


def _drop_others(root: Element, kept: Container[str]) -> None:
    for element in list(root.iter()):
        if local_name(element) not in kept:
            _remove(element)


def _is_inside(address: str, limits: ExtractLimits) -> bool:
    if address.startswith("#"):
        return True
    picture = data_picture(address)
    size = image_dimensions(picture) if picture is not None else None
    return size is not None and size[0] * size[1] <= limits.image_decode_max_pixels


def _remove(element: Element) -> None:
    """Takes an element out, but not the words after it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)
