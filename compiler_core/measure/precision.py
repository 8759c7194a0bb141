"""Where precision is lost: the error of every value that a launch leaves in memory.

own           what the launch itself adds: what it wrote, against its operations in float64 on the
              very values that it read
accumulated   the error up to there: what it wrote, against the graph in float64 from its inputs on;
              the framework's own float64 where it has the value (decision 25)

Eager has the same two, of the framework's operations run one by one. Which captured operation has a
launch's value is found by comparing numbers: in float64 both are the same, whichever passes and
fusions lie between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from compiler_core import report
from compiler_core.capture.captured import Watch
from compiler_core.errors import NoReference
from compiler_core.interop import arrays
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir import eval_torch
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.substitute import at_shapes
from compiler_core.measure.cancellation import terms_of
from compiler_core.measure.clock import Clock, TooLong
from compiler_core.measure.error_size import error_size
from compiler_core.measure.loops import Loops
from compiler_core.plan.written import Written

_LATE = "there was no time for it"
_NOT_ALONE = "its operations do not run one by one, or not in float64"


@dataclass
class Located:
    """The `errors` that were found in time; `left` values remain without one. `no_eager` says why
    eager has no values, blank if it has. `by_operations` has XLA's reason for each long loop that
    it does not run, which is computed operation by operation."""

    errors: list[report.KernelError] = field(default_factory=list)
    left: int = 0
    no_eager: str = ""
    by_operations: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Eager:
    """The framework's value for a value of the graph: the captured operation that computes it, and
    its result in float64 and in its own type."""

    node: int
    exact: Tensor
    own: Tensor


def locate(
    graph: Region,
    places: Sequence[Written],
    inputs: Sequence[Tensor],
    found: Sequence[Tensor],
    watch: Watch | None,
    flat: Sequence[object],
    clock: Clock,
) -> Located:
    """The errors of `places`, values of `graph`, whose core's tensors are `found`. `inputs` are the
    graph's as tensors, `flat` as its framework has them."""
    given = [tuple(x.shape) for x in inputs]
    whole = Graph.of(graph.name, graph.inputs, [p.value for p in places])
    sized = at_shapes(whole, given)
    of = dict(zip(whole.inputs, sized.inputs, strict=True))
    of |= zip(whole.outputs, sized.outputs, strict=True)
    places = [_at(p, of) for p in places]
    known: dict[Value, Tensor] = dict(zip(sized.inputs, inputs, strict=True))
    loops = Loops(lambda _: clock())
    try:
        exact = _in_float64(sized, inputs, loops)
    except TooLong:
        return Located(left=len(places), by_operations=[*loops.refused.values()])
    references = dict(zip(sized.outputs, exact, strict=True))
    located = Located()
    eager, located.no_eager = _of_eager(_Matching(places, references, clock), watch, flat)
    # A buffer may have the elements of its value in another shape.
    pairs = zip(places, found, strict=True)
    core = known | {p.value: x.reshape(p.value.type.sizes) for p, x in pairs}
    theirs = known | {value: e.own for value, e in eager.items()}
    for place in places:
        try:
            located.errors.append(_error(place, core, theirs, references, eager, loops))
        except TooLong:
            located.left += 1
    located.by_operations = [*loops.refused.values()]
    return located


def _of_eager(
    matching: "_Matching", watch: Watch | None, flat: Sequence[object]
) -> tuple[Mapping[Value, Eager], str]:
    """Eager's values by those of the graph; none of them, and why, where it cannot be watched."""
    try:
        return ({} if watch is None else matching.run(watch, flat)), ""
    except NoReference:
        return {}, _NOT_ALONE
    except TooLong:
        return {}, _LATE


def _at(place: Written, of: Mapping[Value, Value]) -> Written:
    """The place in the graph of one call's sizes."""
    reads = tuple(of[v] for v in place.reads if v in of)
    return Written(place.kernel, place.buffer, of[place.value], reads)


