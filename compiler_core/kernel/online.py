"""Online algorithms: two passes over the reduce axes become one, by a reduction of tuples.

    m = reduce maximum x;  s = reduce add e^(x - m)         (m, s) = reduce online_softmax (x, 1)
    t = reduce add x;      q = reduce add (x - t / n)^2     (t / n, q, n) = reduce welford (x, 0, 1)

Both are equal up to rounding (see ir/monoids.py), with one exception that is restored: where m is
infinite, x - m is NaN and so is s. Memory is read once less and more is computed, and the second
loses precision if the mean is far from zero, unless it goes by blocks; so the schedule decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isclose, prod

from compiler_core.ir.sizes import number, symbols
from compiler_core.ir.types import F32, F64
from compiler_core.kernel.effects import Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import Compute, Const, Def, Kernel
from compiler_core.wording import counted


@dataclass(frozen=True, slots=True)
class _Pair:
    """`whole` replaces `first` and `second`; `defs` define the values that it does not."""

    first: Reduce
    second: Reduce
    whole: Reduce
    defs: tuple[Def, ...]


def online(kernel: Kernel) -> Kernel | None:
    """`kernel` with fewer passes over the reduce axes; None if no two can be merged."""
    for place, (one, two) in enumerate(zip(kernel.phases, kernel.phases[1:], strict=False)):
        for pair in _pairs(kernel, one, two):
            return online(_joined(kernel, place, pair)) or _joined(kernel, place, pair)
    return None


def saved_passes(kernel: Kernel, fewer: Kernel) -> str:
    """ "1 pass instead of 2"."""
    return f"{counted(fewer.passes, 'pass')} instead of {kernel.passes}"


def _pairs(kernel: Kernel, one: Phase, two: Phase) -> Iterator[_Pair]:
    """The ways in which the second of two passes can be avoided."""
    walked = [e for e in two.effects if kernel.is_tile_effect(e)]
    if len(walked) != 1 or not _sums(walked[0]):
        return
    (second,) = walked
    assert isinstance(second, Reduce)
    for first in one.effects:
        if isinstance(first, Reduce) and len(first.names) == 1:
            for rule in (_softmax, _welford):
                pair = rule(kernel, first, second)
                if pair is not None and first.dtypes[0] in (F32, F64):
                    yield pair


def _sums(e: Reduce | Scan | Store) -> bool:
    return isinstance(e, Reduce) and e.monoid == "add"


def _joined(kernel: Kernel, place: int, pair: _Pair) -> Kernel:
    phases = list(kernel.phases)
    one = tuple(pair.whole if e is pair.first else e for e in phases[place].effects)
    two = tuple(e for e in phases[place + 1].effects if e is not pair.second)
    phases[place : place + 2] = [Phase(one), Phase(two)] if two else [Phase(one)]
    return replace(kernel, defs=(*pair.defs, *kernel.defs), phases=tuple(phases))


def _softmax(kernel: Kernel, first: Reduce, second: Reduce) -> _Pair | None:
    (top,), (total,), (x,) = first.names, second.names, first.args
    away = _args(kernel, second.args[0], "exponential")
    if first.monoid != "maximum" or not away or _args(kernel, away[0], "subtract") != (x, top):
        return None
    (dtype,), origins = first.dtypes, _origins(first, second)
    one, scaled, zero = f"{total}_one", f"{total}_scaled", f"{total}_zero"
    names, dtypes = (top, scaled), (dtype, dtype)
    whole = Reduce(names, dtypes, "online_softmax", (x, one), origins)
    # Infinity less itself is no number.
    nan = Compute(zero, dtype, "subtract", (top, top), origins)
    value = Compute(total, dtype, "add", (scaled, zero), origins)
    return _Pair(first, second, whole, (Const(one, dtype, 1.0), nan, value))


def _welford(kernel: Kernel, first: Reduce, second: Reduce) -> _Pair | None:
    (total,), (squares,), (x,) = first.names, second.names, first.args
    pair = _args(kernel, second.args[0], "multiply")
    away = _args(kernel, pair[0], "subtract") if pair and pair[0] == pair[1] else ()
    if first.monoid != "add" or not away or away[0] != x or not _is_mean(kernel, away[1], total):
        return None
    (dtype,), origins = first.dtypes, _origins(first, second)
    mean, count = f"{total}_mean", f"{total}_count"
    zero, one, n = f"{total}_zero", f"{total}_one", f"{total}_n"
    whole = Reduce((mean, squares, count), (dtype,) * 3, "welford", (x, zero, one), origins)
    constants = (Const(zero, dtype, 0.0), Const(one, dtype, 1.0), Const(n, dtype, _count(kernel)))
    value = Compute(total, dtype, "multiply", (mean, n), origins)
    return _Pair(first, second, whole, (*constants, value))


def _is_mean(kernel: Kernel, name: str, total: str) -> bool:
    """Whether a value is `total` divided by the number of elements, a constant."""
    if any(symbols(a.extent) for a in kernel.reduce):
        return False
    count = _count(kernel)
    for op, wanted in (("divide", count), ("multiply", 1 / count)):
        args = _args(kernel, name, op)
        d = kernel.definitions.get(args[1]) if args and args[0] == total else None
        if isinstance(d, Const) and isclose(d.value, wanted, rel_tol=1e-6):
            return True
    return False


def _count(kernel: Kernel) -> float:
    return float(prod(number(a.extent) for a in kernel.reduce))


def _args(kernel: Kernel, name: str, op: str) -> tuple[str, ...]:
    """The operands of a value if it is computed by `op`, else None."""
    d = kernel.definitions.get(name)
    return d.args if isinstance(d, Compute) and d.op == op else ()


def _origins(*effects: Reduce) -> tuple[int, ...]:
    return tuple(sorted({o for e in effects for o in e.origins}))
