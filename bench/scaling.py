"""Compile time against program size: `python -m bench.scaling [--sizes 100,1000] [--json PATH]`.

Four shapes of program are captured from torch and compiled for the CPU: a chain, a deep residual
net, a wide fan of independent results, and a chain of which the columns are summed at each step, as
the gradients of biases are. Of each, the milliseconds of every step of the way, and
the exponent p of time ~ operations^p between the smallest and the largest size.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from compiler_core.backends.registry import running
from compiler_core.capture import capture
from compiler_core.fuse.alone import each_alone
from compiler_core.fuse.groups import fuse_by
from compiler_core.passes.order import PASSES, of_target
from compiler_core.passes.recording import run_pass
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.summed import decide, left, sums
from compiler_core.snippet.program import FoundProgram

SIZES = (100, 1_000, 10_000)
_SIDE = 64


def chain(count: int) -> Callable[..., Any]:
    """Each operation reads the one before."""

    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for i in range(count):
            x = (torch.tanh, torch.exp, torch.sigmoid, torch.neg)[i % 4](x)
        return x

    return program


def residual(count: int) -> Callable[..., Any]:
    """Blocks of five operations: a product, a function, a mean, and the sum with what came in."""

    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        for _ in range(count // 5):
            h = torch.tanh(x @ w)
            x = x + (h - h.mean(1, keepdim=True))
        return x

    return program


def fan(count: int) -> Callable[..., Any]:
    """Independent results of one input, two operations each."""

    def program(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(torch.tanh(x + float(i)) for i in range(count // 2))

    return program


def columns(count: int) -> Callable[..., Any]:
    """A chain, and the sum over columns of each of its values."""

    def program(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        sums = []
        for _ in range(count // 2):
            x = torch.tanh(x)
            sums.append(x.sum(0))
        return tuple(sums)

    return program


SHAPES: dict[str, Callable[[int], Callable[..., Any]]] = {
    "chain": chain,
    "residual": residual,
    "fan": fan,
    "columns": columns,
}


class Clock:
    """Milliseconds by step."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.ms[name] = self.ms.get(name, 0.0) + (time.perf_counter() - start) * 1e3


def measure(shape: str, size: int) -> dict[str, Any]:
    """One program, once through: what each step took."""
    clock, backend = Clock(), running("cpu")
    inputs = (torch.randn(_SIDE, _SIDE), torch.randn(_SIDE, _SIDE) / _SIDE)
    program = FoundProgram(shape, "torch", 1, SHAPES[shape](size), inputs)
    with clock.step("capture"):
        captured = capture(program)
    graph = captured.graph
    with clock.step("passes"):
        for each in PASSES:
            graph, _ = run_pass(graph, each)
        decided = decide(graph, backend.model, backend.choose)
        for each in of_target(backend.model.ops_per_byte, sums(decided)):
            graph, _ = run_pass(graph, each)
    with clock.step("fuse"):
        fused = fuse_by(backend.model, each_alone(values_of(graph)))
    with clock.step("plan"):
        plan = build_plan(fused, backend.choose, left=left(decided))
    with clock.step("emit"):
        emitted = backend.emit(plan)
    with clock.step("build"):
        backend.build(emitted)
    own = sum(ms for name, ms in clock.ms.items() if name not in ("capture", "build"))
    return {
        "shape": shape,
        "operations": len(captured.nodes),
        "launches": len(plan.launches),
        "ms": {name: round(ms, 1) for name, ms in clock.ms.items()},
        "from_graph_ms": round(own + clock.ms["build"], 1),
    }


def exponent(small: dict[str, Any], large: dict[str, Any], of: Callable[[Any], float]) -> float:
    """p of time ~ operations^p between two programs."""
    return math.log(of(large) / of(small)) / math.log(large["operations"] / small["operations"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="operations")
    parser.add_argument("--json", type=Path, help="where to write the figures as well")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    measure("chain", sizes[0])  # imports, and the C compiler's first call
    rows = []
    for shape in SHAPES:
        rows += [measure(shape, size) for size in sizes]
        for row in rows[-len(sizes) :]:
            steps = "  ".join(f"{name} {ms:.0f}" for name, ms in row["ms"].items())
            print(
                f"{shape:9} {row['operations']:6} operations {row['launches']:5} launches  "
                f"from graph {row['from_graph_ms']:8.0f} ms  ({steps})",
                flush=True,
            )
        if len(sizes) > 1:
            p = exponent(rows[-len(sizes)], rows[-1], lambda row: row["from_graph_ms"])
            print(f"{shape:9} exponent {p:.2f}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
