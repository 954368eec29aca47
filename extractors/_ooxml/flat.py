"""A document in one XML file, of Word 2003 or of any later Word, as a package of parts."""

from __future__ import annotations

import base64
import binascii
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from extractors._inflating import Element, root_of
from extractors._ooxml.word_2003 import NAMESPACE, NAMESPACE_2003, Splitting
from extractors._parts import damaged

_PKG = "{http://schemas.microsoft.com/office/2006/xmlPackage}"
#: Pictures; they are cut out before the XML is parsed.
_BINARY = re.compile(rb"(<(?:[\w.-]{1,40}:)?(?:binaryData|binData)\b[^<>]{0,1000}>)([^<]+)(?=</)")
_CUT_OUT = re.compile(r"#(\d{1,6})")


def packed(data: bytes) -> bytes:
    """The ZIP that Word would have written. Raises `Unreadable` where the XML is broken."""
    flat = _Flat()
    try:
        root = root_of(_BINARY.sub(flat.cut, data).replace(NAMESPACE_2003, NAMESPACE))
    except etree.XMLSyntaxError as exc:
        raise damaged("the XML") from exc
    parts = dict(flat.parts(root)) if root.tag == f"{_PKG}package" else Splitting(root=root, binary=flat.binary).split()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass(slots=True)
class _Flat:
    _cut_out: list[bytes] = field(default_factory=list)

    def cut(self, match: re.Match[bytes]) -> bytes:
        self._cut_out.append(match[2])
        return match[1] + b"#%d" % (len(self._cut_out) - 1)

    def binary(self, text: str | None) -> bytes:
        place = _CUT_OUT.fullmatch(text or "")
        encoded = (
            self._cut_out[int(place[1])] if place and int(place[1]) < len(self._cut_out) else (text or "").encode()
        )
        try:
            return base64.b64decode(encoded)
        except (binascii.Error, ValueError):
            return b""

    def parts(self, root: Element) -> Iterator[tuple[str, bytes]]:
        for part in root.iterchildren(f"{_PKG}part"):
            name = part.get(f"{_PKG}name", "").lstrip("/")
            content, binary = part.find(f"{_PKG}xmlData"), part.find(f"{_PKG}binaryData")
            if content is not None and len(content):
                yield name, etree.tostring(content[0])
            elif binary is not None:
                yield name, self.binary(binary.text)
