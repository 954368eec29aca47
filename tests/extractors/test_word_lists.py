"""The numbers of lists as Word counts them: levels passed over, restarts, starts that are not told, bullets within."""

from __future__ import annotations

from .test_word import NAMES, read, word


def level(
    place: int,
    text: str,
    start: int | None = 1,
    numeral: str = "decimal",
    *,
    restart: int | None = None,
    font: str = "Symbol",
) -> str:
    values = {"start": start, "numFmt": numeral, "lvlRestart": restart, "lvlText": text}
    inner = "".join(f'<w:{name} w:val="{value}"/>' for name, value in values.items() if value is not None)
    return f'<w:lvl w:ilvl="{place}">{inner}<w:rPr><w:rFonts w:ascii="{font}"/></w:rPr></w:lvl>'


def numbered(levels: list[str], items: list[tuple[int, str]]) -> str:
    numbering = (
        f'<w:numbering {NAMES}><w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    body = "".join(
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for depth, text in items
    )
    return read(word(body, {"numbering.xml": numbering}, {"n": ("numbering", "numbering.xml")})).text


def test_a_level_that_says_no_start_begins_with_zero() -> None:
    assert numbered([level(0, "%1", None, "ordinal")], [(0, "a"), (0, "b")]) == "0th a\n1st b"


def test_a_level_that_is_passed_over_counts_as_begun() -> None:
    levels = [level(0, "%1"), level(1, "%1.%2", 1, "lowerLetter"), level(2, "%1.%2.%3", 1, "upperRoman")]
    assert numbered(levels, [(0, "x"), (2, "deep"), (1, "y")]) == "1 x\n    1.a.I deep\n  1.b y"


def test_a_level_starts_anew_only_after_the_level_that_it_names() -> None:
    levels = [level(0, "%1"), level(1, "%2"), level(2, "%3", restart=1)]
    items = [(0, "x"), (1, "y"), (2, "a"), (1, "y"), (2, "b"), (0, "x"), (2, "c")]
    assert numbered(levels, items) == "1 x\n  1 y\n    1 a\n  2 y\n    2 b\n2 x\n    1 c"


def test_a_level_that_never_starts_anew_goes_on() -> None:
    levels = [level(0, "%1"), level(1, "%2", restart=0)]
    assert numbered(levels, [(0, "x"), (1, "a"), (0, "x"), (1, "b")]) == "1 x\n  1 a\n2 x\n  2 b"


def test_a_bullet_within_a_number_is_empty() -> None:
    levels = [level(0, "%1"), level(1, "\uf0b7", 1, "bullet"), level(2, "%1.%2.%3")]
    assert numbered(levels, [(0, "x"), (2, "deep")]) == "1 x\n    1..1 deep"


def test_boxes_for_bullets_say_what_is_done() -> None:
    levels = [
        level(0, "☒", numeral="bullet"),
        level(1, "\uf0a8", numeral="bullet", font="Wingdings"),
        level(2, "\uf0a8", numeral="bullet"),
    ]
    assert numbered(levels, [(0, "done"), (1, "to do"), (2, "diamond")]) == "- ☒ done\n  - ☐ to do\n    - diamond"
