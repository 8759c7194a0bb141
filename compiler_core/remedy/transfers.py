"""`.cpu()` and `.to("cpu")` within a program, removed so that the tensor stays on its device."""

import ast

from compiler_core.remedy.change import Changed, RemedyRequest

_CALLS = ("cpu()", "to('cpu')", "to(device='cpu')")


def transfers(request: RemedyRequest) -> Changed | None:
    """Removes such calls at the finding's line."""
    text = request.text
    calls = [n for n in text.at(request.finding.line) if _is_transfer(n)]
    edits = [edit for c in calls for edit in text.unwrapped(c, c.func.value)]  # type: ignore[attr-defined]
    if not edits:
        return None
    shown = ", ".join(dict.fromkeys(map(_call, calls)))
    return Changed(text.edited(edits), f"{shown} is left out, and the tensor stays where it is")


def _is_transfer(node: ast.AST) -> bool:
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and _call(node) in (f".{call}" for call in _CALLS)


def _call(node: ast.AST) -> str:
    """A call of a method without what it is called of, as Python prints it."""
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return f".{ast.unparse(ast.Call(ast.Name(node.func.attr), node.args, node.keywords))}"
