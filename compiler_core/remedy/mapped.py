"""Loops over slices of tensors, replaced by vmap of what they compute for one."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.loops import Loop, Place, Rows, Slices, rows_of
from compiler_core.remedy.text import Edit, Text, names_in
from compiler_core.report import Framework


@dataclass(frozen=True)
class _Words:
    """What a framework calls it: the module of vmap, its arguments for the dimensions that it maps
    over and puts results along, and the function that makes one tensor of a list."""

    module: str
    over: str
    along: str
    stack: str


_WORDS: dict[Framework, _Words] = {
    "torch": _Words("torch", "in_dims", "out_dims", "stack"),
    "jax": _Words("jax", "in_axes", "out_axes", "numpy.stack"),
}
# Functions that join a list of slices along a new dimension.
_STACKS = ("torch.stack", "jax.numpy.stack", "jax.numpy.array", "jax.numpy.asarray")
# Parts of the names of functions that create a tensor for a loop to fill: empty(), zeros_like(),
# x.new_full() and the like.
_FRESH = ("empty", "zeros", "ones", "full")
_NOT_INDEPENDENT = (
    "the loop does more than compute its rows, or slices of another dimension, each independently "
    "of the others"
)
_NOT_TOGETHER = "its rows are neither put together by one stack() after it nor fill a new tensor"


def mapped(request: RemedyRequest) -> Changed | Refused | None:
    """Replaces the loop at the finding's line by torch.vmap or jax.vmap of its body."""
    text, line = request.text, request.finding.line
    loop = next((n for n in text.at(line) if isinstance(n, Loop) and text.function(n)), None)
    if loop is None:
        return None
    rows = rows_of(text, loop)
    if rows is None:
        return Refused(_NOT_INDEPENDENT)
    words = _WORDS[request.framework]
    owner, imports = text.named(words.module)
    edits = _edits(_Writer(text, rows, owner, words, request.lists))
    if edits is None:
        return Refused(_NOT_TOGETHER)
    return Changed(text.edited([*edits, *imports]), f"{owner}.vmap computes all rows at once")


# -- the call of vmap


@dataclass(frozen=True)
class _Writer:
    """`owner` is the local name of vmap's module; `lists` has the names of lists of tensors."""

    text: Text
    rows: Rows
    owner: str
    words: _Words
    lists: frozenset[str]

    def call(self, function: str, along: int) -> str:
        """The call of vmap for a function of one slice of each tensor, with its results stacked
        along a dimension."""
        over = list(self.rows.over.values())
        dims = _argument(self.words.over, [s.dim for s in over])
        dims += _argument(self.words.along, [along])
        return f"{self.owner}.vmap({function}{dims})({', '.join(map(self._whole, over))})"

    def _whole(self, of: Slices) -> str:
        """A tensor that has all slices; those of a list are stacked first."""
        is_list = of.tensor.partition("[")[0] in self.lists
        return f"{self.owner}.{self.words.stack}({of.tensor})" if is_list else of.tensor

    @property
    def parameters(self) -> str:
        return ", ".join(self.rows.over)

    @property
    def function(self) -> str:
        """The text of a lambda that computes the loop's value from its slices."""
        return f"lambda {self.parameters}: {self.of(self.rows.value)}"

    def of(self, node: ast.AST) -> str:
        """The text of a part of the loop's body, with names in place of `x[i]`."""
        begin, end = self.text.span(node)
        within = [(self.text.span(n), name) for n, name in self.rows.renamed]
        shown = self.text.text[begin:end]
        for (low, high), name in sorted(within, reverse=True):
            if begin <= low < end:
                shown = f"{shown[: low - begin]}{name}{shown[high - begin :]}"
        return shown


def _argument(name: str, dims: Sequence[int]) -> str:
    """The argument with these dimensions; blank where they are vmap's default."""
    if not any(dims):
        return ""
    same = len(set(dims)) == 1
    return f", {name}={dims[0] if same else tuple(dims)}"


