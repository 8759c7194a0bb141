"""Which parameters the code uses as indices: `table[tags[:, 0]]`, and `scores[batch, tags]` where
`batch` counts the rows."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from compiler_core.snippet.guess.assigned import Assigned, assigned


def indices(code: ast.AST, names: Iterable[str]) -> Mapping[str, str]:
    """Those of the parameters `names` that are tensors of indices, each with its kind: one index
    for each row is a label."""
    given, own = assigned(code), set(names)
    subscripts = [n for n in ast.walk(code) if isinstance(n, ast.Subscript)]
    return {name: kind for n in subscripts for name, kind in _places(n, given) if name in own}


def _places(node: ast.Subscript, given: Assigned) -> Iterator[tuple[str, str]]:
    if isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "at"):
        return
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    several = any(_counts(part, given) for part in parts)
    for part in parts:
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
            yield from [(part.value.id, "ids")] if _is_part(part) else []
        elif isinstance(part, ast.Name) and several:
            yield part.id, "labels"


def _is_part(node: ast.Subscript) -> bool:
    """A column or the like of a tensor, `tags[:, i]`: one number of several, `sizes[0]`, may be a
    number."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(part, ast.Slice) for part in parts)


def _counts(node: ast.expr, given: Assigned) -> bool:
    """`torch.arange(n)`, or a name for it."""
    values = given.get(node.id, ()) if isinstance(node, ast.Name) else [node]
    return any(isinstance(v, ast.Call) and ast.unparse(v.func).endswith("arange") for v in values)
