"""What a page hides from its readers: by attribute, by inline style, or by a rule of its own style sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors._css import rules
from extractors._html.page import Element, Page

_SIMPLE_SELECTOR = re.compile(r"[a-z][\w-]*|(?:[a-z][\w-]*)?[.#][\w-]+", re.IGNORECASE)
#: Gone, see-through, of no size, or far outside the page.
_HIDING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|opacity\s*:\s*0*\.?0+\s*(?:!|;|$)"
    r"|font-size\s*:\s*(?:0*\.?0+[a-z%]*|[01](?:\.\d+)?(?:px|pt)|0?\.\d+(?:px|pt))\s*(?:!|;|$)"
    r"|text-indent\s*:\s*-\d{4,}|(?:left|top|right|margin-left|margin-top)\s*:\s*-\d{4,})",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"(?:^|;)\s*color\s*:\s*(?:white|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255\b|transparent)", re.IGNORECASE
)
_GROUND = re.compile(
    r"(?:^|;)\s*background(?:-color|-image)?\s*:\s*(?!none|transparent|white|#fff|inherit)", re.IGNORECASE
)
_BORDER = re.compile(
    r"(?:^|;)\s*border(?:-\w+)*\s*:(?!\s*(?:0|none|collapse|separate|hidden|\d+px\s+none))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Styles:
    """Answers whether an element is hidden, knowing the simple rules of the page's style sheet."""

    hiding: frozenset[str]  # selectors of one class, one id or one tag
    grounds: frozenset[str]
    has_foreign_style: bool

    def hides(self, element: Element) -> bool:
        """True when this element itself is hidden, whatever stands around it."""
        attributes = element.attrib
        if not attributes and not self.hiding:
            return False
        if "hidden" in attributes:
            return True
        style = attributes.get("style", "")
        if style and _HIDING.search(style):
            return True
        is_white = bool(style and _WHITE.search(style)) or _is_white_font(element)
        return not self.hiding.isdisjoint(_selectors(element)) or (is_white and not self._has_ground(element))

    def _has_ground(self, element: Element) -> bool:
        """True when something coloured may lie behind the element."""
        for place in (element, *element.iterancestors()):
            attributes = place.attrib
            if "bgcolor" in attributes or "background" in attributes or _GROUND.search(attributes.get("style", "")):
                return True
            if self.has_foreign_style and "class" in attributes:
                return True  # the rule may stand where we do not look
            if not self.grounds.isdisjoint(_selectors(place)):
                return True
        return False


def read_styles(page: Page) -> Styles:
    """The rules of a page's own style sheet that matter here; those inside @media and the like do not count."""
    hiding: set[str] = set()
    grounds: set[str] = set()
    for prelude, declarations in rules(page.style_sheet):
        hides, has_ground = _HIDING.search(declarations), _GROUND.search(declarations)
        for selector in prelude.split(",") if hides or has_ground else ():
            simple = selector.strip().lower()
            if _SIMPLE_SELECTOR.fullmatch(simple):
                (hiding if hides else grounds).add(simple)
    return Styles(hiding=frozenset(hiding), grounds=frozenset(grounds), has_foreign_style=page.has_foreign_style)


def has_border(element: Element) -> bool:
    """True when lines are drawn around an element."""
    return element.get("border", "0") not in {"0", ""} or bool(_BORDER.search(element.get("style", "")))


def _is_white_font(element: Element) -> bool:
    return element.tag == "font" and element.get("color", "").strip().lower() in {"white", "#fff", "#ffffff"}


def _selectors(element: Element) -> list[str]:
    tag = str(element.tag)
    names = [f".{name.lower()}" for name in element.get("class", "").split()]
    if element_id := element.get("id"):
        names.append(f"#{element_id.lower()}")
    return [tag, *names, *(f"{tag}{name}" for name in names)]
