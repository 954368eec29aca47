"""The corpus's index, and the judge of what a reader found in a file."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Beside the project, as in CI.
DEFAULT_FOLDER: Final = Path(__file__).resolve().parents[3] / "shared" / "corpus"
_BLANKS_AND_MARKS: Final = re.compile(r"[\s|*_`#>\\-]+")
_FEATURE: Final = re.compile(r"^\[[a-z]+\]")
_ORDER: Final = re.compile(r"!\s*order (.+) before (.+)")
#: An equation in TeX counts as its letters in their order, which is all that a flat reading gives of it.
_TEX: Final = re.compile(r"\\[a-zA-Z]+|[{}^]")
_ABSENT: Final = re.compile(r"!\s*no (\S+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFile:
    """One file, what it is, and the strings that a right reading of it contains."""

    path: Path
    #: Relative to the corpus, as in its index.
    name: str
    format: str
    keys: tuple[str, ...]


def read_index(folder: Path) -> list[CorpusFile]:
    """Every file of the corpus."""
    with (folder / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.reader(index, delimiter="\t"))[1:]
    return [
        CorpusFile(
            path=folder / name,
            name=name,
            format=format_,
            keys=tuple(key.strip() for key in keys.split("||") if _can_fail(key.strip())),
        )
        for name, format_, _source, _licence, _tests, keys, *_ in rows
    ]


def found_keys(file: CorpusFile, text: str) -> set[str]:
    """The keys of the file that the text satisfies."""
    squashed, without_tex = _squash(text), _squash(_TEX.sub("", text))
    return {key for key in file.keys if _is_found(key, text, squashed) or _is_found(key, text, without_tex)}


def _can_fail(key: str) -> bool:
    """True for what a text alone can satisfy; not for remarks, nor for a key of marks only, which any text contains."""
    return bool(_ORDER.match(key) or _ABSENT.match(key) or (not key.startswith("!") and _squash(key)))


def _is_found(key: str, text: str, squashed: str) -> bool:
    if match := _ORDER.match(key):
        first, second = (squashed.find(_squash(part)) for part in match.groups())
        return 0 <= first < second
    if match := _ABSENT.match(key):
        return match[1] not in text
    return _squash(_FEATURE.sub("", key)) in squashed


def _squash(text: str) -> str:
    return _BLANKS_AND_MARKS.sub("", text)
