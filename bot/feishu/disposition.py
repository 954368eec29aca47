"""The file name in a Content-Disposition header. It comes from a stranger: only its last part is kept."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from bot.feishu.pieces import clean

_PARAMETER = re.compile(r';\s*([\w!#$&+^`|~.-]+\*?)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')
_ESCAPED = re.compile(r"\\(.)")
_MAX_NAME_CHARS = 255


def file_name(header: str | None) -> str | None:
    """The name by RFC 6266 (`filename*` before `filename`), readable; None where there is none."""
    if not header:
        return None
    parameters = {match[1].lower(): match[2].strip() for match in _PARAMETER.finditer(header)}
    name = _extended(parameters.get("filename*", "")) or _repaired(_unquoted(parameters.get("filename", "")))
    last = re.split(r"[/\\]", clean(name).replace("\n", " "))[-1].strip()
    return last[:_MAX_NAME_CHARS] if last.strip(".") else None


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return _ESCAPED.sub(r"\1", value[1:-1])
    return value


def _extended(value: str) -> str:
    """RFC 5987: charset, language and percent-encoded bytes, such as `UTF-8''%E5%90%88.pdf`."""
    charset, found, encoded = value.partition("'")
    if not found:
        return ""
    data = unquote_to_bytes(encoded.partition("'")[2])
    try:
        return data.decode(charset or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def _repaired(name: str) -> str:
    """UTF-8 that a server or a proxy took for Latin-1, or bytes of GBK that aiohttp kept as lone surrogates."""
    try:
        return name.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return name
    except UnicodeEncodeError:
        data = name.encode("utf-8", "surrogateescape")
        for charset in ("utf-8", "gb18030"):
            try:
                return data.decode(charset)
            except UnicodeDecodeError:
                continue
        return data.decode("utf-8", "replace")
