"""A `while` on a tensor's value, rewritten as the framework's loop, whose condition and body are
functions of the loop-carried values."""

import ast
from collections.abc import Sequence

from compiler_core.remedy.branches import condition_of
from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Edit, Function, Text, names_in
from compiler_core.report import Framework

_LOOPS: dict[Framework, tuple[str, str]] = {
    "torch": ("torch", "while_loop"),
    "jax": ("jax.lax", "while_loop"),
}
_ARRAYS: dict[Framework, str] = {"torch": "torch", "jax": "jax.numpy"}
_OTHERWISE = "the loop does more than give names values: {text}"
_ELSE = "the loop has an else branch"
_OUTSIDE = "the loop is in no function"
_CONDITION = "the condition joins or compares several values: write it with & first"
_NOTHING = "the loop gives no name another value"
_NEW = "{name} is read after the loop, and has no value before it"
_WHAT = "{} takes the loop's condition and body as functions"


def whiles(request: RemedyRequest) -> Changed | Refused | None:
    """Rewrites the `while` at the finding's line."""
    text = request.text
    loop = next((n for n in text.at(request.finding.line) if isinstance(n, ast.While)), None)
    if loop is None:
        return None
    function = text.function(loop)
    problem = _problem(text, loop, function)
    if problem is not None or function is None:
        return Refused(problem or _OUTSIDE)
    carried = _carried(loop, function)
    if isinstance(carried, Refused):
        return carried
    return _changed(request, loop, carried)


def _problem(text: Text, loop: ast.While, function: Function | None) -> str | None:
    if function is None:
        return _OUTSIDE
    if loop.orelse:
        return _ELSE
    if condition_of(text, loop.test) is None:
        return _CONDITION
    other = next((each for each in loop.body if _target(each) is None), None)
    return None if other is None else _OTHERWISE.format(text=text.of(other).splitlines()[0])


def _target(statement: ast.stmt) -> list[str] | None:
    """The names that a statement gives values, and that is all it does; None of any other."""
    if isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets  # type: ignore[assignment]
    else:
        return None
    parts = [p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else None


def _carried(loop: ast.While, function: Function) -> list[str] | Refused:
    """The names that go from turn to turn: given a value by the body, and read before that in a
    turn, or after the loop."""
    given = list(dict.fromkeys(n for each in loop.body for n in _target(each) or ()))
    before = _given_before(loop, function)
    early = names_in(loop.test) | _read_first(loop.body)
    after = _read_elsewhere(loop, function)
    new = next((n for n in given if n in early | after and n not in before), None)
    if new is not None:
        return Refused(_NEW.format(name=new))
    return [n for n in given if n in early | after] or Refused(_NOTHING)


def _read_first(body: Sequence[ast.stmt]) -> set[str]:
    """The names that a turn reads before it has given them a value."""
    found, given = set[str](), set[str]()
    for each in body:
        own = _target(each) or []
        augmented = set(own) if isinstance(each, ast.AugAssign) else set[str]()
        found |= (names_in(each) | augmented) - given
        given |= set(own)
    return found


def _given_before(loop: ast.While, function: Function) -> set[str]:
    arguments = function.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return names | {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.lineno < loop.lineno
    }


def _read_elsewhere(loop: ast.While, function: Function) -> set[str]:
    """What the function reads outside of the loop; before it as well, for it may be in another."""
    inside = {id(node) for node in ast.walk(loop)}
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inside
    }


def _changed(request: RemedyRequest, loop: ast.While, carried: Sequence[str]) -> Changed:
    text, (owner, name) = request.text, _LOOPS[request.framework]
    module, imports = text.named(owner)
    called = f"{module}.{name}"
    goes_on, turn = _free(text, "goes_on"), _free(text, "turn")
    test, more = _test(request, loop)
    outer, inner = text.indent(loop), _indent_within(text, loop)
    names = ", ".join(carried)
    values, functions = _given(request.framework, names, (goes_on, turn))
    head = f"def {goes_on}({names}):\n{inner}return {test}\n{outer}def {turn}({names})"
    tail = f"\n{inner}return {values}\n{outer}{values} = {called}({functions}, {values})"
    begin, (_, end) = text.span(loop)[0], text.span(loop.body[-1])
    edits = [(begin, _colon(text, loop), head), (end, end, tail)]
    edits += [_not_in_place(text, e) for e in loop.body if isinstance(e, ast.AugAssign)]
    return Changed(text.edited([*edits, *dict.fromkeys([*imports, *more])]), _WHAT.format(called))


def _given(framework: Framework, names: str, functions: Sequence[str]) -> tuple[str, str]:
    """What goes from turn to turn as one value, and the functions of it. torch's take the values of
    a tuple one by one, JAX's take whatever it is as one."""
    is_one = "," not in names
    if framework == "torch":
        return f"({names},)" if is_one else f"({names})", ", ".join(functions)
    if is_one:
        return names, ", ".join(functions)
    return f"({names})", ", ".join(f"lambda values: {each}(*values)" for each in functions)


def _test(request: RemedyRequest, loop: ast.While) -> tuple[str, list[Edit]]:
    """The condition as the text of a tensor expression."""
    found = condition_of(request.text, loop.test)
    assert found is not None
    test, as_it_is = found
    if as_it_is:
        return test, []
    own, imports = request.text.named(_ARRAYS[request.framework])
    return f"{own}.logical_not({test})", imports


def _colon(text: Text, loop: ast.While) -> int:
    """Where the head of the loop ends."""
    return text.text.index(":", text.span(loop.test)[1])


def _indent_within(text: Text, loop: ast.While) -> str:
    first = loop.body[0]
    is_below = first.lineno > loop.test.end_lineno  # type: ignore[operator]
    return text.indent(first) if is_below else f"{text.indent(loop)}    "


def _not_in_place(text: Text, statement: ast.AugAssign) -> Edit:
    """`y = y + x` of `y += x`, which would change what the turn before has given."""
    begin, end = text.span(statement.target)[1], text.span(statement.value)[0]
    operator = text.text[begin:end].strip(" (").removesuffix("=")
    target, value = text.of(statement.target), text.operand(statement.value)
    return text.replace(statement, f"{target} = {target} {operator} {value}")


def _free(text: Text, name: str) -> str:
    """A name that the snippet does not have."""
    taken = {n.id for n in ast.walk(text.tree) if isinstance(n, ast.Name)}
    taken |= {n.name for n in ast.walk(text.tree) if isinstance(n, ast.FunctionDef)}
    while name in taken:
        name = f"{name}_"
    return name
