"""Python loops over the rows of tensors, or over their slices along another dimension: how they are
found and read."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from compiler_core.remedy.text import Text, names_in

Loop = ast.For | ast.ListComp | ast.GeneratorExp


@dataclass(frozen=True)
class Slices:
    """All slices of a tensor along a dimension, in order; `tensor` is its text."""

    tensor: str
    dim: int = 0


@dataclass(frozen=True)
class Place:
    """Where a loop puts its results: into a list by append(), or into a tensor along `dim`."""

    name: str
    dim: int | None = None


@dataclass(frozen=True)
class Rows:
    """A loop over slices: `over` has the names that it binds to one each; `body` the assignments in
    it; `value` is the expression that it computes for a slice."""

    loop: Loop
    over: dict[str, Slices]
    body: Sequence[ast.stmt]
    value: ast.expr
    # None for a comprehension.
    out: Place | None = None
    # Subscripts by the loop's number, `x[i]`, with the names that replace them.
    renamed: list[tuple[ast.Subscript, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Header:
    """What a loop goes over: the names that it binds to slices, and its number with how many there
    are, as text; both blank of a loop without one."""

    over: dict[str, Slices]
    number: str = ""
    size: str = ""


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


def rows_of(text: Text, loop: Loop) -> Rows | None:
    """The loop as one over slices, each of which it computes independently of the others; None of
    any other."""
    if isinstance(loop, ast.For):
        return _of_for(text, loop)
    if len(loop.generators) != 1 or loop.generators[0].ifs:
        return None
    header = _header(text, loop.generators[0].target, loop.generators[0].iter)
    if header is None:
        return None
    return _named(text, Rows(loop, header.over, [], loop.elt), header)


def _of_for(text: Text, loop: ast.For) -> Rows | None:
    header, (*body, last) = _header(text, loop.target, loop.iter), loop.body
    if header is None or loop.orelse or not all(map(_binds_names, body)):
        return None
    found = _appended(last) or _written(last, header.number)
    if found is None or _depends(loop, body, *found):
        return None
    out, value = found
    return _named(text, Rows(loop, header.over, body, value, out), header)


# -- what it goes over


def _header(text: Text, target: ast.expr, of: ast.expr) -> _Header | None:
    if isinstance(target, ast.Name) and isinstance(of, ast.Name | ast.Attribute):
        return _Header({target.id: Slices(text.of(of))})
    if not (isinstance(of, ast.Call) and isinstance(of.func, ast.Name)) or of.keywords:
        return None
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    if not all(isinstance(n, ast.Name) for n in names):
        return None
    read = _HEADERS.get(of.func.id)
    return (
        None if read is None else read([text.of(n) for n in names], [text.of(a) for a in of.args])
    )


def _of_range(names: list[str], args: list[str]) -> _Header | None:
    return _Header({}, names[0], args[0]) if len(names) == len(args) == 1 else None


def _of_enumerate(names: list[str], args: list[str]) -> _Header | None:
    if (len(names), len(args)) != (2, 1):
        return None
    return _Header({names[1]: Slices(args[0])}, names[0], f"len({args[0]})")


def _of_zip(names: list[str], args: list[str]) -> _Header | None:
    if len(names) != len(args):
        return None
    return _Header(dict(zip(names, map(Slices, args), strict=True)))


_HEADERS = {"range": _of_range, "enumerate": _of_enumerate, "zip": _of_zip}


# -- what it computes


def _binds_names(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but give names a value."""
    if not isinstance(statement, ast.Assign):
        return False
    stored = (n for t in statement.targets for n in ast.walk(t) if hasattr(n, "ctx"))
    return all(isinstance(n, ast.Name | ast.Tuple) for n in stored)


def _appended(statement: ast.stmt) -> tuple[Place, ast.expr] | None:
    """The list and the value of `out.append(value)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    of = call.func.value
    if call.func.attr != "append" or len(call.args) != 1 or not isinstance(of, ast.Name):
        return None
    return Place(of.id), call.args[0]


def _written(statement: ast.stmt, number: str) -> tuple[Place, ast.expr] | None:
    """The tensor and the value of `out[i] = value`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    (target,) = statement.targets
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return None
    dim = _dim(target, number)
    return None if dim is None else (Place(target.value.id, dim), statement.value)


