"""Private functions of AOTAutograd and of its partitioner, each wrapped in a small function: a new
release of torch breaks one place (tests/compiler_core/reference/aot/test_private.py)."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.capture.torch.dynamo.aot import Compiler, Partition, boxed
from compiler_core.capture.torch.dynamo.private import name_of, source_name
from compiler_core.reference.dynamo.conditions import names


def backend(
    forward: Compiler, backward: Compiler, inference: Compiler, partition: Partition
) -> Callable[[Any, Sequence[Any]], Any]:
    """A back end of torch.compile by AOTAutograd, with TorchInductor's decompositions: the graphs
    that Inductor is given."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.decomposition import select_decomp_table

    compiler: Callable[[Any, Sequence[Any]], Any] = aot_autograd(
        fw_compiler=forward,
        bw_compiler=backward,
        inference_compiler=inference,
        partition_fn=partition,
        decompositions=select_decomp_table,
        keep_inference_input_mutations=True,
    )
    return compiler


def run_by_torch(module: Any, examples: Sequence[Any]) -> Any:
    """A compiler that compiles nothing: torch runs the graph."""
    return boxed(lambda args: module(*args))


def written_inputs() -> dict[int, bool]:
    """The inputs, by position, that the graph being compiled writes to: whether the graph writes
    them itself, or the new values are copied into them afterwards."""
    from torch._functorch._aot_autograd.schemas import MutationType
    from torch._guards import TracingContext

    context = TracingContext.try_get()
    about = None if context is None else context.fw_metadata
    inputs = () if about is None else about.input_info
    return {
        place: each.mutation_type == MutationType.MUTATED_IN_GRAPH
        for place, each in enumerate(inputs)
        if each.mutation_type != MutationType.NOT_MUTATED
    }


def kinds() -> Any:
    """The partitioner's classification of nodes: is_view(node), is_random(node),
    is_compute_intensive(node), is_recomputable(node)."""
    from torch._functorch.partitioners import get_default_op_list

    return get_default_op_list()


def policy_of(node: Any) -> str:
    """What activation checkpointing requests for a node: MUST_SAVE, PREFER_RECOMPUTE, ...; "" if
    nothing."""
    return str(getattr(node.meta.get("recompute"), "name", ""))


def names_of_inputs(module: Any) -> list[str]:
    """The program's names for the inputs of AOTAutograd's graph: the parameters and buffers that
    Dynamo's graph `module` holds, then its own inputs: `self.fc.weight`, `x`."""
    tensors = [*module.named_parameters(remove_duplicate=False)]
    tensors += module.named_buffers(remove_duplicate=False)
    sources = getattr(module, "_param_name_to_source", None) or {}
    known = [(name_of(sources.get(name)), name) for name, _ in tensors]
    given = module.graph.find_nodes(op="placeholder")
    known += [(source_name(each), str(each.target)) for each in given]
    return [names(source) or name for source, name in known]
