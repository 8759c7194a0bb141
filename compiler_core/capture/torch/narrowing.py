"""Restricting a symbolic size whose value a program asks about: to the range in which the answer is
that of the captured call, so that one compilation serves that range; or to its number, if the
question is about several sizes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from compiler_core.capture.torch.fixed import always, without
from compiler_core.ir.sizes import MOST, Depends, Symbol
from compiler_core.snippet.program import FoundProgram


class Less(NamedTuple):
    """A program with the size `of` restricted to a range, or, if `of` is "", with a size fixed to
    its number; `reason` says why, in a sentence."""

    program: FoundProgram
    reason: str
    of: str = ""


def narrowed(program: FoundProgram, question: Depends) -> Less | None:
    """The program with one of the sizes in `question` restricted, the last if there are several;
    None if it asks about none of the program's sizes."""
    names = {name for own in program.sizes for name in own}
    asked = [symbol for symbol in question.symbols if symbol.name in names]
    if not asked:
        return None
    symbol = asked[-1]
    low, high = _range(symbol, question.holds) if len(question.symbols) == 1 else (0, 0)
    if low < high and (low, high) != (symbol.low, _high(symbol)):
        ranges = {**program.ranges, symbol.name: (low, None if high == MOST else high)}
        return Less(replace(program, ranges=ranges), _said(question), symbol.name)
    sizes = without(program.sizes, {symbol.name})
    reason = f"{always({symbol.name: symbol.hint})}: {_said(question)}"
    return Less(replace(program, sizes=sizes), reason)


def _said(question: Depends) -> str:
    return (
        question.message if question.line is None else f"{question.message} (line {question.line})"
    )


def _high(symbol: Symbol) -> int:
    return MOST if symbol.high is None else symbol.high


def _range(symbol: Symbol, holds: Callable[[Mapping[Symbol, int]], bool]) -> tuple[int, int]:
    """From the least to the greatest value around the hint for which it holds, if it does for all
    between; whoever is given another range asks again."""
    low = _edge(symbol.hint, symbol.low, lambda value: holds({symbol: value}))
    return low, _edge(symbol.hint, _high(symbol), lambda value: holds({symbol: value}))


def _edge(inside: int, end: int, holds: Callable[[int], bool]) -> int:
    """The value nearest to `end` for which it holds, between `inside`, for which it does, and
    that."""
    if holds(end):
        return end
    while abs(end - inside) > 1:
        middle = (inside + end) // 2
        inside, end = (middle, end) if holds(middle) else (inside, middle)
    return inside
