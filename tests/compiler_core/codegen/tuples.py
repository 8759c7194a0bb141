"""Kernels by hand whose reductions are of tuples: an arg-max, Welford's, an online softmax; and
what they should compute, in float64."""

from dataclasses import replace

import numpy as np

from compiler_core.ir.types import F32, F64, I32, I64, DType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel, Load
from tests.compiler_core.codegen.triton.by_hand import at, build, result, source, tensor

# How a 2-D input is reduced: over its rows, its columns, or whole.
WAYS = ("row", "column", "full")


def _place(way: str, rows: int, columns: int) -> tuple[str, Affine, Affine, tuple[int, ...]]:
    """Axes, where the input is read, where a row value is written, and the outputs' shape."""
    if way == "row":
        return f"i0:{rows} r0:{columns}", at(i0=columns, r0=1), at(i0=1), (rows,)
    if way == "column":
        return f"i0:{columns} r0:{rows}", at(r0=columns, i0=1), at(i0=1), (columns,)
    return f"r0:{rows} r1:{columns}", at(r0=columns, r1=1), at(), ()


def extremum(
    monoid: str, way: str, rows: int, columns: int, dtype: DType = F32, index: DType = I32
) -> Kernel:
    """The extremum of x along an axis and its index there; of all of x, its place in memory."""
    space, here, out, shape = _place(way, rows, columns)
    count = here if way == "full" else at(r0=1)
    buffers = [source("x", tensor(dtype, rows, columns)), result("y", tensor(dtype, *shape)),
               result("where", tensor(index, *shape))]  # fmt: skip
    defs: list[Def] = [Load("v0", dtype, "x", here, (1,)), Index("v1", index, count, (2,))]
    effects: list[Effect] = [
        Reduce(("v2", "v3"), (dtype, index), monoid, ("v0", "v1"), (3,)),
    ]
    stores: list[Effect] = [Store("y", out, "v2", (3,)), Store("where", out, "v3", (3,))]
    return build(f"{way}_{monoid}", way, space, buffers, defs, effects, stores)


def deep(repetitions: int, rows: int, columns: int) -> Kernel:
    """The greatest of sin(x) * x, repeated: each value is read twice by what follows it."""
    kernel = extremum("argmax", "row", rows, columns)
    (phase, stores), (load, place) = kernel.phases, kernel.defs
    (reduce,) = phase.effects
    assert isinstance(reduce, Reduce)
    defs: list[Def] = [load, place]
    value = load.name
    for i in range(repetitions):
        defs.append(Compute(f"s{i}", F32, "sine", (value,), (1,)))
        defs.append(Compute(f"p{i}", F32, "multiply", (f"s{i}", value), (1,)))
        value = f"p{i}"
    first = Phase((replace(reduce, args=(value, place.name)),))
    return replace(kernel, defs=tuple(defs), phases=(first, stores))


def of_floats(monoid: str, way: str, rows: int, columns: int, dtype: DType = F32) -> Kernel:
    """mean, squares and count of Welford's; the parts of the product of x + 0.5 i; maximum and sum
    of an online softmax."""
    space, here, out, shape = _place(way, rows, columns)
    values = {"welford": (0.0, 1.0), "complex_product": (0.5,), "online_softmax": (1.0,)}[monoid]
    names = tuple(f"v{3 + i}" for i in range(len(values) + 1))
    constants = [Const(f"v{1 + i}", dtype, value) for i, value in enumerate(values)]
    buffers = [source("x", tensor(dtype, rows, columns))]
    buffers += [result(f"y{i}", tensor(dtype, *shape)) for i in range(len(names))]
    args = ("v0", *(d.name for d in constants))
    reduce = Reduce(names, (dtype,) * len(names), monoid, args, (2,))
    stores: list[Effect] = [Store(f"y{i}", out, name, (2,)) for i, name in enumerate(names)]
    defs: list[Def] = [Load("v0", dtype, "x", here, (1,)), *constants]
    return build(f"{way}_{monoid}", way, space, buffers, defs, [reduce], stores)


def mixed(rows: int, columns: int) -> Kernel:
    """A maximum that keeps NaN, a sum and an arg-min of x + 1 in one walk."""
    space, here, out, shape = _place("row", rows, columns)
    kinds = {"top": F32, "total": F32, "least": F32, "where": I64}
    buffers = [source("x", tensor(F32, rows, columns))]
    buffers += [result(name, tensor(kind, *shape)) for name, kind in kinds.items()]
    return build(
        "mixed", "row", space, buffers,
        [
            Load("v0", F32, "x", here, (1,)),
            Const("v1", F32, 1.0),
            Compute("v2", F32, "add", ("v0", "v1"), (1,)),
            Index("v3", I64, at(r0=1), (2,)),
        ],
        [
            Reduce(("v4",), (F32,), "maximum", ("v2",), (3,)),
            Reduce(("v5",), (F32,), "add", ("v2",), (4,)),
            Reduce(("v6", "v7"), (F32, I64), "argmin", ("v2", "v3"), (5,)),
        ],
        [Store(name, out, f"v{4 + i}", (3 + i,)) for i, name in enumerate(kinds)],
    )  # fmt: skip


