"""What of the model's words may reach a card. In Feishu they are markup: images, tags, links and tables act there.

`safe_markdown` is prefix-stable: while the text grows, each result begins with the one before, so a streaming card
types on instead of starting again. Every decision looks only at text that can no longer change.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_URL_BODY = r"[!#$%&*+,\-./0-9:;=?@A-Z^_a-z{|}~]*"  # ASCII, so no look-alike letters; no brackets, quotes, parentheses
_WORD = r"[A-Za-z0-9+.\-]"
_TOKEN = re.compile(
    # Possessive quantifiers: no line, however odd, takes more than linear time.
    rf"(?P<link>!?\[(?P<text>[^\[\]\n]*+)\]\(\s*+<?(?P<target>[^()\s<>]*+)>?(?:\s++\"[^\"()\n]*+\")?\s*+\))"
    rf"|(?P<url>{_WORD}*+://{_URL_BODY}|www\.{_URL_BODY})"
    rf"|(?P<word>{_WORD}++)"
    r"|(?P<ticks>`++)"
    r"|(?P<mark>[\]!<])"
    r"|(?P<other>[^A-Za-z0-9+.\-`\]!<\[:]++|[\[:])",
    re.IGNORECASE,
)
#: The end of a growing line that may still become something else: a link, an image, an address.
_OPEN_END = re.compile(
    rf"!?\[[^\[\]\n]*(?:\](?:\([^()\n]*)?)?\Z|!\Z|`+\Z|{_WORD}+(?::/?)?\Z|{_WORD}*:/{{0,2}}\Z"
    rf"|{_WORD}*://{_URL_BODY}\Z|www\.{_URL_BODY}\Z",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*(?P<ticks>`{3,})(?P<info>[^`]*)\Z|\s*(?P<tildes>~{3,})(?P<words>.*)\Z")
_FENCE_LIKE = re.compile(r"\s*(?:```|~~~)")
_INFO = re.compile(r"[\w+#.\-]*")
_DELIMITER = re.compile(r"[\s>]*+(?:[-*+]\s++)?\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+\Z")
#: The beginning of a growing line that may still become a fence, a table's row or its delimiter.
_OPEN_LINE = re.compile(r"\s*(?:\||`{1,2}\Z|```|~)|[\s>|:\-*+]*\Z")
#: Control characters, and those that hide or reorder text.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_TAG_IN_CODE = re.compile(r"<(?=/?at\b)", re.IGNORECASE)
_BREAK = "\u200b"  # no width: what stands on its two sides cannot join into markup
_ADDRESS = re.compile(rf"https?://{_URL_BODY}", re.IGNORECASE)


def links_in(text: str) -> frozenset[str]:
    """The web addresses that stand literally in `text`: what a user wrote may be a link in the answer."""
    return frozenset(_ADDRESS.findall(text))


def safe_markdown(
    text: str, *, allowed_links: frozenset[str] = frozenset(), max_tables: int = 3, final: bool = True
) -> str:
    """`text` as a card may show it: no images, no tags, links as their domain, at most `max_tables` tables.

    While `final` is false the end that may still become something else is held back.
    """
    lines = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    growing = "" if final else lines.pop()
    page = _Page(allowed_links, max_tables)
    for line in lines:
        page.take(line)
    return page.finish() if final else page.grow(growing)


class _Page:
    """Takes whole lines from top to bottom; knows whether it is in a fence or a table."""

    def __init__(self, allowed_links: frozenset[str], max_tables: int) -> None:
        self._allowed_links = allowed_links
        self._max_tables = max_tables
        self._out: list[str] = []
        self._fence = ""  # what opened the fence we are in
        self._tables = 0
        self._table_as_code = False
        self._row: str | None = None  # a line that is the head of a table if the next is a delimiter
        self._previous = ""

    def take(self, line: str) -> None:
        """Adds one whole line."""
        if self._fence:
            self._take_code(line)
            return
        row, self._row = self._row, None
        if row is not None and self._begin_table(row, line):
            return
        if self._table_as_code:
            if line.lstrip().startswith("|"):
                self._out.append(_code(line))
                return
            self._out.append("```")
            self._table_as_code = False
        self._take_text(line)

    def grow(self, line: str) -> str:
        """The page so far, with as much of the unfinished last line as is certain."""
        held = self._fence or self._row is not None or self._table_as_code or _OPEN_LINE.match(line)
        certain = "" if held else _inline(line, self._allowed_links, final=False)
        return "".join(f"{line}\n" for line in self._out) + certain

    def finish(self) -> str:
        """The whole page; open fences are closed."""
        if self._row is not None:
            self._out.append(_inline(self._row, self._allowed_links))
        if self._fence or self._table_as_code:
            self._out.append("```")
        return "\n".join(self._out)

    def _take_text(self, line: str) -> None:
        previous, self._previous = self._previous, line
        if fence := _FENCE.match(line):
            self._fence = fence["ticks"] or fence["tildes"]
            info = _INFO.match((fence["info"] or fence["words"] or "").strip())
            # Without the indent, and always with backticks: then it is a fence to every reader.
            self._out.append(f"```{info.group() if info else ''}")
        elif _DELIMITER.match(line) and ("|" in line or ":" in line) and previous.strip():
            self._tables += 1
            # A table beyond the limit whose head is out already: without its delimiter it is plain lines.
            if self._tables <= self._max_tables:
                self._out.append(_inline(line, self._allowed_links))
        elif line.lstrip().startswith("|") and not previous.lstrip().startswith("|"):
            self._row = line
        else:
            guard = _BREAK if _FENCE_LIKE.match(line) else ""  # such as ```x``` in one line: no fence, for any reader
            self._out.append(guard + _inline(line, self._allowed_links))

    def _begin_table(self, row: str, line: str) -> bool:
        """True when `row` and `line` open a table; otherwise `row` goes out as text and `line` is still to be taken."""
        if not (_DELIMITER.match(line) and "|" in line):
            self._out.append(_inline(row, self._allowed_links))
            return False
        self._tables += 1
        self._previous = line
        if self._tables > self._max_tables:
            self._table_as_code = True
            self._out += ["```", _code(row), _code(line)]
        else:
            self._out += [_inline(row, self._allowed_links), _inline(line, self._allowed_links)]
        return True

    def _take_code(self, line: str) -> None:
        stripped = line.strip()
        if len(stripped) >= len(self._fence) and not stripped.strip(self._fence[0]):
            self._fence = ""
            self._previous = ""
            self._out.append("```")
        else:
            self._out.append(_code(line))


def _code(line: str) -> str:
    """A line inside a fence: as it is, but it can neither close the fence nor ping a chat."""
    if _FENCE_LIKE.match(line):
        line = _BREAK + line
    return _TAG_IN_CODE.sub(f"<{_BREAK}", line)


def _inline(line: str, allowed_links: frozenset[str], *, final: bool = True) -> str:
    """One line of text. When it is not final, the end that may still change is left out."""
    out: list[str] = []
    position, in_code = 0, False
    while position < len(line):
        if not final and _OPEN_END.match(line, position):
            break
        token = _TOKEN.match(line, position)
        if token is None:  # cannot be: the alternatives cover every character
            raise AssertionError(line[position])
        in_code ^= token.lastgroup == "ticks"
        out.append(_render(token, allowed_links, in_code=in_code))
        position = token.end()
    return "".join(out)


def _render(token: re.Match[str], allowed_links: frozenset[str], *, in_code: bool) -> str:
    whole = token.group()
    if token["link"]:
        return f"{_BREAK}{_link(token, allowed_links)}{_BREAK}"
    if token["url"]:
        return f"{_BREAK}{_address(whole, allowed_links)}{_BREAK}"
    if whole == "<":
        # Not every reader resolves entities in code, and none sees a tag after a break.
        return f"<{_BREAK}" if in_code else "&lt;"
    following = token.string[token.end() : token.end() + 1]
    if (whole == "]" and following in {"(", "[", ":"}) or (whole == "!" and following == "["):
        return f"{whole} "
    return whole


def _link(token: re.Match[str], allowed_links: frozenset[str]) -> str:
    text, target = _inline(token["text"], frozenset()), token["target"]
    if token["link"].startswith("!"):
        return text
    if target in allowed_links and _ADDRESS.fullmatch(target):
        return f"[{text}]({target})"
    domain = _domain(target)
    if not domain or domain in text:
        return text
    return f"{text} ({domain})" if text else domain


def _address(address: str, allowed_links: frozenset[str]) -> str:
    """A bare address: kept when allowed, else only its domain; the full stop after it stays."""
    bare = address.rstrip(".,;:!?")
    return (bare if bare in allowed_links else _domain(bare)) + address[len(bare) :]


def _domain(address: str) -> str:
    """The host of a web address in lower case, or "" for anything else."""
    try:
        parts = urlsplit(f"https://{address}" if address.lower().startswith("www.") else address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host if parts.scheme in {"http", "https"} and re.fullmatch(r"[a-z0-9.\-]+", host) else ""
