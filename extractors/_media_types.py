"""Media types as names and senders claim them. A claim is evidence, not truth."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    **dict.fromkeys(("jp2", "j2k", "jpf", "jpx", "j2c", "jpc"), "image/jp2"),
    "psd": "image/vnd.adobe.photoshop",
    "tga": "image/x-tga",
    **dict.fromkeys(("pnm", "pbm", "pgm", "ppm"), "image/x-portable-anymap"),
}

#: Drawings kept as the commands that make them.
METAFILE_TYPES = {"emf": "image/emf", "wmf": "image/wmf", "svm": "image/x-svm"}

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
    "svgz": "image/svg+xml",
    "json": "application/json",
    "ipynb": "application/x-ipynb+json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
}
#: Prose and logs: what they begin with may say more of them than the name does.
_PROSE_EXTENSIONS = ("txt", "text", "log", "asc")
#: Text that is what its name says, whatever it looks like: a template of a page is no page.
_SOURCE_EXTENSIONS = (
    "java", "kt", "kts", "groovy", "gradle", "scala", "py", "pyi", "rb", "php", "js", "mjs", "cjs", "jsx", "ts", "tsx",
    "vue", "svelte", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "go", "rs", "swift", "dart", "m", "mm", "sh",
    "bash", "zsh", "fish", "bat", "cmd", "ps1", "sql", "css", "scss", "sass", "less", "lua", "r", "pl", "pm", "jl",
    "hs", "ex", "exs", "erl", "clj", "f90", "asm", "s", "v", "vhd", "sv", "proto", "graphql", "thrift", "tf", "cmake",
    "mk", "dockerfile", "jsp", "asp", "aspx", "cshtml", "erb", "ejs", "hbs", "mustache", "twig", "j2", "jinja",
    "jinja2", "tpl", "tmpl", "ftl", "vm", "liquid", "pug", "xsl", "xslt",
)  # fmt: skip
_OTHER_TEXT_EXTENSIONS = (
    "srt", "vtt", "ass", "lrc", "rst", "adoc", "org", "tex", "bib", "diff", "patch", "properties", "conf", "cfg",
    "config", "ini", "env", "jsonl", "ndjson", "geojson", "gitignore", "gitattributes", "gitmodules", "editorconfig",
    "npmrc", "dockerignore", "xsd", "dtd", "wsdl", "plist", "rss", "atom", "opml", "po", "strings", "csproj", "sln",
    "pom", "lock", "ics", "vcf",
)  # fmt: skip
TEXT_NAMES = frozenset(
    {"dockerfile", "makefile", "jenkinsfile", "readme", "license", "changelog", "cmakelists", "gemfile"}
)

EXTENSION_TYPES = {
    **dict.fromkeys((*_PROSE_EXTENSIONS, *_SOURCE_EXTENSIONS, *_OTHER_TEXT_EXTENSIONS), "text/plain"),
    **TYPED_TEXT_EXTENSIONS,
    **IMAGE_TYPES,
    **METAFILE_TYPES,
    **OFFICE_TYPES,
    "pdf": "application/pdf",
    **dict.fromkeys(("doc", "dot", "wps"), "application/msword"),
    **dict.fromkeys(("xls", "xlt", "et"), "application/vnd.ms-excel"),
    **dict.fromkeys(("ppt", "pot", "pps", "dps"), "application/vnd.ms-powerpoint"),
    "msg": "application/vnd.ms-outlook",
    **dict.fromkeys(("eml", "emlx"), "message/rfc822"),
    "mbox": "application/mbox",
    "tnef": "application/vnd.ms-tnef",
    "p7m": "application/pkcs7-mime",
    "p7s": "application/pkcs7-signature",
    **dict.fromkeys(("mht", "mhtml"), "multipart/related"),
    "rtf": "application/rtf",
    "odt": f"{_ODF}.text",
    "ott": f"{_ODF}.text-template",
    "ods": f"{_ODF}.spreadsheet",
    "ots": f"{_ODF}.spreadsheet-template",
    "odp": f"{_ODF}.presentation",
    "otp": f"{_ODF}.presentation-template",
    "odg": f"{_ODF}.graphics",
    "otg": f"{_ODF}.graphics-template",
    "odm": f"{_ODF}.text-master",
    "odc": f"{_ODF}.chart",
    "odf": f"{_ODF}.formula",
    "otf": f"{_ODF}.formula-template",
    "fodt": f"{_ODF}.text-flat-xml",
    "fods": f"{_ODF}.spreadsheet-flat-xml",
    "fodp": f"{_ODF}.presentation-flat-xml",
    "fodg": f"{_ODF}.graphics-flat-xml",
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
    **dict.fromkeys(("gz", "tgz"), "application/gzip"),
    **dict.fromkeys(("bz2", "tbz", "tbz2"), "application/x-bzip2"),
    **dict.fromkeys(("xz", "txz"), "application/x-xz"),
    "zst": "application/zstd",
    "z": "application/x-compress",
    "lz4": "application/x-lz4",
    **dict.fromkeys(("exe", "dll", "scr"), "application/vnd.microsoft.portable-executable"),
    "msi": "application/x-msi",
    "lnk": "application/x-ms-shortcut",
    "class": "application/java-vm",
    "wasm": "application/wasm",
    "iso": "application/x-iso9660-image",
    "dmg": "application/x-apple-diskimage",
    "dwg": "image/vnd.dwg",
    "ttf": "font/ttf",
    "vsd": "application/vnd.visio",
    "vsdx": "application/vnd.ms-visio.drawing",
    "hwp": "application/x-hwp",
    "xps": "application/vnd.ms-xpsdocument",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
    **dict.fromkeys(("ogg", "oga", "opus"), "audio/ogg"),
    "flac": "audio/flac",
    "amr": "audio/amr",
    "aac": "audio/aac",
    **dict.fromkeys(("aif", "aiff"), "audio/aiff"),
    "wma": "audio/x-ms-wma",
    **dict.fromkeys(("mp4", "m4v"), "video/mp4"),
    "mov": "video/quicktime",
    "3gp": "video/3gpp",
    "avi": "video/x-msvideo",
    **dict.fromkeys(("mkv", "mka"), "video/x-matroska"),
    **dict.fromkeys(("webm", "weba"), "video/webm"),
    "ogv": "video/ogg",
    "wmv": "video/x-ms-wmv",
    "asf": "video/x-ms-asf",
    "flv": "video/x-flv",
    **dict.fromkeys(("mpg", "mpeg"), "video/mpeg"),
    **dict.fromkeys(("mts", "m2ts"), "video/mp2t"),
}

#: Suffixes that are also used for text: gettext's templates, Graphviz's graphs, keys in PEM.
TEXT_TOO = frozenset({"pot", "dot", "key"})
#: Text that is drawn or laid out.
MARKUP_TYPES = frozenset({"text/html", "image/svg+xml"})
#: Text that is read as it is written.
TEXT_TYPES = frozenset({"text/plain", *TYPED_TEXT_EXTENSIONS.values()}) - MARKUP_TYPES

#: Other spellings that browsers, phones and mail programs send.
_ALIASES = {
    "application/x-pdf": "application/pdf",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    **dict.fromkeys(("image/x-ms-bmp", "image/x-bmp"), "image/bmp"),
    "image/vnd.microsoft.icon": "image/x-icon",
    "image/heif": "image/heic",
    **dict.fromkeys(("image/jpx", "image/jpm", "image/x-jp2", "image/j2c"), "image/jp2"),
    **dict.fromkeys(("image/x-photoshop", "image/photoshop", "application/x-photoshop"), "image/vnd.adobe.photoshop"),
    **dict.fromkeys(("image/targa", "image/x-targa", "image/tga"), "image/x-tga"),
    **dict.fromkeys((f"image/x-portable-{kind}map" for kind in ("bit", "gray", "pix")), "image/x-portable-anymap"),
    **dict.fromkeys(("image/x-emf", "application/x-emf"), "image/emf"),
    **dict.fromkeys(("image/x-wmf", "application/x-wmf", "application/x-msmetafile", "windows/metafile"), "image/wmf"),
    "application/csv": "text/csv",
    "application/xhtml+xml": "text/html",
    "text/xml": "application/xml",
    "text/json": "application/json",
    "text/x-markdown": "text/markdown",
    "text/yaml": "application/yaml",
    "text/x-yaml": "application/yaml",
    "application/x-yaml": "application/yaml",
    "text/rtf": "application/rtf",
    "text/rfc822-headers": "message/rfc822",
    "message/global": "message/rfc822",
    "application/ms-tnef": "application/vnd.ms-tnef",
    "application/javascript": "text/plain",
    "application/x-javascript": "text/plain",
    "application/x-sh": "text/plain",
    "application/sql": "text/plain",
    "application/x-ndjson": "text/plain",
    "application/x-zip-compressed": "application/zip",
    "application/x-rar-compressed": "application/vnd.rar",
    "application/x-rar": "application/vnd.rar",
    "application/rar": "application/vnd.rar",
    "application/x-gzip": "application/gzip",
    "application/x-compressed-tar": "application/gzip",
    "application/bzip2": "application/x-bzip2",
    "application/x-bzip": "application/x-bzip2",
    "application/x-gtar": "application/x-tar",
    "application/x-msdownload": "application/vnd.microsoft.portable-executable",
    "application/x-mimearchive": "multipart/related",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "audio/x-flac": "audio/flac",
    "audio/opus": "audio/ogg",
    "application/ogg": "audio/ogg",
    "audio/webm": "video/webm",
    "audio/x-matroska": "video/x-matroska",
    "application/x-matroska": "video/x-matroska",
    "audio/x-aac": "audio/aac",
    "audio/x-aiff": "audio/aiff",
    "audio/vnd.wave": "audio/wav",
    "application/x-pkcs7-mime": "application/pkcs7-mime",
    "video/avi": "video/x-msvideo",
    "video/vnd.avi": "video/x-msvideo",
    "video/matroska": "video/x-matroska",
}
#: Full-width forms of what stands in suffixes.
_FULL_WIDTH = {ord("．"): ".", ord("。"): "."} | {code: chr(code - 0xFEE0) for code in range(0xFF10, 0xFF5B)}
#: Marks that turn the direction of writing or join letters, and blanks.
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\s]+$")
_COPY_MARK = re.compile(r"[\s_~(（].*$")
_SILENT = frozenset({UNKNOWN, "binary/octet-stream", "application/unknown", "application/x-download", "*/*", ""})


def type_of_name(name: str | None) -> str | None:
    """The media type a file's name claims: by its last known suffix, so that `a.pdf.download` is still a PDF."""
    base = _base(name)
    if base.partition(".")[0] in TEXT_NAMES and "." not in base.strip("."):
        return "text/plain"
    return next((EXTENSION_TYPES[suffix] for suffix in _suffixes(base) if suffix in EXTENSION_TYPES), None)


def suffix_of_name(name: str | None) -> str:
    """The suffix that `type_of_name` goes by; "" where there is none."""
    return next((suffix for suffix in _suffixes(_base(name)) if suffix in EXTENSION_TYPES), "")


def is_source_name(name: str | None) -> bool:
    """True for a file that is called a program, a template of one, or a style sheet."""
    return suffix_of_name(name) in _SOURCE_EXTENSIONS


def _base(name: str | None) -> str:
    return re.split(r"[/\\]", (name or "").strip().lower())[-1][-255:].translate(_FULL_WIDTH)


def _suffixes(base: str) -> Iterator[str]:
    """The suffixes, the last first, without what systems append to a second copy: "a.pdf (1)", "a.pdf_"."""
    return (_COPY_MARK.sub("", _INVISIBLE.sub("", suffix)) for suffix in reversed(base.split(".")[1:]))


def clean_type(claimed: str | None) -> str | None:
    """A media type as a sender wrote it, in its usual spelling; None where it says nothing."""
    bare = (claimed or "").partition(";")[0].strip().lower()
    bare = _ALIASES.get(bare, bare)
    return None if bare in _SILENT or "/" not in bare else bare
