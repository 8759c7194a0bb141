"""Generated kernels compute what they should: Triton's interpreter against numpy in float64."""

import math

import numpy as np
import pytest

from compiler_core.ir.types import BF16, BOOL, F16, F32, F64, I8, I32, I64, U8
from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.gpu.schedule import Parts
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter, kernels

pytestmark = pytest.mark.cpu


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def in_blocks(kernel: Kernel) -> Parts:
    """Walked in blocks of 32 elements, of which rows of 301 have nine and a tail."""
    with interpreter.constants("short rows"):
        parts, _ = choose_gpu(kernel, resolve("sm_90"))
    assert [(x.strategy, x.block_r) for x in parts] == [("looped", 32)]
    return parts


@pytest.mark.parametrize("rows, columns", [(32, 64), (33, 77), (1, 5)])
def test_bias_gelu(interpreted, rows, columns):
    x, b = random(rows, columns), random(columns)
    y = interpreted(kernels.bias_gelu(rows, columns), {"x": x, "b": b})["y"]
    np.testing.assert_allclose(y, gelu((x + b).astype(np.float64)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype, tolerance", [(F16, 2e-3), (BF16, 1e-2), (F64, 1e-12)])
def test_bias_gelu_in_other_types(interpreted, dtype, tolerance):
    x, b = np.round(random(8, 40) * 16) / 16, np.round(random(40) * 16) / 16
    y = interpreted(kernels.bias_gelu(8, 40, dtype), {"x": x, "b": b})["y"]
    np.testing.assert_allclose(y, gelu((x + b).astype(np.float64)), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("rows, columns", [(300, 5), (5, 64), (3, 700)])
def test_softmax_over_rows(interpreted, rows, columns):
    x = random(rows, columns) * 4
    y = interpreted(kernels.softmax(rows, columns), {"x": x})["y"]
    np.testing.assert_allclose(y, softmax(x, 1), rtol=1e-5, atol=1e-9)


def test_softmax_of_rows_too_long_for_registers(interpreted):
    kernel, x = kernels.softmax(2, 301), random(2, 301) * 4
    y = interpreted(kernel, {"x": x}, in_blocks(kernel))["y"]
    np.testing.assert_allclose(y, softmax(x, 1), rtol=1e-5, atol=1e-9)


def test_softmax_of_one_row_in_parts(interpreted):
    assert len(choose_gpu(kernels.softmax(1, 50_000), resolve("sm_90"))[0]) == 3
    kernel, x = kernels.softmax(1, 1000), random(1, 1000)
    with interpreter.constants("short rows"):
        parts, _ = choose_gpu(kernel, interpreter.SMALL_GPU)
    assert len(parts) == 3
    y = interpreted(kernel, {"x": x}, parts)["y"]
    np.testing.assert_allclose(y, softmax(x, 1), rtol=1e-4)


@pytest.mark.parametrize("rows, columns", [(20, 70), (300, 64), (5000, 3)])
def test_softmax_over_columns(interpreted, rows, columns):
    x = random(rows, columns)
    y = interpreted(kernels.softmax_down(rows, columns), {"x": x})["y"]
    np.testing.assert_allclose(y, softmax(x, 0), rtol=1e-4)


def test_maximum_propagates_nan(interpreted):
    x = random(2, 6)
    x[1, 3] = math.nan
    y = interpreted(kernels.reduction("maximum", F32, 2, 6), {"x": x})["y"]
    assert y[0] == x[0].max() and math.isnan(y[1])


@pytest.mark.parametrize("rows, columns, blocks", [(6, 96, 1), (3, 1000, 1), (2, 301, 10)])
def test_layer_norm_and_its_mean(interpreted, rows, columns, blocks):
    kernel = kernels.layer_norm(rows, columns)
    x, w, b = random(rows, columns) + 3, random(columns), random(columns)
    parts = in_blocks(kernel) if blocks > 1 else None
    found = interpreted(kernel, {"x": x, "w": w, "b": b}, parts)
    upcast = x.astype(np.float64)
    centred = upcast - upcast.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(found["y"], expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found["mean_out"], upcast.mean(axis=1), rtol=1e-5)


@pytest.mark.parametrize("rows, columns", [(20, 100), (2049, 130), (4001, 64)])
def test_column_sum(interpreted, rows, columns):
    x = random(rows, columns)
    y = interpreted(kernels.column_sum(rows, columns), {"x": x})["y"]
    np.testing.assert_allclose(y, x.sum(axis=0, dtype=np.float64), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("numel", [1, 1000, 40000, 3_000_001])
def test_mean_of_everything(interpreted, numel):
    x = random(numel) + 1
    y = interpreted(kernels.mean(numel), {"x": x})["y"]
    np.testing.assert_allclose(y, x.mean(dtype=np.float64), rtol=1e-5)


def test_two_reduce_axes_around_a_parallel_one(interpreted):
    x = random(3, 5, 50)
    y = interpreted(kernels.batch_statistics(3, 5, 50), {"x": x})["y"]
    np.testing.assert_allclose(y, x.sum(axis=(0, 2)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "monoid, dtype, numpy",
    [
        ("add", I32, np.sum),
        ("add", I64, np.sum),
        ("multiply", F32, np.prod),
        ("maximum", I8, np.max),
        ("minimum", U8, np.min),
        ("minimum", F32, np.min),
        ("and", BOOL, np.all),
        ("or", BOOL, np.any),
        ("or", I32, np.bitwise_or.reduce),
        ("and", I32, np.bitwise_and.reduce),
    ],
)
def test_monoids(interpreted, monoid, dtype, numpy):
    x = np.random.default_rng(3).integers(0, 2 if dtype is BOOL else 90, (4, 10))
    x = x.astype(
        {"f32": "f4", "i32": "i4", "i64": "i8", "i8": "i1", "u8": "u1"}.get(dtype.name, "?")
    )
    y = interpreted(kernels.reduction(monoid, dtype, 4, 10), {"x": x})["y"]
    np.testing.assert_allclose(y, numpy(x, axis=1))


def test_transposed_and_reversed_accesses(interpreted):
    x, z = random(40, 64), random(64, 40)
    found = interpreted(kernels.transpose_add(40, 64), {"x": x, "z": z})
    np.testing.assert_allclose(found["y"], x.T + z)
    np.testing.assert_allclose(found["flipped"], x.T[:, ::-1])


@pytest.mark.parametrize("batch, rows, columns", [(1, 100, 33), (3, 40, 64), (2, 5, 7)])
def test_transposed_matrices_in_tiles(interpreted, batch, rows, columns):
    x = random(batch, rows, columns)
    y = interpreted(kernels.transpose_last(batch, rows, columns), {"x": x})["y"]
    np.testing.assert_array_equal(y, -x.transpose(0, 2, 1))


def test_a_single_number(interpreted):
    found = interpreted(kernels.scale(), {"x": np.array(2.5, np.float32)})
    assert found["y"] == 7.5


@pytest.mark.parametrize("rows, columns", [(3, 64), (300, 50), (2, 40000)])
def test_fold_of_a_row_value_counts_every_column(interpreted, rows, columns):
    x = random(rows)
    y = interpreted(kernels.count(rows, columns), {"x": x})["y"]
    np.testing.assert_allclose(y, x * columns, rtol=1e-5)


def test_masked_load_of_a_padded_array(interpreted):
    x = random(40)
    y = interpreted(kernels.pad(40, 3, 9), {"x": x})["y"]
    np.testing.assert_allclose(y, np.pad(x, (3, 9), constant_values=7))


@pytest.mark.parametrize("rows, width", [(3, 64), (40, 50), (2, 20_000)])
def test_rows_of_a_table_by_number(interpreted, rows, width):
    words = np.array([4, 0, 9, -3, 77] * rows)[:rows]
    table = random(7, width)
    found = interpreted(kernels.embedded_norm(rows, width, 7), {"word": words, "table": table})
    read = table[words.clip(0, 6)].astype(np.float64)
    expected = read / np.sqrt((read**2).mean(axis=1, keepdims=True))
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5)


@pytest.mark.parametrize("rows, columns", [(3, 64), (33, 77)])
def test_an_index_for_each_element(interpreted, rows, columns):
    j = np.random.default_rng(1).integers(0, 9, (rows, columns)).astype(np.int32)
    x = random(rows, 9)
    y = interpreted(kernels.taken_along(rows, columns, 9), {"j": j, "x": x})["y"]
    np.testing.assert_array_equal(y, np.take_along_axis(x, j.astype(np.int64), 1))
