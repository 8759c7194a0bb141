"""A number that is passed to jax.jit in another form than before: as an array, as an int or as a
float."""

import ast
import re
from collections.abc import Iterator

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Text

_KINDS = ("weak", "type", "number")
_PYTHON = r"(?P<{}> \(a Python number\))?"
# The entry's clause for what differs: "rate is f32[], was f32[] (a Python number)".
_DIFFERS = re.compile(
    rf": (?P<name>\w+) is (?P<now>\w+)\[\]{_PYTHON.format('is_number')}, "
    rf"was (?P<was>\w+)\[\]{_PYTHON.format('was_number')}\Z"
)
_BUILTIN = {"f": "float", "i": "int"}
_TYPES = {"f32": "float32", "i32": "int32", "f16": "float16", "bf16": "bfloat16"}
_TYPES |= {"f64": "float64", "i64": "int64"}
# Functions that make an array of one number.
_CONSTRUCTORS = ("array", "asarray", *_TYPES.values())


def scalars(request: RemedyRequest) -> Changed | Refused | None:
    """Passes the number at the finding's call in the form in which the call before passed it."""
    found = _DIFFERS.search(request.finding.what)
    if request.finding.category not in _KINDS or found is None:
        return None
    text = request.text
    given = list(_given(request, found["name"]))
    if len(given) != 1:
        return Refused(f"the line has no one call that gives {found['name']}")
    (value,) = given
    if found["was_number"]:
        return _as_number(text, value, found["was"])
    return _as_array(text, value, found["was"])


def _as_number(text: Text, value: ast.expr, was: str) -> Changed | Refused:
    inner = _number(text, value)
    builtin = _BUILTIN.get(was[:1])
    if builtin is None:
        return Refused(f"no number of Python is of type {was}")
    number = inner.value if isinstance(inner, ast.Constant) else None
    new = f"{builtin}({text.of(inner)})"
    if isinstance(number, int | float):
        if builtin == "int" and number != int(number):
            return Refused("the first call gives a whole number: write that one with a point")
        new = repr(float(number) if builtin == "float" else int(number))
    what = f"{text.of(value)} is given as {new}, a number of Python as before"
    return Changed(text.edited([text.replace(value, new)]), what)


def _as_array(text: Text, value: ast.expr, was: str) -> Changed | Refused:
    if was not in _TYPES:
        return Refused(f"no function of jax.numpy makes a number of type {was}")
    module, imported = text.named("jax.numpy")
    new = f"{module}.{_TYPES[was]}({text.of(_number(text, value))})"
    what = f"{text.of(value)} is given as {new}, an array as before"
    return Changed(text.edited([text.replace(value, new), *imported]), what)


def _number(text: Text, value: ast.expr) -> ast.expr:
    """What an expression makes an array of, where that is one number; else the expression."""
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return value
    module, _, name = text.dotted(value.func).rpartition(".")
    of = value.args[0]
    is_number = isinstance(of, ast.Constant) and isinstance(of.value, int | float)
    return of if module in ("jax.numpy", "numpy") and name in _CONSTRUCTORS and is_number else value


def _given(request: RemedyRequest, name: str) -> Iterator[ast.expr]:
    """What the calls at the entry's line give for an argument of the program."""
    text = request.text
    function = _function(request)
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)] if function else []
    for call in text.at(request.finding.line):
        if isinstance(call, ast.Call) and _is_of(request, call):
            by_name = [k.value for k in call.keywords if k.arg == name]
            at = names.index(name) if name in names else len(call.args)
            yield from by_name or call.args[at : at + 1]


def _function(request: RemedyRequest) -> ast.FunctionDef | ast.Lambda | None:
    """The program's function; of a lambda, the only one in the snippet."""
    functions = [n for n in ast.walk(request.text.tree) if isinstance(n, ast.FunctionDef)]
    for each in functions:
        if each.lineno == request.program or each.name == request.name:
            return each
    lambdas = [n for n in ast.walk(request.text.tree) if isinstance(n, ast.Lambda)]
    return lambdas[0] if len(lambdas) == 1 else None


def _is_of(request: RemedyRequest, call: ast.Call) -> bool:
    """Whether a call is of the program: by its name, or by one that jax.jit's result has; or of
    jax.jit's result itself, as in jax.jit(f)(x, 2.0)."""
    if isinstance(call.func, ast.Call):
        return _is_jit(request, call.func)
    if not isinstance(call.func, ast.Name):
        return False
    return call.func.id in {request.name, *_bound(request)}


def _bound(request: RemedyRequest) -> Iterator[str]:
    """The names of what jax.jit made."""
    assigned = (n for n in ast.walk(request.text.tree) if isinstance(n, ast.Assign))
    for node in assigned:
        if isinstance(node.value, ast.Call) and _is_jit(request, node.value):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))


def _is_jit(request: RemedyRequest, call: ast.Call) -> bool:
    return request.text.dotted(call.func) == "jax.jit"
