"""Loops over several values of the same form, whose body the readers of code read once."""

import ast
from collections.abc import Iterator, Sequence

# Parts of a path: each of several values, the last of them, and the mark of a tuple that is
# unpacked.
EACH, LAST, PARTS = "*", "-1", "()"


def flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements in order, those of branches and loops once. A loop `for block in blocks` over
    dicts or tuples begins with the assignment `block = blocks["*"]`."""
    for node in body:
        if isinstance(node, ast.For) and (_is_of_dicts(node) or _is_of_tuples(node)):
            each = ast.Subscript(_whole(node.iter), ast.Constant(EACH), ast.Load())
            yield ast.Assign([node.target], each)
        if isinstance(node, ast.If | ast.For | ast.With | ast.While):
            yield from flat(node.body)
            yield from flat(getattr(node, "orelse", []))
        else:
            yield node


def _is_of_dicts(loop: ast.For) -> bool:
    """Whether what it goes over is spread, `f(x, **block)`, or subscripted by a text."""
    if not isinstance(loop.target, ast.Name) or not _is_place(loop.iter):
        return False
    nodes = [node for statement in loop.body for node in ast.walk(statement)]
    spread = (k.value for n in nodes if isinstance(n, ast.Call) for k in n.keywords if not k.arg)
    keyed = (
        n.value for n in nodes
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)
        and isinstance(n.slice.value, str)
    )  # fmt: skip
    own = loop.target.id
    return any(isinstance(n, ast.Name) and n.id == own for n in (*spread, *keyed))


def _is_of_tuples(loop: ast.For) -> bool:
    """`for w, b in params[:-1]`."""
    target = loop.target
    names = isinstance(target, ast.Tuple) and all(isinstance(t, ast.Name) for t in target.elts)
    return names and isinstance(_whole(loop.iter), ast.Name)


def _is_place(node: ast.expr) -> bool:
    """A name, or what is reached from one by texts: `params["blocks"]`."""
    while isinstance(node, ast.Subscript):
        if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, str):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _whole(node: ast.expr) -> ast.expr:
    """What a slice is of."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return node.value
    return node
