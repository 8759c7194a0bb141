"""A sample run by its framework: as it is, in float64, and rounded otherwise.

Each run gives flat torch tensors: the leaves of the result, then the tensors among the arguments
as they are afterwards, then the gradients that they have got; complex ones as pairs of reals.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from compiler_core.capture.torch.drawing import Drawn
from compiler_core.capture.torch.dynamo.session import numbers
from compiler_core.capture.torch.dynamo.state import State, has_optimizer
from compiler_core.capture.torch.fast_path import without_fast_path
from compiler_core.capture.torch.float64 import InFloat64
from compiler_core.capture.torch.names import closed_over_names
from compiler_core.interop.arrays import jax_leaves, torch_leaves
from compiler_core.interop.complex_pairs import pack
from compiler_core.interop.structures import leaves_of
from compiler_core.measure import rounding, units
from compiler_core.measure.intermediate_rounding import OnTheWay
from conformance.sample import Sample

SEED = 7
_WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
         torch.complex64: torch.complex128}  # fmt: skip


@dataclass(frozen=True)
class Own:
    """`result` are the leaves of the result; `after` the tensors among the arguments after the run,
    `gradients` theirs; `numbers` those of Python in the result; `kept` the tensors that the program
    closes over, by name, after the run."""

    result: list[torch.Tensor]
    after: Sequence[torch.Tensor] = ()
    gradients: Sequence[torch.Tensor] = ()
    numbers: Sequence[torch.Tensor] = ()
    kept: dict[str, torch.Tensor] = field(default_factory=dict)


Change = Callable[[torch.Tensor], torch.Tensor]
# What a program runs in, of what it keeps.
Within = Callable[[State], AbstractContextManager[Any]]


def run(sample: Sample) -> Own:
    """By the framework, on copies of the arguments."""
    return _RUN[sample.framework](sample, lambda x: x)


def drawn(sample: Sample) -> Drawn | None:
    """The random numbers that a torch program draws; None of one that draws none."""
    if sample.framework == "jax":
        return None
    with Drawn() as found:
        run(sample)
    return found if found.draws else None


def in_float64(sample: Sample, mode: bool = False, given: Drawn | None = None) -> Own:
    """The same with every floating-point argument, and whatever a torch program keeps, in float64;
    `mode`: it also computes in it, whichever types it names. A torch program is `given` random
    numbers. Raises what the framework does, and NoReference for random numbers that are not
    seen."""
    if sample.framework == "jax":
        return _jax_in_float64(sample) if mode else _jax(sample, _widened)
    wide: list[Within] = [State.in_float64, *([lambda _: InFloat64()] if mode else [])]
    wide += [] if given is None else [lambda _: given.again()]
    return _torch(sample, _widened, wide)


def _widened(x: torch.Tensor) -> torch.Tensor:
    return x.to(_WIDE.get(x.dtype, x.dtype))


def rounded_otherwise(sample: Sample, seed: int, unit: float = 0.0) -> Own:
    """The same with each floating-point element, also of what a torch program keeps, as it is, or
    about a unit in the last place off; `unit` is the least such unit, relative to the element."""
    generator = torch.Generator().manual_seed(seed)

    def moved(x: torch.Tensor) -> torch.Tensor:
        return units.moved(x, generator, unit) if units.rounds(x) else x

    return _RUN[sample.framework](sample, moved)


def rounded_on_the_way(sample: Sample, seed: int) -> Own:
    """The same with all that a torch program computes rounded otherwise."""
    with rounding.uncompiled(), OnTheWay(seed):
        return run(sample)


def _torch(sample: Sample, change: Change, within: Sequence[Within] = ()) -> Own:
    """`within` are contexts that the program runs in."""
    leaves, spec = pytree.tree_flatten((sample.args, dict(sample.kwargs)))
    given = copied(leaves, change)
    args, kwargs = pytree.tree_unflatten(given, spec)
    state, names = State(sample.fn, leaves), closed_over_names(sample.fn, sample.args)
    torch.manual_seed(SEED)
    try:
        with ExitStack() as stack:
            stack.enter_context(without_fast_path())
            for context in within:
                stack.enter_context(context(state))
            trains = has_optimizer(sample.fn, leaves)
            grad = trains or any(x.requires_grad for x in _tensors(given))
            stack.enter_context(torch.set_grad_enabled(grad))
            state.change(change)
            result = sample.fn(*args, **kwargs)
            kept = {names[id(t)]: pack(t.detach().clone()) for t in state.tensors if id(t) in names}
    finally:
        state.restore()
    own = list(dict.fromkeys(_tensors(given)))
    gradients = [pack(x.grad) for x in own if x.grad is not None]
    of_python = numbers(leaves_of(result))
    return Own(torch_leaves(result), torch_leaves(_tensors(given)), gradients, of_python, kept)


def copied(leaves: Sequence[Any], change: Change = lambda x: x) -> list[Any]:
    """Copies of the tensors, one of each, with their strides; they share memory where the originals
    do."""
    copies: dict[int, torch.Tensor] = {}
    memory: dict[Any, torch.Tensor] = {}
    for x in _tensors(leaves):
        if id(x) not in copies:
            new = _copy(x.detach(), change, memory)
            copies[id(x)] = new.requires_grad_(x.requires_grad)
    return [copies.get(id(x), x) for x in leaves]


def _copy(x: torch.Tensor, change: Change, memory: dict[Any, torch.Tensor]) -> torch.Tensor:
    """The same part of a copy of its memory, which is changed as a whole."""
    if x.layout is not torch.strided or x.is_quantized or x.is_conj() or x.is_neg():
        return change(x).clone()
    storage = x.untyped_storage()
    key = storage._cdata, x.dtype
    if key not in memory:
        memory[key] = change(torch.empty(0, dtype=x.dtype).set_(storage)).clone()
    return memory[key].as_strided(x.shape, x.stride(), x.storage_offset()).detach()


def _tensors(leaves: Sequence[Any]) -> list[torch.Tensor]:
    return [x for x in leaves if isinstance(x, torch.Tensor)]


def _jax(sample: Sample, change: Change) -> Own:
    import jax

    def changed(x: Any) -> Any:
        if not isinstance(x, np.ndarray | np.generic | jax.Array):
            return x
        return jax.numpy.asarray(change(torch.from_numpy(np.array(x))) if _plain(x) else x)

    with jax.enable_x64(sample.wide or change(torch.zeros(1)).dtype is torch.float64):
        args, kwargs = jax.tree.map(changed, (sample.args, dict(sample.kwargs)))
        return Own(jax_leaves(jax.jit(sample.fn)(*args, **kwargs)))


def _jax_in_float64(sample: Sample) -> Own:
    from compiler_core.capture.jax import float64

    return Own(jax_leaves(float64.evaluate(sample.fn, sample.args, dict(sample.kwargs))))


def _plain(x: Any) -> bool:
    """Whether torch reads it from numpy: no array of keys."""
    return not hasattr(x.dtype, "_impl") and np.asarray(x).dtype.kind in "fc"


_RUN: dict[str, Callable[[Sample, Change], Own]] = {"torch": _torch, "jax": _jax}
