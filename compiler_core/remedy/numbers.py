"""`.item()`, float() or int() of a tensor, removed so that the value stays a tensor."""

import ast
from collections.abc import Iterator

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Text

_METHODS = ("item", "tolist")
_BUILTINS = ("float", "int", "bool")


def numbers(request: RemedyRequest) -> Changed | Refused | None:
    """Removes the calls at the finding's line that turn tensors into Python numbers."""
    text = request.text
    calls = list(calls_at(text, request.finding.line))
    if not calls:
        return None
    if any(_is_result(text, call) for call in calls):
        return Refused("what is returned would be a tensor, and the caller is given a number")
    edits = [text.replace(call, text.operand(value_of(call))) for call in calls]
    shown = ", ".join(dict.fromkeys(_shown(call) for call in calls))
    return Changed(text.edited(edits), f"{shown} is left out, and the value stays a tensor")


def calls_at(text: Text, line: int | None) -> Iterator[ast.Call]:
    """The calls that begin on a line and turn tensors into Python numbers; of nested ones the
    outermost."""
    found: list[ast.Call] = []
    for node in text.at(line):
        if makes_number(node) and not any(above in found for above in text.above(node)):
            assert isinstance(node, ast.Call)
            found.append(node)
            yield node


def makes_number(node: ast.AST) -> bool:
    """Whether an expression has the form of a call that turns a tensor into a number."""
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in _METHODS and not node.args
    of = node.args[0] if len(node.args) == 1 else None
    is_builtin = isinstance(node.func, ast.Name) and node.func.id in _BUILTINS
    return is_builtin and of is not None and not isinstance(of, ast.Constant)


def value_of(node: ast.AST) -> ast.AST:
    """The tensor expression within such calls: `x.sum()` in `float(x.sum().item())`."""
    while makes_number(node):
        assert isinstance(node, ast.Call)
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]
    return node


def _is_result(text: Text, call: ast.Call) -> bool:
    parent = text.parent(call)
    if isinstance(parent, ast.Tuple | ast.List | ast.Dict):
        parent = text.parent(parent)
    return isinstance(parent, ast.Return)


def _shown(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return f".{call.func.attr}()"
    return f"{call.func.id}()" if isinstance(call.func, ast.Name) else "the call"
