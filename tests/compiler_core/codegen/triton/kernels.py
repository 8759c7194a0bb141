"""Loop-level kernels written by hand: one of every shape that the Triton printer knows."""

from compiler_core.ir.types import BOOL, F32, I32, I64, DType, TensorType
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.effects import Effect, Reduce, Store
from compiler_core.kernel.kernel import Compute, Const, Def, Index, Kernel, KernelKind, Load
from tests.compiler_core.codegen.triton.by_hand import at, build, result, source, tensor


def bias_gelu(rows: int, columns: int, dtype: DType = F32) -> Kernel:
    here, wide = at(i0=columns, i1=1), tensor(dtype, rows, columns)
    return build(
        "bias_gelu", "elementwise", f"i0:{rows} i1:{columns}",
        [source("x", wide), source("b", tensor(dtype, columns)), result("y", wide)],
        [
            Load("v0", dtype, "x", here, (1,)),
            Load("v1", dtype, "b", at(i1=1), (2,)),
            Compute("v2", dtype, "add", ("v0", "v1"), (3,)),
            Const("c0", dtype, 0.7071067811865476, (4,)),
            Compute("v3", dtype, "multiply", ("v2", "c0"), (4,)),
            Compute("v4", dtype, "erf", ("v3",), (4,)),
            Const("c1", dtype, 1.0, (4,)),
            Compute("v5", dtype, "add", ("v4", "c1"), (4,)),
            Const("c2", dtype, 0.5, (4,)),
            Compute("v6", dtype, "multiply", ("v2", "c2"), (4,)),
            Compute("v7", dtype, "multiply", ("v6", "v5"), (4,)),
        ],
        [Store("y", here, "v7", (4,))],
    )  # fmt: skip


def softmax(rows: int, columns: int, dtype: DType = F32) -> Kernel:
    wide = tensor(dtype, rows, columns)
    return _softmax("softmax", "row", f"i0:{rows} r0:{columns}", at(i0=columns, r0=1), wide)


def softmax_down(rows: int, columns: int, dtype: DType = F32) -> Kernel:
    """Over the first dimension."""
    wide = tensor(dtype, rows, columns)
    space, here = f"i0:{columns} r0:{rows}", at(i0=1, r0=columns)
    return _softmax("softmax_down", "column", space, here, wide)


def _softmax(name: str, kind: KernelKind, space: str, here: Affine, wide: TensorType) -> Kernel:
    dtype = wide.dtype
    return build(
        name, kind, space, [source("x", wide), result("y", wide)],
        [
            Load("v0", dtype, "x", here, (1,)),
            Compute("v1", dtype, "subtract", ("v0", "m"), (3,)),
            Compute("v2", dtype, "exponential", ("v1",), (4,)),
            Compute("v3", dtype, "divide", ("v2", "s"), (6,)),
        ],
        [Reduce(("m",), (dtype,), "maximum", ("v0",), (2,))],
        [Reduce(("s",), (dtype,), "add", ("v2",), (5,))],
        [Store("y", here, "v3", (6,))],
    )  # fmt: skip


def layer_norm(rows: int, columns: int, dtype: DType = F32) -> Kernel:
    """With scale and shift; also writes the mean, a row value."""
    here, wide = at(i0=columns, r0=1), tensor(dtype, rows, columns)
    row = tensor(dtype, columns)
    return build(
        "layer_norm", "row", f"i0:{rows} r0:{columns}",
        [source("x", wide), source("w", row), source("b", row),
         result("y", wide), result("mean_out", tensor(dtype, rows))],
        [
            Load("x0", dtype, "x", here, (1,)),
            Const("n", dtype, float(columns)),
            Compute("mean", dtype, "divide", ("total", "n"), (2,)),
            Compute("d", dtype, "subtract", ("x0", "mean"), (3,)),
            Compute("dd", dtype, "multiply", ("d", "d"), (4,)),
            Compute("var", dtype, "divide", ("squares", "n"), (5,)),
            Const("eps", dtype, 1e-5),
            Compute("ve", dtype, "add", ("var", "eps"), (6,)),
            Compute("r", dtype, "rsqrt", ("ve",), (7,)),
            Compute("normal", dtype, "multiply", ("d", "r"), (8,)),
            Load("w0", dtype, "w", at(r0=1), (9,)),
            Load("b0", dtype, "b", at(r0=1), (10,)),
            Compute("scaled", dtype, "multiply", ("normal", "w0"), (11,)),
            Compute("shifted", dtype, "add", ("scaled", "b0"), (12,)),
        ],
        [Reduce(("total",), (dtype,), "add", ("x0",), (2,))],
        [Store("mean_out", at(i0=1), "mean", (2,)),
         Reduce(("squares",), (dtype,), "add", ("dd",), (5,))],
        [Store("y", here, "shifted", (12,))],
    )  # fmt: skip


