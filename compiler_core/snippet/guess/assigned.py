"""The expressions that a function assigns to its variables."""

import ast
from collections.abc import Iterator, Mapping, Sequence

Assigned = Mapping[str, Sequence[ast.expr]]


def assigned(code: ast.AST) -> Assigned:
    """The expressions that are assigned to each variable, in the order of the code."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(code):
        for target, value in _pairs(node) if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(value)
    return found


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value: `gh, gw = h // p, w // p` are two. What is one of several that
    another name has is starred."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        elif isinstance(target, ast.Tuple):
            yield from ((part, ast.Starred(node.value)) for part in target.elts)
        else:
            yield target, node.value
