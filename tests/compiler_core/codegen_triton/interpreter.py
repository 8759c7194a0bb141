"""Runs in a process of its own: Triton decides at import whether it interprets."""

import os
from typing import Any

import numpy as np


def start() -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    import torch

    torch.set_num_threads(1)


def run(source: Any, inputs: dict[str, np.ndarray], results: dict[str, Any]) -> dict[str, Any]:
    """`source` (a TritonSource) on arrays; gives the arrays of `results` (name: TensorType)."""
    import torch

    from compiler_core.codegen.triton_load import load
    from compiler_core.runtime.gpu import DTYPES

    def empty(kind: Any) -> torch.Tensor:
        tensor = torch.empty(kind.shape, dtype=DTYPES[kind.dtype.name])
        return tensor.fill_(-77) if kind.dtype.kind != "uint" else tensor

    memory = {
        name: torch.from_numpy(array).to(DTYPES[kind.dtype.name])
        for (name, array), kind in zip(
            inputs.items(), (b.type for b in source.kernel.buffers if b.role == "in"), strict=True
        )
    }
    memory |= {name: empty(kind) for name, kind in results.items()}
    memory |= {b.name: empty(b.type) for b in source.scratch}
    module = load(source.source)
    for x in source.launches:
        arguments = [memory[b.name] for b in x.arguments]
        getattr(module, x.entry)[x.grid](*arguments, **x.constexprs, num_warps=x.num_warps)
    wide = {name: memory[name] for name in results}
    return {n: (t.double() if t.is_floating_point() else t).numpy() for n, t in wide.items()}


def execute(plan: Any, target: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """A whole Plan through runtime/gpu.py, twice, so that kept memory is used again."""
    import torch

    from compiler_core.runtime import gpu

    program = gpu.build(plan, target, device="cpu")
    arguments = [torch.from_numpy(x) for x in inputs]
    program(arguments)
    return [t.numpy() for t in program(arguments)]
