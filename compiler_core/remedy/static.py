"""A whole number, a flag or a text that jax.jit traces and the program needs the value of, made a
static argument."""

import ast
from collections.abc import Iterator, Mapping

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.compiled import JIT, compile_calls, with_argument
from compiler_core.remedy.text import Edit, Function, Text, names_in

_NAMES = "static_argnames"
_DECIDES = (ast.If, ast.IfExp, ast.While)


def static(request: RemedyRequest) -> Changed | Refused | None:
    """Names the arguments that are needed at the finding's line in `static_argnames`. None where it
    needs none, or what it decides by depends on arrays too."""
    text, names = request.text, sorted(_needed(request))
    found = list(compile_calls(text, JIT, request))
    if not names or len(found) != 1:
        return None
    edits = _with_names(text, found[0], names)
    if isinstance(edits, Refused):
        return edits
    which = " and ".join(f"`{name}`" for name in names)
    what = f"{which} {'is' if len(names) == 1 else 'are'} static: compiled for each value"
    return Changed(text.edited(edits), what)


def _needed(request: RemedyRequest) -> set[str]:
    """The arguments whose values are asked for at the line; with them those that branches of the
    function go by, which would be asked for next."""
    text = request.text
    nodes = list(text.at(request.finding.line))
    for node in [n for n in nodes if isinstance(n, _DECIDES)] or nodes:
        function = text.function(node)
        if function is None or request.program not in (None, function.lineno):
            continue
        here = _of(node, function, request.plain)
        if here:
            further = (n for n in ast.walk(function) if isinstance(n, _DECIDES))
            return here.union(*(_of(n, function, request.plain) for n in further))
    return set()


def _of(node: ast.AST, function: Function, plain: frozenset[str]) -> set[str]:
    """Those that a node asks for; none where it decides by arrays too."""
    asked = _asked(node)
    if asked is None:
        return set()
    known, read = _plain(function, plain), names_in(asked) & _local(function)
    if isinstance(node, _DECIDES) and not read <= known.keys():
        return set()
    return {name for each in read & known.keys() for name in known[each]}


def _asked(node: ast.AST) -> ast.AST | None:
    """What is computed at a node's own line."""
    if isinstance(node, _DECIDES):
        return node.test
    if isinstance(node, ast.For):
        return node.iter
    return node if isinstance(node, ast.expr | ast.Assign | ast.AugAssign | ast.Return) else None


def _plain(function: Function, arguments: frozenset[str]) -> Mapping[str, set[str]]:
    """The names of a function that hold values of Python alone, each with the arguments that it was
    computed from."""
    known = {name: {name} for name in arguments}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            read = names_in(node.value) & _local(function)
            if read and read <= known.keys():
                of = {name for each in read for name in known[each]}
                known |= {t.id: of for t in node.targets if isinstance(t, ast.Name)}
    return known


def _local(function: Function) -> set[str]:
    given = function.args
    arguments = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name))
    return arguments | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _with_names(text: Text, node: ast.expr, names: list[str]) -> list[Edit] | Refused:
    given = (
        [k.value for k in node.keywords if k.arg == _NAMES] if isinstance(node, ast.Call) else []
    )
    if given:
        before = list(_texts(given[0]))
        if not before:
            return Refused(f"{_NAMES} is given by more than names in quotes")
        return [text.replace(given[0], _tuple([*before, *names]))]
    argument = f"{_NAMES}={_tuple(names)}"
    if isinstance(node, ast.Call):
        return [with_argument(text, node, argument)]
    partial, imports = _partial(text)
    return [text.replace(node, f"{partial}({text.of(node)}, {argument})"), *imports]


def _texts(node: ast.expr) -> Iterator[str]:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    found = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    yield from found if len(found) == len(parts) else ()


def _tuple(names: list[str]) -> str:
    return f'"{names[0]}"' if len(names) == 1 else f"({', '.join(map(_quoted, names))})"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _partial(text: Text) -> tuple[str, list[Edit]]:
    if "functools.partial" in text.modules:
        return text.modules["functools.partial"], []
    module, imports = text.named("functools")
    return f"{module}.partial", imports
