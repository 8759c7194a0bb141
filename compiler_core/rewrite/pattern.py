"""Patterns over nodes, written with Python's own operators: `x * 1`, `exp(x) / exp(x)`.

A pattern matches a node or does not; a match binds each variable to one node. The same trees are
templates: the right-hand side of a rule is built with the variables' nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import copysign

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import OPS

Bindings = dict[str, Value]


class Pattern:
    """Base; the operators build `Op` patterns."""

    def __add__(self, other: "Pattern | float") -> "Pattern":
        return op("add", self, other)

    def __sub__(self, other: "Pattern | float") -> "Pattern":
        return op("subtract", self, other)

    def __rsub__(self, other: float) -> "Pattern":
        return op("subtract", other, self)

    def __mul__(self, other: "Pattern | float") -> "Pattern":
        return op("multiply", self, other)

    def __truediv__(self, other: "Pattern | float") -> "Pattern":
        return op("divide", self, other)

    def __rtruediv__(self, other: float) -> "Pattern":
        return op("divide", other, self)

    def __pow__(self, other: "Pattern | float") -> "Pattern":
        return op("power", self, other)

    def __neg__(self) -> "Pattern":
        return op("negate", self)


@dataclass(frozen=True)
class Var(Pattern):
    """Any node; the same node at every place where the variable stands."""

    name: str


@dataclass(frozen=True)
class Lit(Pattern):
    """A constant with every element `value`, a zero of a float by its sign too; in a template, one
    of the result's type."""

    value: float


@dataclass(frozen=True)
class Op(Pattern):
    """Matches an operation by name whose operands match `args`."""

    name: str
    args: tuple[Pattern, ...]


def op(name: str, *args: "Pattern | float") -> Op:
    """The pattern of one operation; a number stands for a constant."""
    return Op(name, tuple(a if isinstance(a, Pattern) else Lit(a) for a in args))


def match(pattern: Pattern, node: Value) -> Bindings | None:
    """The variables' nodes where `pattern` matches at `node`."""
    return _match(pattern, node, {})


def _match(pattern: Pattern, node: Value, bound: Bindings) -> Bindings | None:
    match pattern:
        case Var(name):
            if name in bound and bound[name] is not node:
                return None
            return {**bound, name: node}
        case Lit(value):
            return bound if node.op == "constant" and _same(node["value"], value) else None
        case Op(name, args):
            if node.op != name or len(args) != len(node.operands):
                return None
            found = _match_all(args, node.operands, bound)
            if found is None and OPS[name].commutative:
                found = _match_all(args, node.operands[::-1], bound)
            return found
    return None


def _same(known: float, value: float) -> bool:
    signed = isinstance(known, float) and known == 0
    return known == value and (not signed or copysign(1, known) == copysign(1, value))


def _match_all(
    args: tuple[Pattern, ...], inputs: tuple[Value, ...], bound: Bindings
) -> Bindings | None:
    found: Bindings | None = bound
    for pattern, node in zip(args, inputs, strict=True):
        if found is None:
            return None
        found = _match(pattern, node, found)
    return found


def instantiate(template: Pattern, bound: Mapping[str, Value], like: Value, b: Builder) -> Value:
    """The template built from the bound nodes; every value has the type of `like`."""
    match template:
        case Var(name):
            return bound[name]
        case Lit(value):
            return b.scalar(value, like.type.dtype, like.type.shape)
        case Op(name, args):
            return b.node(name, *(instantiate(a, bound, like, b) for a in args))
    raise AssertionError(template)
