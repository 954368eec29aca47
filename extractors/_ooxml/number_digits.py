"""The digits of a number in the places that one section of a number format gives them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

from extractors._ooxml.serial_date import Token, literal

#: Larger numbers are shown without a format; together with the places they stay within the digits of `_EXACT`.
MAX_SIZE = 1e21
_MAX_DECIMALS = 30
_ALL_EXACT = 2**53
_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)


def numbered(number: float, tokens: tuple[Token, ...]) -> str:
    """A number in digits: grouped, scaled by percent signs and commas, with the words between its places."""
    kinds = [kind for kind, _ in tokens]
    point = kinds.index("point") if "point" in kinds else len(tokens)
    whole, places = tokens[:point], tokens[point + 1 :]
    digits = [index for index, kind in enumerate(kinds) if kind == "digit"]
    if not digits:
        return _literals(tokens).strip()
    scale = 2 * kinds.count("percent")
    scale -= 3 * kinds[digits[-1] :].count("comma")
    scale -= 3 * kinds[_last_digit(whole) + 1 : point].count("comma") if point < len(tokens) else 0
    rounded = _rounded(number, places, scale)
    whole_digits, _, place_digits = f"{abs(rounded):f}".partition(".")
    text = _fill_whole(whole, whole_digits, is_grouped=_is_grouped(whole))
    if point < len(tokens):
        text += _fill_places(places, place_digits)
    return f"-{text.strip()}" if rounded < 0 else text.strip()


def _rounded(number: float, places: tuple[Token, ...], scale: int) -> Decimal:
    """The number to as many places as are shown."""
    count = min(sum(1 for kind, _ in places if kind == "digit"), _MAX_DECIMALS)
    return _exact(number).scaleb(scale, _EXACT).quantize(Decimal(1).scaleb(-count), context=_EXACT)


def _exact(number: float) -> Decimal:
    """The number in its first fifteen digits; a whole one with all of them."""
    return Decimal(int(number)) if number.is_integer() and abs(number) <= _ALL_EXACT else Decimal(f"{number:.15g}")


def _last_digit(tokens: tuple[Token, ...]) -> int:
    return max((index for index, (kind, _) in enumerate(tokens) if kind == "digit"), default=-1)


def _is_grouped(whole: tuple[Token, ...]) -> bool:
    """True where a comma stands between two digits."""
    first = next((index for index, (kind, _) in enumerate(whole) if kind == "digit"), 0)
    return any(kind == "comma" for kind, _ in whole[first : max(0, _last_digit(whole))])


def _fill_whole(tokens: tuple[Token, ...], digits: str, *, is_grouped: bool) -> str:
    """Digits into their places from the right; the first place takes all that are left."""
    digits = digits.lstrip("0")
    first = next((index for index, (kind, _) in enumerate(tokens) if kind == "digit"), -1)
    if first < 0:
        return _literals(tokens) + digits
    pieces: list[str] = []
    placed = 0
    for index in range(len(tokens) - 1, -1, -1):
        kind, text = tokens[index]
        if kind != "digit":
            pieces.append(literal((kind, text)))
            continue
        take = max(1, len(digits) - placed) if index == first else 1
        for _ in range(take):
            digit = digits[-placed - 1] if placed < len(digits) else "0" if text == "0" else ""
            if digit:
                pieces.append(f"{digit}," if is_grouped and placed and placed % 3 == 0 else digit)
            placed += 1
    return "".join(reversed(pieces))


def _fill_places(tokens: tuple[Token, ...], digits: str) -> str:
    """The point and the digits behind it: a sheet shows the point also where none follows."""
    needed = max((i + 1 for i, (_, text) in enumerate(t for t in tokens if t[0] == "digit") if text == "0"), default=0)
    shown = digits[: max(needed, len(digits.rstrip("0")))]
    pieces: list[str] = []
    placed = 0
    for token in tokens:
        if token[0] == "digit":
            pieces.append(shown[placed : placed + 1])
            placed += 1
        else:
            pieces.append(literal(token))
    return "." + "".join(pieces)


def _literals(tokens: tuple[Token, ...]) -> str:
    return "".join(map(literal, tokens))


def scientific(number: float, tokens: tuple[Token, ...]) -> str:
    """A number by its first digits and a power of ten; `##0.0E+0` keeps to powers of a thousand."""
    kinds = [kind for kind, _ in tokens]
    split = kinds.index("exponent")
    mantissa_tokens, power_tokens = tokens[:split], tokens[split + 1 :]
    point = kinds.index("point") if "point" in kinds[:split] else split
    step = max(1, kinds[:point].count("digit"))
    power = 0 if number == 0 else _exact(number).adjusted()
    power -= power % step
    places = tokens[point + 1 : split]
    if abs(_rounded(number, places, -power)) >= 10**step:
        power += step
    mantissa = numbered(float(_rounded(number, places, -power)), mantissa_tokens)
    width = sum(1 for kind, _ in power_tokens if kind == "digit")
    last = split + 1 + _last_digit(power_tokens)
    sign = "-" if power < 0 else "+" if tokens[split][1].endswith("+") else ""
    return f"{mantissa}E{sign}{abs(power):0{width}d}{_literals(tokens[last + 1 :])}".strip()
