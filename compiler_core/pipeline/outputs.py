"""Some of the outputs of each compiler's version of a program for the inputs of the run's seed, so
that they can be compared with those of another program for the same seed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from compiler_core import report
from compiler_core.measure.run import outputs_of
from compiler_core.measure.runnable import results
from compiler_core.pipeline.context import Compilation

MOST_VALUES = MOST_SUMS = 64
# The most outputs of a program that are emitted.
_MOST_OUTPUTS = 64


def emit_outputs(c: Compilation) -> None:
    """Emits these outputs of every version that runs. The options must have a seed."""
    assert c.captured is not None and c.options.seed is not None
    sets = (c.captured.arguments, c.captured.smaller())
    with c.failing_as("outputs", "numerics"):
        versions = {name: results(c.captured, each) for name, each in c.runnables.items()}
        found = [outputs_of(versions, c.captured, inputs) for inputs in sets]
        c.emit_facts(outputs=_by_compiler(found, c.options.seed))


def _by_compiler(
    found: Sequence[Mapping[str, Sequence[torch.Tensor]]], seed: int
) -> dict[str, list[list[report.Sample]]]:
    return {name: [_samples(each[name], seed) for each in found] for name in found[0]}


def _samples(outputs: Sequence[torch.Tensor], seed: int) -> list[report.Sample]:
    return [_output(x, [seed, at]) for at, x in enumerate(outputs[:_MOST_OUTPUTS])]


def _output(x: torch.Tensor, seed: list[int]) -> report.Sample:
    real: Any = torch.view_as_real(x) if x.is_complex() else x
    flat = real.detach().cpu().double().reshape(-1).numpy()
    chance = np.random.default_rng(seed)
    places = chance.integers(0, max(flat.size, 1), MOST_VALUES)
    values = flat[places] if flat.size else flat
    return report.Sample([*x.shape], _texts(values), _texts(_sums(flat, chance)))


def _sums(flat: np.ndarray, chance: np.random.Generator) -> list[float]:
    """A row that is wrong is seldom among a few elements, and always in the sum of its part."""
    with np.errstate(invalid="ignore"):
        signed = flat * chance.choice((-1.0, 1.0), flat.size)
        parts = np.array_split(signed, min(MOST_SUMS, flat.size) or 1)
        return [part.sum() / max(part.size, 1) ** 0.5 for part in parts]


def _texts(numbers: Iterable[float]) -> list[str]:
    return [repr(float(each)) for each in numbers]
