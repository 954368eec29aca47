"""The demo's stand-in: it reports what it really received, in the question's language, and says that it is no model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.emulator.wire import SeenImage

EXCERPT_CHARS = 120

_BEGIN = re.compile(r"<<<(FILE|QUOTE)\b([^\n]{0,600}?)>>>")
_LABEL = re.compile(r"\[image from file (\d+)\b[^\n]*\]")
_NONCE = re.compile(r"nonce[ =:]*\"?([A-Za-z0-9_-]+)")
_NAME = re.compile(r'name="((?:[^"\\]|\\.)*)"')
_CITED = re.compile(r"--- ?((?:Page|Slide) \d+) ?---|### (.+)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(slots=True, kw_only=True)
class FoundFile:
    """One file block of the prompt."""

    name: str
    text: str = ""
    images: list[SeenImage] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The stand-in's sentences in one language."""

    notice: str
    nothing: str
    files: str
    marks: str
    no_text: str
    excerpt: str
    pictures: str
    loose: str
    asked: str


CHINESE = Words(
    notice="（我是本地替身，不是模型：下面只说收到了什么，没有理解内容。）",
    nothing="没有收到文件。",
    files="收到 {count} 个文件：",
    marks="标记：{marks}",
    no_text="没有文字。",
    excerpt="开头：{text}",
    pictures="图片 {count} 张：{sizes} 像素",
    loose="另有图片 {count} 张：{sizes} 像素",
    asked="问题是：{question}",
)

ENGLISH = Words(
    notice="(I am a local stand-in and no model: I only report what I received, without understanding it.)",
    nothing="No file was received.",
    files="Files received: {count}",
    marks="marks: {marks}",
    no_text="no text.",
    excerpt="begins: {text}",
    pictures="pictures: {count}, {sizes} pixels",
    loose="Further pictures: {count}, {sizes} pixels",
    asked="The question: {question}",
)


def answer(parts: Iterable[tuple[str, str | SeenImage]]) -> str:
    """What the stand-in says to the parts of a prompt, given as (role, text or image) in their order."""
    files, question, loose = read_prompt(parts)
    words = CHINESE if _CHINESE.search(question) else ENGLISH
    lines = [words.notice, ""]
    lines.append(words.files.format(count=len(files)) if files else words.nothing)
    for number, found in enumerate(files, start=1):
        lines.append(f"{number}. {found.name}")
        lines += [f"   - {line}" for line in _described(found, words)]
    if loose:
        lines.append(words.loose.format(count=len(loose), sizes=_sizes(loose)))
    if question:
        lines += ["", words.asked.format(question=_shortened(question))]
    return "\n".join(lines)


def read_prompt(parts: Iterable[tuple[str, str | SeenImage]]) -> tuple[list[FoundFile], str, list[SeenImage]]:
    """The files of a prompt, the last user text outside every block, and the images that belong to no file.

    A block begins with `<<<FILE ...>>>` or `<<<QUOTE ...>>>` and ends with an `<<<END ...>>>` that repeats its nonce,
    where it has one: a document that contains such a line cannot end its own block. An image belongs to the block it
    stands in, or to the file that a label right before it names.
    """
    reader = _Reader()
    for role, part in parts:
        if role == "user":
            reader.take(part)
    return reader.files, reader.question, reader.loose


@dataclass(frozen=True, slots=True)
class _OpenBlock:
    file: FoundFile
    end: re.Pattern[str]


@dataclass(slots=True)
class _Reader:
    files: list[FoundFile] = field(default_factory=list)
    loose: list[SeenImage] = field(default_factory=list)
    question: str = ""
    block: _OpenBlock | None = None
    labelled: FoundFile | None = None

    def take(self, part: str | SeenImage) -> None:
        """Reads the next part."""
        if isinstance(part, SeenImage):
            owner = self.labelled or (self.block.file if self.block else None)
            (owner.images if owner else self.loose).append(part)
            self.labelled = None
        elif self.block is None and (label := _LABEL.fullmatch(part.strip())):
            number = int(label[1])
            self.labelled = self.files[number - 1] if 1 <= number <= len(self.files) else None
        else:
            self._read(part)

    def _read(self, text: str) -> None:
        """Puts a text into its blocks; the last words outside of them are the question."""
        while text:
            if self.block is not None:
                text = self._fill(self.block, text)
                continue
            beginning = _BEGIN.search(text)
            outside = text[: beginning.start()] if beginning else text
            self.question = outside.strip() or self.question
            if beginning is None:
                return
            text = text[beginning.end() :]
            self._begin(beginning[1], beginning[2])

    def _begin(self, what: str, header: str) -> None:
        name = _NAME.search(header)
        found = FoundFile(name=re.sub(r"\\(.)", r"\1", name[1]) if name else f"#{len(self.files) + 1}")
        if what == "FILE":
            self.files.append(found)
        nonce = _NONCE.search(header)
        end = re.compile(rf"<<<END\b[^\n>]{{0,40}}{re.escape(nonce[1]) if nonce else ''}[^\n>]{{0,40}}>>>")
        self.block = _OpenBlock(found, end)

    def _fill(self, block: _OpenBlock, text: str) -> str:
        """Adds to the open block up to its end; returns what follows."""
        closing = block.end.search(text)
        if closing is None:
            block.file.text += text + "\n"
            return ""
        block.file.text += text[: closing.start()]
        self.block = None
        return text[closing.end() :]


def _described(found: FoundFile, words: Words) -> list[str]:
    lines = []
    marks = [mark[1] or mark[2] for line in found.text.splitlines() if (mark := _CITED.fullmatch(line.strip()))]
    if marks:
        shown = marks if len(marks) <= 4 else [*marks[:2], "…", marks[-1]]
        lines.append(words.marks.format(marks=", ".join(shown)))
    excerpt = _excerpt(found.text)
    lines.append(words.excerpt.format(text=excerpt) if excerpt else words.no_text)
    if found.images:
        lines.append(words.pictures.format(count=len(found.images), sizes=_sizes(found.images)))
    return lines


def _excerpt(text: str) -> str:
    """The first characters of a text that are words and not marks."""
    return _shortened(" ".join(line for line in text.splitlines() if not _is_mark(line.strip())))


def _is_mark(line: str) -> bool:
    """True for page and slide marks, headings, remarks in brackets, image references and the rules of tables."""
    return line.startswith(("---", "#", "![", "|-", "| -")) or (line.startswith("[") and line.endswith("]"))


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT_CHARS else flat[:EXCERPT_CHARS] + "…"


def _sizes(images: list[SeenImage]) -> str:
    return ", ".join(f"{image.width}×{image.height}" for image in images)
