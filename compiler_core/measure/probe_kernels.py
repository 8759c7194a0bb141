"""The kernels that a machine is probed with: each takes its time by one constant of the cost model
above all (measure/probe.py fits them)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler_core.ir.ops import FAMILIES, OPS
from compiler_core.ir.types import BF16, F16, F32, I32, DType, TensorType
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import (
    Axis,
    BufferParam,
    Compute,
    Def,
    Index,
    Kernel,
    KernelKind,
    Load,
)

# Elements that stay in the first-level caches with what is computed of them, and in the second.
FEW, SOME = 4096, 65536
ROWS, LONG, SHORT = 256, 1024, 16
# Operations of the chain: as a program has them, a multiply-add among them is one instruction.
_CHAIN = ("multiply", "add", "maximum", "subtract", "minimum", "add")
CHAINED = 6 * len(_CHAIN)
# Bytes of a working set: of the first-level cache, and four times as much each time.
MOVED = tuple(64 * 1024 * 4**i for i in range(6))
# Those that take longer than an add, as the table of operations has it.
WEIGHED = tuple(row.name for row in FAMILIES["elementwise"] if row.cost > 1)


@dataclass(frozen=True)
class Probe:
    """A kernel whose time is measured, and the number of points of its loops."""

    kernel: Kernel
    points: int


def probes() -> Mapping[str, Probe]:
    """All probes, by name."""
    found = {
        "call": _elementwise("call", 16, ["add"]),
        "waking": _elementwise("waking", FEW, ["add"]),
        "chain": _elementwise("chain", FEW, _CHAIN * 6),
        "converted": _elementwise("converted", FEW, ["add"], BF16),
        "rows": _reduced("rows", SOME // SHORT, SHORT),
        "read_f16": _reduced("read_f16", ROWS, LONG, F16),
        "scanned": _scanned("scanned", ROWS, LONG),
        "tupled": _placed("tupled", ROWS, LONG),
        "gathered": _gathered("gathered", SOME),
    }
    found |= {f"op_{name}": _one(name) for name in WEIGHED}
    found |= {f"moved_{size}": _moving(size) for size in MOVED}
    return found


def _one(op: str) -> Probe:
    return _elementwise(f"op_{op}", FEW, [op])


def _moving(nbytes: int) -> Probe:
    return _elementwise(f"moved_{nbytes}", nbytes // 12, ["add"])


def _elementwise(name: str, points: int, ops: Sequence[str], dtype: DType = F32) -> Probe:
    """y = x combined with z, where there is one, by one operation after the other."""
    read = max(OPS[op].arity or 0 for op in ops)
    at, defs = Affine((("i0", 1),)), _loads(name, dtype, Affine((("i0", 1),)), read)
    last = "v0"
    for number, op in enumerate(ops):
        args = (last, "v1")[: OPS[op].arity]
        last = f"c{number}"
        defs.append(Compute(last, dtype, op, args))
    kernel = _kernel(
        name, "elementwise", [("i0", points)], _buffers(name, dtype, (points,), read, (points,)),
        defs, [Store(f"{name}_y", at, last)],
    )  # fmt: skip
    return Probe(kernel, points)


def _reduced(name: str, rows: int, length: int, dtype: DType = F32) -> Probe:
    """The sum of each row, in f32."""
    upcast: list[Def] = [] if dtype is F32 else [Compute("v1", F32, "convert", ("v0",))]
    reduce = Reduce(("s",), (F32,), "add", ("v1" if upcast else "v0",))
    store = Store(f"{name}_y", _OUT, "s")
    return _of_rows(name, rows, length, (rows,), upcast, [reduce], [store], dtype=dtype)


def _scanned(name: str, rows: int, length: int) -> Probe:
    scan = Scan(("s",), (F32,), "add", ("v0",), "r0")
    store = Store(f"{name}_y", _here(length), "s")
    return _of_rows(name, rows, length, (rows, length), [], [scan, store])


def _placed(name: str, rows: int, length: int) -> Probe:
    place = Index("v1", I32, Affine((("r0", 1),)))
    reduce = Reduce(("s", "p"), (F32, I32), "argmax", ("v0", "v1"))
    store = Store(f"{name}_y", _OUT, "s")
    return _of_rows(name, rows, length, (rows,), [place], [reduce], [store])


def _gathered(name: str, points: int) -> Probe:
    """y = x[z]; `z` are random places."""
    at = Affine((("i0", 1),))
    kind = TensorType(F32, (points,))
    buffers = [
        BufferParam(f"{name}_z", TensorType(I32, (points,)), "in"),
        BufferParam(f"{name}_x", kind, "in"),
        BufferParam(f"{name}_y", kind, "out"),
    ]
    defs: list[Def] = [
        Load("v0", I32, f"{name}_z", at),
        Load("v1", F32, f"{name}_x", Affine(indirect=(Indirect("v0", 1),))),
    ]
    stores = [Store(f"{name}_y", at, "v1")]
    return Probe(_kernel(name, "elementwise", [("i0", points)], buffers, defs, stores), points)


_OUT = Affine((("i0", 1),))


def _here(length: int) -> Affine:
    return Affine((("i0", length), ("r0", 1)))


def _of_rows(
    name: str, rows: int, length: int, out: tuple[int, ...], more: list[Def],
    *phases: list[Effect], dtype: DType = F32,
) -> Probe:  # fmt: skip
    defs: list[Def] = [*_loads(name, dtype, _here(length), 1), *more]
    given = BufferParam(f"{name}_x", TensorType(dtype, (rows, length)), "in")
    buffers = [given, BufferParam(f"{name}_y", TensorType(F32, out), "out")]
    axes = [("i0", rows), ("r0", length)]
    return Probe(_kernel(name, "row", axes, buffers, defs, *phases), rows * length)


def _loads(name: str, dtype: DType, at: Affine, count: int) -> list[Def]:
    return [Load(f"v{i}", dtype, f"{name}_{n}", at) for i, n in enumerate("xz"[:count])]


def _buffers(
    name: str, dtype: DType, shape: tuple[int, ...], count: int, out: tuple[int, ...]
) -> list[BufferParam]:
    read = TensorType(dtype, shape)
    given = [BufferParam(f"{name}_{n}", read, "in") for n in "xz"[:count]]
    return [*given, BufferParam(f"{name}_y", TensorType(dtype, out), "out")]


def _kernel(
    name: str,
    kind: KernelKind,
    axes: Iterable[tuple[str, int]],
    buffers: Iterable[BufferParam],
    defs: Iterable[Def],
    *phases: Sequence[Effect],
) -> Kernel:
    found: Iterator[Axis] = (
        Axis(n, extent, "reduce" if n[0] == "r" else "parallel") for n, extent in axes
    )
    whole = tuple(Phase(tuple(effects)) for effects in phases)
    return Kernel(name, kind, tuple(found), tuple(buffers), tuple(defs), whole)
