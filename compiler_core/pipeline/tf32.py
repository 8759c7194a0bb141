"""Products of f32 that a framework computes in TF32, where a device has it: with ten bits of
mantissa, of 23.

torch does so in convolutions unless it is told otherwise (torch.backends.cudnn.allow_tf32), and in
other products where it is told to; JAX in all whose precision nobody gives
(jax.default_matmul_precision). The core computes them in f32, as it does everywhere.
"""

from collections.abc import Callable

import torch

from compiler_core.backends.registry import kind
from compiler_core.capture.captured import Captured
from compiler_core.ir.types import F32
from compiler_core.report import Framework

_EXACT = ("float32", "highest", "high", "tensorfloat32x3", "F32_F32_F32", "BF16_BF16_F32_X6")


def in_tf32(captured: Captured, framework: Framework, device: str) -> str:
    """The clause for a program some of whose f32 products eager computes in TF32 on `device`; ""
    for any other."""
    if not kind(device).in_tf32:
        return ""
    walks = (each.graph.walk() for each in captured.graphs)
    found = {o.op for walk in walks for o in walk if any(t.dtype is F32 for t in o.types)}
    coarse = [words for op, words in _WORDS.items() if op in found and _ALLOWED[framework](op)]
    return f": it computes {' and '.join(coarse)} of f32 in TF32 on this device" if coarse else ""


_WORDS = {"dot_general": "products", "convolution": "convolutions"}


def _by_torch(op: str) -> bool:
    owner = torch.backends.cudnn if op == "convolution" else torch.backends.cuda.matmul
    return bool(owner.allow_tf32)


def _by_jax(op: str) -> bool:
    import jax

    return jax.config.jax_default_matmul_precision not in _EXACT


_ALLOWED: dict[Framework, Callable[[str], bool]] = {"torch": _by_torch, "jax": _by_jax}
