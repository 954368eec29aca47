"""What kind of text a text is, by how it begins. Stdlib only."""

from __future__ import annotations

import re

PLAIN = "text/plain"
HTML = "text/html"
XML = "application/xml"
SVG = "image/svg+xml"
MAIL = "message/rfc822"
MHTML = "multipart/related"
CSV = "text/csv"
TSV = "text/tab-separated-values"

HEAD_BYTES = 16 * 1024
#: Lines that must agree on their separators to be called a table.
_TABLE_LINES = 10
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BEFORE_ROOT = re.compile(
    rb"(?:\s|<\?.{0,2000}?\?>|<!--.{0,8000}?-->|<!DOCTYPE[^>\[]{0,1000}(?:\[.{0,8000}?\]\s*)?>)*", re.I | re.S
)
_ROOT = re.compile(rb"<(?:([\w.-]{1,60}):)?([\w.-]{1,60})([^>]{0,8000})")
_HTML_DOCTYPE = re.compile(rb"(?:\s|<\?.{0,2000}?\?>|<!--.{0,8000}?-->)*<!doctype\s+html\b", re.I | re.S)
_HTML_PIECE = re.compile(
    rb"\s*<(?:table|head|body|meta|style|div|p|span|title|link|script|center|font|br|h[1-6])\b", re.I
)
_FLAT_ODF = re.compile(rb"""mimetype\s*=\s*["'](application/vnd\.oasis\.opendocument\.[\w-]{1,60})["']""")
#: A field's name, and the lines that go on with its value.
_FIELD = re.compile(rb"([!-9;-~]{1,70}):[ \t]?([^\r\n]{0,2000}(?:\r?\n[ \t][^\r\n]{0,2000}){0,200})\r?\n")
#: Only machines write these.
_TRACES = frozenset({b"received", b"message-id", b"mime-version", b"return-path", b"delivered-to", b"x-mailer"})
_WRITTEN = frozenset({b"from", b"to", b"subject", b"date", b"sender", b"reply-to"})
#: What a letter has and a page saved from a browser has not.
_ON_THE_WAY = frozenset({b"received", b"return-path", b"delivered-to", b"to", b"reply-to"})


def type_of_text(data: bytes) -> str:
    """A whole page of HTML, a kind of XML, a letter or an MHTML archive; `text/plain` for any other text."""
    head = _head(data)
    if _HTML_DOCTYPE.match(head):
        return HTML
    return _type_of_root(head) or _type_of_letter(head) or PLAIN


def type_of_piece(data: bytes) -> str:
    """What text is that is called an office document: programs export pieces of HTML, and values with separators."""
    head = _head(data)
    if _HTML_PIECE.match(head):
        return HTML
    lines = [line for line in head.splitlines()[:_TABLE_LINES] if line.strip()]
    for separator, media_type in ((b"\t", TSV), (b",", CSV)):
        counts = {line.count(separator) for line in lines}
        if len(lines) > 1 and len(counts) == 1 and counts != {0}:
            return media_type
    return PLAIN


def _head(data: bytes) -> bytes:
    """The beginning without a mark of its encoding; text of UTF-16 as the bytes of its ASCII."""
    head = data[:HEAD_BYTES].replace(b"\0", b"")
    for mark in _MARKS:
        head = head.removeprefix(mark)
    return head


def _type_of_root(head: bytes) -> str | None:
    """XML and HTML by their outermost element."""
    before = _BEFORE_ROOT.match(head)
    start = before.end() if before else 0
    root = _ROOT.match(head, start)
    if root is None:
        return XML if head.lstrip().startswith(b"<?xml") else None
    name = root[2].lower()
    if name == b"html":
        return HTML
    if name == b"svg":
        return SVG
    if name == b"document" and (flat := _FLAT_ODF.search(root[3])):
        return f"{flat[1].decode().removesuffix('-template')}-flat-xml"
    return XML if head.lstrip().startswith(b"<?xml") or b"xmlns" in root[3] else None


def _type_of_letter(head: bytes) -> str | None:
    """A letter or an MHTML archive by its first fields."""
    fields: dict[bytes, bytes] = {}
    at = len(head) - len(head.lstrip())
    while field := _FIELD.match(head, at):
        fields.setdefault(field[1].lower(), field[2])
        at = field.end()
    names = fields.keys()
    if not names & _TRACES or len(names & (_TRACES | _WRITTEN)) < 2:
        return None
    is_archive = fields.get(b"content-type", b"").lower().startswith(MHTML.encode())
    return MHTML if is_archive and not names & _ON_THE_WAY else MAIL
