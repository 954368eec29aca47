"""A format is data: what it reads, and honestly what it does not."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from extractors.format import Format
from extractors.registry import FORMATS


def name(fmt: Format) -> str:
    return fmt.name


def test_names_are_distinct() -> None:
    assert len({fmt.name for fmt in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize("fmt", FORMATS, ids=name)
def test_it_says_what_it_loses_in_short_sentences(fmt: Format) -> None:
    assert fmt.limitations
    assert all(10 < len(sentence) <= 200 and sentence == sentence.strip() for sentence in fmt.limitations)


@pytest.mark.parametrize("fmt", FORMATS, ids=name)
def test_its_extensions_are_written_alike(fmt: Format) -> None:
    assert fmt.extensions
    assert [extension for extension in fmt.extensions if not re.fullmatch(r"\.?[a-z0-9][a-z0-9_+-]*", extension)] == []
    assert len({extension.startswith(".") for extension in fmt.extensions}) == 1


@pytest.mark.parametrize("fmt", FORMATS, ids=name)
def test_its_media_types_are_media_types(fmt: Format) -> None:
    assert fmt.media_types
    assert [kind for kind in fmt.media_types if not re.fullmatch(r"[a-z]+/[a-z0-9][a-z0-9.+-]*", kind)] == []


def test_no_two_formats_claim_the_same_file() -> None:
    claims = Counter(claim for fmt in FORMATS for claim in (*fmt.extensions, *fmt.media_types))
    assert [claim for claim, count in claims.items() if count > 1] == []
