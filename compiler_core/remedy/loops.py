"""Python loops over the rows of tensors whose results are stacked: how they are found, and replaced
by vmap."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.text import Edit, Text, names_in
from compiler_core.report import Framework

_VMAP: dict[Framework, str] = {"torch": "torch", "jax": "jax"}
# What puts a list of rows together along a new first dimension.
_STACKS = ("torch.stack", "jax.numpy.stack", "jax.numpy.array", "jax.numpy.asarray")
_NOT_INDEPENDENT = "the loop does more than compute its rows, each independently of the others"
_NOT_STACKED = "its rows are not put together by one stack() after it"

Loop = ast.For | ast.ListComp | ast.GeneratorExp


@dataclass
class Rows:
    """A loop over rows: `over` has the names that it binds to rows, each with its tensor; `body`
    the assignments in it; `value` is the expression that it computes for a row."""

    loop: Loop
    over: dict[str, str]
    body: list[ast.stmt]
    value: ast.expr
    # The name of the list that results are appended to; blank for a comprehension.
    out: str = ""
    # Subscripts by the loop's index, `x[i]`, with the names that replace them.
    renamed: list[tuple[ast.Subscript, str]] = field(default_factory=list)


def loops(text: Text) -> Iterator[Loop]:
    """The loops and comprehensions of a snippet's functions."""
    for node in ast.walk(text.tree):
        if isinstance(node, ast.For | ast.ListComp | ast.GeneratorExp) and text.function(node):
            yield node


def lines_of(loop: Loop) -> range:
    """The lines of a loop's body, 1-based."""
    first = loop.body[0] if isinstance(loop, ast.For) else loop.elt
    last = loop.body[-1] if isinstance(loop, ast.For) else loop.elt
    return range(first.lineno, (last.end_lineno or last.lineno) + 1)


def mapped(request: RemedyRequest) -> Changed | Refused | None:
    """Replaces the loop at the finding's line by torch.vmap or jax.vmap of its body."""
    text, line = request.text, request.finding.line
    loop = next((n for n in text.at(line) if isinstance(n, Loop) and text.function(n)), None)
    if loop is None:
        return None
    rows = _of_for(text, loop) if isinstance(loop, ast.For) else _of_comprehension(text, loop)
    if rows is None:
        return Refused(_NOT_INDEPENDENT)
    owner, imports = text.named(_VMAP[request.framework])
    edits = _edits(text, rows, f"{owner}.vmap")
    if edits is None:
        return Refused(_NOT_STACKED)
    return Changed(text.edited([*edits, *imports]), f"{owner}.vmap computes all rows at once")


# -- reading a loop


def _of_comprehension(text: Text, loop: ast.ListComp | ast.GeneratorExp) -> Rows | None:
    if len(loop.generators) != 1 or loop.generators[0].ifs:
        return None
    generator = loop.generators[0]
    over = _over(text, generator.target, generator.iter)
    return None if over is None else _named(text, Rows(loop, over, [], loop.elt))


def _of_for(text: Text, loop: ast.For) -> Rows | None:
    over = _over(text, loop.target, loop.iter)
    *body, last = loop.body
    appended = _appended(last)
    plain = all(isinstance(s, ast.Assign) for s in body)
    if over is None or appended is None or loop.orelse or not plain:
        return None
    out, value = appended
    carried = {out} | _assigned(body)
    read_first = names_in(loop.iter) & carried
    if read_first or _carries(body, value) or out in names_in(value):
        return None
    return _named(text, Rows(loop, over, body, value, out))


def _over(text: Text, target: ast.expr, of: ast.expr) -> dict[str, str] | None:
    """The names that the loop binds to rows, each with the text of its tensor; {index: ""} of a
    loop over range(size)."""
    if isinstance(target, ast.Name) and isinstance(of, ast.Name | ast.Attribute):
        return {target.id: text.of(of)}
    call = of.func if isinstance(of, ast.Call) else None
    if not isinstance(of, ast.Call) or not isinstance(call, ast.Name) or of.keywords:
        return None
    if call.id == "range" and len(of.args) == 1 and isinstance(target, ast.Name):
        return {target.id: ""}
    names = target.elts if isinstance(target, ast.Tuple) else []
    if call.id == "zip" and len(names) == len(of.args) and all(_is_name(n) for n in names):
        return {text.of(n): text.of(a) for n, a in zip(names, of.args, strict=True)}
    return None


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _named(text: Text, rows: Rows) -> Rows | None:
    """The loop with a name for each row that its body reads as `x[i]`; None if the index is used
    otherwise."""
    (number, tensor), *more = rows.over.items()
    if tensor or more:
        return rows
    taken: dict[str, str] = {}
    for node in _nodes(rows):
        if isinstance(node, ast.Name) and node.id == number:
            by = text.parent(node)
            if not isinstance(by, ast.Subscript) or by.slice is not node or not _is_name(by.value):
                return None
            name = taken.setdefault(text.of(by.value), f"{text.of(by.value)}_{number}")
            rows.renamed.append((by, name))
    tensors = _all_rows(text, rows.loop, tuple(taken))
    rows.over = {name: tensors[of] for of, name in taken.items()}
    return rows if taken else None


