"""What the snippet's own functions say of a parameter that is handed to them: `gram(x)` unpacks the
sizes of its argument, so x has four dimensions."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from compiler_core.snippet.guess.usage import Usage, usages

# One function that calls the next, so often: what is further away is of some other value.
_DEEPEST = 3


def with_handed(
    used: Mapping[str, Usage], code: ast.AST, tree: ast.Module, depth: int = _DEEPEST
) -> dict[str, Usage]:
    """`used`, and of what the code itself does not say, what the functions say that it calls."""
    found = dict(used)
    for name, function, argument in _handed(code, found, tree):
        names = [a.arg for a in function.args.args]
        if depth and argument < len(names):
            said = with_handed(usages(function, names), function, tree, depth - 1)
            found[name] = _both(found[name], said[names[argument]])
    return found


def _handed(
    code: ast.AST, names: Mapping[str, Usage], tree: ast.Module
) -> Iterator[tuple[str, ast.FunctionDef, int]]:
    """The parameters that are arguments, of which function, and at which place."""
    functions = {d.name: d for d in tree.body if isinstance(d, ast.FunctionDef) and d is not code}
    for node in ast.walk(code):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            function = functions.get(node.func.id)
            for at, argument in enumerate(node.args if function else ()):
                if isinstance(argument, ast.Name) and argument.id in names and function:
                    yield argument.id, function, at


def _both(own: Usage, theirs: Usage) -> Usage:
    return replace(
        own,
        letters=own.letters or theirs.letters,
        rank=own.rank if own.rank is not None else theirs.rank,
        kinds=own.kinds or theirs.kinds,
        parts=own.parts or theirs.parts,
        fields=[*own.fields, *(f for f in theirs.fields if f not in own.fields)],
        number=own.number or theirs.number,
        columns=own.columns or theirs.columns,
    )
