"""Keys that the code iterates over: `obs, act = (batch[k] for k in ("obs", "act"))`."""

import ast
from collections.abc import Iterable, Iterator


def keys_gone_over(code: ast.AST, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(name, key) for each of `names` that is subscripted so, with its keys in order."""
    own = set(names)
    for node in ast.walk(code):
        match node:
            case (
                ast.GeneratorExp(elt=read, generators=[loop])
                | ast.ListComp(elt=read, generators=[loop])
            ):
                yield from ((name, key) for name in own for key in _keys(read, loop, name))


def _keys(read: ast.expr, loop: ast.comprehension, name: str) -> Iterator[str]:
    if ast.unparse(read) == f"{name}[{ast.unparse(loop.target)}]":
        keys = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
        yield from (k.value for k in keys if isinstance(k, ast.Constant) and type(k.value) is str)
