"""Values that a program computes from constants alone: Python may ask for them while it is traced,
since they are the same in each call."""

from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.capture.torch.schema import called
from compiler_core.interop.private import FakeTensor, pytree, without_modes

_ATEN = torch.ops.aten
# Operations that ask for the value of tensors: `item`, `bool`, `float`, and whether two are equal.
ASKING = frozenset({_ATEN._local_scalar_dense.default, _ATEN.equal.default})


def answer(func: Any, args: Sequence[Any], calls: Sequence[Any]) -> Any:
    """The answer of `func`, one of ASKING, for fake tensors `args` that `calls` have computed; None
    if it depends on the program's inputs, on what it closes over, or on chance."""
    needed = _needed(args, calls)
    if not all(map(_is_the_same, needed)):
        return None
    values: dict[int, torch.Tensor] = {}
    with without_modes(), torch.no_grad():
        for call in needed:
            if not _all_known(call.args, values):
                return None
            results = _tensors(called(call.func, _filled(call.args, values)))
            values.update(zip([id(t) for t, _, _ in call.results], results, strict=True))
        return func(*_filled(args, values)) if _all_known(args, values) else None


def _needed(args: Any, calls: Sequence[Any]) -> list[Any]:
    """The calls that make or write the memory that `args` have, in order."""
    wanted, found = _memory(args), []
    for call in reversed(calls):
        results = [t for t, _, _ in call.results]
        if wanted & _memory([results, call.args] if call.func._schema.is_mutable else results):
            wanted |= _memory(call.args)
            found.append(call)
    return found[::-1]


def _is_the_same(call: Any) -> bool:
    """Whether a call of known values gives the same each time, and of every size that varies."""
    chance = torch.Tag.nondeterministic_seeded in call.func.tags
    return not (chance or any(isinstance(x, torch.SymInt) for x in pytree.tree_leaves(call.args)))


def _tensors(values: Any) -> list[torch.Tensor]:
    return [x for x in pytree.tree_leaves(values) if isinstance(x, torch.Tensor)]


def _memory(values: Any) -> set[int]:
    return {x.untyped_storage()._cdata for x in _tensors(values)}


def _all_known(args: Any, values: dict[int, torch.Tensor]) -> bool:
    """Real tensors among `args` are constants that the program makes itself."""
    return all(id(x) in values or not isinstance(x, FakeTensor) for x in _tensors(args))


def _filled(args: Any, values: dict[int, torch.Tensor]) -> Any:
    return pytree.tree_map(lambda x: values.get(id(x), x), list(args))
