"""What only the rounding of its inputs decides is not held against a compiler.

The sign of a sum that cancels, for example, is right or not by luck, and an optimizer's first step
is that sign: the bias before a batch norm, whose gradient is zero but for rounding, takes a whole
step either way. So where something is not right, eager is asked how far its own result depends on
the last place of what it is given: inputs, parameters, buffers, an optimizer's state. Arrays that
a JAX program closes over are constants of it, and stay as they are.

A program may round more coarsely than its inputs are: under autocast products are of bfloat16.
Where eager itself is not right for that reason, its inputs are moved by a unit of the coarsest type
that is computed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import torch

from compiler_core import report
from compiler_core.capture.captured import Session
from compiler_core.interop import arrays
from compiler_core.interop.names import framework_name
from compiler_core.measure import numerics
from compiler_core.measure.runnable import Runnable, Tensors

# How often eager is asked.
_ROUNDINGS = 4
_FLOATS = frozenset(framework_name(dtype) for dtype in numerics.TOLERANCES)

Run = Callable[[Runnable], Sequence[torch.Tensor]]


def check(
    outputs: Mapping[str, Sequence[torch.Tensor]],
    reference: numerics.Reference,
    eager: Runnable,
    session: Session | None,
    run: Run,
    coarsest: float = 0.0,
) -> dict[str, report.Numerics]:
    """As numerics.check; `run` gives the outputs of a version of `eager` for what `outputs` were
    made from. `coarsest` is the unit, relative to 1, of the coarsest type that the program computes
    in."""
    found = numerics.check(outputs, reference)
    for unit, rule in ((0.0, numerics.ILL_CONDITIONED), (coarsest, numerics.COARSE)):
        if unit and found["eager"].ok:
            continue
        moved: list[Sequence[torch.Tensor]] = []
        while len(moved) < _ROUNDINGS and not all(n.ok for n in found.values()):
            moved.append(run(otherwise(eager, session, len(moved), unit)))
            again = numerics.check(outputs, reference, moved)
            for name in [name for name, n in again.items() if n.ok and not found[name].ok]:
                found[name] = msgspec.structs.replace(again[name], rule=rule)
    return found


def otherwise(
    runnable: Runnable, session: Session | None, seed: int, unit: float = 0.0
) -> Runnable:
    """`runnable` with each element of the floating-point tensors that it is given, and of those
    that `session` restores, as it is or about a unit in the last place more or less: of its own
    type, or `unit` relative to the element where that is more."""
    generator = torch.Generator().manual_seed(seed)

    def moved(x: torch.Tensor) -> torch.Tensor:
        return _moved(x, generator, unit)

    def prepare(inputs: Tensors) -> Any:
        given = runnable.prepare([changed(x, moved) for x in inputs])
        if session is not None:
            session.change(lambda x: changed(x, moved))
        return given

    return replace(runnable, prepare=prepare)


def changed(x: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """A tensor or a jax.Array of floating-point numbers, changed; anything else is returned as it
    is."""
    if isinstance(x, torch.Tensor):
        return change(x) if x.is_floating_point() else x
    if framework_name(getattr(x, "dtype", "")) not in _FLOATS:
        return x
    return arrays.to_jax(change(arrays.to_torch(x)))


def _moved(x: torch.Tensor, generator: torch.Generator, unit: float) -> torch.Tensor:
    steps = torch.randint(-1, 2, x.shape, generator=generator).to(x)
    return x * (1 + steps * max(unit, torch.finfo(x.dtype).eps))
