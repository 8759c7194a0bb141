"""A graph through the passes and a plan, as C on this machine or as Triton in its interpreter."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import torch

from compiler_core.backends.gpu import Gpu
from compiler_core.backends.registry import running
from compiler_core.errors import ToolchainError
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir.graph import Graph
from compiler_core.pipeline.one_graph import plan_of
from compiler_core.plan.plan import Plan
from compiler_core.schedule.targets import TARGETS, resolve
from conformance import interpreter
from conformance.graphs.exactness import Array
from conformance.orphans import end_with_parent

Inputs = Sequence[Array]
Run = Callable[[Graph, Sequence[Inputs]], tuple[Plan, list[list[torch.Tensor]]]]
_SECONDS = 50


def in_c(graph: Graph, calls: Sequence[Inputs]) -> tuple[Plan, list[list[torch.Tensor]]]:
    """The plan, and the outputs of each call."""
    backend = running("cpu")
    plan = plan_of(graph, backend)
    compiled = backend.build(backend.emit(plan))
    return plan, [[x.clone() for x in compiled([*map(numpy_to_torch, given)])] for given in calls]


def interpreted(graph: Graph, calls: Sequence[Inputs]) -> tuple[Plan, list[list[torch.Tensor]]]:
    """The same of the plan for a GPU."""
    plan = plan_of(graph, Gpu(resolve("sm_90")))
    try:
        found = _interpreter().submit(_interpret, plan, calls).result(timeout=_SECONDS)
    except Exception:
        _end()
        raise
    return plan, [[*map(numpy_to_torch, results)] for results in found]


def for_every_target(
    graph: Graph, calls: Sequence[Inputs]
) -> tuple[Plan, list[list[torch.Tensor]]]:
    """As `interpreted`; before, every kernel of the plan for each target is compiled for it. Raises
    ToolchainError for one that is refused."""
    for target in TARGETS:
        backend = Gpu(resolve(target))
        for each in backend.compile_launches(backend.emit(plan_of(graph, backend))):
            compiled = each()
            if isinstance(compiled, ToolchainError):
                raise compiled
    return interpreted(graph, calls)


@cache
def _interpreter() -> ProcessPoolExecutor:
    """A process of its own: Triton decides at import whether it interprets."""
    spawned = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawned, initializer=_start)


def _end() -> None:
    """What did not end, or was ended, is not asked again."""
    pool = _interpreter()
    _interpreter.cache_clear()
    for process in (pool._processes or {}).values():
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)


def _start() -> None:
    end_with_parent()
    os.environ["TRITON_INTERPRET"] = "1"
    torch.set_num_threads(1)
    interpreter.repair()


def _interpret(plan: Plan, calls: Sequence[Inputs]) -> list[list[Array]]:
    from compiler_core.runtime import gpu

    program = gpu.build(plan, device="cpu")
    return [[torch_to_numpy(x) for x in program([*map(numpy_to_torch, given)])] for given in calls]


RUNS: dict[str, Run] = {"C": in_c, "Triton": interpreted, "Triton for all": for_every_target}
