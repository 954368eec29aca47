"""Numbers as fractions: `# ?/?` shows 1.375 as 1 3/8."""

from __future__ import annotations

from fractions import Fraction

from extractors._ooxml.serial_date import Token, literal

_MAX_DENOMINATOR_DIGITS = 7
_NOTHING = Fraction(1, 20_000_000)


def fraction(number: float, tokens: tuple[Token, ...]) -> str:
    """The number as a whole and a fraction, or as a fraction alone where the format has no place for the whole."""
    slash = tokens.index(("other", "/"))
    top = _run_before(tokens, slash)
    below = _run_after(tokens, slash)
    whole = [text for kind, text in tokens[:top] if kind == "digit"]
    first = next((index for index, (kind, _) in enumerate(tokens) if kind == "digit"), top)
    amount = Fraction(abs(number))
    below_text = "".join(text for _, text in tokens[slash + 1 : below]).strip()
    width = max(len(below_text), sum(1 for kind, _ in tokens[top:slash] if kind == "digit"))
    parts = _parts(amount, below_text, width, is_mixed=bool(whole))
    between = "".join(map(literal, tokens[_last_place(tokens, top) : top])).strip() or " "
    text = _shown(*parts, whole=whole, between=between)
    before, after = ("".join(map(literal, part)) for part in (tokens[:first], tokens[below:]))
    sign = "-" if number < 0 and any(parts[:2]) else ""
    return f"{sign}{before}{text}{after}".strip()


def _run_before(tokens: tuple[Token, ...], slash: int) -> int:
    """Where the places of the numerator begin."""
    at = slash
    while at > 0 and tokens[at - 1][0] != "digit":
        at -= 1
    while at > 0 and tokens[at - 1][0] == "digit":
        at -= 1
    return at


def _run_after(tokens: tuple[Token, ...], slash: int) -> int:
    """Where the denominator, places or a number, ends."""
    at = slash + 1
    while at < len(tokens) and tokens[at] == ("other", " "):
        at += 1
    while at < len(tokens) and (tokens[at][0] == "digit" or tokens[at][1].isdecimal()):
        at += 1
    return at


def _parts(amount: Fraction, denominator: str, width: int, *, is_mixed: bool) -> tuple[int, int, int]:
    """The whole, the numerator and the denominator, of so many digits or of a fixed number."""
    whole = int(amount) if is_mixed else 0
    rest = amount - whole
    if any(digit in "123456789" for digit in denominator):
        below = int("".join(digit for digit in denominator if digit.isdecimal()))
        top = int(rest * below + Fraction(1, 2))
    else:
        top, below = _convergent(rest, 10 ** min(width, _MAX_DENOMINATOR_DIGITS) - 1)
    return (whole + 1, 0, below) if is_mixed and top == below else (whole, top, below)


def _convergent(amount: Fraction, most: int) -> tuple[int, int]:
    """The last convergent of the continued fraction whose denominator fits: what Excel shows, not the nearest."""
    before, last = (0, 1), (1, 0)
    while True:
        whole, rest = divmod(amount, 1)
        found = (int(whole) * last[0] + before[0], int(whole) * last[1] + before[1])
        if found[1] > most:
            return last
        before, last = last, found
        if rest < _NOTHING:
            return last
        amount = 1 / rest


def _last_place(tokens: tuple[Token, ...], end: int) -> int:
    """Where the places of the whole end."""
    return max((index + 1 for index, (kind, _) in enumerate(tokens[:end]) if kind == "digit"), default=end)


def _shown(number: int, top: int, below: int, *, whole: list[str], between: str) -> str:
    if whole and not top:
        return str(number)
    return f"{number}{between}{top}/{below}" if number or "0" in whole else f"{top}/{below}"
