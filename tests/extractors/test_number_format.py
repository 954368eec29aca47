"""Number formats: what Excel shows for a stored number or text, checked against what Excel itself wrote."""

from __future__ import annotations

import pytest

from extractors._ooxml.builtin_formats import BUILTIN
from extractors._ooxml.number_format import displayed, displayed_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("11.666666666666666", "11.66666667"),
        ("12345.678901234", "12345.6789"),
        ("0.1234567891", "0.123456789"),
        ("0.000123456789", "0.000123457"),
        ("0.00001", "0.00001"),
        ("0.0000123456789", "1.23457E-05"),
        ("1.234567E-14", "1.23457E-14"),
        ("-0.0000000000001", "-1E-13"),
        ("1.5E+20", "1.5E+20"),
        ("123456789012.34", "123456789012"),
        ("320102199001011234", "320102199001011234"),  # an identity number
        ("1E3", "1000"),
    ],
)
def test_numbers_without_a_format_take_eleven_characters_and_whole_ones_as_many_as_they_have(
    raw: str, shown: str
) -> None:
    assert displayed(raw, "General") == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("1.375", "# ?/?", "1 3/8"),
        ("0.5", "# ?/?", "1/2"),
        ("0.5", "0 ?/?", "0 1/2"),
        ("12", "# ?/?", "12"),
        ("-1.2", "# ?/?", "-1 1/5"),
        ("12.3", "# ?/?", "12 1/3"),  # the last convergent, not the nearest
        ("5.25", "# ???/8", "5 2/8"),
        ("5.25", "??/100", "525/100"),
        ("12.3456789", "??/??", "1000/81"),
        ("2.999", "# ?/2", "3"),
        ("23.75", r"#\:#/#", "23:3/4"),
        ("1.5", '# ?/?" cups"', "1 1/2 cups"),
        ("1.375", BUILTIN[12], "1 3/8"),
    ],
)
def test_fractions(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("12345", "##0.0E+0", "12.3E+3"),
        ("123456", "##0.0E+0", "123.5E+3"),
        ("999999", "##0.0E+0", "1.0E+6"),
        ("0.00012", "##0.0E+0", "120.0E-6"),
        ("-1234.5", "0.00E+00", "-1.23E+03"),
        ("0", "0.00E+00", "0.00E+00"),
        ("12345", "0.0E-0", "1.2E4"),
        ("1e30", "0.0E+0", "1.0E+30"),
    ],
)
def test_powers_of_ten(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("12", "0.##", "12."),
        ("0", "#,###", ""),
        ("3.14159", '".."00', "..03"),
        ("3.14159", '"about ".00', "about 3.14"),
        ("0.5", ".00", ".50"),
        ("1", "#,##0_-[$HUF]", "1 HUF"),
        ("12345678901234567890", "#,##0", "12,345,678,901,234,600,000"),
        ("2.5", "0;(0)", "3"),
    ],
)
def test_places_and_the_words_around_them(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("-11", '[<-10]0" low"', "-11 low"),  # one section shows the sign of all
        ("-26", "[<-25]0;[>25]0;0", "26"),  # several say it by what they hold
        ("-10", "[>=100]0.00;0.000;0.0000", "10.000"),
        ("-10", "0.00;[>=100]0.000;0.0000", "-10.0000"),
        ("10", "[>=100]0.00;0.000;0.0000", "10.0000"),
        ("-10", "[>=100]0.00;General", "-10"),
        ("1", '[<      10]0" small"', "1 small"),
        ("0.5", "[<1]hh:mm;[>=1]dd/mm/yyyy;General", "12:00"),
        ("0", '"yes";"no";@', "yes"),  # the last section with @ is for texts
    ],
)
def test_sections_are_chosen_by_sign_and_by_condition(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("0.00;[Red]0.00", "-2.50"),
        ('"$"0.00;[Red]"$"0.00', "-$2.50"),
        ("0.00;[Red](0.00)", "(2.50)"),
        ("0.00;[Red]-0.00", "-2.50"),
        ("0.00;0.00", "2.50"),  # the sheet itself hides the sign
    ],
)
def test_a_negative_number_that_only_a_colour_tells_keeps_its_sign(code: str, shown: str) -> None:
    assert displayed("-2.5", code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [("42", ";;;", "[hidden text] 42"), ("-42", "0;;", "[hidden text] -42"), ("0", "0;-0;", ""), ("0", ";;;", "")],
)
def test_numbers_that_a_format_hides_are_marked_and_hidden_zeros_stay_blank(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ('"Hello "@', "Hello 钢笔"),
        ("0.00;-0.00;-; @ ", "钢笔"),
        ("0;-0;0;~~@~~", "~~钢笔~~"),
        ("0.00", "钢笔"),
        ("@", "钢笔"),
        ("yyyy-mm-dd;@", "钢笔"),
        ('0;0;0;"text"', "text"),
        (";;;", "[hidden text] 钢笔"),
    ],
)
def test_texts_stand_in_the_section_for_texts(code: str, shown: str) -> None:
    assert displayed_text("钢笔", code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("0.5", "yyyy-mm-dd hh:mm", "1900-01-00 12:00"),
        ("60", "yyyy-mm-dd", "1900-02-29"),
        ("1", "dddd", "Sunday"),
        ("44985.316123456", "hh:mm:ss.00", "07:35:13.07"),
        ("0.00046875", "[hh]:mm:ss", "00:00:41"),
        ("-1.2", "[h]:mm", "-28:48"),
        ("3.14159", 's:m" @ hour "[hh]', "53:23 @ hour 75"),
        ("45322", "bbbb-mm-dd", "2567-01-31"),
        ("45322", "[$-zh-CN]dddd", "星期三"),
        ("45322", "[$-F800]dddd, mmmm dd, yyyy", "Wednesday, January 31, 2024"),
    ],
)
def test_dates_and_times(raw: str, code: str, shown: str) -> None:
    assert displayed(raw, code) == shown
