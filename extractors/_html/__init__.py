"""HTML as Markdown: one walk over lxml's tree, for pages, web archives, books and mail."""

from extractors._html.reading import TITLE_MARK, html_markdown, page_blocks

__all__ = ["TITLE_MARK", "html_markdown", "page_blocks"]