def column_sum(rows: int, columns: int, dtype: DType = F32) -> Kernel:
    return build(
        "column_sum", "column", f"i0:{columns} r0:{rows}",
        [source("x", tensor(dtype, rows, columns)), result("y", tensor(dtype, columns))],
        [Load("v0", dtype, "x", at(i0=1, r0=columns), (1,))],
        [Reduce(("s",), (dtype,), "add", ("v0",), (2,))],
        [Store("y", at(i0=1), "s", (2,))],
    )  # fmt: skip


def mean(numel: int, dtype: DType = F32) -> Kernel:
    return build(
        "mean", "full", f"r0:{numel}",
        [source("x", tensor(dtype, numel)), result("y", tensor(dtype))],
        [
            Load("v0", dtype, "x", at(r0=1), (1,)),
            Const("c0", dtype, float(numel)),
            Compute("v1", dtype, "divide", ("s", "c0"), (3,)),
        ],
        [Reduce(("s",), (dtype,), "add", ("v0",), (2,))],
        [Store("y", at(), "v1", (3,))],
    )  # fmt: skip


def reduction(monoid: str, dtype: DType, rows: int, columns: int) -> Kernel:
    return build(
        f"rows_{monoid}", "row", f"i0:{rows} r0:{columns}",
        [source("x", tensor(dtype, rows, columns)), result("y", tensor(dtype, rows))],
        [Load("v0", dtype, "x", at(i0=columns, r0=1), (1,))],
        [Reduce(("s",), (dtype,), monoid, ("v0",), (2,))],
        [Store("y", at(i0=1), "s", (2,))],
    )  # fmt: skip


def batch_statistics(batch: int, channels: int, pixels: int) -> Kernel:
    """Sum over the first and the last of three dimensions: two reduce axes around one parallel."""
    here = at(r0=channels * pixels, i0=pixels, r1=1)
    return build(
        "batch_statistics", "row", f"r0:{batch} i0:{channels} r1:{pixels}",
        [source("x", tensor(F32, batch, channels, pixels)), result("y", tensor(F32, channels))],
        [Load("v0", F32, "x", here, (1,))],
        [Reduce(("s",), (F32,), "add", ("v0",), (2,))],
        [Store("y", at(i0=1), "s", (2,))],
    )  # fmt: skip


def transpose_add(rows: int, columns: int) -> Kernel:
    """y = x.T + z, and x.T reversed along its rows."""
    here = at(i0=rows, i1=1)
    return build(
        "transpose_add", "elementwise", f"i0:{columns} i1:{rows}",
        [source("x", tensor(F32, rows, columns)), source("z", tensor(F32, columns, rows)),
         result("y", tensor(F32, columns, rows)), result("flipped", tensor(F32, columns, rows))],
        [
            Load("v0", F32, "x", at(i0=1, i1=columns), (1,)),
            Load("v1", F32, "z", here, (2,)),
            Compute("v2", F32, "add", ("v0", "v1"), (3,)),
        ],
        [Store("y", here, "v2", (3,)),
         Store("flipped", at(rows - 1, i0=rows, i1=-1), "v0", (4,))],
    )  # fmt: skip


def transpose_last(batch: int, rows: int, columns: int, dtype: DType = F32) -> Kernel:
    """y[b, j, i] = -x[b, i, j]"""
    size = rows * columns
    return build(
        "transpose_last", "elementwise", f"i0:{batch} i1:{columns} i2:{rows}",
        [source("x", tensor(dtype, batch, rows, columns)),
         result("y", tensor(dtype, batch, columns, rows))],
        [
            Load("row", dtype, "x", at(i0=size, i1=1, i2=columns), (1,)),
            Compute("i1", dtype, "negate", ("row",), (2,)),
        ],
        [Store("y", at(i0=size, i1=rows, i2=1), "i1", (2,))],
    )  # fmt: skip


def scale(dtype: DType = F32) -> Kernel:
    """A single number."""
    return build(
        "scale", "elementwise", "",
        [source("x", tensor(dtype)), result("y", tensor(dtype))],
        [
            Load("v0", dtype, "x", at(), (1,)),
            Const("c0", dtype, 3.0),
            Compute("v1", dtype, "multiply", ("v0", "c0"), (2,)),
        ],
        [Store("y", at(), "v1", (2,))],
    )  # fmt: skip


def count(rows: int, columns: int) -> Kernel:
    """The sum of a value that is the same all along a row."""
    return build(
        "count", "row", f"i0:{rows} r0:{columns}",
        [source("x", tensor(F32, rows)), result("y", tensor(F32, rows))],
        [Load("v0", F32, "x", at(i0=1), (1,))],
        [Reduce(("s",), (F32,), "add", ("v0",), (2,))],
        [Store("y", at(i0=1), "s", (2,))],
    )  # fmt: skip


