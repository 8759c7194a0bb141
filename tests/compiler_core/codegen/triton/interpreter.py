"""Runs in a process of its own: Triton decides at import whether it interprets."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from compiler_core.schedule.targets import resolve
from launcher.supervisor import die_with_parent


def start() -> None:
    die_with_parent()
    os.environ["TRITON_INTERPRET"] = "1"
    import torch

    torch.set_num_threads(1)
    # Like the tests' own process: what was imported stays, and is not visited again and again.
    gc.freeze()


def run(sources: list[Any], inputs: dict[str, np.ndarray], results: list[str]) -> dict[str, Any]:
    """`sources` (TritonSources), in order, on arrays; gives the arrays of `results`."""
    import torch

    from compiler_core.codegen.triton.load import load
    from compiler_core.interop.torch_dtypes import TORCH

    def empty(kind: Any) -> torch.Tensor:
        tensor = torch.empty(kind.shape, dtype=TORCH[kind.dtype.name])
        return tensor.fill_(-77) if kind.dtype.kind != "uint" else tensor

    buffers = {b.name: b for source in sources for b in source.launch.arguments}
    memory = {
        b.name: torch.from_numpy(inputs[b.name]).to(TORCH[b.type.dtype.name])
        if b.name in inputs
        else empty(b.type)
        for b in buffers.values()
    }
    for source in sources:
        x, module = source.launch, load(source.source)
        arguments = [memory[b.name] for b in x.arguments]
        getattr(module, x.entry)[x.grid](*arguments, **x.constexprs, **x.options)
    stored = {name: memory[name] for name in results}
    return {n: (t.double() if t.is_floating_point() else t).numpy() for n, t in stored.items()}


# So few processors, and so quick to be given work, that it pays to share rows among them which are
# short enough for the interpreter.
SMALL_GPU = replace(resolve("sm_90"), processors=8, launch_us=0.0)

# Constants of the schedules, changed so that tensors of a few elements are walked in every way.
PROFILES: dict[str, dict[str, int]] = {
    "as chosen": {},
    "in parts": {"split.MIN_PIECE_BYTES": 1},
    # Rows of some hundred elements are walked in blocks; on the small GPU, in parts.
    "short rows": {
        "split.MIN_PIECE_BYTES": 1,
        "gpu.PERSISTENT_BYTES": 256,
        "gpu.BLOCK_BYTES": 128,
    },
    "walked": {
        "gpu.PERSISTENT_BYTES": 8,
        "gpu.TILE": 4,
        "gpu.COLUMNS": 2,
        "gpu.SHORT_ROW": 0,
        "gpu.BLOCK_BYTES": 8,
    },
    "atomic": {"scatter.COMPARISON_FLOPS": 10**12},
    "by rows": {"scatter.ATOMIC_BYTES": 10**12},
    # Windows as where there are points for all threads.
    "own columns": {"gpu.OWN_POINTS": 0},
    "in tiles": {"gpu.SQUARE": 2, "gpu.FLAT_BYTES": 128, "gpu.TILE": 64},
}


def plan_and_run(
    plan: Any, target: Any, inputs: list[np.ndarray], profile: str = "as chosen"
) -> list[np.ndarray]:
    """The steps of a Plan, scheduled for `target` under `profile`."""
    from compiler_core.plan.choose import OnGpu
    from tests.compiler_core.plans import replanned

    with constants(profile):
        return execute(replanned(plan, OnGpu(target)), inputs)


def execute(plan: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """A whole Plan through runtime/gpu.py; twice if it keeps memory, so that this is used again."""
    import torch

    from compiler_core.runtime import gpu

    program = gpu.build(plan, device="cpu")
    arguments = [torch.from_numpy(x) for x in inputs]
    with np.errstate(all="ignore"):
        if any(place.offset is not None for place in plan.placements):
            program(arguments)
        return [t.numpy() for t in program(arguments)]


def execute_writing(
    plan: Any, inputs: list[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The outputs of a Plan that changes its inputs, and these after the call."""
    import torch

    from compiler_core.runtime import gpu

    arguments = [torch.from_numpy(x.copy()) for x in inputs]
    with np.errstate(all="ignore"):
        found = gpu.build(plan, device="cpu")(arguments)
    return [t.numpy() for t in found], [t.numpy() for t in arguments]


def stamped(plan: Any, inputs: list[np.ndarray]) -> list[tuple[str, int, int]]:
    """The launches of one call of a Plan, each with when it began and ended."""
    import torch

    from compiler_core.runtime import gpu

    program, stamps = gpu.build_with_stamps(plan, device="cpu")
    program([torch.from_numpy(x) for x in inputs])
    return [(s.launch, s.begin_ns, s.end_ns) for s in stamps.take()]


def execute_all(plan: Any, calls: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    """A Plan, loaded once, for each list of inputs."""
    import torch

    from compiler_core.runtime import gpu

    program = gpu.build(plan, device="cpu")
    return [[t.numpy() for t in program([torch.from_numpy(x) for x in given])] for given in calls]


@contextmanager
def constants(name: str) -> Iterator[None]:
    """The schedules' constants are those of a profile meanwhile."""
    from compiler_core.schedule.gpu import choice as gpu
    from compiler_core.schedule.gpu import scatter, split

    rooms = {"gpu": gpu, "scatter": scatter, "split": split}
    before = {}
    for path, value in PROFILES[name].items():
        room, _, constant = path.partition(".")
        before[room, constant] = getattr(rooms[room], constant)
        setattr(rooms[room], constant, value)
    try:
        yield
    finally:
        for (room, constant), value in before.items():
            setattr(rooms[room], constant, value)
