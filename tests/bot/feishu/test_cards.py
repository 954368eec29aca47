from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.feishu.cards import card_reference, final_card, post, static_card, streaming_card, wire_bytes
from bot.feishu.splitting import split_markdown


def elements(card: dict[str, Any]) -> list[dict[str, Any]]:
    return card["body"]["elements"]  # type: ignore[no-any-return]


def test_a_streaming_card_has_one_text_to_fill() -> None:
    card = streaming_card(title="", placeholder="正在读")
    assert card["config"] == {"update_multi": True, "streaming_mode": True, "summary": {"content": "正在读"}}
    assert elements(card) == [{"tag": "markdown", "content": "正在读", "element_id": "answer"}]
    assert "header" not in card
    assert streaming_card(title="T", placeholder="")["header"]["title"]["content"] == "T"


def test_a_final_card_ends_streaming_and_folds_the_files_away() -> None:
    card = final_card(body_markdown="B", files_markdown="- a.pdf", files_title="1 file", footer="F", summary="S")
    assert card["config"] == {"update_multi": True, "streaming_mode": False, "summary": {"content": "S"}}
    assert [element["tag"] for element in elements(card)] == ["markdown", "collapsible_panel", "hr", "markdown"]
    assert elements(card)[1]["header"]["title"]["content"] == "1 file"
    assert elements(card)[1]["elements"][0]["content"] == "- a.pdf"
    assert elements(card)[1]["expanded"] is False


def test_a_final_card_without_a_title_for_the_files_has_them_in_small_print() -> None:
    card = final_card(body_markdown="B", files_markdown="- a.pdf", footer="", summary="")
    assert [element.get("content") for element in elements(card)] == ["B", None, "- a.pdf"]
    assert elements(card)[2]["text_size"] == "notation"
    assert "summary" not in card["config"]


def test_a_final_card_of_nothing_but_the_answer_is_one_element() -> None:
    assert len(elements(final_card(body_markdown="B", files_markdown="", footer="", summary="S"))) == 1


@pytest.mark.parametrize(
    "card",
    [
        static_card("x"),
        streaming_card(title="t", placeholder="p"),
        final_card(body_markdown="b", files_markdown="f", files_title="t", footer="f", summary="s"),
    ],
)
def test_every_card_is_of_schema_2_shared_and_has_each_id_once(card: dict[str, Any]) -> None:
    assert card["schema"] == "2.0"
    assert card["config"]["update_multi"] is True
    ids = re.findall(r'"element_id": "([^"]*)"', json.dumps(card))
    assert ids == ["answer"]


def test_the_contents_of_messages() -> None:
    assert card_reference("7355") == {"type": "card", "data": {"card_id": "7355"}}
    assert post("**x**") == {"zh_cn": {"content": [[{"tag": "md", "text": "**x**"}]]}}


@pytest.mark.parametrize(("text", "size"), [("", 0), ("a", 1), ("读", 3), ("\n", 2), ('"', 2), ("😀", 4)])
def test_wire_bytes_are_those_of_the_json(text: str, size: int) -> None:
    assert wire_bytes(text) == size


def test_a_short_text_is_one_part_and_a_blank_one_none() -> None:
    assert split_markdown("# a\n\nb\n") == ("# a\n\nb\n",)
    assert split_markdown(" \n") == ()


def test_the_default_part_fits_a_card() -> None:
    parts = split_markdown("读文" * 20_000)
    assert len(parts) == 5
    for part in parts:
        card = final_card(body_markdown=part, files_markdown="f" * 800, footer="f" * 100, summary="s" * 50)
        assert len(json.dumps(card, ensure_ascii=False).encode()) < 30_000


def test_it_is_cut_before_headings_and_between_paragraphs() -> None:
    text = "# One\n\n" + "a" * 120 + "\n\n" + "b" * 90 + "\n\n# Two\n\n" + "c" * 150
    assert split_markdown(text, 200) == (
        "# One\n\n" + "a" * 120,
        "b" * 90,
        "# Two\n\n" + "c" * 150,
    )


def test_a_heading_is_never_left_at_the_end_of_a_part() -> None:
    text = "x" * 150 + "\n\n## Next\n\n" + "y" * 150
    assert split_markdown(text, 200) == ("x" * 150, "## Next\n\n" + "y" * 150)


def test_code_that_is_cut_is_closed_and_opened_again() -> None:
    code = [f"line {number:03}" for number in range(60)]
    parts = split_markdown("before\n\n```python\n" + "\n".join(code) + "\n```\nafter", 200)
    assert parts[0] == "before"
    fenced = [part for part in parts if part.startswith("```python\n")]
    assert len(fenced) > 2
    assert all(part.count("```") == 2 for part in fenced)
    assert [line for part in fenced for line in part.split("\n") if line.startswith("line")] == code
    assert parts[-1].endswith("after")


@pytest.mark.parametrize("max_bytes", range(200, 220))
def test_the_fences_that_are_added_count(max_bytes: int) -> None:
    parts = split_markdown("```python\n" + "x\n" * 400 + "```", max_bytes)
    assert max(wire_bytes(part) for part in parts) in range(max_bytes - 8, max_bytes + 1)


def test_a_shorter_fence_inside_a_longer_one_does_not_close_it() -> None:
    parts = split_markdown("````\n```\n" + "x\n" * 100 + "```\n````\n", 200)
    assert all(part.startswith("````\n") and part.endswith("````") for part in parts)


MARKDOWN = st.lists(
    st.one_of(
        st.sampled_from(["# Heading", "```python", "```", "~~~", "", "- item", "| a | b |", "    indented", "````"]),
        st.text(alphabet='ab 读文😀"\\\t', max_size=120),
    ),
    max_size=60,
).map("\n".join)


@given(text=MARKDOWN, max_bytes=st.integers(200, 600))
def test_every_part_fits_and_is_not_blank(text: str, max_bytes: int) -> None:
    parts = split_markdown(text, max_bytes)
    assert all(wire_bytes(part) <= max_bytes for part in parts)
    assert all(part.strip() for part in parts)


@given(text=MARKDOWN, max_bytes=st.integers(200, 600))
def test_no_letter_is_lost_added_or_moved(text: str, max_bytes: int) -> None:
    def letters(value: str) -> str:
        return "".join(re.findall(r"[ab读文😀]", re.sub(r"[`~]{3,}.*", "", value)))

    assert "".join(letters(part) for part in split_markdown(text, max_bytes)) == letters(text)


@given(text=MARKDOWN, max_bytes=st.integers(200, 600))
def test_no_part_begins_or_ends_inside_of_code(text: str, max_bytes: int) -> None:
    parts = split_markdown(text, max_bytes)
    for part in parts[:-1]:
        fence = ""
        for line in part.split("\n"):
            match = re.match(r"^ {0,3}(`{3,}|~{3,})(?!`|~)[^`]*$", line)
            if not fence and match:
                fence = match[1]
            elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        assert not fence
