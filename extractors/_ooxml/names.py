"""The vocabulary of Office Open XML: its namespaces, as they stand before a tag's name."""

from __future__ import annotations

from extractors._inflating import Element

__all__ = ["MC", "A", "C", "Element", "M", "P", "R", "S", "V", "W", "chosen_branch"]

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
V = "{urn:schemas-microsoft-com:vml}"
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

#: What a choice requires when we can show it by the picture in the fallback only: ink and 3D models.
_PICTURED = frozenset({"aink", "am3d", "wpi"})


def chosen_branch(element: Element) -> Element | None:
    """The one branch of an `mc:AlternateContent` to read: the first choice, or the fallback where only that shows."""
    choice = element.find(f"{MC}Choice")
    if choice is None or len(choice) == 0 or choice.get("Requires") in _PICTURED or _is_ink(choice[0]):
        return element.find(f"{MC}Fallback")
    return choice


def _is_ink(element: Element) -> bool:
    return isinstance(element.tag, str) and element.tag.endswith("}contentPart")
