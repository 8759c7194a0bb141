"""A float on its way that has the digits of a 16-bit float stays in its 32 bits."""

import ml_dtypes
import numpy as np
import pytest

from compiler_core.codegen.c.emit import emit
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import BF16, F32, TensorType
from tests.compiler_core.codegen.c.graphs import plan_of, run


def rounded(count: int) -> Graph:
    b = Builder()
    x = b.parameter(TensorType(F32, (count,)))
    narrow = b.convert(x, BF16)
    return b.graph("rounded", [b.convert(narrow, F32), narrow])


def test_it_is_not_packed_and_unpacked():
    text = emit(plan_of(rounded(64))).source.text
    assert "= rounded_to_bf16(v0);" in text and "f32_to_bf16" not in text


def test_what_is_stored_as_it_was_rounded_is_rounded_once():
    b = Builder()
    x = b.parameter(TensorType(F32, (64,)))
    text = emit(plan_of(b.graph("stored", [b.convert(b.node("add", x, x), BF16)]))).source.text
    assert "= packed_bf16(v2);" in text and "f32_to_bf16" not in text


@pytest.mark.cpu
def test_it_is_the_nearest_of_every_kind():
    bits = np.random.default_rng(3).integers(0, 2**32, 1 << 16, np.uint32)
    ties = np.arange(0, 2**32, 2**15, np.uint64).astype(np.uint32)
    x = np.concatenate([bits, ties, ties + 1, ties - 1]).view(np.float32)
    found, packed = run(rounded(len(x)), [x])
    with np.errstate(all="ignore"):
        expected = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(packed.astype(np.float32), expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(found.view(np.uint32)[numbers], expected.view(np.uint32)[numbers])
