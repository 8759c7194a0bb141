"""The closed table of operations: a row is a name and what kind of thing it is, never behaviour.

Names and semantics are StableHLO's (and CHLO's for erf and its kin). Type rules, the numpy,
torch and jax.lax meanings, the C and the Triton text are tables of their own, keyed by these
names; the tests of each assert that it covers what it must.
"""

from dataclasses import dataclass
from typing import Literal

Category = Literal[
    "parameter",  # an input of the program
    "constant",  # a splat constant, or the index along one dimension
    "elementwise",  # one result element from one element of each operand
    "view",  # moves or repeats elements, computes nothing
    "reduce",
    "scan",
    "contraction",  # dot_general, convolution
    "indexed",  # gather, scatter and their kin
    "order",  # sort, top_k
    "library",  # the framework's own kernel, labelled so everywhere
]


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One row. `arity` None: any number of operands. `cost`: arithmetic weight of one element
    in units of one add, for the fusion cost model (the weights of transcendental functions are
    the vector-library throughputs relative to an add, rounded to a power of two)."""

    name: str
    category: Category
    arity: int | None
    cost: int = 1
    attrs: tuple[str, ...] = ()
    # Its types are part of the operation, not a consequence of its operands.
    declared: bool = False
    # The same operands give the same results, and nothing else happens. A library call may have
    # effects or randomness that we do not know of.
    pure: bool = True


def _rows(category: Category, arity: int, cost: int, names: str) -> list[OpInfo]:
    return [OpInfo(name, category, arity, cost) for name in names.split()]


_TABLE: list[OpInfo] = [
    OpInfo("parameter", "parameter", 0, 0, ("index", "name"), declared=True),
    OpInfo("constant", "constant", 0, 0, ("value",), declared=True),
    OpInfo("iota", "constant", 0, 1, ("dimension",), declared=True),
    # -- elementwise, unary
    *_rows("elementwise", 1, 1, "abs negate not sign floor ceil is_finite convert"),
    *_rows("elementwise", 1, 1, "round_nearest_even round_nearest_afz"),
    *_rows("elementwise", 1, 4, "sqrt rsqrt cbrt"),
    *_rows("elementwise", 1, 8, "exponential exponential_minus_one log log_plus_one"),
    *_rows("elementwise", 1, 8, "logistic tanh sine cosine tan erf erfc erf_inv"),
    # -- elementwise, binary and ternary
    *_rows("elementwise", 2, 1, "add subtract multiply maximum minimum and or xor"),
    *_rows("elementwise", 2, 1, "shift_left shift_right_arithmetic shift_right_logical"),
    *_rows("elementwise", 2, 4, "divide remainder"),
    *_rows("elementwise", 2, 16, "power atan2"),
    OpInfo("compare", "elementwise", 2, 1, ("direction",)),
    OpInfo("select", "elementwise", 3, 1),
    OpInfo("clamp", "elementwise", 3, 1),
    # -- views
    OpInfo("broadcast_in_dim", "view", 1, 0, ("dimensions",)),
    OpInfo("reshape", "view", 1, 0),
    OpInfo("transpose", "view", 1, 0, ("permutation",)),
    OpInfo("slice", "view", 1, 0, ("start", "limit", "strides")),
    OpInfo("reverse", "view", 1, 0, ("dimensions",)),
    OpInfo("concatenate", "view", None, 0, ("dimension",)),
    OpInfo("pad", "view", 2, 0, ("low", "high", "interior")),
    # -- reductions: monoid in add, multiply, maximum, minimum, and, or
    OpInfo("reduce", "reduce", 1, 1, ("monoid", "dimensions")),
    OpInfo("cumulative", "scan", 1, 1, ("monoid", "dimension", "reverse")),
    # -- contractions
    OpInfo(
        "dot_general",
        "contraction",
        2,
        1,
        ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract"),
    ),
    # A call that is not lowered: attr `callee` is a compiler_core.ir.library.Callee.
    OpInfo("library_call", "library", None, 0, ("callee",), declared=True, pure=False),
]

OPS: dict[str, OpInfo] = {row.name: row for row in _TABLE}

COMPARE_DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
MONOIDS = ("add", "multiply", "maximum", "minimum", "and", "or")


def names(category: Category) -> frozenset[str]:
    """The operations of one category."""
    return frozenset(row.name for row in _TABLE if row.category == category)


ELEMENTWISE = names("elementwise")
VIEWS = names("view")
