"""The vocabulary of OpenDocument: its namespaces, as they stand before a tag's name."""

from __future__ import annotations

from extractors._inflating import Element

_ODF = "urn:oasis:names:tc:opendocument:xmlns"
CHART = f"{{{_ODF}:chart:1.0}}"
DC = "{http://purl.org/dc/elements/1.1/}"
DRAW = f"{{{_ODF}:drawing:1.0}}"
DR3D = f"{{{_ODF}:dr3d:1.0}}"
FO = f"{{{_ODF}:xsl-fo-compatible:1.0}}"
FORM = f"{{{_ODF}:form:1.0}}"
LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
MANIFEST = f"{{{_ODF}:manifest:1.0}}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
META = f"{{{_ODF}:meta:1.0}}"
OFFICE = f"{{{_ODF}:office:1.0}}"
PRESENTATION = f"{{{_ODF}:presentation:1.0}}"
STYLE = f"{{{_ODF}:style:1.0}}"
SVG = f"{{{_ODF}:svg-compatible:1.0}}"
TABLE = f"{{{_ODF}:table:1.0}}"
TEXT = f"{{{_ODF}:text:1.0}}"
HREF = "{http://www.w3.org/1999/xlink}href"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

_MAX_DIGITS = 12


def whole(text: str | None, default: int, *, most: int, least: int = 0) -> int:
    """`text` as a whole number from `least` to `most`; `default` where it is none."""
    if text is None:
        return default
    digits = text.strip()
    if not digits.isascii() or not digits.removeprefix("-").isdigit() or len(digits) > _MAX_DIGITS:
        return default
    return max(least, min(int(digits), most))


def author(annotation: Element) -> str:
    """Who wrote a comment, as " (name)"; "" where nobody is named."""
    name = " ".join((annotation.findtext(f"{DC}creator") or "").split())
    return f" ({name})" if name else ""
