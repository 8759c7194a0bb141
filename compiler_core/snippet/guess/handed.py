"""What the snippet's own functions imply for a parameter that is passed to them: `gram(x)` unpacks
the shape of its argument, so x has as many dimensions. The same goes for the forward of one of the
snippet's modules, if another parameter is called (`model(data)`), and for a function that is
differentiated or mapped: `jax.value_and_grad(loss)(params, batch)`."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from compiler_core.snippet.guess.expressions import OF_SAME
from compiler_core.snippet.guess.hints import is_loss
from compiler_core.snippet.guess.usage import Usage, usages
from compiler_core.snippet.guess.words import is_of

# For each loop function, the positions of its body and of its initial carry, and that of the carry
# among the body's parameters.
_LOOPS = {"scan": (0, 1, 0), "while_loop": (1, 2, 0), "fori_loop": (2, 3, 1)}
# How many nested calls are followed.
_DEEPEST = 3


def with_handed(
    used: Mapping[str, Usage], code: ast.AST, tree: ast.Module, depth: int = _DEEPEST
) -> dict[str, Usage]:
    """`used`, completed by what called functions imply where the code itself implies nothing."""
    found = dict(used)
    for name, function, argument, mapped in _handed(code, found, tree):
        names = [a.arg for a in function.args.args]
        if depth and argument < len(names):
            said = with_handed(usages(function, names), function, tree, depth - 1)[names[argument]]
            found[name] = _both(found[name], _of_many(said) if mapped else said)
    return found


def _of_many(said: Usage) -> Usage:
    """What is so of each of several, and so of all of them: not how many axes they have."""
    return Usage(parts=said.parts, inside=said.inside, keys=said.keys, fields=said.fields)


def _handed(
    code: ast.AST, names: Mapping[str, Usage], tree: ast.Module
) -> Iterator[tuple[str, ast.FunctionDef, int, bool]]:
    """The parameters that are arguments, of which function, and at which place; and whether that is
    called for each of many."""
    defined = (d for of in (tree.body, ast.walk(code)) for d in of)
    functions = {d.name: d for d in defined if isinstance(d, ast.FunctionDef) and d is not code}
    methods = _methods_beside(code, tree)
    known = {
        node.targets[0].id: name
        for node in (*tree.body, *ast.walk(code))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if (name := _differentiated(node.value))
    }
    yield from ((*each, False) for each in _carried(code, names, functions))
    for node in ast.walk(code):
        if isinstance(node, ast.Call):
            own = node.func.id if isinstance(node.func, ast.Name) else _differentiated(node.func)
            own, mapped = known.get(own, own), _mapped(node.func)
            is_module = own in names and names[own].called is not None
            called = _forward(own, tree) if is_module else functions.get(own or mapped)
            method = methods.get(ast.unparse(node.func))
            called = called or method
            bound = is_module or called is method
            for at, argument in enumerate(node.args if called else ()):
                if isinstance(argument, ast.Name) and argument.id in names and called:
                    yield argument.id, called, at + bound, bool(mapped)


def _carried(
    code: ast.AST, names: Mapping[str, Usage], functions: Mapping[str, ast.FunctionDef]
) -> Iterator[tuple[str, ast.FunctionDef, int]]:
    """What JAX's loops carry on from: `scan(step, state, xs)` hands it to the body."""
    for node in ast.walk(code):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(called, ast.Attribute | ast.Name):
            name = called.attr if isinstance(called, ast.Attribute) else called.id
            body, carry, at = _LOOPS.get(name, (0, len(node.args), 0))
            given = [ast.unparse(each) for each in node.args]
            if carry < len(given) and given[carry] in names and given[body] in functions:
                yield given[carry], functions[given[body]], at


def _methods_beside(code: ast.AST, tree: ast.Module) -> Mapping[str, ast.FunctionDef]:
    """By how it calls them, the other methods of the object whose method the code is."""
    classes = (c for c in tree.body if isinstance(c, ast.ClassDef) and code in c.body)
    of = (d for c in classes for d in c.body if isinstance(d, ast.FunctionDef) and d is not code)
    return {f"self.{d.name}": d for d in of}


def _differentiated(value: ast.expr) -> str:
    """`loss` of `jax.value_and_grad(loss)`; "" of anything else."""
    match value:
        case ast.Call(func=ast.Name(id=of) | ast.Attribute(attr=of), args=[ast.Name(id=name), *_]):
            return name if of in OF_SAME else ""
    return ""


def _mapped(value: ast.expr) -> str:
    """`residual` of `jax.vmap(residual, (None, 0))`; "" of anything else."""
    match value:
        case ast.Call(func=ast.Name(id="vmap") | ast.Attribute(attr="vmap"), args=[of, *_]):
            return ast.unparse(of)
    return ""


def _forward(name: str, tree: ast.Module) -> ast.FunctionDef | None:
    """That of the class of modules that the name speaks of; else of the last, which uses the
    others."""
    found = {
        c.name: d
        for c in tree.body if isinstance(c, ast.ClassDef)
        for d in c.body if isinstance(d, ast.FunctionDef) and d.name == "forward"
    }  # fmt: skip
    near = [cls for cls in found if is_of(name, cls)]
    return found[(near or list(found))[-1]] if found and not is_loss(name) else None


def _both(own: Usage, theirs: Usage) -> Usage:
    return replace(
        own,
        letters=own.letters or theirs.letters,
        rank=own.rank if own.rank is not None else theirs.rank,
        kinds=own.kinds or theirs.kinds,
        said=own.said if own.letters else theirs.said,
        parts=own.parts or theirs.parts,
        inside=own.inside or theirs.inside,
        keys=own.keys or theirs.keys,
        fields=[*own.fields, *(f for f in theirs.fields if f not in own.fields)],
        number=own.number or theirs.number,
        columns=own.columns or theirs.columns,
        spread=own.spread or theirs.spread,
    )
