"""Random programs of both frameworks: sample number n of a block is the same at every run."""

import random
from collections.abc import Iterator

import numpy as np
import torch

from conformance import chance, jax_steps, torch_steps
from conformance.programs import Program, drawn
from conformance.sample import Sample

VARIANTS = ("torch", "jax")
OF = 20
_BLOCKS = 100
_LONGEST = 10
_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17)
_FEW = (1, 2, 3, 4, 5, 8)


def entries(variant: str) -> list[str]:
    return [f"block {number}" for number in range(_BLOCKS)]


def samples(entry: str, variant: str) -> Iterator[Sample]:
    for number in range(OF):
        yield sample(f"{entry} {number}", variant)


def sample(name: str, framework: str) -> Sample:
    """The program that a name and a framework stand for."""
    rng = random.Random(chance.number(f"{framework} {name}"))
    arrays = [_array(rng) for _ in range(rng.randint(1, 3))]
    if framework == "jax":
        program = drawn(rng, arrays_of_jax(arrays), jax_steps.TABLE, rng.randint(1, _LONGEST))
        return Sample(_title(name, program, arrays), "jax", program, tuple(arrays))
    args = [_laid_out(rng, torch.from_numpy(x)) for x in arrays]
    tried = [x.clone(memory_format=torch.preserve_format) for x in args]
    program = drawn(rng, tried, torch_steps.TABLE, rng.randint(1, _LONGEST))
    return Sample(_title(name, program, arrays), "torch", program, tuple(args))


def arrays_of_jax(arrays: list[np.ndarray]) -> list[object]:
    import jax

    return [jax.numpy.asarray(x) for x in arrays]


def _title(name: str, program: Program, arrays: list[np.ndarray]) -> str:
    inputs = ", ".join(f"{x.dtype}{list(x.shape)}" for x in arrays)
    return f"{name}: ({inputs}) {program.text(len(arrays))}"


def _array(rng: random.Random) -> np.ndarray:
    """Quarters or whole numbers, with which sums and products are exact."""
    sizes = _SIZES if rng.random() < 0.15 else _FEW
    shape = tuple(rng.choice(sizes) for _ in range(rng.randint(0, 3)))
    drawn_from = np.random.RandomState(rng.randrange(2**31))
    whole = drawn_from.randint(-12, 12, shape)
    if rng.random() < 0.25:
        return np.asarray(whole, np.int32)
    return np.asarray(whole / 4, np.float32)


def _laid_out(rng: random.Random, x: torch.Tensor) -> torch.Tensor:
    """Row-major most of the time, else transposed."""
    if x.dim() < 2 or rng.random() < 0.8:
        return x
    return x.transpose(0, 1).contiguous().transpose(0, 1)
