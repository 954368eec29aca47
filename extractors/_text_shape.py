"""What kind of text a text is, by how it begins. Stdlib only."""

from __future__ import annotations

import re

PLAIN = "text/plain"
HTML = "text/html"
XML = "application/xml"
SVG = "image/svg+xml"
MAIL = "message/rfc822"
MAILBOX = "application/mbox"
MHTML = "multipart/related"
WORD_XML = "application/vnd.ms-wordml"
SHEET_XML = "application/vnd.ms-spreadsheetml"
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
_ROOTS = {b"html": HTML, b"svg": SVG}
_EXCEL_2003 = b"urn:schemas-microsoft-com:office:spreadsheet"
_WORD_2003 = b"schemas.microsoft.com/office/word/2003/wordml"
_IS_FLAT_WORD = re.compile(
    rb"/office/2006/xmlPackage.{0,8000}?(?:/word/document\.xml|wordprocessingml\.document)|progid=[\"']Word\.Document",
    re.S,
)
#: A field's name, and the lines that go on with its value.
_FIELD = re.compile(
    rb"([!-9;-~\x80-\xff]{1,70})[ \t]{0,20}:[ \t]?([^\r\n]{0,2000}(?:\r?\n[ \t][^\r\n]{0,2000}){0,200})\r?\n"
)
#: What mailboxes and mail programs write before the fields: who sent it and when, or how many bytes follow.
_BEFORE_FIELDS = re.compile(rb"\s*(?:(>?From (?![ \t]*:)[^\r\n]{1,300}\r?\n)|\d{1,9}[ \t]*\r?\n)?")
#: The same line before another letter.
_NEXT_LETTER = re.compile(rb"\r?\n\r?\nFrom [^\r\n]{0,300}\d:\d\d[^\r\n]{0,60}\r?\n[!-9;-~]{1,70}:")
#: Only machines write these.
_TRACES = frozenset({b"received", b"message-id", b"mime-version", b"return-path", b"delivered-to", b"x-mailer"})
_WRITTEN = frozenset({b"from", b"to", b"subject", b"date", b"sender", b"reply-to"})
#: People write these at the head of notes, but hardly all of them and nothing else.
_LEAST = frozenset({b"from", b"to", b"subject"})
_BESIDE_LEAST = _WRITTEN | {b"cc", b"bcc", b"in-reply-to", b"references", b"importance"}
_OF_PROGRAMS = (b"x-", b"content-", b"list-")
_BLANK_LINE = re.compile(rb"\r?\n")
#: What a letter has and a page saved from a browser has not.
_ON_THE_WAY = frozenset({b"received", b"return-path", b"delivered-to", b"to", b"reply-to"})


def type_of_text(data: bytes) -> str:
    """A whole page of HTML, a kind of XML, a letter or an MHTML archive; `text/plain` for any other text."""
    head = _head(data)
    if _HTML_DOCTYPE.match(head):
        return HTML
    return _type_of_root(head) or _type_of_letter(head, data) or PLAIN


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
    if name in _ROOTS:
        return _ROOTS[name]
    if (office := _office_xml(name, root[3], head)) is not None:
        return office
    return XML if head.lstrip().startswith(b"<?xml") or b"xmlns" in root[3] else None


def _office_xml(name: bytes, attributes: bytes, head: bytes) -> str | None:
    """A document of an office program that is one XML file."""
    if name == b"document" and (flat := _FLAT_ODF.search(attributes)):
        return f"{flat[1].decode().removesuffix('-template')}-flat-xml"
    if (name == b"worddocument" and _WORD_2003 in attributes) or (name == b"package" and _IS_FLAT_WORD.search(head)):
        return WORD_XML
    return SHEET_XML if name == b"workbook" and _EXCEL_2003 in attributes else None


def _type_of_letter(head: bytes, data: bytes) -> str | None:
    """A letter, a mailbox or an MHTML archive by its first fields."""
    before = _BEFORE_FIELDS.match(head)
    at = before.end() if before else 0
    fields: dict[bytes, bytes] = {}
    while field := _FIELD.match(head, at):
        fields.setdefault(field[1].lower(), field[2])
        at = field.end()
    names = fields.keys()
    is_kept = before is not None and before[1] is not None
    is_letter = bool(names & _TRACES) and (is_kept or len(names & (_TRACES | _WRITTEN)) > 1)
    is_note = names >= _LEAST and all(name in _BESIDE_LEAST or name.startswith(_OF_PROGRAMS) for name in names)
    if not is_letter and not (is_note and _BLANK_LINE.match(head, at)):
        return None
    if is_kept and _NEXT_LETTER.search(data):
        return MAILBOX
    is_archive = fields.get(b"content-type", b"").lower().startswith(MHTML.encode())
    return MHTML if is_archive and not names & _ON_THE_WAY else MAIL
