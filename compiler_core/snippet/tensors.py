"""Random tensors and arrays of given types: from the distribution that was asked for, else floats
and complex numbers from the normal one, small non-negative integers, bools."""

from collections.abc import Callable
from typing import Any

import numpy as np

from compiler_core.inputs import FLOATS, Drawn, InputSpec
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.report import Framework

SEED = 0
_LARGEST_INT = 10


def maker(framework: Framework, device: str, seed: int | None = None) -> Callable[[InputSpec], Any]:
    """A function from specs to random tensors or arrays. It is seeded, so that each process gets
    the same sequence; None stands for the usual seed."""
    begin = SEED if seed is None else seed
    return _torch_maker(device, begin) if framework == "torch" else _jax_maker(begin)


def _torch_maker(device: str, seed: int) -> Callable[[InputSpec], Any]:
    import torch

    # On the CPU, whatever the snippet's tensors are created on: the same numbers everywhere.
    generator = torch.Generator().manual_seed(seed)
    return lambda spec: _torch_tensor(spec, generator).to(device)


def _torch_tensor(spec: InputSpec, generator: Any) -> Any:
    import torch

    dtype = torch_dtype(spec)
    if spec.drawn is not None:
        return _torch_drawn(spec, spec.drawn, generator).to(dtype)
    if dtype.is_complex:
        return torch.randn(spec.shape, generator=generator, dtype=dtype, device="cpu")
    if dtype.is_floating_point:
        drawn_in = torch.float64 if spec.dtype == "f64" else torch.float32
        return torch.randn(spec.shape, generator=generator, dtype=drawn_in, device="cpu").to(dtype)
    high = 2 if spec.dtype == "bool" else _LARGEST_INT
    return torch.randint(0, high, spec.shape, generator=generator, device="cpu").to(dtype)


def _torch_drawn(spec: InputSpec, drawn: Drawn, generator: Any) -> Any:
    """In float64; whole numbers where the type has no others."""
    import torch

    values = torch.empty(spec.shape, dtype=torch.float64, device="cpu")
    match drawn.name, drawn.numbers:
        case "normal", (mean, deviation):
            values = values.normal_(mean, deviation, generator=generator)
        case "uniform", (least, below):
            values = values.uniform_(least, below, generator=generator)
        case _, (value,):
            values = values.fill_(value)
    return values if spec.dtype in FLOATS else values.floor()


def torch_dtype(spec: InputSpec) -> Any:
    """torch's dtype; complex numbers have none in the IR, where they are pairs."""
    import torch

    from compiler_core.interop.torch_dtypes import TORCH

    return torch.complex64 if spec.dtype == "c64" else TORCH[spec.dtype]


def numpy_dtype(spec: InputSpec) -> Any:
    """numpy's dtype; complex numbers have none in the IR, where they are pairs."""
    return np.dtype(np.complex64) if spec.dtype == "c64" else NUMPY[spec.dtype]


def _jax_maker(seed: int) -> Callable[[InputSpec], Any]:
    """numpy arrays for a JAX program, since creating jax.Arrays would start JAX's client."""
    generator = np.random.default_rng(seed)
    return lambda spec: _numpy_array(spec, generator)


def _numpy_array(spec: InputSpec, generator: np.random.Generator) -> Any:
    if spec.drawn is not None:
        return np.asarray(_numpy_drawn(spec, spec.drawn, generator), NUMPY[spec.dtype])
    if spec.dtype == "c64":
        pairs = generator.standard_normal((*spec.shape, 2), np.float32)
        return pairs.view(np.complex64)[..., 0]
    dtype = NUMPY[spec.dtype]
    if spec.dtype.startswith(("f", "bf")):
        drawn_in = np.float64 if spec.dtype == "f64" else np.float32
        return np.asarray(generator.standard_normal(spec.shape, drawn_in), dtype)
    high = 2 if spec.dtype == "bool" else _LARGEST_INT
    return np.asarray(generator.integers(0, high, spec.shape), dtype)


def _numpy_drawn(spec: InputSpec, drawn: Drawn, generator: np.random.Generator) -> Any:
    """As for torch."""
    match drawn.name, drawn.numbers:
        case "normal", (mean, deviation):
            values = generator.normal(mean, deviation, spec.shape)
        case "uniform", (least, below):
            values = generator.uniform(least, below, spec.shape)
        case _:
            values = np.full(spec.shape, drawn.numbers[0])
    return values if spec.dtype in FLOATS else np.floor(values)


def seed(framework: Framework) -> None:
    """Seeds torch's random generator, so that each process draws the same numbers."""
    if framework == "torch":
        import torch

        torch.manual_seed(SEED)
