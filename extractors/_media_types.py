"""Media types as names and senders claim them. A claim is evidence, not truth."""

from __future__ import annotations

import re

UNKNOWN = "application/octet-stream"

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SLIDES = "application/vnd.openxmlformats-officedocument.presentationml"
_ODF = "application/vnd.oasis.opendocument"

DOCX = f"{_WORD}.document"
XLSX = f"{_SHEET}.sheet"
PPTX = f"{_SLIDES}.presentation"

OFFICE_TYPES = {
    "docx": DOCX,
    "dotx": f"{_WORD}.template",
    "docm": "application/vnd.ms-word.document.macroenabled.12",
    "dotm": "application/vnd.ms-word.template.macroenabled.12",
    "xlsx": XLSX,
    "xltx": f"{_SHEET}.template",
    "xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    "xltm": "application/vnd.ms-excel.template.macroenabled.12",
    "xlam": "application/vnd.ms-excel.addin.macroenabled.12",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "pptx": PPTX,
    "potx": f"{_SLIDES}.template",
    "ppsx": f"{_SLIDES}.slideshow",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "potm": "application/vnd.ms-powerpoint.template.macroenabled.12",
    "ppsm": "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    "ppam": "application/vnd.ms-powerpoint.addin.macroenabled.12",
}

IMAGE_TYPES = {
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "jpe": "image/jpeg",
    "jfif": "image/jpeg",
    "png": "image/png",
    "apng": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "dib": "image/bmp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "ico": "image/x-icon",
    "avif": "image/avif",
    "heic": "image/heic",
    "heif": "image/heic",
}

#: Text with a type of its own; every other extension of text is `text/plain`.
TYPED_TEXT_EXTENSIONS = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "text/html",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "json": "application/json",
    "ipynb": "application/x-ipynb+json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
}
_PLAIN_TEXT_EXTENSIONS = (
    "txt", "text", "log", "srt", "vtt", "ass", "lrc", "rst", "adoc", "org", "tex", "bib", "diff", "patch",
    "properties", "conf", "cfg", "config", "ini", "env", "jsonl", "ndjson", "geojson", "java", "kt", "kts",
    "groovy", "gradle", "scala", "py", "pyi", "rb", "php", "js", "mjs", "cjs", "jsx", "ts", "tsx", "vue",
    "svelte", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "go", "rs", "swift", "dart", "m", "mm", "sh",
    "bash", "zsh", "fish", "bat", "cmd", "ps1", "sql", "css", "scss", "sass", "less", "lua", "r", "pl", "pm",
    "jl", "hs", "ex", "exs", "erl", "clj", "f90", "asm", "s", "v", "vhd", "sv", "proto", "graphql", "thrift",
    "tf", "cmake", "mk", "dockerfile", "gitignore", "gitattributes", "gitmodules", "editorconfig", "npmrc",
    "dockerignore", "xsd", "xsl", "xslt", "dtd", "wsdl", "plist", "rss", "atom", "opml", "po", "pot", "strings",
    "csproj", "sln", "pom", "lock", "ics", "vcf",
)  # fmt: skip
TEXT_NAMES = frozenset(
    {"dockerfile", "makefile", "jenkinsfile", "readme", "license", "changelog", "cmakelists", "gemfile"}
)

EXTENSION_TYPES = {
    **dict.fromkeys(_PLAIN_TEXT_EXTENSIONS, "text/plain"),
    **TYPED_TEXT_EXTENSIONS,
    **IMAGE_TYPES,
    **OFFICE_TYPES,
    "pdf": "application/pdf",
    "doc": "application/msword",
    "dot": "application/msword",
    "wps": "application/msword",
    "xls": "application/vnd.ms-excel",
    "xlt": "application/vnd.ms-excel",
    "et": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "pps": "application/vnd.ms-powerpoint",
    "dps": "application/vnd.ms-powerpoint",
    "msg": "application/vnd.ms-outlook",
    "eml": "message/rfc822",
    "mht": "multipart/related",
    "mhtml": "multipart/related",
    "rtf": "application/rtf",
    "odt": f"{_ODF}.text",
    "ott": f"{_ODF}.text-template",
    "ods": f"{_ODF}.spreadsheet",
    "ots": f"{_ODF}.spreadsheet-template",
    "odp": f"{_ODF}.presentation",
    "otp": f"{_ODF}.presentation-template",
    "odg": f"{_ODF}.graphics",
    "otg": f"{_ODF}.graphics-template",
    "epub": "application/epub+zip",
    "pages": "application/vnd.apple.pages",
    "numbers": "application/vnd.apple.numbers",
    "key": "application/vnd.apple.keynote",
    "zip": "application/zip",
    "jar": "application/java-archive",
    "apk": "application/vnd.android.package-archive",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
    "tar": "application/x-tar",
    "gz": "application/gzip",
    "tgz": "application/gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "zst": "application/zstd",
    "exe": "application/vnd.microsoft.portable-executable",
    "dll": "application/vnd.microsoft.portable-executable",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "amr": "audio/amr",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "avi": "video/x-msvideo",
    "mkv": "video/x-matroska",
    "webm": "video/webm",
}

TEXT_TYPES = frozenset({"text/plain", *TYPED_TEXT_EXTENSIONS.values()})

#: Other spellings that browsers, phones and mail programs send.
_ALIASES = {
    "application/x-pdf": "application/pdf",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/x-bmp": "image/bmp",
    "image/vnd.microsoft.icon": "image/x-icon",
    "image/heif": "image/heic",
    "application/csv": "text/csv",
    "application/xhtml+xml": "text/html",
    "text/xml": "application/xml",
    "text/json": "application/json",
    "text/x-markdown": "text/markdown",
    "text/yaml": "application/yaml",
    "text/x-yaml": "application/yaml",
    "application/x-yaml": "application/yaml",
    "text/rtf": "application/rtf",
    "application/javascript": "text/plain",
    "application/x-javascript": "text/plain",
    "application/x-sh": "text/plain",
    "application/sql": "text/plain",
    "application/x-ndjson": "text/plain",
    "application/x-zip-compressed": "application/zip",
    "application/x-rar-compressed": "application/vnd.rar",
}
_COPY_MARK = re.compile(r"[\s_~(（].*$")
_SILENT = frozenset({UNKNOWN, "binary/octet-stream", "application/unknown", "application/x-download", "*/*", ""})


def type_of_name(name: str | None) -> str | None:
    """The media type a file's name claims: by its last known suffix, so that `a.pdf.download` is still a PDF."""
    base = re.split(r"[/\\]", (name or "").strip().lower())[-1][-255:].replace("．", ".")
    if base.partition(".")[0] in TEXT_NAMES and "." not in base.strip("."):
        return "text/plain"
    for suffix in reversed(base.split(".")[1:]):
        # What systems append to a second copy: "a.pdf (1)", "a.pdf_".
        if known := EXTENSION_TYPES.get(_COPY_MARK.sub("", suffix)):
            return known
    return None


def clean_type(claimed: str | None) -> str | None:
    """A media type as a sender wrote it, in its usual spelling; None where it says nothing."""
    bare = (claimed or "").partition(";")[0].strip().lower()
    bare = _ALIASES.get(bare, bare)
    return None if bare in _SILENT or "/" not in bare else bare