# -- its place in the text


def _edits(w: _Writer) -> list[Edit] | None:
    """The edits; None if the results are not put together."""
    loop, out = w.rows.loop, w.rows.out
    if not isinstance(loop, ast.For):
        return _edits_of_comprehension(w)
    assert out is not None
    start = _start(w.text, loop, out)
    if start is None:
        return None
    if out.dim is not None:
        return [w.text.without(start), _instead(w, loop, out, out.dim)]
    stack = _stack_of(w.text, out.name, loop)
    if stack is None:
        return None
    call, along = stack
    return [
        w.text.without(start),
        _instead(w, loop, out, along),
        w.text.replace(call, out.name),
    ]


def _instead(w: _Writer, loop: ast.For, out: Place, along: int) -> Edit:
    """The edit that puts vmap in place of a loop statement."""
    if not w.rows.body:
        return w.text.replace(loop, f"{out.name} = {w.call(w.function, along)}")
    indent = w.text.indent(loop)
    lines = [f"def each_row({w.parameters}):"]
    lines += [f"{indent}    {w.of(s)}" for s in w.rows.body]
    lines += [f"{indent}    return {w.of(w.rows.value)}", ""]
    lines += [f"{indent}{out.name} = {w.call('each_row', along)}"]
    return w.text.replace(loop, "\n".join(lines))


def _edits_of_comprehension(w: _Writer) -> list[Edit] | None:
    text, loop = w.text, w.rows.loop
    parent = text.parent(loop)
    assert isinstance(loop, ast.expr)
    if isinstance(parent, ast.Call):
        along = _stacked(text, parent, loop)
        return None if along is None else [text.replace(parent, w.call(w.function, along))]
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    if not isinstance(parent, ast.Assign) or not isinstance(target, ast.Name):
        return None
    stack = _stack_of(text, target.id, parent)
    if stack is None:
        return None
    call, along = stack
    return [text.replace(loop, w.call(w.function, along)), text.replace(call, target.id)]


def _start(text: Text, loop: ast.For, out: Place) -> ast.stmt | None:
    """The statement before the loop, in the same block, that makes its empty list or new tensor;
    None if anything else between reads that."""
    for node in ast.walk(text.function(loop) or text.tree):
        if isinstance(node, ast.Assign) and text.of(node.targets[0]) == out.name:
            after = text.following(node)
            if loop not in after or not _is_start(node.value, out):
                return None
            between = after[: after.index(loop)]
            return None if any(out.name in names_in(s) for s in between) else node
    return None


def _is_start(value: ast.expr, out: Place) -> bool:
    if out.dim is None:
        return isinstance(value, ast.List) and not value.elts
    called = value.func if isinstance(value, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else ""
    return name.removeprefix("new_").removesuffix("_like") in _FRESH


def _stack_of(text: Text, name: str, after: ast.stmt) -> tuple[ast.Call, int] | None:
    """The call that stacks the list `name`, and the dimension; None if anything else after the
    statement reads the list."""
    reads = [
        n
        for statement in text.following(after)
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    call = text.parent(reads[0]) if len(reads) == 1 else None
    along = _stacked(text, call, reads[0]) if isinstance(call, ast.Call) else None
    return (call, along) if isinstance(call, ast.Call) and along is not None else None


def _stacked(text: Text, call: ast.Call, of: ast.expr) -> int | None:
    """The new dimension along which a call stacks the list `of`; None if it does not, or along one
    that the text does not have as a number."""
    dims = [*call.args[1:], *(k.value for k in call.keywords)]
    if call.args[:1] != [of] or len(dims) > 1 or text.dotted(call.func) not in _STACKS:
        return None
    try:
        dim = ast.literal_eval(dims[0]) if dims else 0
    except ValueError:
        return None
    return dim if type(dim) is int else None