def running(monoid: str, way: str, rows: int, columns: int, dtype: DType = F32) -> Kernel:
    """Running values of x, and those of 2 x less x: a producer and a consumer in the same walk."""
    space, here, _, _ = _place(way, rows, columns)
    wide = tensor(dtype, rows, columns)
    return build(
        f"{way}_running_{monoid}", way, space,
        [source("x", wide), result("y", wide), result("z", wide)],
        [
            Load("v0", dtype, "x", here, (1,)),
            Const("v1", dtype, 2.0),
            Compute("v2", dtype, "multiply", ("v0", "v1"), (1,)),
            Compute("v5", dtype, "subtract", ("v4", "v0"), (4,)),
        ],
        [
            Scan(("v3",), (dtype,), monoid, ("v0",), "r0", (2,)),
            Scan(("v4",), (dtype,), monoid, ("v2",), "r0", (3,)),
            Store("y", here, "v3", (2,)),
            Store("z", here, "v5", (4,)),
        ],
    )  # fmt: skip


def running_extremum(monoid: str, way: str, rows: int, columns: int) -> Kernel:
    """The running extremum, its place, and the whole row's sum."""
    space, here, out, shape = _place(way, rows, columns)
    wide = tensor(F32, rows, columns)
    return build(
        f"{way}_running_{monoid}", way, space,
        [source("x", wide), result("y", wide), result("where", tensor(I64, rows, columns)),
         result("total", tensor(F32, *shape))],
        [Load("v0", F32, "x", here, (1,)), Index("v1", I64, at(r0=1), (2,))],
        [
            Scan(("v2", "v3"), (F32, I64), monoid, ("v0", "v1"), "r0", (3,)),
            Store("y", here, "v2", (3,)),
            Store("where", here, "v3", (3,)),
            Reduce(("v4",), (F32,), "add", ("v0",), (4,)),
        ],
        [Store("total", out, "v4", (4,))],
    )  # fmt: skip


def scan_of_a_scan(rows: int, columns: int) -> Kernel:
    """Running sums of running maxima."""
    space, here, _, _ = _place("row", rows, columns)
    wide = tensor(F32, rows, columns)
    return build(
        "scan_of_a_scan", "row", space, [source("x", wide), result("y", wide)],
        [Load("v0", F32, "x", here, (1,))],
        [
            Scan(("v1",), (F32,), "maximum", ("v0",), "r0", (2,)),
            Scan(("v2",), (F32,), "add", ("v1",), "r0", (3,)),
            Store("y", here, "v2", (3,)),
        ],
    )  # fmt: skip


# -- the oracle


def over(way: str) -> int | None:
    return {"row": 1, "column": 0, "full": None}[way]


def place_of_extremum(monoid: str, x: np.ndarray, way: str) -> np.ndarray:
    """The index of the first or the last extremum; numpy, too, has NaN beyond every number."""
    axis = over(way)
    function = np.argmax if monoid.startswith("argmax") else np.argmin
    if not monoid.endswith("_last"):
        return function(x, axis)
    count = x.size if axis is None else x.shape[axis]
    return count - 1 - function(np.flip(x, axis).reshape(x.shape), axis)


def values_of_floats(monoid: str, x: np.ndarray, way: str) -> list[np.ndarray]:
    axis, wide = over(way), x.astype(np.float64)
    count = np.full(wide.sum(axis).shape, x.size if axis is None else x.shape[axis])
    if monoid == "welford":
        with np.errstate(invalid="ignore"):
            return [wide.mean(axis), wide.var(axis) * count, count]
    if monoid == "complex_product":
        whole = (wide + 0.5j).prod(axis)
        return [whole.real, whole.imag]
    top = wide.max(axis, keepdims=True)
    return [wide.max(axis), np.exp(wide - top).sum(axis)]


ACCUMULATE = {
    "add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip


def running_values(monoid: str, x: np.ndarray, way: str) -> np.ndarray:
    """Running values in float64."""
    return ACCUMULATE[monoid].accumulate(x.astype(np.float64), over(way))


def running_places(monoid: str, x: np.ndarray, way: str) -> np.ndarray:
    """The place of each running extremum of numbers: where it has changed last, or where it stands
    last."""
    rows = x if way == "row" else x.T
    function = np.maximum if monoid.startswith("argmax") else np.minimum
    best = function.accumulate(rows, 1)
    changed = best != np.roll(best, 1, 1)
    found = rows == best if monoid.endswith("_last") else changed
    found[:, 0] = True
    places = np.maximum.accumulate(np.where(found, np.arange(rows.shape[1]), 0), 1)
    return places if way == "row" else places.T


def with_ties(shape: tuple[int, ...], dtype: DType = F32) -> np.ndarray:
    """Few different values, so that every extremum stands at several places."""
    x = np.random.default_rng(5).integers(0, 5, shape)
    return x.astype(
        {"f32": np.float32, "f64": np.float64, "f16": np.float16}.get(dtype.name, np.int64)
    )


def with_half_turns(shape: tuple[int, ...]) -> np.ndarray:
    """With 0.5 as imaginary part each is on the unit circle, where every product of them is."""
    signs = np.random.default_rng(7).integers(0, 2, shape) * 2 - 1
    return (signs * np.sqrt(0.75)).astype(np.float32)


def with_infinities(shape: tuple[int, ...]) -> np.ndarray:
    """As `spread`, with an infinity in one row and one column, and both in another."""
    x = spread(shape)
    x[1, 2] = x[2, 4] = np.inf
    x[2, 1] = x[0, 4] = -np.inf
    return x


def spread(shape: tuple[int, ...], dtype: DType = F32) -> np.ndarray:
    """Far from zero, so that a variance from sums of squares would lose its digits."""
    x = np.random.default_rng(6).standard_normal(shape) + 1000
    return x.astype(np.float64 if dtype is F64 else np.float32)
