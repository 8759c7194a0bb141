"""ATen's matrix products as dot_general."""

from compiler_core.capture.rules import Number, Rule
from compiler_core.capture.torch_pointwise import TorchRule
from compiler_core.ir.graph import Node


def _mm(c: Rule, x: Node, y: Node, *_: object) -> Node:
    return c.b.dot_general(x, y, contract=((1,), (0,)))


def _bmm(c: Rule, x: Node, y: Node, *_: object) -> Node:
    return c.b.dot_general(x, y, batch=((0,), (0,)), contract=((2,), (1,)))


def _mv(c: Rule, x: Node, y: Node) -> Node:
    return c.b.dot_general(x, y, contract=((1,), (0,)))


def _dot(c: Rule, x: Node, y: Node) -> Node:
    return c.b.dot_general(x, y, contract=((0,), (0,)))


def _plus(product: TorchRule) -> TorchRule:
    """beta * bias + alpha * product."""

    def rule(c: Rule, bias: Node, x: Node, y: Node, beta: Number = 1, alpha: Number = 1) -> Node:
        made = product(c, x, y)
        made = made if alpha == 1 else c.mul(made, alpha)
        if beta == 0:
            return made
        (spread,) = c.operands(bias)
        return c.add(made, spread if beta == 1 else c.mul(spread, beta))

    return rule


def _addbmm_product(c: Rule, x: Node, y: Node) -> Node:
    """One product that sums over the batch too."""
    return c.b.dot_general(x, y, contract=((0, 2), (0, 1)))


TABLE: dict[str, TorchRule] = {
    "mm": _mm,
    "bmm": _bmm,
    "mv": _mv,
    "dot": _dot,
    "vdot": _dot,
    "addmm": _plus(_mm),
    "addmv": _plus(_mv),
    "baddbmm": _plus(_bmm),
    "addbmm": _plus(_addbmm_product),
}
