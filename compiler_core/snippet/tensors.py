"""Tensors and arrays from input specs: random floats, small whole numbers, random bools."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from compiler_core.inputs import InputSpec

SEED = 0
_LARGEST_INT = 10

_NUMPY = {
    "f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32",
    "i16": "int16", "i8": "int8", "u8": "uint8", "u16": "uint16", "u32": "uint32", "bool": "bool",
}  # fmt: skip


def torch_tensors(specs: Sequence[InputSpec], device: str) -> tuple[Any, ...]:
    import torch

    generator = torch.Generator().manual_seed(SEED)
    return tuple(_torch_tensor(spec, generator).to(device) for spec in specs)


def _torch_tensor(spec: InputSpec, generator: Any) -> Any:
    import torch

    dtype = torch.bfloat16 if spec.dtype == "bf16" else getattr(torch, _NUMPY[spec.dtype])
    if dtype.is_floating_point:
        wide = torch.float64 if spec.dtype == "f64" else torch.float32
        return torch.randn(spec.shape, generator=generator, dtype=wide).to(dtype)
    high = 2 if spec.dtype == "bool" else _LARGEST_INT
    return torch.randint(0, high, spec.shape, generator=generator).to(dtype)


def jax_arrays(specs: Sequence[InputSpec]) -> tuple[Any, ...]:
    """numpy's arrays: JAX takes them as they are, and need not start its client for them."""
    generator = np.random.default_rng(SEED)
    return tuple(_numpy_array(spec, generator) for spec in specs)


def _numpy_array(spec: InputSpec, generator: np.random.Generator) -> Any:
    if spec.dtype == "bf16":
        import ml_dtypes

        return generator.standard_normal(spec.shape, np.float32).astype(ml_dtypes.bfloat16)
    dtype = np.dtype(_NUMPY[spec.dtype])
    if dtype.kind == "f":
        wide = np.float64 if spec.dtype == "f64" else np.float32
        return np.asarray(generator.standard_normal(spec.shape, wide), dtype)
    high = 2 if spec.dtype == "bool" else _LARGEST_INT
    return np.asarray(generator.integers(0, high, spec.shape), dtype)