def pad(columns: int, low: int, high: int) -> Kernel:
    """y = x with `low` sevens before it and `high` after it: a masked load."""
    wide = columns + low + high
    return build(
        "pad", "elementwise", f"i0:{wide}",
        [source("x", tensor(F32, columns)), result("y", tensor(F32, wide))],
        [
            Index("p", I32, at(i0=1), (1,)),
            Const("lo", I32, low),
            Const("hi", I32, low + columns),
            Compute("after", BOOL, "compare", ("p", "lo"), (1,), "GE"),
            Compute("before", BOOL, "compare", ("p", "hi"), (1,), "LT"),
            Compute("inside", BOOL, "and", ("after", "before"), (1,)),
            Load("v0", F32, "x", at(-low, i0=1), (2,), "inside", 7.0),
        ],
        [Store("y", at(i0=1), "v0", (2,))],
    )  # fmt: skip


def each(ops: dict[str, tuple[int, DType]], dtype: DType, numel: int) -> Kernel:
    """One output an operation, of operands a, b and c; `ops` gives arity and result type, and
    a compare's direction behind a dot."""
    space, here = f"i0:{numel}", at(i0=1)
    buffers = [source(name, tensor(dtype, numel)) for name in "abc"]
    defs: list[Def] = [Load(f"{name}0", dtype, name, here, (1,)) for name in "abc"]
    stores: list[Effect] = []
    for number, (op, (arity, out)) in enumerate(ops.items()):
        name, _, direction = op.partition(".")
        args = tuple(f"{letter}0" for letter in "abc"[:arity])
        defs.append(Compute(f"v{number}", out, name, args, (number + 2,), direction))
        stores.append(Store(f"y{number}", here, f"v{number}", (number + 2,)))
        buffers.append(result(f"y{number}", tensor(out, numel)))
    return build("each", "elementwise", space, buffers, defs, stores)


def embedded_norm(rows: int, width: int, words: int) -> Kernel:
    """Rows of a table by number, each divided by its root mean square."""
    here, row = at(i0=width, r0=1), Affine((("r0", 1),), 0, (Indirect("v3", width, "clamped"),))
    return build(
        "embedded_norm", "row", f"i0:{rows} r0:{width}",
        [
            source("word", tensor(I64, rows)),
            source("table", tensor(F32, words, width)),
            result("y", tensor(F32, rows, width)),
        ],
        [
            Load("v0", I64, "word", at(i0=1), (1,)),
            Const("low", I64, 0, (1,)),
            Const("high", I64, words - 1, (1,)),
            Compute("v2", I64, "clamp", ("low", "v0", "high"), (1,)),
            Compute("v3", I32, "convert", ("v2",), (1,)),
            Load("v4", F32, "table", row, (1,)),
            Compute("v5", F32, "multiply", ("v4", "v4"), (2,)),
            Const("n", F32, float(width), (3,)),
            Compute("v7", F32, "divide", ("v6", "n"), (3,)),
            Compute("v8", F32, "rsqrt", ("v7",), (4,)),
            Compute("v9", F32, "multiply", ("v4", "v8"), (5,)),
        ],
        [Reduce(("v6",), (F32,), "add", ("v5",), (3,))],
        [Store("y", here, "v9", (5,))],
    )  # fmt: skip


def embedded_sum(rows: int, terms: int, width: int, words: int) -> Kernel:
    """For each row the sum of rows of a table by number."""
    row = Affine((("i1", 1),), 0, (Indirect("v1", width, "in range"),))
    return build(
        "embedded_sum", "row", f"i0:{rows} i1:{width} r0:{terms}",
        [
            source("word", tensor(I32, rows, terms)),
            source("table", tensor(F32, words, width)),
            result("y", tensor(F32, rows, width)),
        ],
        [
            Load("v1", I32, "word", at(i0=terms, r0=1), (1,)),
            Load("v2", F32, "table", row, (1,)),
        ],
        [Reduce(("s",), (F32,), "add", ("v2",), (2,))],
        [Store("y", at(i0=width, i1=1), "s", (2,))],
    )  # fmt: skip


def taken_along(rows: int, columns: int, width: int) -> Kernel:
    """x[i, j[i, k]]: an index of its own for each element."""
    place = Affine((("i0", width),), 0, (Indirect("v1", 1, "in range"),))
    here = at(i0=columns, i1=1)
    return build(
        "taken_along", "elementwise", f"i0:{rows} i1:{columns}",
        [
            source("j", tensor(I32, rows, columns)),
            source("x", tensor(F32, rows, width)),
            result("y", tensor(F32, rows, columns)),
        ],
        [Load("v1", I32, "j", here, (1,)), Load("v2", F32, "x", place, (2,))],
        [Store("y", here, "v2", (2,))],
    )  # fmt: skip
