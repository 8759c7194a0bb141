"""Whether a compiled graph gives what the graph means in numpy, and in float64."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from compiler_core.errors import FuselabError
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.ir import eval_numpy, eval_torch
from compiler_core.ir.graph import Graph
from compiler_core.ir.sizes import Undecided
from compiler_core.ir.substitute import substitute
from compiler_core.measure import numerics
from conformance.built import library_calls
from conformance.graphs.coarseness import as_computed
from conformance.graphs.exactness import Array, fineness
from conformance.judge import raised
from conformance.knobs import turned
from conformance.run_graphs import RUNS
from conformance.sample import GraphSample
from conformance.verdict import Verdict

_ROUNDINGS = 4


def judge(sample: GraphSample) -> Verdict:
    """Compiles the graph once, and holds each call's outputs against the graph's meaning."""
    program = sample.program
    try:
        with turned(sample.knobs):
            plan, found = RUNS[sample.runner](program.graph, program.inputs)
    except Undecided as question:
        return Verdict("refused", f"compiled for each size anew: {question.message}")
    except Exception as error:
        return raised(error)
    for sizes, given, outputs in zip(program.calls, program.inputs, found, strict=True):
        off = _difference(substitute(program.graph, sizes), given, outputs)
        if off:
            at = ", ".join(f"{symbol} = {value}" for symbol, value in sizes.items())
            return Verdict("wrong", f"{off} at {at}" if at else off)
    calls = library_calls(plan.walk())
    return Verdict("library", "; ".join(calls)) if calls else Verdict("native")


def _difference(graph: Graph, given: Sequence[Array], outputs: Sequence[torch.Tensor]) -> str:
    outputs, own = as_computed(graph, outputs), _meaning(graph, given)
    difference = _off(outputs, own, numerics.Reference(own))
    for reference, moved in _references(graph, given, own) if difference else ():
        if not _off(outputs, own, reference, moved):
            return ""
    return difference


def _meaning(graph: Graph, given: Sequence[Array]) -> list[torch.Tensor]:
    found = [numpy_to_torch(x) for x in eval_numpy.evaluate(graph, given)]
    return as_computed(graph, found)


def _references(
    graph: Graph, given: Sequence[Array], own: Sequence[torch.Tensor]
) -> Iterator[tuple[numerics.Reference, list[list[torch.Tensor]]]]:
    """What else the outputs may be near to: the graph in float64, and there as far as rounding its
    inputs otherwise changes it."""
    try:
        tensors = [numpy_to_torch(x) for x in given]
        exact = eval_torch.evaluate(graph, tensors, float_dtype=torch.float64)
    except FuselabError:  # torch has no such arithmetic
        exact = list(own)
    yield numerics.Reference(exact), []
    moved = [_meaning(graph, _rounded(given, seed)) for seed in range(_ROUNDINGS)]
    yield numerics.Reference(exact), moved


def _rounded(given: Sequence[Array], seed: int) -> list[Array]:
    """Each element as it is or a unit in the last place off, but for what steps may jump by."""
    random = np.random.RandomState(seed)
    return [_moved(x, random) if fineness(x) is None else x for x in given]


def _moved(x: Array, random: np.random.RandomState) -> Array:
    steps = random.randint(-1, 2, x.shape)
    eps = float(torch.finfo(numpy_to_torch(x).dtype).eps)
    return np.asarray(x * (1 + steps * eps)).astype(x.dtype)


def _off(
    outputs: Sequence[torch.Tensor],
    own: Sequence[torch.Tensor],
    reference: numerics.Reference,
    moved: Sequence[Sequence[torch.Tensor]] = (),
) -> str:
    """What the check of the report says of the core's outputs; `own` are numpy's."""
    found = numerics.check({"eager": own, "core": outputs}, reference, moved)["core"]
    return "" if found.ok else found.error.replace("eager", "numpy")
