"""WordprocessingML of Word 2003, one XML file, turned into the parts that Word has written since 2007."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors._numerals import WORD_NUMERALS
from extractors._ooxml.names import Element, R, V, W
from extractors._ooxml.numbering import int_or

NAMESPACE_2003 = b"http://schemas.microsoft.com/office/word/2003/wordml"
NAMESPACE = W[1:-1].encode()
_AML = "{http://schemas.microsoft.com/aml/2001/core}"
_SECTIONS = tuple(
    f"{{http://schemas.microsoft.com/office/word/2003/auxHint}}{name}" for name in ("sect", "sub-section")
)
_RENAMED = {f"{W}{old}": f"{W}{new}" for old, new in {
    "hlink": "hyperlink", "listPr": "numPr", "ilfo": "numId", "lists": "numbering", "listDef": "abstractNum",
    "list": "num", "ilst": "abstractNumId", "vmerge": "vMerge", "hmerge": "hMerge",
}.items()}  # fmt: skip
_CHANGES = {"Word.Insertion": f"{W}ins", "Word.Deletion": f"{W}del"}
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


@dataclass(slots=True, kw_only=True)
class Splitting:
    """Takes a document apart. `binary` gives the bytes of the pictures in it."""

    root: Element
    binary: Callable[[str | None], bytes]
    #: The bytes of each part by its name.
    parts: dict[str, bytes] = field(default_factory=dict)
    _links: list[Element] = field(default_factory=list)

    def split(self) -> dict[str, bytes]:
        """The parts of the document."""
        self._rename()
        self._move_pictures()
        self._link()
        stories = {f"{kind}s": self._moved(kind) for kind in ("footnote", "endnote")}
        stories["comments"] = self._comments()
        stories |= dict(self._margins())
        for name in ("styles", "numbering"):
            found = self.root.find(f"{W}{name}")
            stories[name] = etree.Element(f"{W}{name}") if found is None else found
        for name, story in stories.items():
            self._relate(name.rstrip("0123456789"), f"{name}.xml")
            self.parts[f"word/{name}.xml"] = etree.tostring(story)
        self.parts["word/document.xml"] = etree.tostring(self._body())
        # Every story may show pictures and links, so that all have the links of all.
        links = _RELATIONS.format("".join(etree.tostring(link, encoding="unicode") for link in self._links))
        for name in ("document", *stories):
            self.parts[f"word/_rels/{name}.xml.rels"] = links.encode()
        main = '<Relationship Id="r" Type="x/officeDocument" Target="word/document.xml"/>'
        self.parts["_rels/.rels"] = _RELATIONS.format(main).encode()
        return self.parts

    def _rename(self) -> None:
        for element in self.root.iter(f"{W}*", f"{_AML}annotation"):
            element.tag = _CHANGES.get(element.get(f"{W}type", ""), _RENAMED.get(str(element.tag), str(element.tag)))
            for old, new in (("listDefId", "abstractNumId"), ("ilfo", "numId")):
                if f"{W}{old}" in element.attrib:
                    element.set(f"{W}{new}", element.get(f"{W}{old}", ""))
        for level in self.root.iter(f"{W}lvl"):
            found = level.find(f"{W}nfc")
            number = 0 if found is None else int_or(found.get(f"{W}val"), 0)
            etree.SubElement(level, f"{W}numFmt").set(f"{W}val", WORD_NUMERALS.get(number, "decimal"))

    def _move_pictures(self) -> None:
        ids: dict[str, str] = {}
        for number, data in enumerate(self.root.iter(f"{W}binData"), start=1):
            name = f"media/picture{number}"
            self.parts[f"word/{name}"] = self.binary(data.text)
            ids[data.get(f"{W}name", "")] = self._relate("image", name)
            data.text = None
        for picture in self.root.iter(f"{V}imagedata"):
            if (source := picture.get("src", "")) in ids:
                picture.set(f"{R}id", ids[source])

    def _link(self) -> None:
        for link in self.root.iter(f"{W}hyperlink"):
            if address := link.get(f"{W}dest"):
                link.set(f"{R}id", self._relate("hyperlink", address, mode="External"))
            if anchor := link.get(f"{W}bookmark"):
                link.set(f"{W}anchor", anchor)

    def _moved(self, kind: str) -> Element:
        """The notes of a kind, which stand where they are referred to."""
        story = etree.Element(f"{W}{kind}s")
        for number, note in enumerate(list(self.root.iter(f"{W}{kind}")), start=1):
            parent = note.getparent()
            if parent is not None and note.get(f"{W}type", "normal") == "normal":
                parent.replace(note, _reference(kind, number))
                note.set(f"{W}id", str(number))
                story.append(note)
        return story

    def _comments(self) -> Element:
        story = etree.Element(f"{W}comments")
        for number, annotation in enumerate(list(self.root.iter(f"{_AML}annotation")), start=1):
            parent = annotation.getparent()
            if parent is None or annotation.get(f"{W}type") != "Word.Comment":
                continue
            parent.replace(annotation, _reference("comment", number))
            comment = etree.SubElement(story, f"{W}comment")
            comment.set(f"{W}id", str(number))
            comment.set(f"{W}author", annotation.get(f"{_AML}author", ""))
            comment.extend(annotation)
        return story

    def _margins(self) -> Iterator[tuple[str, Element]]:
        for tag, kind in (("hdr", "header"), ("ftr", "footer")):
            for number, margin in enumerate(list(self.root.iter(f"{W}{tag}")), start=1):
                parent = margin.getparent()
                if parent is not None:
                    parent.remove(margin)
                    yield f"{kind}{number}", margin

    def _body(self) -> Element:
        """The document with its paragraphs directly in its body, not in sections around them."""
        document = etree.Element(f"{W}document")
        body = etree.SubElement(document, f"{W}body")
        found = self.root.find(f"{W}body")
        if found is not None:
            body.extend(_without_sections(found))
        return document

    def _relate(self, kind: str, target: str, *, mode: str = "Internal") -> str:
        link_id = f"r{len(self._links) + 1}"
        attributes = {"Id": link_id, "Type": f"x/{kind}", "Target": target, "TargetMode": mode}
        self._links.append(etree.Element("Relationship", attributes))
        return link_id


def _reference(kind: str, number: int) -> Element:
    reference = etree.Element(f"{W}{kind}Reference")
    reference.set(f"{W}id", str(number))
    return reference


def _without_sections(parent: Element) -> Iterator[Element]:
    for child in list(parent):
        if child.tag in _SECTIONS:
            yield from _without_sections(child)
        else:
            yield child
