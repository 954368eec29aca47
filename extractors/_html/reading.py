"""One page of HTML as blocks or as one Markdown text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urljoin

from extractors._album import Album
from extractors._html.leaves import Surroundings
from extractors._html.page import Page, parse_page
from extractors._html.story import Story
from extractors._html.style import read_styles
from extractors.budget import Budget
from extractors.content import Block, Text, Truncated
from extractors.limits import ExtractLimits

#: What stands before the title of a page, which is the first block where the page does not say it in a heading.
TITLE_MARK = "Title: "
_UNREAD = frozenset({"script", "style", "template"})


def page_blocks(
    text: str,
    *,
    budget: Budget,
    album: Album,
    picture: Callable[[str], bytes | None] | None = None,
    base: str = "",
    with_title: bool = True,
) -> Iterator[Block]:
    """A page as blocks. `picture` gives the bytes behind an address inside the same file; nothing is ever fetched."""
    page = parse_page(text)
    if page is None:
        return
    if with_title and page.title and not _is_said_in_heading(page):
        yield Text(f"{TITLE_MARK}{page.title}")
    base = urljoin(base, page.base)
    is_long = _visible_chars(page) > budget.chars_left
    around = Surroundings(album=album, picture=picture or _no_picture, base=base, with_addresses=not is_long)
    yield from Story(page=page, styles=read_styles(page), around=around, budget=budget).blocks()
    if is_long:
        yield Truncated("addresses of links")
    if page.is_cut:
        yield Truncated("the rest of the page")


def html_markdown(text: str, limits: ExtractLimits | None = None) -> str:
    """A page or a snippet as one Markdown text, pictures by their alternative text only."""
    budget = Budget(limits=limits or ExtractLimits())
    budget.images_left = 0
    blocks = page_blocks(text, budget=budget, album=Album(budget=budget), with_title=False)
    return "\n\n".join(block.markdown for block in blocks if isinstance(block, Text))


def _is_said_in_heading(page: Page) -> bool:
    return any(
        " ".join("".join(str(text) for text in heading.itertext()).split()) == page.title
        for heading in page.root.iter("h1")
    )


def _visible_chars(page: Page) -> int:
    """About how long the page's own words are."""
    return sum(
        len(element.tail or "") + (0 if element.tag in _UNREAD else len(element.text or ""))
        for element in page.root.iter()
    )


def _no_picture(_address: str) -> bytes | None:
    return None
