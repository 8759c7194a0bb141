"""A back end of torch.compile that records every graph that it is given. A graph is interpreted by
torch until an executable takes its place."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import CheckpointPolicy

from compiler_core.capture.torch import attention, flexible_attention
from compiler_core.capture.torch.compositions import in_place_of_torchs
from compiler_core.capture.torch.dynamo import aot, no_graph, private
from compiler_core.capture.torch.dynamo.constants import constants_in
from compiler_core.capture.torch.dynamo.dividing import min_cut
from compiler_core.capture.torch.dynamo.input_names import attribute, readable
from compiler_core.capture.torch.dynamo.outputs import Outputs
from compiler_core.capture.torch.dynamo.own_data import without_own_data
from compiler_core.capture.torch.dynamo.results import HANDED_ON, Result, Results, is_dense
from compiler_core.capture.torch.dynamo.shared import as_compiled, why_by_torch
from compiler_core.capture.torch.dynamo.taken import Taken
from compiler_core.capture.torch.interpreter import Interpreter
from compiler_core.capture.torch.private import onednn
from compiler_core.interop.complex_pairs import pack, unpack
from compiler_core.report import GraphBreak, GraphRole
from compiler_core.snippet.source import Place, place

# A remark in a graph's text with a number that torch counts in the process: that of a checkpointed
# region.
_NUMBERED = re.compile(r"\bac_graph_id: \d+")
# A compiled graph: flat tensors in, flat tensors out.
Executable = Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]


@dataclass(eq=False)
class Piece:
    """One graph of AOTAutograd. `module` is its FX graph, `names` are Dynamo's names of its inputs,
    `saved` the output nodes of a forward graph that its backward graph reads. `run` executes it."""

    module: Any
    role: GraphRole
    place: Place | None
    # The function of torch that the graph belongs to, if it is not the snippet's own code:
    # "Adam.step".
    part: str
    names: tuple[str, ...]
    saved: tuple[Any, ...]
    run: aot.Boxed
    # The joint graph that a forward graph and its backward graph were divided from.
    joint: "Joint | None" = None

    def step(self, args: list[Any]) -> list[Any]:
        """Runs the graph by the current `run`, which an executable may have replaced."""
        return self.run(args)

    @cached_property
    def written(self) -> "tuple[Written, ...]":
        """The inputs that the graph writes to: at its end, a `copy_` to each."""
        places = {node: i for i, node in enumerate(self.inputs)}
        copies = self.module.graph.find_nodes(op="call_function", target=_COPY)
        nodes = dict.fromkeys(node.args[0] for node in copies if node.args[0] in places)
        return tuple(Written(places[node], is_dense(node)) for node in nodes)

    def runner(
        self,
        executable: Executable,
        constants: Sequence[torch.Tensor],
        sizes: Sequence[int],
        whole_numbers: Sequence[int],
    ) -> aot.Boxed:
        """A callable that runs the graph by `executable`, which is called with the graph's tensor
        inputs, then for each position in `sizes` an empty tensor [argument, 0], for each position
        in `whole_numbers` an i64 scalar, then `constants` (see Lowered); it returns what `tensors`
        has to be given, and the new values of the `written` inputs, which dense arguments then
        have. The other outputs are the arguments themselves, or views."""
        tensors, device, taken = self.tensors, self.device, Taken(self.inputs)
        returned, count = len(self.outputs), len(tensors.computed)
        results = Results(self.inputs, [*self.outputs, *tensors.computed])
        # An argument that is written over is among those that the executable takes.
        given = [taken.places.index(place) if dense else -1 for place, dense in self.written]
        written = [(n, self.written[n - count].place, at) for n, at in enumerate(given, count)]

        def run(args: list[Any]) -> list[Any]:
            declared = results.at(args)
            wanted, computed = declared[:returned], declared[returned:]
            flat = taken.of(args)
            flat += [torch.empty((args[place], 0), device=device) for place in sizes]
            flat += [torch.tensor(args[place], device=device) for place in whole_numbers]
            kept = [args[place] for place in tensors.inputs]
            targets = [(n, args[i]) for n, i, at in written if at < 0 or flat[at] is not args[i]]
            args.clear()
            found = executable([*flat, *map(pack, constants)])
            for number, target in targets:
                target.copy_(unpack(found[number], target.dtype))
            laid = zip(computed, found[:count], strict=True)
            every = tensors.all(kept, [result.of_torch(x) for result, x in laid])
            handed = (isinstance(r, Result) or r is HANDED_ON for r in wanted)
            return [next(every) if each else r for each, r in zip(handed, wanted, strict=True)]

        return run

    @property
    def device(self) -> str:
        """The device type of its tensors: "cpu", "cuda", or another of torch's."""
        kinds = [v.device.type for v in self._values() if isinstance(v, torch.Tensor)]
        return next((kind for kind in kinds if kind != "cpu"), "cpu")

    @property
    def has_symbols(self) -> bool:
        """Whether a size of its inputs is a symbol."""
        given = [node.meta.get("val") for node in self.inputs]
        sizes = [x for v in given for x in (v.shape if isinstance(v, torch.Tensor) else (v,))]
        return any(isinstance(x, torch.SymInt) for x in sizes)

    def _values(self) -> Iterator[Any]:
        return (node.meta.get("val") for node in self.module.graph.nodes)

    @property
    def inputs(self) -> list[Any]:
        """The placeholder nodes."""
        return _placeholders(self.module)

    @property
    def outputs(self) -> list[Any]:
        """The output nodes, None for an output that is None."""
        return list(self.module.graph.output_node().args[0])

    @cached_property
    def tensors(self) -> Outputs:
        """The outputs that are tensors; nobody writes to what is saved, or to a gradient."""
        seen = 0 if self.role == "backward" else len(self.outputs) - len(self.saved)
        return Outputs(self.module, seen)


