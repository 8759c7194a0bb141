"""Kernels that differ only in their buffers share a C function."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from compiler_core.kernel.effects import Effect, Phase, Store
from compiler_core.kernel.kernel import Const, Def, Kernel, Load

Part = TypeVar("Part", bound=Def | Effect)


def shape_of(kernel: Kernel, numbers: Mapping[str, str]) -> tuple[Hashable, ...]:
    """A key that is equal for kernels that differ only in their buffers; `numbers` stand for the
    buffers' names."""
    buffers = tuple(
        (numbers.get(b.name, ""), b.type, b.role, numbers.get(b.over, "")) for b in kernel.buffers
    )
    defs = tuple(_plain(d, numbers) for d in kernel.defs)
    phases = tuple(tuple(_plain(e, numbers) for e in s.effects) for s in kernel.phases)
    return kernel.kind, kernel.axes, buffers, defs, phases


def _plain(x: Part, numbers: Mapping[str, str]) -> Hashable:
    x = replace(x, origins=())
    x = replace(x, buffer=numbers.get(x.buffer, "")) if isinstance(x, Load | Store) else x
    # Of numbers that are equal, 0.0 and -0.0 are not alike.
    numbers_of = [x.value] if isinstance(x, Const) else [x.other] if isinstance(x, Load) else []
    return x, repr(numbers_of)


def united(kernels: Sequence[Kernel]) -> Kernel:
    """The first kernel, each part with the origins of the same part in all of them."""
    first = kernels[0]
    defs = tuple(_with_all_origins(like) for like in zip(*(k.defs for k in kernels), strict=True))
    phases = tuple(
        Phase(tuple(_with_all_origins(e) for e in zip(*(s.effects for s in like), strict=True)))
        for like in zip(*(k.phases for k in kernels), strict=True)
    )
    origins = tuple(sorted({o for k in kernels for o in k.origins}))
    return replace(first, defs=defs, phases=phases, origins=origins)


def _with_all_origins(like: tuple[Part, ...]) -> Part:
    return replace(like[0], origins=tuple(sorted({o for p in like for o in p.origins})))