def _all_rows(text: Text, loop: Loop, of: tuple[str, ...]) -> dict[str, str]:
    """For each tensor the text of the rows that the loop reads: the tensor itself if the range is
    its own first size, else a slice."""
    ranged = loop.iter if isinstance(loop, ast.For) else loop.generators[0].iter
    assert isinstance(ranged, ast.Call)
    size = text.of(ranged.args[0])
    own = {t for t in of if size in (f"{t}.shape[0]", f"{t}.size(0)", f"len({t})")}
    return {t: t if t in own else f"{t}[:{size}]" for t in of}


def _nodes(rows: Rows) -> Iterator[ast.AST]:
    for each in (*rows.body, rows.value):
        yield from ast.walk(each)


def _appended(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The list and the value of `out.append(value)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    is_append = call.func.attr == "append" and len(call.args) == 1 and _is_name(call.func.value)
    assert isinstance(call.func.value, ast.expr)
    return (getattr(call.func.value, "id", ""), call.args[0]) if is_append else None


def _assigned(body: list[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in ast.walk(s) if _is_stored(n) and isinstance(n, ast.Name)}


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _carries(body: list[ast.stmt], value: ast.expr) -> bool:
    """Whether an iteration reads a name that the previous one assigned."""
    known: set[str] = set()
    every = _assigned(body)
    for statement in (*body, value):
        read = names_in(statement.value if isinstance(statement, ast.Assign) else statement)
        if read & every - known:
            return True
        known |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_stored(n)}
    return False


# -- writing it by vmap


def _edits(text: Text, rows: Rows, vmap: str) -> list[Edit] | None:
    """The edits; None if the results are not stacked."""
    call = f"({', '.join(rows.over.values())})"
    if isinstance(rows.loop, ast.For):
        return _edits_of_for(text, rows, vmap, call)
    mapped = f"{vmap}(lambda {', '.join(rows.over)}: {_text(text, rows, rows.value)}){call}"
    parent = text.parent(rows.loop)
    if isinstance(parent, ast.Call) and _is_stack(text, parent, rows.loop):
        return [text.replace(parent, mapped)]
    if isinstance(parent, ast.Assign) and _is_name(parent.targets[0]):
        name = text.of(parent.targets[0])
        stack = _stack_of(text, name, parent)
        edits = [text.replace(rows.loop, mapped)]
        return [*edits, text.replace(stack, name)] if stack is not None else None
    return None


def _edits_of_for(text: Text, rows: Rows, vmap: str, call: str) -> list[Edit] | None:
    assert isinstance(rows.loop, ast.For)
    start = _emptied(text, rows.loop, rows.out)
    stack = _stack_of(text, rows.out, rows.loop)
    if start is None or stack is None:
        return None
    indent = text.indent(rows.loop)
    lines = [f"def each_row({', '.join(rows.over)}):"]
    lines += [f"{indent}    {_text(text, rows, s)}" for s in rows.body]
    lines += [f"{indent}    return {_text(text, rows, rows.value)}", ""]
    lines += [f"{indent}{rows.out} = {vmap}(each_row){call}"]
    if not rows.body:
        of = f"lambda {', '.join(rows.over)}: {_text(text, rows, rows.value)}"
        lines = [f"{rows.out} = {vmap}({of}){call}"]
    return [
        text.without(start),
        text.replace(rows.loop, "\n".join(lines)),
        text.replace(stack, rows.out),
    ]


def _text(text: Text, rows: Rows, node: ast.AST) -> str:
    """The text of a part of the loop's body, with names in place of `x[i]`."""
    begin, end = text.span(node)
    within = [(n, name) for n, name in rows.renamed if begin <= text.span(n)[0] < end]
    shown = text.text[begin:end]
    for subscript, name in sorted(within, key=lambda each: -text.span(each[0])[0]):
        low, high = text.span(subscript)
        shown = f"{shown[: low - begin]}{name}{shown[high - begin :]}"
    return shown


def _emptied(text: Text, loop: ast.For, out: str) -> ast.stmt | None:
    """The statement `out = []` before the loop, in the same block."""
    for node in ast.walk(text.function(loop) or text.tree):
        if isinstance(node, ast.Assign) and text.of(node.targets[0]) == out:
            empty = isinstance(node.value, ast.List) and not node.value.elts
            return node if empty and loop in text.following(node) else None
    return None


def _stack_of(text: Text, name: str, after: ast.stmt) -> ast.Call | None:
    """The call that stacks the list `name`; None if anything else after the statement reads the
    list."""
    reads = [
        n
        for statement in text.following(after)
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    call = text.parent(reads[0]) if len(reads) == 1 else None
    return call if isinstance(call, ast.Call) and _is_stack(text, call, reads[0]) else None


def _is_stack(text: Text, call: ast.Call, of: ast.expr) -> bool:
    """Whether a call stacks the list `of` along a new first dimension."""
    first = call.args[:1] == [of] and len(call.args) <= 2
    dims = [*call.args[1:], *(k.value for k in call.keywords)]
    zero = all(isinstance(d, ast.Constant) and d.value == 0 for d in dims)
    return first and zero and text.dotted(call.func) in _STACKS
