"""What a row of the table says about an operation: its traits, never its behaviour."""

from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack

# What the kernels make of an operation's result:
Fusion = Literal[
    "memory",  # nothing: it is there when the program starts
    "literal",  # written where it is used: a number, or an index
    "view",  # read in place through an affine index (a free view)
    "loop",  # computed by a loop nest, alone or with others
    "opaque",  # a step of its own: a template, or the framework's kernel
]
# What an operation does with its bodies (ir/graph.py, Region):
Regions = Literal[
    "none",  # it has none
    "once",  # it runs each
    "loop",  # it runs them again and again
    "branches",  # it runs one of them
]


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One row of the table. `arity` None: any number of operands. `attrs`: the attributes that are
    required."""

    name: str
    arity: int | None
    fusion: Fusion
    # Arithmetic weight of one element in units of one add, for the cost model (a transcendental
    # function: its vector-library throughput relative to an add, rounded to a power of two).
    cost: int = 1
    attrs: tuple[str, ...] = ()
    # The same operands give the same results, and nothing else happens. A library call may have
    # effects or randomness that we do not know of.
    pure: bool = True
    # f(x, y) is f(y, x), but for the sign of a zero that is a maximum or minimum.
    commutative: bool = False
    # Linear in none of its operands, whichever of them are held fixed: no sum or product before it
    # can be regrouped with what comes after. (A difference is linear in both operands together, a
    # quotient in the first.)
    nonlinear: bool = False
    # Frameworks show the operand's own memory: eager execution moves nothing. (A reversed
    # dimension is an affine index, but torch has no negative strides: it copies.)
    aliases: bool = False
    # The result has the operand's elements in their order: in dense memory both are the same.
    same_order: bool = False
    # The result has each element of the operand once, and none in the opposite direction: a loop
    # over the operand can write it.
    permutes: bool = False
    # The result may have an element of the operand several times.
    repeats: bool = False
    # It reads at most as many elements of its first operand as its result has.
    reads_part: bool = False
    # An integer result is cut to the type's width: a wider storage type has bits beyond it.
    wraps: bool = False
    # Computed in a narrower integer type that holds its operands and its result, it gives the same
    # result.
    any_width: bool = False
    # Its results are random bits. For a library call its callee says so (ir/library.py), and the
    # bits come from a generator that is no operand.
    draws_random_numbers: bool = False
    # It says what a computation is for: a kernel may be named after it.
    telling: bool = True
    regions: Regions = "none"

    @property
    def free_view(self) -> bool:
        return self.fusion == "view"


class _Traits(TypedDict, total=False):
    """Columns that several rows have alike."""

    cost: int
    commutative: bool
    nonlinear: bool
    wraps: bool
    any_width: bool
    telling: bool


def rows(names: str, arity: int, fusion: Fusion, **traits: Unpack[_Traits]) -> tuple[OpInfo, ...]:
    """Rows with the same traits, one for each of the names (separated by spaces)."""
    return tuple(OpInfo(name, arity, fusion, **traits) for name in names.split())
