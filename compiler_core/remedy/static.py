"""An int, a flag or a string that jax.jit traces although the program needs its value, made a
static argument."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.compiled import JIT, compile_calls, with_argument
from compiler_core.remedy.text import Edit, Function, Text, names_in

_NAMES = "static_argnames"
_DECIDES = (ast.If, ast.IfExp, ast.While)


def static(request: RemedyRequest) -> Changed | Refused | None:
    """Names the arguments that are needed at the finding's line, and texts, in `static_argnames`.
    None where there is none, or what is decided there depends on arrays too."""
    text = request.text
    found = list(compile_calls(text, JIT, request))
    function = next((f for f in ast.walk(text.tree) if _is_of(f, request)), None)
    if len(found) != 1 or not isinstance(function, Function):
        return None
    names = sorted(_needed(request, _Values.of(request, function, found[0])))
    if not names:
        return None
    edits = _with_names(text, found[0], names)
    if isinstance(edits, Refused):
        return edits
    *most, last = (f"`{name}`" for name in names)
    which = " and ".join(filter(None, [", ".join(most), last]))
    what = f"{which} {'is' if len(names) == 1 else 'are'} static: compiled for each value"
    return Changed(text.edited(edits), what)


def _is_of(node: ast.AST, request: RemedyRequest) -> bool:
    """Whether it is the program's function."""
    if not isinstance(node, Function):
        return False
    return node.name == request.name if request.program is None else node.lineno == request.program


@dataclass(frozen=True)
class _Values:
    """The names of a function that hold values of Python alone, each with those arguments that it
    was computed from which are not static yet; `texts` are the texts among these."""

    function: Function
    known: Mapping[str, set[str]]
    texts: set[str]

    @classmethod
    def of(cls, request: RemedyRequest, function: Function, jitted: ast.expr) -> "_Values":
        """The values of a function that is compiled by `jitted`, a call of jax.jit or its name."""
        static, local = set(_static(function, jitted)), _local(function)
        known = {name: {name} - static for name in request.plain}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                read = names_in(node.value) & local
                if read and read <= known.keys():
                    of = {name for each in read for name in known[each]}
                    known |= {t.id: of for t in node.targets if isinstance(t, ast.Name)}
        return cls(function, known, set(request.texts) - static)

    def by_arrays(self, node: ast.AST) -> bool:
        """Whether a node is a decision that depends on arrays."""
        return isinstance(node, _DECIDES) and not self._read(node) <= self.known.keys()

    def asked(self, node: ast.AST) -> set[str]:
        """The arguments whose values a node needs."""
        if self.by_arrays(node):
            return set()
        return {name for each in self._read(node) & self.known.keys() for name in self.known[each]}

    def _read(self, node: ast.AST) -> set[str]:
        asked = _asked(node)
        return set() if asked is None else names_in(asked) & _local(self.function)


def _needed(request: RemedyRequest, values: _Values) -> set[str]:
    """The arguments whose values are asked for at the line, and texts, which JAX traces in no case;
    with them those that branches of the function go by, which would be asked for next."""
    text, function = request.text, values.function
    nodes = [n for n in text.at(request.finding.line) if text.function(n) is function]
    if any(values.by_arrays(n) for n in nodes):
        nodes = []
    here = values.texts.union(*map(values.asked, nodes))
    branches = (n for n in ast.walk(function) if isinstance(n, _DECIDES))
    return here.union(*map(values.asked, branches)) if here else here


def _static(function: Function, jitted: ast.expr) -> Iterator[str]:
    """The arguments that are static already, by name or by position."""
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    for given in jitted.keywords if isinstance(jitted, ast.Call) else ():
        if given.arg == _NAMES:
            yield from _texts(given.value)
        elif given.arg == "static_argnums":
            parts = given.value.elts if isinstance(given.value, ast.Tuple) else [given.value]
            at = (p.value for p in parts if isinstance(p, ast.Constant))
            yield from (names[n] for n in at if isinstance(n, int) and n < len(names))


def _asked(node: ast.AST) -> ast.AST | None:
    """What is computed at a node's own line."""
    if isinstance(node, _DECIDES):
        return node.test
    if isinstance(node, ast.For):
        return node.iter
    return node if isinstance(node, ast.expr | ast.Assign | ast.AugAssign | ast.Return) else None


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
