"""Sizes of tensors, and all arithmetic of them: the one door.

A size is an int, or a polynomial with integer coefficients over symbols and over quotients of sizes
that are rounded down. How polynomials are added and multiplied is in polynomials.py, what symbols
and quotients are in factors.py, what is raised where there is no answer in undecided.py, every
question about a size in symbolic.py, division with a remainder in quotients.py, and the sizes of a
call in of_call.py; each imports those before it only.
"""

from compiler_core.ir.sizes.factors import MOST, Quotient, Symbol
from compiler_core.ir.sizes.of_call import solve
from compiler_core.ir.sizes.quotients import (
    ceildiv,
    equality_as_division,
    floordiv,
    modulo,
    quotient,
)
from compiler_core.ir.sizes.symbolic import (
    Dim,
    Size,
    at_least,
    at_most,
    atom,
    bounds,
    divided,
    evaluate,
    hint,
    is_multiple,
    is_proved,
    is_symbol,
    is_unit,
    larger,
    number,
    of_terms,
    one,
    product,
    size,
    smaller,
    sum_of,
    summands,
    symbols,
)
from compiler_core.ir.sizes.undecided import Depends, Undecided

__all__ = [
    "MOST",
    "Depends",
    "Dim",
    "Quotient",
    "Size",
    "Symbol",
    "Undecided",
    "at_least",
    "at_most",
    "atom",
    "bounds",
    "ceildiv",
    "divided",
    "equality_as_division",
    "evaluate",
    "floordiv",
    "hint",
    "is_multiple",
    "is_proved",
    "is_symbol",
    "is_unit",
    "larger",
    "modulo",
    "number",
    "of_terms",
    "one",
    "product",
    "quotient",
    "size",
    "smaller",
    "solve",
    "sum_of",
    "summands",
    "symbols",
]  # fmt: skip
