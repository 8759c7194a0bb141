"""Sums and products in C as a person would write them."""

from collections.abc import Iterator, Sequence

from compiler_core.ir.sizes import Dim, Size, atom

_WIDTH = 88


def wrapped(numbers: Sequence[int]) -> Iterator[str]:
    """`1, 2, 3,` in lines of a readable length."""
    line = ""
    for each in numbers:
        if len(line) > _WIDTH:
            yield line.rstrip()
            line = ""
        line += f"{each}, "
    yield line.rstrip()


def plus(text: str, number: int) -> str:
    """text + number."""
    return text if not number else f"{text} {'+' if number > 0 else '-'} {abs(number)}"


def joined(*terms: str) -> str:
    """The sum of the terms that are not ""; 0 for none."""
    return " + ".join(filter(None, terms)) or "0"


def scaled(text: str, factor: Dim) -> str:
    """text * factor; "" for a factor of 0."""
    if not isinstance(factor, Size) and factor < 2:
        return text * factor
    return f"({text}) * {atom(factor)}" if " " in text else f"{text} * {atom(factor)}"
