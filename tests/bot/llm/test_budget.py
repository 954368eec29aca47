"""Estimates, fair shares, and cuts that say what they cut."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.llm.budget import cut, estimate_tokens, image_tokens, share

PIECES = [
    "word ",
    "中文字",
    "12,345.67 ",
    "\n",
    "--- Page 3 ---\n",
    "### Sheet1\n",
    "| a | b |\n",
    "x" * 300,
    "龘",
    "😀",
    "…",
]
DOCUMENTS = st.lists(st.sampled_from(PIECES), max_size=150).map("".join)


def pages(count: int, words: int = 100) -> str:
    return "\n".join(f"--- Page {page} ---\n" + "word " * words for page in range(1, count + 1))


@pytest.mark.parametrize(
    ("text", "counted"),
    [  # o200k and qwen3, the larger of the two, measured
        ("The quarterly revenue was forty two million dollars.", 10),
        ("公司第三季度的营业收入同比增长百分之十二。", 15),
        ("2026-11-30,1234567.89,0.0042\n", 29),
        ("😀😀😀", 3),
    ],
)
def test_an_estimate_is_not_below_what_tokenizers_count(text, counted):
    assert counted <= estimate_tokens(text) <= 4 * counted + 8


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_is_never_estimated_at_clearly_less(first, second):
    assert estimate_tokens(first + second) >= estimate_tokens(first) * 0.5


def test_a_large_text_is_estimated_quickly():
    start = time.process_time()
    estimate_tokens(("公司 revenue 12,345.67 增长。\n" * 12_000)[:200_000])
    assert time.process_time() - start < 3


def test_images_cost_by_the_most_expensive_rule():
    assert image_tokens(1024, 1448) == 2133
    assert image_tokens(None, None) == image_tokens(1568, 1568)


@given(st.lists(st.integers(0, 10_000), max_size=20), st.integers(-10, 50_000))
def test_shares_fill_like_water(wants, total):
    grants = share(wants, total)
    assert all(0 <= grant <= want for grant, want in zip(grants, wants, strict=True))
    assert sum(grants) <= max(0, total)
    if sum(wants) <= total:
        assert list(grants) == wants
    else:  # nobody who got less than wanted got clearly less than another
        short = [grant for grant, want in zip(grants, wants, strict=True) if grant < want]
        assert max(grants, default=0) - min(short, default=0) <= max(1, len(wants)) or max(total, 0) == 0
        assert sum(grants) >= max(0, total) - len(wants)


@settings(deadline=None)
@given(DOCUMENTS, st.integers(0, 3_000))
def test_a_cut_text_fits_and_adds_up(text, max_tokens):
    shorter, left_out = cut(text, max_tokens)
    assert estimate_tokens(shorter) <= max(max_tokens, 160)
    if left_out is None:
        assert shorter == text
        return
    assert left_out.total_chars == len(text)
    assert str(left_out) in shorter
    head, tail = shorter.split(str(left_out))
    assert text.startswith(head.rstrip())
    assert text.endswith(tail.lstrip("\n"))
    assert len(head.rstrip()) + len(tail.lstrip("\n")) <= len(text) - left_out.chars + 4


def test_a_cut_at_pages_names_the_missing_ones():
    shorter, left_out = cut(pages(100), 4_000)
    assert left_out.unit == "page"
    first, last = int(left_out.first), int(left_out.last)
    assert f"--- Page {first - 1} ---" in shorter
    assert f"--- Page {first} ---" not in shorter
    assert f"--- Page {last} ---" not in shorter
    assert f"--- Page {last + 1} ---" in shorter
    assert re.search(r"\[\.\.\. [\d,]+ of [\d,]+ characters left out: pages \d+ to \d+ \.\.\.\]", shorter)
    head, tail = shorter.split(str(left_out))
    assert 1.5 < len(head) / len(tail) < 4


def test_a_cut_between_sheets_names_their_headings():
    text = "\n".join(f"### Q{sheet}\n" + "| 1 | 2 |\n" * 60 for sheet in range(1, 30))
    _, left_out = cut(text, 3_000)
    assert str(left_out).endswith(f': sections "{left_out.first}" to "{left_out.last}" ...]')


def test_a_cut_inside_one_huge_line_keeps_both_of_its_ends():
    shorter, left_out = cut("a" + "字" * 20_000 + "z", 1_000)
    assert shorter.startswith("a字")
    assert shorter.endswith("字z")
    assert left_out.unit == ""
    assert estimate_tokens(shorter) > 600
