"""The sizes of a call: what the shapes of its inputs say that the symbols are."""

from collections.abc import Iterable

from compiler_core.ir.sizes.factors import Symbol
from compiler_core.ir.sizes.symbolic import Dim, Size, evaluate, is_symbol, symbols


def _linear(dim: Dim) -> tuple[Symbol, int, int] | None:
    """(symbol, factor, rest) of factor * symbol + rest; None for other sizes."""
    if not isinstance(dim, Size):
        return None
    (monomial, factor), *more = dim.terms
    if len(monomial) != 1 or any(m for m, _ in more) or not isinstance(monomial[0], Symbol):
        return None
    return monomial[0], factor, sum(c for _, c in more)


def solve(
    shapes: Iterable[tuple[Iterable[Dim], Iterable[int]]],
) -> dict[Symbol, int] | str:
    """The values of all symbols, from pairs of declared and actual shapes; or a sentence that says
    which size does not fit."""
    pairs = [(d, n) for shape, actual in shapes for d, n in zip(shape, actual, strict=True)]
    values: dict[Symbol, int] = {}
    for dim, actual in pairs:
        found = _linear(dim)
        if found is not None:
            symbol, factor, rest = found
            values.setdefault(symbol, (actual - rest) // factor * symbol.multiple)
    for dim, actual in pairs:
        for symbol in symbols(dim) if is_symbol(dim) else ():
            if actual % (by := symbol.multiple):
                return f"{symbol} is {actual}; this compilation serves multiples of {by}"
    for symbol, value in values.items():
        if value < symbol.low or (symbol.high is not None and value > symbol.high):
            end = "" if symbol.high is None else f" to {symbol.high}"
            return f"{symbol} is {value}; this compilation serves {symbol.low}{end or ' and more'}"
    for dim, actual in pairs:
        unknown = symbols(dim) - set(values)
        if unknown:
            return f"no input says what {', '.join(map(str, sorted(unknown)))} is"
        if evaluate(dim, values) != actual:
            known = f"{dim} = {evaluate(dim, values)}" if isinstance(dim, Size) else str(dim)
            return f"a size is {actual}, the program was compiled for {known}"
    return values
