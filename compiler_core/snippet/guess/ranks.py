"""The least number of dimensions of a parameter, by the axes that the code uses: four for x and y
in `(x.sigmoid() * y).sum(dim=(1, 2, 3))`, and for x in `x * scale.view(-1, 1, 1, 1)`."""

import ast
from collections.abc import Iterable, Mapping, Sequence

from compiler_core.snippet.guess.assigned import Assigned, assigned
from compiler_core.snippet.guess.expressions import ALONG

_OVER_AXES = frozenset((
    "sum", "mean", "amax", "amin", "max", "min", "std", "var", "prod", "any", "all", "logsumexp",
    "softmax", "log_softmax", "flip", "nansum", "nanmean", "argmax", "argmin", "norm",
))  # fmt: skip
# The fewest dimensions that say something: two are tried first anyway.
_FEWEST = 3
_ALONG = ALONG | {"masked_fill", "bool", "double", "half", "pow", "log1p", "expm1", "to", "clone"}


def ranks(code: ast.AST, names: Iterable[str]) -> Mapping[str, int]:
    """The least number of dimensions of those of `names` for which the code implies one."""
    own, given = set(names), assigned(code)
    found: dict[str, int] = {}
    for node in ast.walk(code):
        rank = _rank(node) if isinstance(node, ast.Call) else 0
        along = elementwise(_of(node), given)
        if isinstance(node, ast.BinOp):
            rank, along = _beside(node, given)
        for name in own & along if rank >= _FEWEST else ():
            found[name] = max(rank, found.get(name, 0))
    return found


def _beside(node: ast.BinOp, given: Assigned) -> tuple[int, set[str]]:
    """Of what goes element by element with one number for each example."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if rank := _spread(one, given):
            return rank, elementwise(other, given)
    return 0, set()


def _spread(node: ast.expr, given: Assigned) -> int:
    """The dimensions of `t.view(-1, 1, 1, 1)` and `t[:, None, None, None]`, or a name for it; 0 for
    anything else."""
    values = given.get(node.id, ()) if isinstance(node, ast.Name) else [node]
    return max((_ones(value) for value in values), default=0)


def _ones(node: ast.expr) -> int:
    match node:
        case ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, *ones]):
            rest: Sequence[ast.expr] = ones
            wanted: object = 1
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), *ones])):
            rest, wanted = ones, None
        case _:
            return 0
    every = all(isinstance(x, ast.Constant) and x.value == wanted for x in rest)
    return 1 + len(rest) if every and rest else 0


def _of(node: ast.AST) -> ast.expr | None:
    """What a method, or a function of a module, goes over the axes of."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return node.func.value if _is_method(node) else node.args[0]


def _is_method(node: ast.Call) -> bool:
    """Whether no tensor is among the arguments: `x.sum((1, 2))`."""
    return not node.args or _most(node.args[0]) is not None


def _rank(node: ast.Call) -> int:
    """One more than the last axis that the call names; 0 where it names none."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _OVER_AXES:
        return 0
    axes = [k.value for k in node.keywords if k.arg in ("axis", "dim")]
    said = (_most(x) for x in (*axes, *node.args[:2]))
    return 1 + next((most for most in said if most is not None), -1)


def _most(axes: ast.expr) -> int | None:
    """The largest of the axes, where all are counted from the first; None for anything else."""
    parts = axes.elts if isinstance(axes, ast.Tuple | ast.List) else [axes]
    values = [x.value if isinstance(x, ast.Constant) else None for x in parts]
    whole = [v for v in values if type(v) is int]
    return max(whole) if whole and len(whole) == len(values) else None


def elementwise(
    node: ast.expr | None, given: Assigned, seen: frozenset[str] = frozenset()
) -> set[str]:
    """The names of the values with as many dimensions as the expression, because it is computed
    from them element by element."""
    if isinstance(node, ast.Name):
        values = [v for v in given.get(node.id, ()) if node.id not in seen]
        each = [elementwise(value, given, seen | {node.id}) for value in values]
        return (set().union(*each) if all(each) else set()) if values else {node.id}
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        parts = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        parts = [node.func.value, *node.args] if node.func.attr in _ALONG else []
    return set().union(*(elementwise(part, given, seen) for part in parts))
