"""JAX's own harnesses: every one that JAX runs on a CPU, in the type that it names."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from conformance.device import device
from conformance.sample import Sample

VARIANTS = ("forward",)
_UNITS_OF = 40  # so many harnesses of a group are one unit


def entries(variant: str) -> list[str]:
    """The groups, which are named for their primitives, large ones in parts: `scatter_add 2`."""
    return list(_groups())


@cache
def _groups() -> dict[str, list[Any]]:
    from jax._src.internal_test_util.test_harnesses import all_harnesses

    groups: dict[str, list[Any]] = {}
    for each in all_harnesses:
        if each.filter("gpu" if device() == "cuda" else device()):
            groups.setdefault(each.group_name, []).append(each)
    return {
        f"{name} {start // _UNITS_OF}" if len(each) > _UNITS_OF else name: each[
            start : start + _UNITS_OF
        ]
        for name, each in groups.items()
        for start in range(0, len(each), _UNITS_OF)
    }


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """With the arguments that the harness draws from a seed of its name."""
    for harness in _groups()[entry]:
        draw = np.random.RandomState(crc32(harness.fullname.encode()))
        args = tuple(harness.dyn_args_maker(draw))
        name = f"{harness.group_name}: {harness.name}"
        yield Sample(name, "jax", _function(harness), args, wide=_is_wide(harness, args))


def _function(harness: Any) -> Callable[..., Any]:
    def f(*args: Any) -> Any:
        return harness.dyn_fun(*args)

    return f


def _is_wide(harness: Any, args: Any) -> bool:
    """Whether it is of a type that JAX has only where it is told to: 64 bits."""
    types = [np.dtype(harness.dtype), *(x.dtype for x in args if isinstance(x, np.ndarray))]
    return any(str(t) in ("float64", "int64", "uint64", "complex128") for t in types)
