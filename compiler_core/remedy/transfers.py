"""`.cpu()` within a program, removed so that the tensor stays on its device."""

import ast

from compiler_core.remedy.change import Changed, RemedyRequest

_METHODS = ("cpu",)


def transfers(request: RemedyRequest) -> Changed | None:
    """Removes the calls of `.cpu()` at the finding's line."""
    text = request.text
    calls = [n for n in text.at(request.finding.line) if _is_transfer(n)]
    edits = [edit for c in calls for edit in text.unwrapped(c, c.func.value)]  # type: ignore[attr-defined]
    if not edits:
        return None
    return Changed(text.edited(edits), ".cpu() is left out, and the tensor stays where it is")


def _is_transfer(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in _METHODS and not node.args and not node.keywords
