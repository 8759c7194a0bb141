"""Changes to the options of torch.compile and jax.jit: dynamic sizes, static arguments."""

import ast
from collections.abc import Iterator

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Edit, Text

_COMPILE = "torch.compile"
JIT = "jax.jit"
PARTIAL = ("functools.partial", "partial")
_STATIC = ("static_argnums", "static_argnames")
_NOT_ONE_CALL = "the snippet has no one call of {} for this program"


def varying(request: RemedyRequest) -> Changed | Refused | None:
    """Passes `dynamic=True` to the program's torch.compile, if sizes made it recompile."""
    if request.finding.category not in ("size", "guard"):
        return None
    text = request.text
    found = list(compile_calls(text, _COMPILE, request))
    if len(found) != 1:
        return Refused(_NOT_ONE_CALL.format(_COMPILE))
    (call,) = found
    given = [k for k in call.keywords if k.arg == "dynamic"] if isinstance(call, ast.Call) else []
    edits = (
        [text.replace(given[0].value, "True")]
        if given
        else [with_argument(text, call, "dynamic=True")]
    )
    return Changed(text.edited(edits), "torch.compile is told that sizes vary (dynamic=True)")


def traced(request: RemedyRequest) -> Changed | Refused | None:
    """Removes static_argnums and static_argnames from the program's jax.jit, so that these
    arguments are traced and a new value does not compile again."""
    text = request.text
    found = [c for c in compile_calls(text, JIT, request) if isinstance(c, ast.Call) and _static(c)]
    if len(found) != 1:
        return None
    (call,) = found
    kept = [text.of(a) for a in call.args]
    kept += [f"{k.arg}={text.of(k.value)}" for k in call.keywords if k.arg not in _STATIC]
    named = ", ".join(_shown(text, k) for k in _static(call))
    new = f"{text.of(call.func)}({', '.join(kept)})"
    if kept == [JIT] and text.dotted(call.func) in PARTIAL:
        new = JIT
    return Changed(text.edited([text.replace(call, new)]), f"{named} is traced, and not static")


def _shown(text: Text, given: ast.keyword) -> str:
    """Static arguments by name, or by position with a word for what the number is."""
    of = given.value
    parts = of.elts if isinstance(of, ast.Tuple | ast.List) else [of]
    named = " and ".join(text.of(each).strip("\"'") for each in parts)
    return f"{'argument ' * (given.arg == 'static_argnums')}{named}"


def _static(call: ast.Call) -> list[ast.keyword]:
    return [k for k in call.keywords if k.arg in _STATIC]


def with_argument(text: Text, node: ast.expr, argument: str) -> Edit:
    """The edit that adds an argument to a call; `@torch.compile` becomes a call with it."""
    if not isinstance(node, ast.Call):
        return text.replace(node, f"{text.of(node)}({argument})")
    _, end = text.span(node)
    inside = text.of(node).removesuffix(")").rstrip()
    comma = "" if inside.endswith(("(", ",")) else ","
    at = end - 1
    return (at, at, f"{comma}{' ' if comma else ''}{argument}")


def compile_calls(text: Text, name: str, request: RemedyRequest) -> Iterator[ast.expr]:
    """The calls or decorators by which `name`, torch.compile or jax.jit, compiles the program:
    those of its function or class, else the calls with it as their argument, else the snippet's
    only call, which may be a module's method."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and request.program == node.lineno:
            yield from (d for d in node.decorator_list if _is(text, d, name))
            if any(_is(text, d, name) for d in node.decorator_list):
                return
    every = [n for n in ast.walk(text.tree) if isinstance(n, ast.Call)]
    calls = [n for n in every if (n.args and _is(text, n, name)) or _is_method(text, n, name)]
    own = [c for c in calls if c.args and text.of(c.args[0]) == request.name]
    yield from own or (calls if len(calls) == 1 else [])


def _is_method(text: Text, node: ast.Call, name: str) -> bool:
    """Whether a call is `model.compile()`, by which a module compiles itself."""
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return name == _COMPILE and method == "compile" and not text.dotted(node.func)


def _is(text: Text, node: ast.expr, name: str) -> bool:
    """Whether an expression is `name`, a call of it, or functools.partial of it."""
    if not isinstance(node, ast.Call):
        return text.dotted(node) == name
    if text.dotted(node.func) in PARTIAL and node.args:
        return text.dotted(node.args[0]) == name
    return text.dotted(node.func) == name
