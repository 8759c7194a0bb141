"""A torch program of several graphs with each compiled by XLA, and its author's Python between."""

import time
from collections.abc import Callable, Sequence

import torch

from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.errors import FuselabError
from compiler_core.interop import arrays
from compiler_core.measure.runnable import Costs, by_torch, device_of
from compiler_core.reference.result import Reference
from compiler_core.reference.xla.bound import Bound, bind_piece
from compiler_core.reference.xla.built import Built, build
from compiler_core.reference.xla.figures import of_all
from compiler_core.reference.xla.places import Places
from compiler_core.wording import counted

_HOW = (
    "jax.jit of {}; guards and handing tensors over are in each call, finding graphs in no figure"
)


def prepared(captured: Captured, bound: Sequence[Bound]) -> Reference:
    """Compiles each graph, and runs the program once with them. Raises what JAX raises."""
    assert captured.session is not None
    begin = time.perf_counter()
    built = list(map(build, bound))
    replaced = [graph.replaced for graph in captured.graphs]
    run = captured.session.linked([*map(executable, built, replaced)], _late)
    try:
        run(captured.session.prepare(captured.arguments))
    finally:
        captured.session.restore()
    costs = Costs(
        sum(each.traced_ms for each in built),
        sum(each.compiled_ms for each in built),
        (time.perf_counter() - begin) * 1e3,
    )
    places = Places("torch", captured.nodes)
    named = list(zip(bound, built, strict=True))
    return Reference(
        "xla",
        _HOW.format(counted(len(built), "graph")),
        by_torch(
            captured.session.prepare, run, captured.session.outputs, costs, device_of(captured)
        ),
        tuple(text for each, own in named for text in own.artifacts(places, each.name)),
        of_all([own.figures() for own in built], len(captured.graph_breaks)),
    )


def executable(
    built: Built, replaced: Sequence[tuple[int, int]] = ()
) -> Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]:
    """The compiled graph as a function of torch's tensors. Results have memory of their own, since
    the program may write into them, whereas JAX returns an input that is also a result as it is,
    and equal results as one array. `replaced` are pairs (output, input) of positions: such an
    output is the input's new value and is copied into it."""

    def run(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        given = [arrays.to_jax(x) for x in inputs]
        results = arrays.to_torch_all(built.compiled(*given))
        taken = {x.data_ptr() for x in inputs}
        found = [_own(x, taken) for x in results]
        for output, place in replaced:
            inputs[place].copy_(found[output])
        return found

    return run


def _own(x: torch.Tensor, taken: set[int]) -> torch.Tensor:
    at = x.data_ptr()
    if at in taken:
        return x.clone()
    taken.add(at)
    return x


def _late(graph: CapturedGraph) -> Callable[[Sequence[torch.Tensor]], list[torch.Tensor]]:
    """A graph that is met while the program is run with other values."""
    bound = bind_piece(graph)
    if isinstance(bound, str):
        raise FuselabError(bound)
    return executable(build(bound), graph.replaced)
