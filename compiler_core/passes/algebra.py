"""Algebra on floats and integers: laws that hold for every value, NaN, infinities and the sign of
zero included, unless a rule's `why` says what it gives up.

So x + 0.0 stays, which makes a positive zero of a negative one, and 0.0 - x, which makes no
negative zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log2

from compiler_core.interop.numpy_dtypes import in_type
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Size
from compiler_core.passes import constant_folding, known_ranges
from compiler_core.passes.recording import Rewriting
from compiler_core.rewrite.engine import Rule, rule
from compiler_core.rewrite.pattern import Var, op

x, y = Var("x"), Var("y")


def _floating(node: Value) -> bool:
    return node.type.dtype.is_float


# ** identities **
_IDENTITIES = (
    rule("add-zero", "x + -0.0 -> x; x + 0 -> x of integers", x + -0.0, x),
    rule("subtract-zero", "x - 0 -> x", x - 0, x),
    rule("multiply-one", "x * 1 -> x", x * 1, x),
    rule("divide-one", "x / 1 -> x", x / 1, x),
    rule("negate-twice", "-(-x) -> x", op("negate", op("negate", x)), x),
    rule("subtract-from-zero", "-0.0 - x -> -x", -0.0 - x, -x, when=_floating),
    rule("multiply-minus-one", "x * -1 -> -x", x * -1, -x),
    rule("maximum-itself", "max(x, x) -> x", op("maximum", x, x), x),
    rule("maximum-of-least", "max(x, -inf) -> x", op("maximum", x, -inf), x),
    rule("minimum-of-greatest", "min(x, inf) -> x", op("minimum", x, inf), x),
    rule("minimum-itself", "min(x, x) -> x", op("minimum", x, x), x),
)

# ** powers: no call of pow where a product or a root does **
_POWERS = (
    rule("power-one", "x ** 1 -> x", x**1, x),
    rule("power-two", "x ** 2 -> x * x", x**2, x * x),
    rule("power-three", "x ** 3 -> x * x * x", x**3, x * x * x, "1 ulp where pow has a half"),
    rule("power-minus-one", "x ** -1 -> 1 / x", x**-1, 1 / x, when=_floating),
    rule("reciprocal-root", "1 / sqrt(x) -> rsqrt(x)", 1 / op("sqrt", x), op("rsqrt", x)),
)

_SIGMOID = (
    rule(
        "sigmoid",
        "1 / (1 + exp(-x)) -> logistic(x)",
        1 / (op("exponential", -x) + 1),
        op("logistic", x),
        "one operation that every back end has, exact at the ends",
    ),
)


def _root(power: float, name: str, at_least: float, node: Value, b: Builder) -> Value | None:
    x, exponent = node.operands
    if exponent.op != "constant" or exponent["value"] != power:
        return None

    def number(value: float) -> Value:
        return b.scalar(value, node.type.dtype, node.type.shape)

    # A root keeps the sign of -0.0 and has none of -inf, a power is as of 0.0 and of inf.
    root = b.node(name, b.node("add", x, number(0.0)))
    return b.node("select", b.compare(x, number(-inf), "EQ"), number(at_least), root)


def _divide_by_power_of_two(node: Value, b: Builder) -> Value | None:
    """A reciprocal that is exact may be multiplied with: 4 cycles instead of 16."""
    if node.op != "divide" or node.operands[1].op != "constant" or not _floating(node):
        return None
    if isinstance(node.operands[1]["value"], Size):
        return None
    divisor, dtype = float(node.operands[1]["value"]), node.type.dtype
    if not 2.0**-60 <= abs(divisor) <= 2.0**60 or not log2(abs(divisor)).is_integer():
        return None
    if float(in_type(1 / divisor, dtype.name)) != 1 / divisor:
        return None
    return b.node("multiply", node.operands[0], b.scalar(1 / divisor, dtype, node.type.shape))


def _sum_of_nothing(node: Value, b: Builder) -> Value | None:
    """Of no terms, or of no elements: libraries refuse some of these."""
    shapes = (node.type.shape, *(x.type.shape for x in node.operands))
    if not any(0 in shape for shape in shapes):
        return None
    zero = 0.0 if _floating(node) else 0
    return b.scalar(zero, node.type.dtype, node.type.shape)


def _product_of_one_term(node: Value, b: Builder) -> Value | None:
    """A row for each of a batch, by a number for each. Libraries are called for each, and nothing
    is computed in the same loop. What has rows and columns may be an attention's scores."""
    count, free = len(node["lhs_batch"]), node.operands[0].type.rank - len(node["lhs_contract"])
    is_scaling = count in (free, node.type.rank - free + count)
    if not is_scaling or any(x.type.dtype != node.type.dtype for x in node.operands):
        return None
    left = _without_one_term(node, 0, "lhs", (*range(count), *range(count, free)), b)
    right = _without_one_term(node, 1, "rhs", (*range(count), *range(free, node.type.rank)), b)
    if left is None or right is None:
        return None
    product = b.node("multiply", left, right)
    # A sum begins at 0, so that nothing comes out as -0.0.
    zero = b.scalar(0.0, node.type.dtype, node.type.shape) if _floating(node) else None
    return product if zero is None else b.node("add", product, zero)


def _without_one_term(
    dot: Value, side: int, prefix: str, places: Sequence[int], b: Builder
) -> Value | None:
    """The operand at its `places` in the result; None if there is a sum of several terms, or its
    batch dimensions are not the first, in order."""
    x, batch, contract = dot.operands[side], dot[f"{prefix}_batch"], dot[f"{prefix}_contract"]
    if any(x.type.shape[i] != 1 for i in contract) or batch != tuple(range(len(batch))):
        return None
    kept = b.reshape(x, [n for i, n in enumerate(x.type.shape) if i not in contract])
    return b.broadcast_in_dim(kept, dot.type.shape, places)


@dataclass(frozen=True)
class SimplifyAlgebra(Rewriting):
    """Constants are folded along the way: the operands that a law leaves may be known."""

    name = "simplify-algebra"
    about = "cheaper operations with the same values"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*constant_folding.RULES, *known_ranges.RULES, *RULES)


_ROOTS = (
    Rule("power-half", "x ** 0.5 -> sqrt(x)", partial(_root, 0.5, "sqrt", inf), "", ("power",)),
    Rule(
        "power-minus-half",
        "x ** -0.5 -> rsqrt(x)",
        partial(_root, -0.5, "rsqrt", 0.0),
        "",
        ("power",),
    ),
)

RULES = (
    *_IDENTITIES,
    *_POWERS,
    *_ROOTS,
    *_SIGMOID,
    Rule(
        "divide-by-power-of-two",
        "x / 2^k -> x * 2^-k",
        _divide_by_power_of_two,
        "exact",
        ("divide",),
    ),
    Rule(
        "sum-of-nothing",
        "a product or a convolution of no elements -> 0",
        _sum_of_nothing,
        "exact",
        ("dot_general", "convolution"),
    ),
    Rule(
        "product-of-one-term",
        "dot_general(x, y) of one term -> x * y",
        _product_of_one_term,
        "exact, and computed with its neighbours",
        ("dot_general",),
    ),
)
