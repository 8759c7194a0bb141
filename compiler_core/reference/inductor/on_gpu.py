"""The graphs that TorchInductor compiled for the CPU, compiled again for a GPU that need not be
present: its Triton, with its fusion decisions for that device.

The graphs are AOTAutograd's after the joint passes, whose choices were made for the CPU; from the
post-grad passes on, everything is done for the GPU.
"""

from contextlib import ExitStack
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from compiler_core.reference.inductor import hooks
from compiler_core.reference.inductor.arguments import CompileArguments
from compiler_core.reference.inductor.gpu_stand_in import stand_in
from compiler_core.reference.inductor.process import passing_files, settings
from compiler_core.reference.inductor.recording import Recording
from compiler_core.reference.inductor.records import Compiled, Lowered
from compiler_core.reference.inductor.text_hooks import without_loading
from compiler_core.schedule.targets import GpuTarget

# The options for the CPU's compilation that hold for another device too.
_KEPT = ("graph_id", "is_inference", "is_backward", "static_input_idxs", "layout_opt")


def on_gpu(compiled: Compiled, target: GpuTarget, arguments: CompileArguments) -> Recording:
    """Inductor's texts of the graphs for the target, with the snippet's options; nothing is timed.
    Raises what Inductor raises."""
    recording = Recording([Compiled()], running=False)
    with (
        settings(reset=False), arguments.settings(timing=False), passing_files(), stand_in(target),
        recording.listening(),
    ):  # fmt: skip
        for lowered in compiled.lowered:
            _lower(recording, lowered)
    return recording


def _lower(recording: Recording, lowered: Lowered) -> None:
    """Inductor's inner half on a copy of the graph with its tensors on the GPU."""
    from torch._dynamo.utils import detect_fake_mode
    from torch._guards import TracingContext, tracing
    from torch._inductor import config
    from torch._inductor.utils import BoxedBool
    from torch._inductor.virtualized import V

    mode: Any = detect_fake_mode(lowered.examples) or torch._subclasses.FakeTensorMode()
    module = hooks.copy_of(lowered.module)
    options = {name: lowered.options[name] for name in _KEPT if name in lowered.options}
    # Also where they are not asked for, so that Inductor says whether it could; none is replayed.
    options["cudagraphs"] = BoxedBool(True)
    with ExitStack() as stack:
        stack.enter_context(without_loading())
        stack.enter_context(tracing(TracingContext(mode)))
        stack.enter_context(torch.no_grad())
        stack.enter_context(V.set_fake_mode(mode))
        examples = moved(module, lowered.examples, mode)
        recording.inner(module, examples, **options)
        recording.compiled[-1].lowered[-1].cudagraphs = bool(config.triton.cudagraphs)


def moved(module: Any, examples: list[Any], mode: Any) -> list[Any]:
    """Moves a graph's tensors to the GPU, and returns its examples there, without values."""
    from torch._dispatch.python import enable_python_dispatcher
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp

    device = torch.device("cuda", 0)
    with mode:
        there = [_like(x, device) if isinstance(x, torch.Tensor) else x for x in examples]
        for graph in (m for m in module.modules() if isinstance(m, torch.fx.GraphModule)):
            _move(graph, device)
    # Of some operations, sizes that are symbols are known to Python's implementations alone.
    with enable_python_dispatcher():
        FakeTensorProp(module, mode).propagate_dont_convert_inputs(*there)
    return there


def _move(module: torch.fx.GraphModule, device: torch.device) -> None:
    """What a graph makes is made on the device; of what it calls, such as the branches of a
    choice, all that is known of its values is so here."""
    for node in module.graph.nodes:
        if isinstance(node.kwargs.get("device"), torch.device):
            node.kwargs = {**node.kwargs, "device": device}
        if "val" in node.meta:
            node.meta["val"] = tree_map_only(
                torch.Tensor, lambda x: _like(x, device), node.meta["val"]
            )


def _like(example: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(example.shape, example.stride(), dtype=example.dtype, device=device)
