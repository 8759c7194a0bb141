"""print() within a program: in torch made conditional, in JAX removed."""

import ast

from compiler_core.remedy.change import Changed, RemedyRequest

_CALLS = ("print",)
# JAX's functions, by their full names.
_JAX = ("jax.debug.print", "jax.debug.callback")


def prints(request: RemedyRequest) -> Changed | None:
    """Puts the print() at the finding's line under `if not torch.compiler.is_compiling()`."""
    text = request.text
    statement = next((s for s in text.at(request.finding.line) if _prints(s)), None)
    if not isinstance(statement, ast.stmt):
        return None
    torch, edits = text.named("torch")
    new = _unless(f"{torch}.compiler.is_compiling()", text.of(statement), text.indent(statement))
    return Changed(
        text.edited([text.replace(statement, new), *edits]),
        "print() is left out of what is compiled, which then prints nothing",
    )


def _unless(test: str, call: str, before: str) -> str:
    """The call where the test fails; `before` is what stands before it on its line."""
    return f"{test} or {call}" if before.strip() else f"if not {test}:\n{before}    {call}"


def without_prints(request: RemedyRequest) -> Changed | None:
    """Removes a jax.debug.print or jax.debug.callback at the finding's line."""
    text = request.text
    for node in text.at(request.finding.line):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = text.dotted(node.value.func)
            if name in _JAX:
                return Changed(
                    text.edited([text.without(node)]), f"{name}() is taken out of the program"
                )
    return None


def _prints(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    of = call.func if isinstance(call, ast.Call) else None
    return isinstance(of, ast.Name) and of.id in _CALLS
