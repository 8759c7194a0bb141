"""Calls of numpy within a program, replaced by those of the framework."""

import ast
import importlib
from collections.abc import Iterator

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Edit, Text
from compiler_core.report import Framework

_NUMPY: dict[Framework, str] = {"torch": "torch", "jax": "jax.numpy"}
_TO_NUMPY = ("numpy", "detach", "cpu")
_FROM_NUMPY = ("torch.from_numpy", "torch.as_tensor", "jax.numpy.asarray")
# Functions and arguments that have another name in torch.
_FUNCTIONS = {
    "concatenate": "cat", "power": "pow", "absolute": "abs", "transpose": "permute",
    "max": "amax", "min": "amin",
}  # fmt: skip
# Functions that return more in torch than in numpy, with the part that is numpy's result.
_PARTS = {"sort": "values"}
_ARGUMENTS = {"axis": "dim", "keepdims": "keepdim"}
_CALLBACK = "jax.pure_callback"


def arrays(request: RemedyRequest) -> Changed | Refused | None:
    """Replaces numpy's functions by the framework's in the function around the finding's line, and
    removes the conversions to and from numpy arrays."""
    text = request.text
    at = [n for n in text.at(request.finding.line) if _goes_to_numpy(n) or _of_numpy(text, n)]
    function = text.function(at[0]) if at else None
    if function is None:
        return None
    owner, imports = text.named(_NUMPY[request.framework])
    edits = list(_edits(text, function, owner, request.framework))
    unknown = next((e for e in edits if isinstance(e, str)), "")
    if unknown:
        return Refused(f"{owner} has no function of the name {unknown}")
    known = [e for e in edits if not isinstance(e, str)]
    what = f"numpy's functions are {owner}'s, and the tensor never becomes an array of numpy"
    return Changed(text.edited([*known, *imports]), what)


def callbacks(request: RemedyRequest) -> Changed | Refused | None:
    """Replaces jax.pure_callback of a numpy function by a call of the same function in
    jax.numpy."""
    text = request.text
    call = next((n for n in text.at(request.finding.line) if _is_callback(text, n)), None)
    if not isinstance(call, ast.Call):
        return None
    called, given = call.args[0], call.args[2:]
    owner, imports = text.named(_NUMPY["jax"])
    body = _function(text, called) if isinstance(called, ast.Name) else called
    if body is None:
        return Refused("what it calls is not written in the snippet")
    edits = list(_edits(text, body, owner, "jax"))
    unknown = next((e for e in edits if isinstance(e, str)), "")
    if unknown or (not edits and isinstance(called, ast.Name)):
        of = f"{owner} has no function of the name {unknown}" if unknown else "it calls no numpy"
        return Refused(f"{of}, and what else it does cannot be known from its text")
    known = [e for e in edits if not isinstance(e, str)]
    passed = ", ".join(text.of(x) for x in given)
    if isinstance(called, ast.Name):
        new = [*known, text.replace(call, f"{called.id}({passed})")]
    else:
        begin, end = text.span(called)
        shown = text.text[begin:end]
        for low, high, put in sorted(known, reverse=True):
            shown = f"{shown[: low - begin]}{put}{shown[high - begin :]}"
        new = [text.replace(call, f"({shown})({passed})" if isinstance(called, ast.Lambda)
                            else f"{shown}({passed})")]  # fmt: skip
    what = f"{owner} computes it, and nothing is called on the host"
    return Changed(text.edited([*new, *imports]), what)


def counterpart(text: Text, line: int) -> str:
    """jax.numpy's function in place of that of numpy's which is called back at a line; blank where
    there is none."""
    call = next((n for n in text.at(line) if _is_callback(text, n)), None)
    name = _of_numpy(text, call.args[0]) if isinstance(call, ast.Call) else ""
    owner = _NUMPY["jax"]
    return f"{owner}.{name}" if name and hasattr(importlib.import_module(owner), name) else ""


def _edits(text: Text, within: ast.AST, owner: str, framework: Framework) -> Iterator[Edit | str]:
    """The edits within a function; a string is the name of a function that the framework does not
    have."""
    for node in ast.walk(within):
        if _goes_to_numpy(node):
            yield from _cut(text, node)
        elif isinstance(node, ast.Call) and text.dotted(node.func) in _FROM_NUMPY:
            yield from text.unwrapped(node, node.args[0])
        elif name := _of_numpy(text, node):
            own = _FUNCTIONS.get(name, name) if framework == "torch" else name
            if not hasattr(importlib.import_module(_NUMPY[framework]), own):
                yield name
            yield text.replace(node, f"{owner}.{own}")
            if framework == "torch" and name in _PARTS:
                yield from _part(text, node, _PARTS[name])
        elif isinstance(node, ast.keyword) and framework == "torch" and node.arg in _ARGUMENTS:
            parent = text.parent(node)
            if isinstance(parent, ast.Call) and _of_numpy(text, parent.func):
                begin, _ = text.span(node)
                yield (begin, begin + len(node.arg), _ARGUMENTS[node.arg])


def _part(text: Text, function: ast.AST, part: str) -> Iterator[Edit]:
    """The edit that takes a part of what a call of the function gives."""
    call = text.parent(function)
    if isinstance(call, ast.Call) and call.func is function:
        _, end = text.span(call)
        yield (end, end, f".{part}")


def _cut(text: Text, node: ast.AST) -> Iterator[Edit]:
    """The edits that remove `.detach().cpu().numpy()` after a tensor."""
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    inner: ast.expr = node.func.value
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        if inner.func.attr not in _TO_NUMPY or inner.args:
            break
        inner = inner.func.value
    yield from text.unwrapped(node, inner)


def _goes_to_numpy(node: ast.AST) -> bool:
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and node.func.attr == "numpy" and not node.args  # type: ignore[attr-defined]


def _of_numpy(text: Text, node: ast.AST) -> str:
    """The numpy function that an expression names; blank if it names none."""
    name = text.dotted(node) if isinstance(node, ast.Attribute) else ""
    return name.removeprefix("numpy.") if name.startswith("numpy.") else ""


def _is_callback(text: Text, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and text.dotted(node.func) == _CALLBACK and len(node.args) > 1


def _function(text: Text, name: ast.Name) -> ast.FunctionDef | None:
    found = (n for n in ast.walk(text.tree) if isinstance(n, ast.FunctionDef) and n.name == name.id)
    return next(found, None)
