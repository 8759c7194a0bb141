"""Parameters that are pytrees of the same structure as others, because one call of `jax.tree.map`
takes them together: weights and their gradients, or a velocity and these gradients."""

import ast
from collections.abc import Mapping

from compiler_core.snippet.guess.usage import Usage

_OVER = ("tree_map", "tree_multimap", "map")
_GRADIENTS = ("grad", "value_and_grad")


def alike(name: str, code: ast.AST | None, used: Mapping[str, Usage]) -> str:
    """The parameter whose pytree structure `name` shares: a call of `jax.tree.map` in `code`, the
    function's body, takes both together, and `used`, the usage of each parameter, tells its
    structure. "" if there is none, or if the structure of `name` itself is known."""
    if code is None or _has_form(used.get(name)):
        return ""
    of = _gradients(code)
    together = (
        [of.get(a.id, a.id) for a in call.args[1:] if isinstance(a, ast.Name)]
        for call in ast.walk(code)
        if isinstance(call, ast.Call) and _goes_over(call.func)
    )
    others = (each for names in together if name in names for each in names)
    return next((each for each in others if each != name and _has_form(used.get(each))), "")


def _has_form(usage: Usage | None) -> bool:
    return usage is not None and bool(usage.keys or usage.parts)


def _goes_over(function: ast.expr) -> bool:
    """`jax.tree.map`, `jax.tree_util.tree_map`, `tree_map`."""
    text = ast.unparse(function)
    last = text.rpartition(".")[2]
    return last in _OVER and (last != "map" or text.endswith("tree.map"))


def _gradients(code: ast.AST) -> dict[str, str]:
    """By the name of a gradient what it is of: `params` by `grads` in `loss, grads =
    jax.value_and_grad(f)(params, x)`."""
    transformed: dict[str, str] = {}
    found: dict[str, str] = {}
    for node in ast.walk(code):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        target, call = node.targets[0], node.value
        of = _transformation(call)
        if of and isinstance(target, ast.Name):
            transformed[target.id] = of
            continue
        function = call.func
        of = transformed.get(function.id, "") if isinstance(function, ast.Name) else (
            _transformation(function)
        )  # fmt: skip
        if of == "value_and_grad" and isinstance(target, ast.Tuple):
            target = target.elts[-1]
        first = call.args[0] if call.args else None
        if of and isinstance(target, ast.Name) and isinstance(first, ast.Name):
            found[target.id] = first.id
    return found


def _transformation(value: ast.expr) -> str:
    """`grad` of `jax.grad(loss)`; "" of anything else."""
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name if name in _GRADIENTS else ""
    return ""