class Written(NamedTuple):
    """An input that a graph writes to, by its position; `dense`: its memory is that of a row-major
    tensor of the IR, so that it is written in place, unless the executable is given a copy."""

    place: int
    dense: bool


_COPY = torch.ops.aten.copy_.default


@dataclass(frozen=True)
class Joint:
    """Forward and backward pass as one FX graph; `names` are Dynamo's names of its inputs."""

    module: Any
    names: tuple[str, ...]


@dataclass
class Recorder:
    """A back end for torch.compile (`backend`) that collects its graphs as `pieces`. A graph that
    Dynamo compiles again, because its caches were cleared, is the same piece: it has the same text
    and the same constants."""

    # Called with each piece that is new, before it runs for the first time.
    on_piece: Callable[[Piece], None]
    pieces: list[Piece] = field(default_factory=list)
    _known: dict[Any, Piece] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    _part: str = ""
    _place: Place | None = None
    # The line that calls a graph, for one that is of none of the snippet's lines.
    entry: Place | None = None
    # The snippet's name of an input, from Dynamo's; and its names of torch's own functions, by the
    # file that defines them.
    renamed: Callable[[str], str] = str
    owners: Mapping[str, str] = field(default_factory=dict)
    # The number of the next forward graph's outputs that are not for its backward graph, and the
    # joint graph that both are divided from.
    _returned: int | None = None
    _joint: Joint | None = None

    # The graphs of Dynamo's that AOTAutograd refuses, which torch runs: why, and where.
    refused: list[GraphBreak] = field(default_factory=list)
    # Called with the reason at each call of a compiled graph that torch runs nevertheless.
    on_other_call: Callable[[str], None] = lambda reason: None
    # Whether gradients of gradients are taken, which AOTAutograd has no graphs for: torch runs what
    # records gradients.
    differentiated_twice: bool = False

    def backend(self, module: Any, inputs: Sequence[Any], **_: Any) -> Any:
        """Called by Dynamo with each graph and its example inputs; returns what runs the graph."""
        if self.differentiated_twice and aot.records_gradients(inputs):
            return module.forward
        self._names = [private.source_name(n) for n in _placeholders(module)]
        self._part, self._place = self._owned(private.part_of(module)), place() or self.entry
        without_own_data(module)
        attention.composed_in(module)
        flexible_attention.composed_in(module)
        if reason := why_by_torch(module):
            return self._by_torch(module, no_graph.REFUSES.format(reason))
        try:
            return as_compiled(module, self._divided(module, inputs), self.on_other_call)
        except Exception as error:
            if not (reason := no_graph.why(error)):
                raise
            return self._by_torch(module, reason)

    def _by_torch(self, module: Any, reason: str) -> Any:
        self.refused.append(GraphBreak(reason, (self._place or (None, 0))[0]))
        return module.forward

    def whole(self, module: Any, inputs: Sequence[Any], names: Sequence[str]) -> Any:
        """Records a graph of ATen operations that does all that a call does, and returns what runs
        it; `names` are the names of its inputs."""
        self._names, self._part, self._place = list(names), "", self.entry
        return self._divided(module, inputs)

    def _divided(self, module: Any, inputs: Sequence[Any]) -> Any:
        """What runs a graph by the graphs that AOTAutograd makes of it."""
        compiler = aot.aot_backend(
            forward=lambda m, _: self._graph(m, "forward"),
            backward=lambda m, _: self._graph(m, "backward"),
            inference=lambda m, _: self._graph(m, "piece"),
            partition=self._partition,
        )
        # oneDNN's recurrent layer has a gradient of its own, which nothing takes apart.
        with (
            sdpa_kernel(SDPBackend.MATH),
            in_place_of_torchs(),
            onednn(on=not torch.is_grad_enabled()),
        ):
            return compiler(module, inputs)

    def _owned(self, part: str) -> str:
        file, _, function = part.partition(".")
        return f"{self.owners.get(file, file)}.{function}" if part else ""

    def _partition(self, joint: Any, inputs: Any, **options: Any) -> tuple[Any, Any]:
        self._returned = options["num_fwd_outputs"]
        _without_detach(joint.graph)
        _drawn_once(joint.graph)
        halves = min_cut(joint, inputs, **options)
        # The cut keeps the names of nodes, after it has merged those that are equal.
        self._joint = Joint(joint, self._names_of(joint))
        return halves

    def _graph(self, module: Any, role: GraphRole) -> aot.Boxed:
        aot.with_writes(module)
        text = module.print_readable(print_output=False, include_stride=True, include_device=True)
        key = role, _NUMBERED.sub("", text), constants_in(module)
        piece = self._known.get(key)
        if piece is None:
            piece = self._known[key] = self._piece(module, role)
            self.pieces.append(piece)
            self.on_piece(piece)
        return aot.boxed(piece.step)

    def _piece(self, module: Any, role: GraphRole) -> Piece:
        names = self._names_of(module)
        saved: tuple[Any, ...] = ()
        if role == "forward":
            results = list(module.graph.output_node().args[0])
            saved, self._returned = tuple(results[self._returned :]), None
        joint = None if role == "piece" else self._joint
        run = Interpreter(module).boxed_run
        return Piece(module, role, self._place, self._part, names, saved, run, joint)

    def _names_of(self, module: Any) -> tuple[str, ...]:
        return tuple(self._name(node) for node in _placeholders(module))

    def _name(self, node: Any) -> str:
        """As the user would say it, where Dynamo knows; else as AOTAutograd calls it."""
        described = aot.input_of(node)
        if isinstance(described, int) and described < len(self._names) and self._names[described]:
            return self.renamed(readable(self._names[described]))
        if aot.is_gradient(node):
            return str(node.target).replace("tangents_", "gradient")
        return attribute(described) if isinstance(described, str) else str(node.target)


def _without_detach(graph: torch.fx.Graph) -> None:
    """Autograd saves results detached. In a graph without autograd that is the result itself; saved
    as such it is known to be one, and a gradient of the gradient is refused."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.detach.default):
        node.replace_all_uses_with(node.args[0], lambda user: user.op != "output")


def _drawn_once(graph: torch.fx.Graph) -> None:
    """What a checkpointed function draws at random is kept for the backward pass: torch would draw
    the same numbers again there, from a state of its generator, for which the IR has no type."""
    for node in graph.nodes:
        draws = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
        if draws and "recompute" in node.meta:
            parts = (user for user in node.users if user.target is operator.getitem)
            for kept in (node, *parts):
                kept.meta["recompute"] = CheckpointPolicy.MUST_SAVE


def _placeholders(module: Any) -> list[Any]:
    return [node for node in module.graph.nodes if node.op == "placeholder"]
