"""Elementwise functions at NaN, infinities, zeros of both signs, the ends of ranges: the compiled
program gives what the framework gives, or the program in float64 where the framework overflows.

All functions of a table are one program: one compilation.
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from jax import lax

from compiler_core.interop.arrays import to_torch_all
from compiler_core.pipeline.one_graph import compile_graph
from tests.compiler_core.capture.oracle import captured, to_numpy
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

INF, NAN = float("inf"), float("nan")
# XLA takes denormals for zeros, and torch some: there are none here.
FLOATS = np.array([
    0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 1e-30, -1e-30, 10, -10, 88, -88, 89, -89, 89.4, 1e4,
    -1e4, 3e9, -3e9, 3e38, -3e38, INF, -INF, NAN, 127.5, 128, 255.4, 256, -129, 2147483647,
    2147483648, -2147483648, 1e19, -1e19,
], np.float32)  # fmt: skip
SECOND = np.array([2, -2, INF, -INF, NAN, 0.0, -0.0, 3, -3, 0.1, 0.5], np.float32)
PAIRS = [x.ravel().copy() for x in np.meshgrid(FLOATS, SECOND)]


def own(module, names):
    return {name: getattr(module, name) for name in names.split()}


TORCH = own(torch, """asinh acosh atanh sinh cosh tanh asin acos atan sin cos tan exp exp2 expm1 log
    log2 log10 log1p sqrt rsqrt sigmoid erf erfc floor ceil round trunc frac abs neg reciprocal
    square sign sgn isnan isinf isfinite signbit logical_not nan_to_num""") | {
    **own(F, "gelu silu softplus elu selu celu leaky_relu hardtanh mish softsign tanhshrink"),
    **{f"x ** {n}": lambda x, n=n: x**n for n in (0, 1, 2, 3, -1, -2, 0.5, -0.5)},
    "x + 0": lambda x: x + 0, "0 + x": lambda x: 0 + x, "x - 0": lambda x: x - 0,
    "0 - x": lambda x: 0 - x, "x + -0.0": lambda x: x + -0.0, "-0.0 - x": lambda x: -0.0 - x,
    "x * 0": lambda x: x * 0, "x * 1": lambda x: x * 1, "x * -1": lambda x: x * -1,
    "x / x": lambda x: x / x, "x - x": lambda x: x - x, "-(-x)": lambda x: -x.neg(),
    "zeros of both signs": lambda x: torch.where(x > 0, -0.0, 0.0),
}  # fmt: skip
TORCH_PAIRS = own(torch, "fmod pow atan2 copysign hypot xlogy logaddexp heaviside fmax fmin") | {
    "//": lambda x, y: x // y, "%": lambda x, y: x % y, "/": lambda x, y: x / y,
    "truncated": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
}  # fmt: skip
JAX = own(jnp, """arcsinh arccosh arctanh sinh cosh tanh arcsin arccos arctan sin cos tan exp exp2
    expm1 log log2 log10 log1p sqrt floor ceil round trunc abs negative reciprocal square sign isnan
    isinf isfinite signbit logical_not cbrt nan_to_num""") | {
    **own(jax.nn, "silu softplus elu selu gelu sigmoid log_sigmoid hard_tanh soft_sign mish"),
    **own(lax, "erf erfc rsqrt"),
    **{f"x ** {n}": lambda x, n=n: x**n for n in (0, 1, 2, 3, -1, -2, 0.5, -0.5)},
    "0 - x": lambda x: 0 - x, "x - 0": lambda x: x - 0, "x * 0": lambda x: x * 0,
}  # fmt: skip
JAX_PAIRS = own(jnp, "fmod power arctan2 copysign hypot logaddexp heaviside floor_divide") | {
    "%": lambda x, y: x % y, "/": lambda x, y: x / y,
}  # fmt: skip
# Which of two zeros is the greater one, or what a product of three factors rounds to 0 first, is
# left open. XLA folds some additions of zero.
ANY_ZERO = {"fmax", "fmin", "logaddexp", "log_sigmoid", "softplus", "mish", "silu", "0 - x", "gelu"}


def outcomes(framework, table, *arrays):
    """Of each function of `table`: core's result, eager's and that in float64."""
    given = [torch.from_numpy(x) if framework == "torch" else jnp.asarray(x) for x in arrays]
    program = captured(framework, lambda *xs: tuple(f(*xs) for f in table.values()), *given)
    results = (
        compile_graph(program.whole, "cpu")(to_torch_all(program.arguments)),
        program.eager(program.arguments),
        to_torch_all(program.exact(program.arguments)),
    )
    return zip(table, *([to_numpy(x) for x in each] for each in results), strict=True)


def alike(x, y, rtol, name):
    """Of each element, whether it is the same but for rounding, zeros by their signs."""
    zero = (x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y)) & (name not in ANY_ZERO)
    with np.errstate(all="ignore"):
        near = np.isclose(x, y, rtol=rtol, atol=1e-37, equal_nan=True)
    return near & ~zero


@pytest.mark.parametrize(
    ("framework", "table", "arrays"),
    [
        ("torch", TORCH, [FLOATS]), ("torch", TORCH_PAIRS, PAIRS),
        ("jax", JAX, [FLOATS]), ("jax", JAX_PAIRS, PAIRS),
    ],
    ids=["torch", "torch of two", "jax", "jax of two"],
)  # fmt: skip
def test_of_floats(framework, table, arrays):
    wrong = {}
    for name, core, eager, exact in outcomes(framework, table, *arrays):
        assert (core.dtype, core.shape) == (eager.dtype, eager.shape), name
        x, y, z = (each.astype(np.float64) for each in (core, eager, exact))
        with np.errstate(over="ignore"):
            rounded = z.astype(core.dtype).astype(np.float64)
        ok = alike(x, y, 2e-5, name) | alike(x, rounded, 2e-5, name)
        bad = np.flatnonzero(~ok)[:3]
        wrong |= {name: [(*(a[i] for a in arrays), x[i], y[i]) for i in bad]} if len(bad) else {}
    assert not wrong


SATURATED = [np.float32, np.float16, ml_dtypes.bfloat16]


@pytest.mark.parametrize("source", thinned(SATURATED, kept=(np.float32, ml_dtypes.bfloat16)))
def test_jax_saturates_where_it_converts_to_integers(source):
    targets = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]
    table = {t: lambda x, t=t: x.astype(t) for t in targets}
    for name, core, eager, _ in outcomes("jax", table, FLOATS.astype(source)):
        np.testing.assert_array_equal(core, eager, err_msg=name)


@pytest.mark.parametrize("source", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_torch_converts_to_integers_as_the_processor_does(source):
    targets = ["int8", "int16", "int32", "int64", "uint8", "bool"]
    table = {t: lambda x, t=t: x.to(source).to(getattr(torch, t)) for t in targets}
    for name, core, eager, _ in outcomes("torch", table, FLOATS):
        np.testing.assert_array_equal(core, eager, err_msg=name)


INTEGERS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
    "//": lambda x, y: x // y, "%": lambda x, y: x % y, "<": lambda x, y: x < y,
    "^": lambda x, y: x ^ y, "&": lambda x, y: x & y, "-x": lambda x, y: -x, "~": lambda x, y: ~x,
    "abs": lambda x, y: abs(x), "** 2": lambda x, y: x**2, "** 3": lambda x, y: x**3,
}  # fmt: skip
OF_TORCH = INTEGERS | {
    "sign": lambda x, y: torch.sign(x), "fmod": torch.fmod, "clamp": lambda x, y: x.clamp(min=-1),
    "truncated": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "f32": lambda x, y: x.float(), "i8": lambda x, y: x.to(torch.int8),
    "total": lambda x, y: x.sum(), "running": lambda x, y: x.cumsum(0),
    "greatest": lambda x, y: x.amax(), "sorted": lambda x, y: x.sort()[0],
}  # fmt: skip
OF_JAX = INTEGERS | {
    "sign": lambda x, y: jnp.sign(x), "div": lax.div, "rem": lax.rem,
    "f32": lambda x, y: x.astype(jnp.float32), "i8": lambda x, y: x.astype(jnp.int8),
    "<< ": lax.shift_left, ">>": lax.shift_right_arithmetic, ">>>": lax.shift_right_logical,
    "total": lambda x, y: x.sum(), "running": lambda x, y: jnp.cumsum(x),
    "greatest": lambda x, y: x.max(), "sorted": lambda x, y: jnp.sort(x),
}  # fmt: skip


def pairs(dtype, *, harmless):
    """Ends of the type's range and small numbers; `harmless`: without what traps."""
    info = np.iinfo(dtype)
    values = {info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7}
    values |= {-1, -2, -7} if info.min else {100, 200}
    both = [(a, b) for a in sorted(values) for b in sorted(values)]
    if harmless:
        both = [(a, b) for a, b in both if b != 0 and not (a == info.min < 0 and b == -1)]
    return [np.array(x, dtype) for x in zip(*both, strict=True)]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
def test_of_integers_of_torch(dtype):
    for name, core, eager, _ in outcomes("torch", OF_TORCH, *pairs(dtype, harmless=True)):
        assert core.dtype == eager.dtype, name
        np.testing.assert_array_equal(core, eager, err_msg=name)


OF_JAXS_TYPES = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]


@pytest.mark.parametrize("dtype", thinned(OF_JAXS_TYPES, kept=("int8", "uint32")))
def test_of_integers_of_jax(dtype):
    for name, core, eager, _ in outcomes("jax", OF_JAX, *pairs(dtype, harmless=False)):
        assert core.dtype == eager.dtype, name
        np.testing.assert_array_equal(core, eager, err_msg=name)