def _depends(loop: ast.For, body: Sequence[ast.stmt], out: Place, value: ast.expr) -> bool:
    """Whether an iteration reads what the loop makes in another."""
    assigned = _assigned(body) | {out.name}
    return bool(names_in(loop.iter) & assigned) or _carries(body, value, assigned)


def _carries(body: Sequence[ast.stmt], value: ast.expr, assigned: set[str]) -> bool:
    known: set[str] = set()
    for statement in (*body, value):
        read = names_in(statement.value if isinstance(statement, ast.Assign) else statement)
        if read & assigned - known:
            return True
        known |= _assigned([statement])
    return False


def _assigned(nodes: Sequence[ast.AST]) -> set[str]:
    every = (n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in every if isinstance(n.ctx, ast.Store)}


# -- what it reads by its number


def _named(text: Text, rows: Rows, header: _Header) -> Rows | None:
    """The loop with a name for each slice that its body reads as `x[i]`; None if the number is used
    otherwise, or nothing is sliced."""
    taken: dict[str, Slices] = {}
    renamed = []
    for node in _uses(rows, header.number):
        by = _subscript(text, node)
        dim = None if by is None else _dim(by, header.number)
        if by is None or dim is None:
            return None
        of = text.of(by.value)
        name = f"{of}_{header.number}"
        if taken.setdefault(name, Slices(of, dim)).dim != dim:
            return None
        renamed.append((by, name))
    over = rows.over | {name: _ranged(s, header.size) for name, s in taken.items()}
    return replace(rows, over=over, renamed=renamed) if over else None


def _uses(rows: Rows, number: str) -> list[ast.Name]:
    """The places where the number is read, as they stand in the text."""
    every = (n for part in (*rows.body, rows.value) for n in ast.walk(part))
    found = [n for n in every if isinstance(n, ast.Name) and n.id == number]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def _subscript(text: Text, number: ast.Name) -> ast.Subscript | None:
    """The subscript `x[i]` or `x[:, i]` of a named tensor that reads by the number."""
    by = text.parent(number)
    by = text.parent(by) if isinstance(by, ast.Tuple) else by
    named = isinstance(by, ast.Subscript) and isinstance(by.value, ast.Name)
    return by if isinstance(by, ast.Subscript) and named else None


def _dim(by: ast.Subscript, number: str) -> int | None:
    """The dimension that is indexed by the number, all of the others being taken whole; negative
    behind `...`, None where something else is indexed."""
    places = by.slice.elts if isinstance(by.slice, ast.Tuple) else [by.slice]
    at = [n for n, each in enumerate(places) if isinstance(each, ast.Name) and each.id == number]
    rest = [each for n, each in enumerate(places) if n not in at]
    if len(at) != 1 or not all(_is_whole(each) or _is_dots(each) for each in rest):
        return None
    after_dots = any(map(_is_dots, places[: at[0]]))
    return at[0] - len(places) if after_dots else at[0]


def _is_whole(place: ast.expr) -> bool:
    return isinstance(place, ast.Slice) and not (place.lower or place.upper or place.step)


def _is_dots(place: ast.expr) -> bool:
    return isinstance(place, ast.Constant) and place.value is ...


def _ranged(of: Slices, size: str) -> Slices:
    """The slices that are read: all of them if `size` is the tensor's own along the dimension, else
    the first so many."""
    x, dim = of.tensor, of.dim
    own = (f"{x}.shape[{dim}]", f"{x}.size({dim})", *([f"len({x})"] if dim == 0 else []))
    if size in own:
        return of
    before = ":, " * dim if dim >= 0 else "..., "
    after = ", :" * (-1 - dim) if dim < 0 else ""
    return Slices(f"{x}[{before}:{size}{after}]", dim)
