"""Which parameters the code uses as numbers: `range(n)`, `x[:, :n]`, `d // n`, and what a shape is
computed from, such as `h` and `p` in `rows = h // p` with `x.reshape(b, rows, -1)`."""

import ast
from collections.abc import Callable, Iterable, Iterator

from compiler_core.snippet.guess.assigned import Assigned, assigned

# How many of the first arguments, of functions that create tensors, are numbers or tuples of
# numbers.
_MADE = {
    "range": 3, "arange": 3, "linspace": 3, "logspace": 3, "full": 1,
    **dict.fromkeys(("zeros", "ones", "empty", "eye", "rand", "randn"), 8),
}  # fmt: skip
# Methods that give a tensor another shape; as functions they take the tensor first.
_SHAPED = frozenset(("view", "reshape", "expand", "broadcast_to", "tile", "unflatten"))
_MODULES = frozenset(("torch", "jnp", "np", "numpy", "jax.numpy", "lax", "jax.lax", "F"))
_WHOLE = frozenset(("int", "round", "float", "min", "max", "abs"))


def counted(code: ast.AST, names: Iterable[str]) -> set[str]:
    """Those of the parameters `names` that the code uses as numbers."""
    given = assigned(code)
    used: set[str] = set()
    for node in ast.walk(code):
        read = _READERS.get(type(node))
        for expression in read(node) if read else ():
            used.update(_numbers(expression, given))
    return {n for n in used.intersection(names) if not n.endswith(("shape", "dtype"))}


def _of_call(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
    yield from node.args[: _MADE.get(name, 0)]
    if name in _SHAPED:
        yield from node.args[0 if _is_method(node.func) else 1 :]


def _is_method(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and ast.unparse(func.value) not in _MODULES


def _of_slice(node: ast.Slice) -> Iterator[ast.expr]:
    yield from (bound for bound in (node.lower, node.upper, node.step) if bound is not None)


def _of_division(node: ast.BinOp) -> Iterator[ast.expr]:
    """Of `d // n` the latter: a tensor may be divided."""
    if isinstance(node.op, ast.FloorDiv) and isinstance(node.right, ast.Name):
        yield node.right


_READERS: dict[type, Callable[..., Iterator[ast.expr]]] = {
    ast.Call: _of_call,
    ast.Slice: _of_slice,
    ast.BinOp: _of_division,
}


def _numbers(node: ast.expr, given: Assigned, seen: frozenset[str] = frozenset()) -> set[str]:
    """The names that the expression is, or is computed from by arithmetic alone."""
    if isinstance(node, ast.Name):
        values = () if node.id in seen else given.get(node.id, ())
        parts, seen = list(values), seen | {node.id}
    elif isinstance(node, ast.Call) and _name(node.func) in _WHOLE:
        parts = node.args
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    else:
        parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    own = {node.id} if isinstance(node, ast.Name) else set()
    return own.union(*(_numbers(part, given, seen) for part in parts))


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""
