"""A graph of AOTAutograd, lowered to the IR."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.capture.captured import CapturedGraph
from compiler_core.capture.names import identifier
from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.calls import Traced, calls_of
from compiler_core.capture.torch.dynamo.pieces import Executable, Piece
from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.capture.torch.guarding import nothing_guarded
from compiler_core.capture.torch.lower import Lowering
from compiler_core.capture.torch.symbols import dim_of, is_number
from compiler_core.capture.torch.text import op_name, text_of
from compiler_core.capture.torch.trace import Call, numbered
from compiler_core.capture.torch.types import type_of
from compiler_core.capture.torch.watching import watch_of
from compiler_core.ir.sizes import is_symbol
from compiler_core.ir.verify import verify
from compiler_core.report import CapturedOp, Saved
from compiler_core.snippet.source import Place


@dataclass(frozen=True)
class Lowered:
    """A piece and its IR. `numbers` are the ids of its captured operations by the names of their FX
    nodes.

    The IR's inputs are, in order: the piece's tensor inputs; for each position in `sizes` (an
    argument that is a symbolic size which no tensor input has) an empty tensor [size, 0]; for each
    position in `whole_numbers` (an int argument that is no size) an i64 scalar; and `constants`,
    tensors that the FX graph holds. Its outputs are those that are computed (see Outputs), then the
    new values of the inputs that are written to.
    """

    piece: Piece
    graph: CapturedGraph
    constants: tuple[torch.Tensor, ...]
    numbers: Mapping[str, int]
    sizes: tuple[int, ...] = ()
    whole_numbers: tuple[int, ...] = ()

    def runner(self, executable: Executable) -> aot.Boxed:
        """A callable that runs the piece by an executable of its IR."""
        return self.piece.runner(executable, self.constants, self.sizes, self.whole_numbers)


def lower(piece: Piece, number: int, first: int) -> Lowered:
    """Lowers graph `number` of its program; ids of its captured operations begin at `first`. Raises
    Undecided where the IR would depend on the value of a symbolic size. AOTAutograd calls it for a
    piece that is made late, under a mode in which its constants could not be read."""
    with aot.without_modes(), nothing_guarded(piece.module):
        return _lower(piece, number, first)


def _lower(piece: Piece, number: int, first: int) -> Lowered:
    traced = calls_of(piece.module, piece.place)
    lowering = Lowering(traced.trace, {}, first)
    for value, name in zip(traced.inputs, piece.names, strict=True):
        if isinstance(value, torch.Tensor):
            lowering.parameter(value, name)
    sizes = tuple(_sizes_alone(traced.inputs))
    for place in sizes:
        size = traced.inputs[place]
        with traced.trace.mode:
            lowering.parameter(torch.empty((size, 0)), f"size_{dim_of(size)}")
    whole_numbers = tuple(i for i, value in enumerate(traced.inputs) if is_number(value))
    for place in whole_numbers:
        with traced.trace.mode:
            fake = torch.empty((), dtype=torch.int64)
        lowering.parameter(fake, piece.names[place])
        lowering.whole_numbers[str(traced.inputs[place].node.expr)] = fake
    lowering.run()
    tensors = [t for t in traced.outputs if isinstance(t, torch.Tensor)]
    outputs = [lowering.read(traced.values[node]) for node in piece.tensors.computed]
    replaced, copied = _written(piece, traced.inputs, len(outputs))
    outputs += [lowering.read(traced.inputs[each.place]) for each in piece.written]
    id_ = f"{piece.role}{number}"
    inputs = [(name, given) for name, given, _ in lowering.inputs]
    lines = text_of(id_, inputs, traced.trace.calls, tensors, (), first)
    numbers = {name: first + i for i, name in enumerate(traced.names)}
    nodes = (_node(i, call, piece.place, id_) for i, call in numbered(traced.trace.calls, first))
    graph = CapturedGraph.of(
        verify(lowering.graph(identifier(id_), outputs)), nodes, lines, "aten",
        id=id_, role=piece.role, line=_first_line(traced, piece.place),
        saved=tuple(_saved(piece, traced, first)), watch=watch_of(piece.module, numbers),
        replaced=replaced, copied=copied,
    )  # fmt: skip
    return Lowered(piece, graph, tuple(lowering.lifted), numbers, sizes, whole_numbers)


def _written(
    piece: Piece, inputs: Sequence[Any], first: int
) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """(output, input) of the IR for each dense input that is written to, whose new values are the
    outputs from `first` on; and the names of the others."""
    tensors = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor)]
    numbered = list(enumerate(piece.written, first))
    replaced = ((n, tensors.index(each.place)) for n, each in numbered if each.dense)
    copied = (piece.names[each.place] for _, each in numbered if not each.dense)
    return tuple(replaced), tuple(copied)


def _sizes_alone(inputs: Sequence[Any]) -> Iterator[int]:
    """The places of the inputs that are symbols which are no dimension of a tensor's."""
    tensors = [t for t in inputs if isinstance(t, torch.Tensor)]
    seen = {dim_of(s) for t in tensors for s in t.shape}
    for place, value in enumerate(inputs):
        if not isinstance(value, torch.SymInt) or is_number(value):
            continue
        if (dim := dim_of(value)) not in seen:
            seen.add(dim)
            if is_symbol(dim):
                yield place


def _node(number: int, call: Call, entry: Place | None, graph: str) -> CapturedOp:
    line, column, end = call.place or entry or (None, None, None)
    return CapturedOp(number, op_name(call.func), line, column, graph, scope=call.scope, end=end)


def _first_line(traced: Traced, entry: Place | None) -> int | None:
    lines = [call.place[0] for _, call in numbered(traced.trace.calls, 0) if call.place]
    return min(lines, default=entry[0] if entry else None)


def _saved(piece: Piece, traced: Traced, first: int) -> list[Saved]:
    """What the backward graph is given: views of one storage count once."""
    ids = {id(t): i for i, call in numbered(traced.trace.calls, first) for t, _, _ in call.results}
    values = list(traced.outputs)[len(traced.outputs) - len(piece.saved) :]
    seen: set[Any] = set()
    found = []
    for node, value in zip(piece.saved, values, strict=True):
        if not isinstance(value, torch.Tensor):
            continue
        # The graph's own fake tensors know which of them share memory.
        storage = node.meta["val"].untyped_storage()
        size = 0 if storage._cdata in seen else storage.nbytes()
        seen.add(storage._cdata)
        found.append(_one(node, value, size, ids.get(id(value)), piece))
    return found


def _one(node: Any, value: torch.Tensor, size: int, number: int | None, piece: Piece) -> Saved:
    place = place_of(node.meta.get("stack_trace"))
    names = {str(n.name): name for n, name in zip(_inputs(piece), piece.names, strict=True)}
    return Saved(
        names.get(str(node.name)) or _name(node),
        str(type_of(value.dtype, value.shape)),
        size,
        [place[0]] if place else [],
        [] if number is None else [number],
    )


def _name(node: Any) -> str:
    """One of several results is told by its number: `native_layer_norm[1]`."""
    if node.target is operator.getitem:
        operation, number = node.args
        return f"{operation.name}[{number}]"
    return str(node.name)


def _inputs(piece: Piece) -> list[Any]:
    return [n for n in piece.module.graph.nodes if n.op == "placeholder"]