def _error(
    place: Written,
    core: Mapping[Value, Tensor],
    theirs: Mapping[Value, Tensor],
    references: Mapping[Value, Tensor],
    eager: Mapping[Value, Eager],
    loops: Loops,
) -> report.KernelError:
    value, of_eager = place.value, eager.get(place.value)
    reference = references[value] if of_eager is None else of_eager.exact
    own = error_size(core[value], *_again(place, core, loops))
    eager_own = eager_accumulated = None
    if of_eager is not None:
        eager_accumulated = error_size(of_eager.own, reference)
        if all(read in theirs for read in place.reads):
            eager_own = error_size(of_eager.own, *_again(place, theirs, loops))
    return report.KernelError(
        place.kernel, place.buffer, str(value.type), own, error_size(core[value], reference),
        eager_own, eager_accumulated, None if of_eager is None else of_eager.node,
    )  # fmt: skip


def _again(place: Written, values: Mapping[Value, Tensor], loops: Loops) -> list[Tensor]:
    """The value in float64, from those of `values` that the launch read; of a sum, the magnitudes
    of its terms as well. What it read and is there no more, a later launch having written over it,
    is computed from the graph's inputs."""
    terms = terms_of(place.value, place.reads)
    wanted = [place.value, *([] if terms is None else [terms])]
    graph = Graph.of("launch", place.reads, wanted)
    lost = [o.result for o in graph.operations if o.op == "parameter"]
    if lost:
        graph = Graph.of("launch", (*place.reads, *lost), wanted)
    inputs = [values[read] for read in graph.inputs]
    return _in_float64(graph, inputs, loops)


def _in_float64(graph: Graph, inputs: Sequence[Tensor], loops: Loops) -> list[Tensor]:
    return eval_torch.evaluate(
        graph, inputs, float_dtype=torch.float64, each=loops.step, regions=loops.run
    )


class _Matching:
    """Finds the captured operations that have the values of `places`, by their float64."""

    def __init__(
        self, places: Sequence[Written], references: Mapping[Value, Tensor], clock: Clock
    ) -> None:
        self.references, self.clock = references, clock
        # By the captured operations that a value comes from.
        self.wanted: dict[int, list[Value]] = {}
        for place in places:
            for origin in place.value.origins:
                self.wanted.setdefault(origin, []).append(place.value)
        self.exact: dict[Value, tuple[int, int, Tensor]] = {}
        self.own: dict[tuple[int, int], Tensor] = {}

    def run(self, watch: Watch, flat: Sequence[object]) -> dict[Value, Eager]:
        watch(flat, True, self._meet)
        watch(flat, False, self._keep)
        # What an operation gives beside its result may have another size in another type, as the
        # places that an embedding bag notes for its gradient.
        return {
            value: Eager(node, exact, own.reshape(value.type.sizes))
            for value, (node, index, exact) in self.exact.items()
            if (own := self.own.get((node, index))) is not None and own.numel() == exact.numel()
        }

    def _meet(self, node: int, results: Sequence[object]) -> None:
        self.clock()
        for value in self.wanted.get(node, ()):
            for index, result in enumerate(results):
                x = arrays.to_torch(result)
                if value not in self.exact and _is_same(x, self.references[value], value):
                    exact = x.reshape(value.type.sizes).clone()
                    self.exact[value] = (node, index, exact)

    def _keep(self, node: int, results: Sequence[object]) -> None:
        self.clock()
        indices = {index for found, index, _ in self.exact.values() if found == node}
        for index in indices & set(range(len(results))):
            self.own[node, index] = arrays.to_torch(results[index]).clone()


# Units in the last place: twice what the roundings of folded constants were seen to grow to.
_LAST_PLACES = 16


def _is_same(x: Tensor, reference: Tensor, value: Value) -> bool:
    """Whether two results in float64 are of one formula: they agree to a few of the last places of
    the type that the program computes in. They are not equal, for the core's graph has constants
    that were folded in that type, and what follows one may enlarge its rounding: the inverse error
    function of JAX's normal numbers does by eight."""
    dtype = TORCH[value.type.dtype.name]
    if x.numel() != reference.numel() or x.dtype is not reference.dtype:
        return False
    x, reference = x.reshape(-1).cpu(), reference.reshape(-1).cpu()
    if not dtype.is_floating_point:
        return torch.equal(x, reference)
    finite = reference[reference.isfinite()]
    rms = float(finite.square().mean().sqrt()) if finite.numel() else 0.0
    near = _LAST_PLACES * torch.finfo(dtype).eps
    return bool(torch.allclose(x, reference, rtol=near, atol=near * rms, equal_nan=True))
